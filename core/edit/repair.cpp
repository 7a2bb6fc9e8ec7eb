// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/repair.h"

#include "base/text.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "edit/suggestions.h"
#include "rules/check.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <array>

namespace tilewright {

namespace {

/// True for issues inside one subgraph that do not depend on other subgraphs. They hide other issues of the
/// subgraph.
bool isStructural(const Issue& issue)
{
    return issue.code != IssueCode::Dependency && issue.code != IssueCode::OutOfMemory &&
           issue.code != IssueCode::Coverage && issue.code != IssueCode::Output;
}

/// True for a violation of R2.2. Edits cannot be applied to such a schedule.
bool isMalformed(const Issue& issue)
{
    return issue.code == IssueCode::Format || issue.code == IssueCode::Granularity ||
           (issue.code == IssueCode::Retain && !issue.tensor);
}

/// Measure of the distance from a valid schedule. Each repair reduces it.
std::pair<std::size_t, std::size_t> distance(const Evaluation& e)
{
    return {static_cast<std::size_t>(std::count_if(e.issues.begin(), e.issues.end(), isStructural)),
            e.issues.size()};
}

std::string tileText(const Granularity& g)
{
    return formatGrouped(g.w) + " × " + formatGrouped(g.h) + " × " + formatGrouped(g.k);
}

template <class List, class T> bool contains(const List& list, const T& value)
{
    return std::find(list.begin(), list.end(), value) != list.end();
}

/// The ops to add to `subgraph` so that t becomes available: the producer of t and, recursively, the
/// producers of its missing inputs.
std::vector<OpId> missingProducers(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                   SubgraphId subgraph, TensorId t)
{
    MemoryState memory(problem, schedule, rules);
    std::vector<Issue> ignored;
    for (std::size_t i = 0; i < subgraph.index(); ++i)
        memory.execute(ignored);
    std::vector<OpId> out;
    std::vector<TensorId> open{t};
    while (!open.empty()) {
        const TensorId missing = open.back();
        open.pop_back();
        const auto p = problem.producer(missing);
        if (memory.has(missing) || !p || contains(out, *p) || contains(schedule[subgraph].ops, *p))
            continue;
        out.push_back(*p);
        for (const TensorId input : problem.op(*p).inputs)
            open.push_back(input);
    }
    return inTopologicalOrder(problem, out);
}

/// Inserts subgraphs of one op each that write the tensors and, recursively, their missing inputs. They are
/// placed before `subgraph` and before the chain of subgraphs that retain tensors for it.
Schedule insertProducersBefore(const Problem& problem, const Schedule& schedule, const Rules& rules,
                               SubgraphId subgraph, std::vector<TensorId> tensors)
{
    std::size_t place = subgraph.index();
    while (place > 0 && !schedule.subgraphs[place - 1]->retain.empty())
        --place;
    MemoryState memory(problem, schedule, rules);
    std::vector<Issue> ignored;
    for (std::size_t i = 0; i < place; ++i)
        memory.execute(ignored);
    std::vector<OpId> ops;
    while (!tensors.empty()) {
        const TensorId missing = tensors.back();
        tensors.pop_back();
        if (memory.has(missing))
            continue;
        for (const OpId o : problem.sources(missing))
            if (!contains(ops, o)) {
                ops.push_back(o);
                const auto& inputs = problem.op(o).inputs;
                tensors.insert(tensors.end(), inputs.begin(), inputs.end());
            }
    }
    Schedule out = schedule;
    for (const OpId o : problem.topologicalOrder()) {
        if (!contains(ops, o))
            continue;
        Subgraph s;
        s.ops = {o};
        const SubgraphPlan plan(problem, s.ops, rules);
        s.granularity = fittingGranularity(plan, {}, {}, std::array{startGranularity(plan)});
        out.subgraphs.insert(out.subgraphs.begin() + static_cast<std::ptrdiff_t>(place++),
                             std::make_shared<const Subgraph>(std::move(s)));
    }
    return out;
}

/// Returns the ops `first`, and all ops of the subgraph that depend on them.
std::vector<OpId> withDependents(const Problem& problem, const Subgraph& s, const std::vector<OpId>& first)
{
    std::vector<OpId> out = first;
    for (std::size_t i = 0; i < out.size(); ++i)
        for (const OpId o : problem.consumers(problem.op(out[i]).output))
            if (contains(s.ops, o) && !contains(out, o))
                out.push_back(o);
    return out;
}

class RepairSearch
{
public:
    RepairSearch(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                 const Issue& issue)
        : m_problem(problem), m_schedule(schedule), m_before(evaluation), m_rules(evaluation.rules),
          m_issue(issue), m_force{evaluation.rules, true}
    {
    }

