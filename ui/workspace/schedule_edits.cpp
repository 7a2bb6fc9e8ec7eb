// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/schedule_edits.h"

#include "edit/fit.h"
#include "explain/tensor_uses.h"
#include "theme/text.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Text for history and undo: the name of a single op, or the number of ops.
QString opsText(const Document& document, const std::vector<OpId>& ops)
{
    return ops.size() == 1 ? QString::fromStdString(document.problem()->opName(ops.front()))
                           : tr("%1 ops").arg(number(ops.size()));
}

EditOptions options(const Document& document)
{
    return editOptions(document.rules());
}

/// Returns the subgraph to which the selection refers: the current one, or the only one that contains all
/// these ops.
std::optional<SubgraphId> homeOf(const Document& document, const Selection& selection,
                                 const std::vector<OpId>& ops)
{
    const auto holds = [&](SubgraphId s) {
        const auto& in = document.schedule()[s].ops;
        return std::all_of(ops.begin(), ops.end(),
                           [&](OpId o) { return std::count(in.begin(), in.end(), o) > 0; });
    };
    if (const auto current = selection.state().subgraph;
        current && current->index() < document.schedule().size() && holds(*current))
        return current;
    for (std::size_t i = 0; i < document.schedule().size(); ++i)
        if (holds(SubgraphId(i)))
            return SubgraphId(i);
    return std::nullopt;
}

/// Selects the result of an edit of these ops. Returns false if the edit changed nothing.
bool selectResult(const Document& document, Selection& selection, const Schedule& before,
                  const std::vector<OpId>& keepOps)
{
    const auto changed = changedSubgraphs(before, document.schedule());
    const bool opsWereChosen = !selection.state().ops.empty(); // false if whole subgraphs were selected
    SelectionState state;
    // If several subgraphs changed, select the one that contains all these ops.
    for (const SubgraphId s : changed) {
        const auto& in = document.schedule()[s].ops;
        const bool all = std::all_of(keepOps.begin(), keepOps.end(),
                                     [&](OpId o) { return std::count(in.begin(), in.end(), o) > 0; });
        if (!all)
            continue;
        state.subgraph = s;
        state.subgraphs = {s};
        break;
    }
    if (opsWereChosen)
        state.ops.insert(keepOps.begin(), keepOps.end());
    selection.set(std::move(state));
    return !(before == document.schedule());
}

/// Applies a schedule whose granularities are final, and selects its result.
bool applySettled(Document& document, Selection& selection, const Result<Schedule>& next, const QString& text,
                  const std::vector<OpId>& keepOps)
{
    const Schedule before = document.schedule();
    return document.apply(next, text) && selectResult(document, selection, before, keepOps);
}

bool applyAndSelect(Document& document, Selection& selection, const Result<Schedule>& next,
                    const QString& text, const std::vector<OpId>& keepOps = {})
{
    return applySettled(
        document, selection,
        next ? Result<Schedule>(retiled(*document.problem(), document.schedule(), *next, document.rules()))
             : next,
        text, keepOps);
}

bool refuse(Document& document, const char* why)
{
    return document.apply(Error{ErrorCode::Refused, tr(why).toStdString(), {}, {}}, {});
}

} // namespace

EditOptions editOptions(const Rules& rules, bool force)
{
    return {.rules = rules, .force = force};
}

std::vector<SubgraphId> selectedSubgraphs(const Selection& selection)
{
    const SelectionState& state = selection.state();
    std::vector<SubgraphId> out(state.subgraphs.begin(), state.subgraphs.end());
    if (out.empty() && state.subgraph)
        out.push_back(*state.subgraph);
    return out;
}

std::vector<OpId> selectedOps(const Document& document, const Selection& selection)
{
    const SelectionState& state = selection.state();
    if (!state.ops.empty())
        return {state.ops.begin(), state.ops.end()};
    std::set<OpId> ops;
    for (const SubgraphId s : selectedSubgraphs(selection))
        if (s.index() < document.schedule().size())
            ops.insert(document.schedule()[s].ops.begin(), document.schedule()[s].ops.end());
    return {ops.begin(), ops.end()};
}

Result<Schedule> fused(const Problem& problem, const Schedule& schedule, const Rules& rules,
                       const SelectionState& selection)
{
    const std::vector<OpId> ops(selection.ops.begin(), selection.ops.end());
    const std::vector<SubgraphId> subgraphs(selection.subgraphs.begin(), selection.subgraphs.end());
    if (ops.size() < 2 && subgraphs.size() < 2)
        return Error{
            ErrorCode::Refused, tr("select at least two ops or two subgraphs to fuse").toStdString(), {}, {}};
    const auto edited = ops.size() > 1 ? edit::fuseOps(problem, schedule, ops, editOptions(rules))
                                       : edit::fuse(problem, schedule, subgraphs, editOptions(rules));
    return edited ? Result<Schedule>(retiled(problem, schedule, *edited, rules)) : edited;
}

