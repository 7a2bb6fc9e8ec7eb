// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/constraint_edits.h"

#include "theme/text.h"
#include "workspace/schedule_edits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace tilewright::ui {

namespace {

bool refuseConstraint(Document& document, const QString& why)
{
    return document.apply(Error{ErrorCode::Refused, why.toStdString(), {}, {}}, {});
}

/// Changes the constraints of the schedule. The result is checked as if it were read from the schedule's
/// file.
template <typename Change> bool applyChange(Document& document, const QString& text, Change&& make)
{
    if (!document.hasProblem())
        return false;
    auto all = constraintsOf(document);
    if (!all)
        return document.apply(all.error(), {});
    make(*all);
    const Problem& problem = *document.problem();
    const auto read = readConstraints(problem, writeConstraints(problem, *all), {});
    if (!read)
        return document.apply(read.error(), {});
    Schedule next = document.schedule();
    next.extra = withConstraints(problem, next.extra, *read);
    if (next == document.schedule())
        return false;
    document.apply(std::move(next), text);
    return true;
}

std::vector<OpId> sorted(std::vector<OpId> ops)
{
    std::ranges::sort(ops);
    const auto same = std::ranges::unique(ops);
    ops.erase(same.begin(), same.end());
    return ops;
}

bool addGroup(Document& document, const Selection& selection,
              std::vector<std::vector<OpId>> ScheduleConstraints::*list, const QString& text)
{
    std::vector<OpId> ops = sorted(selectedOps(document, selection));
    if (ops.size() < 2)
        return refuseConstraint(document, tr("select two or more ops first"));
    return applyChange(document, text, [&](ScheduleConstraints& all) {
        ScheduleConstraints more;
        (more.*list).push_back(std::move(ops));
        all.add(more);
    });
}

bool setRetention(Document& document, const Selection& selection, bool always, const QString& text)
{
    const auto tensor = selection.state().tensor;
    if (!tensor)
        return refuseConstraint(document, tr("select a tensor first: an edge of the graph"));
    return applyChange(document, text, [&](ScheduleConstraints& all) {
        std::erase_if(all.retain, [&](const auto& r) { return r.tensor == *tensor; });
        all.retain.push_back({*tensor, always});
    });
}

void replaceTiles(ScheduleConstraints& all, ScheduleConstraints::Tiles tiles)
{
    const auto same =
        std::ranges::find_if(all.tiles, [&](const auto& t) { return sorted(t.ops) == sorted(tiles.ops); });
    if (same != all.tiles.end())
        *same = std::move(tiles);
    else
        all.tiles.push_back(std::move(tiles));
}

ScheduleConstraints::Tiles tilesOf(const Subgraph& subgraph)
{
    const Granularity& g = subgraph.granularity;
    return {sorted(subgraph.ops), {{g.w, g.w}, {g.h, g.h}, {g.k, g.k}}};
}

} // namespace

Result<ScheduleConstraints> constraintsOf(const Document& document)
{
    if (!document.hasProblem())
        return ScheduleConstraints();
    return tilewright::constraintsOf(*document.problem(), document.schedule(),
                                     document.schedulePath().toStdString());
}

bool keepTogether(Document& document, Selection& selection)
{
    return addGroup(document, selection, &ScheduleConstraints::together, tr("Keep ops together"));
}

bool keepApart(Document& document, Selection& selection)
{
    return addGroup(document, selection, &ScheduleConstraints::apart, tr("Keep ops apart"));
}

bool alwaysRetain(Document& document, Selection& selection)
{
    return setRetention(document, selection, true, tr("Always retain a tensor"));
}

bool neverRetain(Document& document, Selection& selection)
{
    return setRetention(document, selection, false, tr("Never retain a tensor"));
}

bool keepTile(Document& document, Selection& selection)
{
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.empty())
        return refuseConstraint(document, tr("select a subgraph first"));
    return applyChange(document, tr("Keep this tile"), [&](ScheduleConstraints& all) {
        for (const SubgraphId s : subgraphs)
            replaceTiles(all, tilesOf(document.schedule()[s]));
    });
}

bool setTiles(Document& document, const ScheduleConstraints::Tiles& tiles)
{
    return applyChange(document, tr("Range of tiles"),
                       [&](ScheduleConstraints& all) { replaceTiles(all, tiles); });
}

ScheduleConstraints::Tiles tilesOfSelection(const Document& document, const Selection& selection)
{
    ScheduleConstraints::Tiles out;
    out.ops = sorted(selectedOps(document, selection));
    for (const SubgraphId s : selectedSubgraphs(selection))
        if (ScheduleConstraints::Tiles own = tilesOf(document.schedule()[s]); own.ops == out.ops)
            out = std::move(own);
    if (const auto all = constraintsOf(document))
        for (const ScheduleConstraints::Tiles& t : all->tiles)
            if (sorted(t.ops) == out.ops)
                return t;
    return out;
}

bool removeConstraint(Document& document, std::size_t number)
{
    return applyChange(document, tr("Remove a constraint"),
                       [&](ScheduleConstraints& all) { all = all.without(number); });
}

} // namespace tilewright::ui