    Repairs run()
    {
        if (!isMalformed(m_issue) && std::any_of(m_before.issues.begin(), m_before.issues.end(), isMalformed))
            m_out.why = "repair the subgraphs whose ops or granularity are not well-formed first";
        else if (!m_issue.subgraph || m_issue.subgraph->index() < m_schedule.size()) {
            tryEverything();
            if (m_out.found.empty())
                tryChanges();
        }
        std::stable_sort(m_out.found.begin(), m_out.found.end(), [](const Repair& a, const Repair& b) {
            return a.issuesLeft != b.issuesLeft ? a.issuesLeft < b.issuesLeft : a.total < b.total;
        });
        if (!m_out.found.empty())
            m_out.why.clear();
        else if (m_out.why.empty())
            m_out.why = "no single change repairs this problem without causing another one";
        return std::move(m_out);
    }

private:
    [[nodiscard]] SubgraphId at() const { return *m_issue.subgraph; }
    [[nodiscard]] const Subgraph& here() const { return m_schedule[at()]; }
    [[nodiscard]] std::string name(SubgraphId i) const { return "subgraph " + std::to_string(i.value); }
    [[nodiscard]] std::string names(const std::vector<OpId>& ops) const
    {
        std::string text = m_problem.opName(ops.front());
        if (ops.size() == 2)
            text += " and " + m_problem.opName(ops[1]);
        else if (ops.size() > 2)
            text += " and " + formatGrouped(ops.size() - 1) + " other ops";
        return text;
    }

    void tryEverything()
    {
        switch (m_issue.code) {
        case IssueCode::Format:
        case IssueCode::Retain:
        case IssueCode::OpOrder:
            removeFaultyEntries();
            break;
        case IssueCode::Granularity:
        case IssueCode::SuperNative:
        case IssueCode::KTooLarge:
            useLegalTile();
            break;
        case IssueCode::Prologue:
            useLegalTile();
            splitBehindPrologue();
            break;
        case IssueCode::Disconnected:
            splitIntoGroups();
            break;
        case IssueCode::Traversal:
            offer(edit::setTraversal(m_problem, m_schedule, std::array{at()}, TraversalKind::Raster, m_force),
                  "use raster order");
            break;
        case IssueCode::Dependency:
            makeAvailable();
            break;
        case IssueCode::OutOfMemory:
            reduceWorkingSet();
            break;
        case IssueCode::Coverage:
            offer(edit::coverMissing(m_problem, m_schedule, m_force.rules), coverText());
            break;
        case IssueCode::Output:
            writeOutput();
            break;
        }
    }

    /// Adds the change to the result if it brings the schedule closer to a valid one.
    void offer(const Result<Schedule>& edited, std::string text)
    {
        if (edited)
            add(retiled(m_problem, m_schedule, *edited, m_rules), std::move(text));
    }

    void add(Schedule next, std::string text)
    {
        const Evaluation after = evaluate(m_problem, next, m_rules);
        if (distance(after) >= distance(m_before))
            return;
        for (const Repair& known : m_out.found)
            if (known.schedule == next)
                return;
        m_out.found.push_back({std::move(next), after.total, after.issues.size(), std::move(text)});
    }

    /// Adds those suggestions for the subgraph that repair the issue: for example, an op in the wrong place
    /// is moved.
    void tryChanges()
    {
        if (!m_issue.subgraph)
            return;
        for (Suggestion& s : suggestions(m_problem, m_schedule, m_before, at()))
            if (s.fixes > 0)
                add(std::move(s.schedule), std::move(s.text));
    }

