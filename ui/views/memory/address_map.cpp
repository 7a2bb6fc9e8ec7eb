// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/memory/address_map.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <algorithm>
#include <numeric>

namespace tilewright::ui {

namespace {

/// Search limit, about a second; a harder search ends with the best placement so far.
constexpr std::int64_t kMostNodes = 200'000;

QString itemKindText(Resident::Kind kind)
{
    switch (kind) {
    case Resident::Kind::Input:
        return tr("input");
    case Resident::Kind::Output:
        return tr("output");
    case Resident::Kind::Accumulator:
        return tr("accumulator");
    case Resident::Kind::Resident:
    case Resident::Kind::Retained:
        break;
    }
    return tr("retained");
}

} // namespace

std::optional<std::size_t> AddressMap::at(double time, double address) const
{
    std::optional<std::size_t> found;
    for (const std::size_t i : order) {
        if (start[i] > time)
            break;
        const auto low = static_cast<double>(offset(i));
        if (time < end[i] && address >= low && address < low + static_cast<double>(item(i).what.elements) &&
            (!found || item(i).takesOver))
            found = i;
    }
    return found;
}

std::shared_ptr<const AddressMap> buildAddressMap(const Snapshot& snapshot, const Timeline& timeline,
                                                  const Progress& progress)
{
    auto out = std::make_shared<AddressMap>();
    out->problem = snapshot.problem;
    out->capacity = snapshot.problem->hardware().fastMemoryCapacity;
    if (!snapshot.evaluation.valid()) {
        out->hint = tr("Only a valid schedule has addresses; see the list of problems.");
        return out;
    }
    if (!std::all_of(timeline.parts.begin(), timeline.parts.end(), [](const TimelinePart& p) {
            return p.isKnown() && p.steps->end() == StepTable::End::Complete;
        })) {
        out->hint = tr("A subgraph has too many steps to show the address of each buffer.");
        return out;
    }
    PlacementOptions options;
    options.maxNodes = kMostNodes;
    auto placed =
        placeSchedule(*snapshot.problem, snapshot.schedule, snapshot.evaluation.rules, progress, options);
    if (!placed) {
        if (progress.stopRequested())
            return nullptr;
        out->hint = sentence(placed.error().text());
        return out;
    }
    out->placed = std::move(*placed);
    const auto& items = out->placed.items.items;
    const auto timeOf = [&](SubgraphId subgraph, std::int64_t step) {
        const TimelinePart& part = timeline.parts[subgraph.index()];
        return part.start + part.steps->start(step);
    };
    out->start.reserve(items.size());
    out->end.reserve(items.size());
    for (const StepItem& i : items) {
        out->start.push_back(timeOf(i.subgraph, i.firstStep));
        out->end.push_back(timeOf(i.lastSubgraph, i.lastStep + 1));
    }
    out->order.resize(items.size());
    std::iota(out->order.begin(), out->order.end(), std::size_t{0});
    std::stable_sort(out->order.begin(), out->order.end(),
                     [&](std::size_t a, std::size_t b) { return out->start[a] < out->start[b]; });
    return out;
}

QString addressTitle(const AddressMap& map)
{
    const Placement& p = map.placed.placement;
    QString text = sentence(placementText(p, map.capacity));
    text[0] = text[0].toUpper();
    return tr("%1 · peak %2 · fragmentation %3").arg(text, number(p.peak), percent(p.fragmentation()));
}

QString addressText(const AddressMap& map, std::size_t i)
{
    const StepItem& item = map.item(i);
    const std::int64_t offset = map.offset(i);
    QString what = QString::fromStdString(map.problem->tensorName(item.what.tensor)) + QStringLiteral(", ") +
                   itemKindText(item.what.kind);
    if (item.what.rect)
        what += QStringLiteral(" [%1:%2, %3:%4]")
                    .arg(item.what.rect->r0)
                    .arg(item.what.rect->r1)
                    .arg(item.what.rect->c0)
                    .arg(item.what.rect->c1);
    const QString life =
        item.subgraph == item.lastSubgraph
            ? tr("subgraph %1, steps %2 to %3")
                  .arg(item.subgraph.index())
                  .arg(number(item.firstStep), number(item.lastStep))
            : tr("subgraphs %1 to %2").arg(item.subgraph.index()).arg(item.lastSubgraph.index());
    return tr("%1 · addresses %2 to %3 (%4 elements) · %5")
        .arg(what, number(offset), number(offset + item.what.elements), number(item.what.elements), life);
}

QString addressesAsText(const AddressMap& map, double time)
{
    std::vector<std::size_t> alive;
    for (const std::size_t i : map.order)
        if (map.start[i] <= time && time < map.end[i])
            alive.push_back(i);
    std::sort(alive.begin(), alive.end(),
              [&](std::size_t a, std::size_t b) { return map.offset(a) < map.offset(b); });
    QString out = QStringLiteral("offset\tsize\ttensor\tkind\n");
    for (const std::size_t i : alive)
        out += textRow(map.offset(i), map.item(i).what.elements,
                       map.problem->tensorName(map.item(i).what.tensor), itemKindText(map.item(i).what.kind));
    return out;
}

} // namespace tilewright::ui