bool fuseSelection(Document& document, Selection& selection)
{
    if (!document.hasProblem())
        return false;
    const auto ops = selectedOps(document, selection);
    return applySettled(document, selection,
                        fused(*document.problem(), document.schedule(), document.rules(), selection.state()),
                        selection.state().ops.size() > 1
                            ? tr("Fuse %1").arg(opsText(document, ops))
                            : tr("Fuse %1 subgraphs").arg(selectedSubgraphs(selection).size()),
                        ops);
}

bool splitSelection(Document& document, Selection& selection)
{
    if (!document.hasProblem())
        return false;
    if (selection.state().ops.empty())
        return splitApartSelection(document, selection);
    const auto ops = selectedOps(document, selection);
    const auto home = homeOf(document, selection, ops);
    if (!home)
        return refuse(document, "the selected ops are in different subgraphs");
    if (ops.size() > 1 && ops.size() == document.schedule()[*home].ops.size())
        // The ops are the whole subgraph: do as if the subgraph itself were selected.
        return splitApartSelection(document, selection);
    return applyAndSelect(
        document, selection,
        edit::split(*document.problem(), document.schedule(), *home, ops, options(document)),
        tr("Split off %1").arg(opsText(document, ops)), ops);
}

bool splitApartSelection(Document& document, Selection& selection)
{
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.size() != 1)
        return refuse(document, "select exactly one subgraph to split");
    return applyAndSelect(
        document, selection,
        edit::splitApart(*document.problem(), document.schedule(), subgraphs.front(), options(document)),
        tr("Split subgraph %1").arg(subgraphs.front().index()));
}

bool duplicateSelection(Document& document, Selection& selection)
{
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.size() != 1)
        return refuse(document, "select exactly one subgraph to duplicate");
    return applyAndSelect(
        document, selection,
        edit::duplicate(*document.problem(), document.schedule(), subgraphs.front(), options(document)),
        tr("Duplicate subgraph %1").arg(subgraphs.front().index()));
}

bool deleteSelection(Document& document, Selection& selection)
{
    if (!document.hasProblem())
        return false;
    if (!selection.state().ops.empty()) {
        const auto ops = selectedOps(document, selection);
        const auto home = homeOf(document, selection, ops);
        if (!home)
            return refuse(document, "the selected ops are in different subgraphs");
        return applyAndSelect(
            document, selection,
            edit::removeOps(*document.problem(), document.schedule(), ops, *home, options(document)),
            tr("Remove %1 from subgraph %2").arg(opsText(document, ops), QString::number(home->index())));
    }
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.empty())
        return refuse(document, "select ops or subgraphs to remove");
    return applyAndSelect(document, selection,
                          edit::erase(*document.problem(), document.schedule(), subgraphs, options(document)),
                          subgraphs.size() == 1 ? tr("Delete subgraph %1").arg(subgraphs.front().index())
                                                : tr("Delete %1 subgraphs").arg(subgraphs.size()));
}

bool mergeSelectionWith(Document& document, Selection& selection, int neighbour)
{
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.size() != 1)
        return refuse(document, "select exactly one subgraph to merge with its neighbour");
    const auto ops = selectedOps(document, selection);
    const SubgraphId s = subgraphs.front();
    return applyAndSelect(
        document, selection,
        neighbour < 0
            ? edit::mergeWithPrevious(*document.problem(), document.schedule(), s, options(document))
            : edit::mergeWithNext(*document.problem(), document.schedule(), s, options(document)),
        neighbour < 0 ? tr("Merge subgraph %1 with the previous").arg(s.index())
                      : tr("Merge subgraph %1 with the next").arg(s.index()),
        ops);
}

bool moveSelectionTo(Document& document, Selection& selection, int neighbour)
{
    if (!document.hasProblem())
        return false;
    const auto ops = selectedOps(document, selection);
    const auto home = ops.empty() ? std::nullopt : homeOf(document, selection, ops);
    if (!home)
        return refuse(document, "select ops of one subgraph to move");
    return applyAndSelect(
        document, selection,
        neighbour < 0
            ? edit::moveToPrevious(*document.problem(), document.schedule(), ops, *home, options(document))
            : edit::moveToNext(*document.problem(), document.schedule(), ops, *home, options(document)),
        neighbour < 0 ? tr("Move %1 to the previous subgraph").arg(opsText(document, ops))
                      : tr("Move %1 to the next subgraph").arg(opsText(document, ops)),
        ops);
}