    [[nodiscard]] Schedule with(SubgraphId i, Subgraph changed) const
    {
        Schedule out = m_schedule;
        changed.reportedLatency.reset();
        out.subgraphs[i.index()] = std::make_shared<const Subgraph>(std::move(changed));
        return out;
    }

    /// For the issues FORMAT, RETAIN and OP_ORDER: removes or reorders only the faulty entries.
    void removeFaultyEntries()
    {
        Subgraph s = here();
        std::vector<OpId> ops;
        for (const OpId o : s.ops)
            if (o.index() < m_problem.opCount() && !contains(ops, o))
                ops.push_back(o);
        if (ops.empty()) {
            Schedule out = m_schedule;
            out.subgraphs.erase(out.subgraphs.begin() + static_cast<std::ptrdiff_t>(at().index()));
            offer(out, "delete the empty " + name(at()));
            return;
        }
        const bool unordered = m_issue.code == IssueCode::OpOrder;
        s.ops = unordered ? inTopologicalOrder(m_problem, ops) : ops;
        const Boundary b = boundaryOf(m_problem, ops);
        const auto resident = residentBefore(m_problem, m_schedule, m_force.rules, at());
        std::vector<TensorId> retain;
        std::string dropped;
        for (const TensorId t : s.retain) {
            const bool exists = t.index() < m_problem.tensorCount();
            if (exists && !contains(retain, t) &&
                (contains(b.sinks, t) || contains(b.interior, t) ||
                 mayRetainInput(m_problem, m_force.rules, t, contains(b.inputs, t), resident)))
                retain.push_back(t);
            else if (dropped.empty())
                dropped = exists ? m_problem.tensorName(t) : "a tensor that does not exist";
        }
        s.retain = retain;
        offer(with(at(), std::move(s)), unordered ? "list producers before their consumers"
                                        : m_issue.code == IssueCode::Format ? "list every op once"
                                                                            : "do not retain " + dropped);
    }

    [[nodiscard]] bool opsAreWellFormed() const
    {
        const auto issues = checkFormat(m_problem, here(), at());
        return std::none_of(issues.begin(), issues.end(),
                            [](const Issue& i) { return i.code == IssueCode::Format; });
    }

    /// Gives the subgraph a legal tile: the nearest one if it fits and is fast, else the best one that fits,
    /// else any legal one.
    void useLegalTile()
    {
        if (!opsAreWellFormed())
            return;
        Subgraph s = here();
        const SubgraphPlan plan(m_problem, s.ops, m_rules);
        const Granularity nearest = legalGranularity(plan, s.granularity);
        const auto resident = residentBefore(m_problem, m_schedule, m_rules, at());
        s.granularity = chooseGranularity(plan, nearest, s.traversal, resident, s.retain).value_or(nearest);
        if (s.traversal.kind() == TraversalKind::Custom)
            s.traversal = TraversalKind::Raster; // the custom order belongs to another grid
        std::string text = "use tiles of " + tileText(s.granularity);
        offer(with(at(), std::move(s)), std::move(text));
    }

    /// Moves the MatMul and its dependents out of the subgraph that contains the Pointwise before it.
    void splitBehindPrologue()
    {
        const auto split = [&](const std::vector<OpId>& first) {
            const auto moved = withDependents(m_problem, here(), first);
            if (moved.size() < here().ops.size())
                offer(edit::split(m_problem, m_schedule, at(), moved, m_force),
                      "compute " + names(moved) + " in a subgraph of " +
                          (moved.size() > 1 ? "their" : "its") + " own");
        };
        split({*m_issue.op});
        if (!m_out.found.empty() || !m_issue.tensor)
            return;
        // All readers of the result of the Pointwise, so that the result is written to slow memory.
        std::vector<OpId> readers;
        for (const OpId o : m_problem.consumers(*m_issue.tensor))
            if (contains(here().ops, o))
                readers.push_back(o);
        split(readers);
    }

    void splitIntoGroups()
    {
        Schedule next = m_schedule;
        std::vector<SubgraphPtr> parts;
        for (auto& group : connectedGroups(m_problem, here().ops)) {
            Subgraph part = here();
            part.ops = std::move(group);
            part.reportedLatency.reset();
            part.granularity = legalGranularity(SubgraphPlan(m_problem, part.ops, m_rules), part.granularity);
            if (part.traversal.kind() == TraversalKind::Custom)
                part.traversal = TraversalKind::Raster;
            const Boundary b = boundaryOf(m_problem, part.ops);
            std::erase_if(part.retain,
                          [&](TensorId t) { return !contains(b.sinks, t) && !contains(b.interior, t); });
            parts.push_back(std::make_shared<const Subgraph>(std::move(part)));
        }
        const auto place = next.subgraphs.begin() + static_cast<std::ptrdiff_t>(at().index());
        next.subgraphs.insert(next.subgraphs.erase(place), parts.begin(), parts.end());
        offer(next, "make its " + formatGrouped(parts.size()) + " unconnected parts subgraphs of their own");
    }

    [[nodiscard]] std::string coverText() const
    {
        const auto missing = std::count_if(m_before.issues.begin(), m_before.issues.end(),
                                           [](const Issue& i) { return i.code == IssueCode::Coverage; });
        return missing <= 1 ? "give it a subgraph of its own"
                            : "give the " + formatGrouped(missing) + " missing ops subgraphs of their own";
    }

    void makeAvailable()
    {
        const TensorId t = *m_issue.tensor;
        const auto producer = m_problem.producer(t);
        if (!producer)
            return;
        const std::string tensor = m_problem.tensorName(t);
        offer(edit::repairOrder(m_problem, m_schedule, m_force.rules),
              "reorder the subgraphs so that inputs come before their readers");
        if (subgraphsWith(m_schedule, *producer).empty())
            offer(edit::coverMissing(m_problem, m_schedule, m_force.rules),
                  "compute " + m_problem.opName(*producer) + ", which is in no subgraph");
        if (contains(here().ops, *producer)) { // a view of the subgraph's own result cannot be read (R1.7)
            const auto moved = withDependents(m_problem, here(), {*m_issue.op});
            if (moved.size() < here().ops.size())
                offer(edit::split(m_problem, m_schedule, at(), moved, m_force),
                      "compute " + names(moved) + " after " + name(at()) + ", which writes " + tensor);
        }
        for (const SubgraphId from : subgraphsWith(m_schedule, *producer)) {
            if (from >= at())
                continue;
            const Subgraph& s = m_schedule[from];
            if (contains(s.retain, t)) {
                offer(edit::toggleRetain(m_problem, m_schedule, from, t, m_force),
                      "write " + tensor + " after " + name(from) + " instead of only retaining it");
                continue;
            }
            if (from.index() + 1 == at().index())
                offer(edit::toggleRetain(m_problem, m_schedule, from, t, m_force),
                      "retain " + tensor + " in fast memory for " + name(at()));
            std::vector<OpId> readers;
            for (const OpId o : m_problem.consumers(t))
                if (contains(s.ops, o))
                    readers.push_back(o);
            const auto moved = withDependents(m_problem, s, readers);
            if (!moved.empty() && moved.size() < s.ops.size())
                offer(edit::split(m_problem, m_schedule, from, moved, m_force),
                      "split " + name(from) + " behind " + m_problem.opName(*producer) + ", so that " +
                          tensor + " is written");
        }
        // For a base of a view, all bases of the view are needed in slow memory.
        std::vector<TensorId> bases;
        for (const TensorId input : m_problem.op(*m_issue.op).inputs)
            if (const auto of = m_problem.bases(input); contains(of, t))
                bases.insert(bases.end(), of.begin(), of.end());
        if (!bases.empty())
            offer(insertProducersBefore(m_problem, m_schedule, m_rules, at(), std::move(bases)),
                  "compute and write " + tensor + " before " + name(at()));
        const auto recomputed = missingProducers(m_problem, m_schedule, m_rules, at(), t);
        if (!recomputed.empty())
            offer(edit::recompute(m_problem, m_schedule, recomputed, at(), m_force),
                  "compute " + names(recomputed) + " in " + name(at()) + " as well");
        m_out.why = "no new order and no other place to compute, retain or write " + tensor +
                    " reduces the number of problems";
    }