bool shiftSelection(Document& document, Selection& selection, int by)
{
    const auto rows = selectedSubgraphs(selection);
    if (rows.empty())
        return refuse(document, "select subgraphs to move");
    const auto first = static_cast<std::int64_t>(rows.front().index()) + by;
    const auto last = static_cast<std::int64_t>(document.schedule().size() - rows.size());
    return reorderSubgraphs(document, selection, rows,
                            static_cast<std::size_t>(std::clamp<std::int64_t>(first, 0, last)));
}

bool reorderSubgraphs(Document& document, Selection& selection, const std::vector<SubgraphId>& rows,
                      std::size_t position)
{
    const std::size_t n = rows.size();
    if (!document.apply(
            edit::reorder(*document.problem(), document.schedule(), rows, position, options(document)),
            n == 1 ? tr("Move subgraph %1").arg(rows.front().index()) : tr("Move %1 subgraphs").arg(n)))
        return false;
    SelectionState state;
    for (std::size_t i = 0; i < n; ++i)
        state.subgraphs.insert(SubgraphId(position + i));
    state.subgraph = SubgraphId(position);
    selection.set(std::move(state));
    return true;
}

bool toggleLock(Document& document, Selection& selection)
{
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.empty())
        return refuse(document, "select subgraphs to lock them for the solver");
    const bool lock = !document.schedule()[subgraphs.front()].locked;
    return document.apply(edit::setLocked(document.schedule(), subgraphs, lock),
                          lock ? tr("Lock for the solver") : tr("Unlock for the solver"));
}

bool toggleRetainOfSelection(Document& document, Selection& selection)
{
    const auto tensor = selection.state().tensor;
    if (!tensor)
        return refuse(document, "select a tensor to retain: an edge of the graph");
    const auto subgraph =
        retainingSubgraph(*document.problem(), document.schedule(), *tensor, selection.state().subgraph);
    if (!subgraph)
        return document.apply(Error{ErrorCode::Refused,
                                    tr("no subgraph computes or reads %1")
                                        .arg(QString::fromStdString(document.problem()->tensorName(*tensor)))
                                        .toStdString(),
                                    {},
                                    {}},
                              {});
    return toggleRetain(document, *subgraph, *tensor);
}

bool toggleRetain(Document& document, SubgraphId subgraph, TensorId tensor)
{
    const auto& retained = document.schedule()[subgraph].retain;
    const bool release = std::find(retained.begin(), retained.end(), tensor) != retained.end();
    return document.apply(
        edit::toggleRetain(*document.problem(), document.schedule(), subgraph, tensor, options(document)),
        (release ? tr("Release %1") : tr("Retain %1"))
            .arg(QString::fromStdString(document.problem()->tensorName(tensor))));
}

bool setTraversalOfSelection(Document& document, Selection& selection, const Traversal& traversal)
{
    const auto subgraphs = selectedSubgraphs(selection);
    if (subgraphs.empty())
        return refuse(document, "select a subgraph to change its traversal");
    const auto name = traversalName(traversal.kind());
    return document.apply(
        edit::setTraversal(*document.problem(), document.schedule(), subgraphs, traversal, options(document)),
        tr("Traversal: %1").arg(QLatin1String(name.data(), static_cast<qsizetype>(name.size()))));
}

Result<Schedule> scheduleAfter(const Document& document, const OpDrop& drop)
{
    return scheduleAfter(*document.problem(), document.schedule(), document.rules(), drop);
}

Result<Schedule> scheduleAfter(const Problem& problem, const Schedule& schedule, const Rules& rules,
                               const OpDrop& drop)
{
    const EditOptions how = editOptions(rules, drop.force);
    auto edited = [&]() -> Result<Schedule> {
        if (drop.recompute)
            return drop.to ? edit::recompute(problem, schedule, drop.ops, *drop.to, how)
                           : edit::addSubgraph(problem, schedule, drop.ops, how);
        return drop.to ? edit::moveOps(problem, schedule, drop.ops, drop.from, *drop.to, how)
                       : edit::moveOpsToNew(problem, schedule, drop.ops, drop.from, how);
    }();
    if (!edited)
        return edited;
    return retiled(problem, schedule, *edited, rules);
}

bool applyDrop(Document& document, Selection& selection, const OpDrop& drop, const SnapshotPtr& judged)
{
    const QString what = opsText(document, drop.ops);
    const QString text =
        drop.recompute
            ? (drop.to ? tr("Recompute %1 in subgraph %2").arg(what, QString::number(drop.to->index()))
                       : tr("Recompute %1 in a new subgraph").arg(what))
            : (drop.to ? tr("Move %1 to subgraph %2").arg(what, QString::number(drop.to->index()))
                       : tr("Move %1 to a new subgraph").arg(what));
    if (!judged)
        return applySettled(document, selection, scheduleAfter(document, drop), text, drop.ops);
    const Schedule before = document.schedule();
    document.apply(judged, text);
    return selectResult(document, selection, before, drop.ops);
}

} // namespace tilewright::ui