    /// Returns the schedule in which subgraph i has the best granularity that fits with its retained tensors;
    /// nothing if none fits.
    [[nodiscard]] std::optional<Schedule> tiledToFit(const Schedule& schedule, SubgraphId i) const
    {
        const Subgraph& s = schedule[i];
        const SubgraphPlan plan(m_problem, s.ops, m_rules);
        const auto g = chooseGranularity(plan, s.granularity, s.traversal,
                                         residentBefore(m_problem, schedule, m_rules, i), s.retain);
        if (!g)
            return std::nullopt;
        auto tiled = edit::setGranularity(m_problem, schedule, std::array{i}, *g, m_force);
        return tiled ? std::optional(*tiled) : std::nullopt;
    }

    void reduceWorkingSet()
    {
        if (const auto fits = tiledToFit(m_schedule, at()))
            offer(*fits, "use tiles of " + tileText((*fits)[at()].granularity) + ", which fit");
        const auto release = [&](SubgraphId from) {
            for (const TensorId t : m_schedule[from].retain) {
                auto released = edit::toggleRetain(m_problem, m_schedule, from, t, m_force);
                if (!released)
                    continue;
                const auto fits = tiledToFit(*released, at());
                offer(fits ? *fits : *released,
                      "do not retain " + m_problem.tensorName(t) + " in fast memory after " + name(from));
            }
        };
        release(at());
        if (at().index() > 0)
            release(SubgraphId(at().index() - 1));
        if (here().ops.size() > 1)
            offer(edit::splitApart(m_problem, m_schedule, at(), m_force), "split it into single ops");
        const SubgraphPlan plan(m_problem, here().ops, m_rules);
        const Granularity least{plan.leastW(), plan.leastH(), plan.leastK(plan.leastW(), plan.leastH())};
        const SubgraphEvaluation e =
            evaluate(plan, least, TraversalKind::Raster, residentBefore(m_problem, m_schedule, m_rules, at()),
                     here().retain);
        m_out.why = "even the smallest tiles (" + tileText(least) + ") need " +
                    formatGrouped(e.peakWorkingSet) + " of " +
                    formatGrouped(m_problem.hardware().fastMemoryCapacity) + " elements of fast memory";
    }

    void writeOutput()
    {
        const TensorId t = *m_issue.tensor;
        const auto producers = subgraphsWith(m_schedule, *m_problem.producer(t));
        if (producers.empty())
            offer(edit::coverMissing(m_problem, m_schedule, m_force.rules),
                  "compute " + m_problem.opName(*m_problem.producer(t)) + ", which is in no subgraph");
        for (const SubgraphId from : producers)
            if (contains(m_schedule[from].retain, t))
                offer(edit::toggleRetain(m_problem, m_schedule, from, t, m_force),
                      "write " + m_problem.tensorName(t) + " after " + name(from) +
                          " instead of retaining it");
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    const Evaluation& m_before;
    const Rules m_rules;
    const Issue& m_issue;
    const EditOptions m_force; ///< edits are not refused; the evaluation afterwards shows new issues
    Repairs m_out;
};

} // namespace

Repairs repairs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                const Issue& issue)
{
    return RepairSearch(problem, schedule, evaluation, issue).run();
}

Schedule repairedAsFarAsPossible(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    Schedule current = schedule;
    for (;;) {
        const Evaluation e = evaluate(problem, current, rules);
        const auto next = [&]() -> std::optional<Schedule> {
            for (const Issue& issue : e.issues)
                if (auto found = repairs(problem, current, e, issue).found; !found.empty())
                    return std::move(found.front().schedule);
            return std::nullopt;
        }();
        if (!next)
            return current;
        current = *next; // each repair reduces the distance, so the loop ends
    }
}

} // namespace tilewright
