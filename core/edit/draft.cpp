// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/draft.h"

#include "edit/fit.h"
#include "rules/op_sets.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <unordered_map>

namespace tilewright::edit {

namespace {

bool contains(std::span<const TensorId> list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

bool anyMatMul(const Problem& problem, std::span<const OpId> ops)
{
    return std::ranges::any_of(ops, [&](OpId o) { return problem.op(o).type == OpType::MatMul; });
}

/// Key by which an issue is recognised after an edit, when its subgraph may have another position.
std::pair<IssueCode, std::size_t> keyOf(const Issue& issue)
{
    switch (issue.code) {
    case IssueCode::Coverage:
    case IssueCode::Prologue:
        return {issue.code, issue.op->index()};
    case IssueCode::Retain:
    case IssueCode::Dependency:
    case IssueCode::Output:
        return {issue.code, issue.tensor->index()};
    default:
        return {issue.code, 0};
    }
}

/// Issues of the schedule, except those about ops in no subgraph and their consequences.
std::vector<Issue> issuesExceptUncovered(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    IdVector<OpId, char> covered(problem.opCount(), 0);
    for (const SubgraphPtr& s : schedule.subgraphs)
        for (const OpId o : s->ops)
            covered[o] = 1;
    auto issues = checkSchedule(problem, schedule, rules, SubgraphNames::Ops);
    std::erase_if(issues, [&](const Issue& issue) {
        if (issue.code == IssueCode::Coverage)
            return true;
        if (issue.code != IssueCode::Dependency && issue.code != IssueCode::Output)
            return false;
        const auto p = problem.producer(*issue.tensor);
        return !p || !covered[*p];
    });
    return issues;
}

} // namespace

Draft::Draft(const Problem& problem, const Schedule& schedule, const EditOptions& options)
    : m_problem(problem), m_before(schedule), m_options(options), m_compiler(problem, options.rules)
{
    items.reserve(schedule.size() + 1);
    for (const SubgraphPtr& s : schedule.subgraphs)
        items.push_back({s, false, false, {}});
}

void Draft::change(std::size_t i, Subgraph s)
{
    s.reportedLatency.reset();
    items[i].subgraph = std::make_shared<const Subgraph>(std::move(s));
}

void Draft::removeOpsFrom(std::size_t i, std::span<const OpId> ops)
{
    const Subgraph& old = at(i);
    Subgraph rest = old;
    std::erase_if(rest.ops, [&](OpId o) { return std::ranges::find(ops, o) != ops.end(); });
    if (rest.ops.size() == old.ops.size())
        return;
    const bool wasConnected = connectedGroups(m_problem, old.ops).size() <= 1;
    items[i].opsChanged = true;
    items[i].wanted.push_back(old.granularity);
    const auto groups = connectedGroups(m_problem, rest.ops);
    if (!wasConnected || groups.size() <= 1) {
        change(i, std::move(rest));
        return;
    }
    const Item original = items[i];
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (g > 0)
            insert(i + g, original);
        rest.ops = groups[g];
        change(i + g, rest);
    }
}

void Draft::addOpsTo(std::size_t i, std::span<const OpId> ops)
{
    Subgraph s = at(i);
    const bool hadMatMul = anyMatMul(m_problem, s.ops);
    for (const OpId o : ops)
        if (std::ranges::find(s.ops, o) == s.ops.end())
            s.ops.push_back(o);
    if (s.ops.size() == at(i).ops.size())
        return;
    items[i].opsChanged = true;
    // In a subgraph of Pointwise ops only, k has no meaning; it is replaced.
    Granularity wanted = s.granularity;
    if (!hadMatMul)
        wanted.k = m_problem.hardware().nativeK();
    items[i].wanted.push_back(wanted);
    change(i, std::move(s));
}

Draft::Item Draft::makeItem(std::vector<OpId> ops, std::span<const SubgraphPtr> like) const
{
    Item item;
    Subgraph s;
    s.ops = std::move(ops);
    const bool matMul = anyMatMul(m_problem, s.ops);
    for (const SubgraphPtr& model : like) {
        Granularity wanted = model->granularity;
        if (matMul && !anyMatMul(m_problem, model->ops))
            wanted.k = m_problem.hardware().nativeK();
        item.wanted.push_back(wanted);
        for (const TensorId t : model->retain)
            if (!contains(s.retain, t))
                s.retain.push_back(t);
        s.locked = s.locked || model->locked;
    }
    if (!like.empty() && std::ranges::all_of(like, [&](const SubgraphPtr& m) {
            return m->traversal.kind() == like.front()->traversal.kind();
        }))
        s.traversal = like.front()->traversal;
    if (like.empty())
        item.wanted.push_back(startGranularity(planOf(s.ops)));
    item.opsChanged = true;
    item.subgraph = std::make_shared<const Subgraph>(std::move(s));
    return item;
}

void Draft::insert(std::size_t position, Item item)
{
    items.insert(items.begin() + static_cast<std::ptrdiff_t>(std::min(position, items.size())),
                 std::move(item));
}

std::size_t Draft::insertPosition(std::span<const OpId> ops) const
{
    const Boundary wanted = boundaryOf(m_problem, ops);
    std::size_t low = 0;
    std::size_t high = items.size();
    std::vector<TensorId> missing;
    for (const TensorId t : wanted.inputs) {
        if (m_problem.producer(t))
            missing.push_back(t);
        for (const TensorId base : m_problem.bases(t))
            if (m_problem.producer(base))
                missing.push_back(base);
    }
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Boundary b = boundaryOf(m_problem, at(i).ops);
        if (std::erase_if(missing, [&](TensorId t) { return contains(b.sinks, t); }) > 0)
            low = i + 1;
        if (high == items.size() && std::ranges::any_of(b.inputs, [&](TensorId t) {
                return contains(wanted.sinks, t) ||
                       std::ranges::any_of(m_problem.bases(t),
                                           [&](TensorId base) { return contains(wanted.sinks, base); });
            }))
            high = i;
    }
    return std::max(low, high);
}

const SubgraphPlan& Draft::planOf(std::span<const OpId> ops) const
{
    m_compiler.compile(ops, m_plan);
    return m_plan;
}

void Draft::dropEmpty()
{
    std::erase_if(items, [](const Item& item) { return item.opsChanged && item.subgraph->ops.empty(); });
}

void Draft::repairOrder()
{
    const std::size_t n = items.size();
    std::vector<Boundary> boundaries;
    std::vector<std::vector<TensorId>> provided(n);
    IdVector<TensorId, char> isProvided(m_problem.tensorCount(), 0);
    for (std::size_t i = 0; i < n; ++i) {
        boundaries.push_back(boundaryOf(m_problem, at(i).ops));
        provided[i] = boundaries[i].sinks;
        for (const TensorId t : at(i).retain)
            if (contains(boundaries[i].interior, t))
                provided[i].push_back(t);
        for (const TensorId t : provided[i])
            isProvided[t] = 1;
    }
    std::vector<std::size_t> waiting(n, 0);
    IdVector<TensorId, std::vector<std::size_t>> readers(m_problem.tensorCount(), {});
    const auto wait = [&](std::size_t i, TensorId t) {
        if (isProvided[t]) {
            ++waiting[i];
            readers[t].push_back(i);
        }
    };
    for (std::size_t i = 0; i < n; ++i)
        for (const TensorId t : boundaries[i].inputs) {
            wait(i, t);
            for (const TensorId base : m_problem.bases(t))
                wait(i, base);
        }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < n; ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<bool> placed(n, false);
    std::vector<Item> ordered;
    std::size_t firstLeft = 0;
    while (ordered.size() < n) {
        std::size_t i = 0;
        if (!ready.empty()) {
            i = ready.top();
            ready.pop();
        } else {
            // The dependencies form a cycle: place the first remaining item; the violation is reported later.
            while (placed[firstLeft])
                ++firstLeft;
            i = firstLeft;
        }
        if (placed[i])
            continue;
        placed[i] = true;
        ordered.push_back(items[i]);
        for (const TensorId t : provided[i])
            for (const std::size_t r : std::exchange(readers[t], {}))
                if (--waiting[r] == 0 && !placed[r])
                    ready.push(r);
    }
    items = std::move(ordered);
}

void Draft::updateChangedItems()
{
    for (std::size_t i = 0; i < items.size(); ++i) {
        Item& item = items[i];
        if (!item.opsChanged && !item.gridChanged)
            continue;
        Subgraph s = *item.subgraph;
        if (item.opsChanged) {
            if (m_options.rules.opOrder == Rules::OpOrder::Error)
                s.ops = inTopologicalOrder(m_problem, s.ops);
            const Boundary b = boundaryOf(m_problem, s.ops);
            const std::span<const TensorId> resident =
                i > 0 ? std::span<const TensorId>(at(i - 1).retain) : std::span<const TensorId>();
            std::erase_if(s.retain, [&](TensorId t) {
                return !contains(b.sinks, t) && !contains(b.interior, t) &&
                       !mayRetainInput(m_problem, m_options.rules, t, contains(b.inputs, t), resident);
            });
            s.granularity = fittingGranularity(planOf(s.ops), resident, s.retain, item.wanted);
        }
        if (s.traversal.kind() == TraversalKind::Custom &&
            static_cast<std::int64_t>(s.traversal.explicitOrder().size()) !=
                tileGrid(m_problem, s.ops, s.granularity).tiles())
            s.traversal = TraversalKind::Raster;
        if (s != *item.subgraph)
            change(i, std::move(s));
    }
}

void Draft::dropUselessRetains()
{
    // Key: subgraph. Value: the next subgraph before the edit. A new neighbour can make retained tensors
    // useless.
    std::unordered_map<const Subgraph*, const Subgraph*> nextBefore;
    for (std::size_t i = 0; i < m_before.size(); ++i)
        nextBefore[m_before.subgraphs[i].get()] =
            i + 1 < m_before.size() ? m_before.subgraphs[i + 1].get() : nullptr;
    std::vector<Boundary> boundaries;
    for (const Item& item : items)
        boundaries.push_back(boundaryOf(m_problem, item.subgraph->ops));
    for (std::size_t i = 0; i < items.size(); ++i) {
        const Subgraph* next = i + 1 < items.size() ? items[i + 1].subgraph.get() : nullptr;
        const auto before = nextBefore.find(items[i].subgraph.get());
        if (at(i).retain.empty() || (before != nextBefore.end() && before->second == next))
            continue;
        Subgraph s = at(i);
        std::erase_if(s.retain, [&](TensorId t) { return !next || !contains(boundaries[i + 1].inputs, t); });
        if (s.retain.size() != at(i).retain.size())
            change(i, std::move(s));
    }

    IdVector<TensorId, char> wasMissing(m_problem.tensorCount(), 0);
    for (const Issue& issue : issuesBefore())
        if (issue.tensor && (issue.code == IssueCode::Dependency || issue.code == IssueCode::Output))
            wasMissing[*issue.tensor] = 1;
    IdVector<TensorId, char> slow(m_problem.tensorCount(), 0);
    IdVector<TensorId, std::size_t> retainedBy(m_problem.tensorCount(), items.size());
    for (const TensorId t : m_problem.graphInputs())
        slow[t] = 1;
    const auto release = [&](TensorId t) {
        if (slow[t] || wasMissing[t] || retainedBy[t] == items.size())
            return;
        Subgraph s = at(retainedBy[t]);
        std::erase(s.retain, t);
        change(retainedBy[t], std::move(s));
        slow[t] = 1;
    };
    for (std::size_t i = 0; i < items.size(); ++i) {
        for (const TensorId t : boundaries[i].inputs) {
            if (i == 0 || !contains(at(i - 1).retain, t))
                release(t);
            // It is not enough that a base is resident; it must be in slow memory (R1.7).
            for (const TensorId base : m_problem.bases(t))
                release(base);
        }
        for (const TensorId t : boundaries[i].sinks) {
            if (contains(at(i).retain, t))
                retainedBy[t] = i;
            else
                slow[t] = 1;
        }
    }
    for (const TensorId t : m_problem.graphOutputs())
        release(t);
}

Schedule Draft::schedule() const
{
    Schedule out;
    out.extra = m_before.extra;
    for (const Item& item : items)
        out.subgraphs.push_back(item.subgraph);
    return out;
}

const std::vector<Issue>& Draft::issuesBefore() const
{
    if (!m_issuesBefore)
        m_issuesBefore = issuesExceptUncovered(m_problem, m_before, m_options.rules);
    return *m_issuesBefore;
}

std::vector<Issue> Draft::newIssues() const
{
    auto issues = issuesExceptUncovered(m_problem, schedule(), m_options.rules);
    if (issues.empty())
        return issues;
    std::map<std::pair<IssueCode, std::size_t>, std::size_t> known;
    for (const Issue& issue : issuesBefore())
        ++known[keyOf(issue)];
    std::erase_if(issues, [&](const Issue& issue) {
        std::size_t& count = known[keyOf(issue)];
        return count > 0 && count-- > 0;
    });
    return issues;
}

Result<Schedule> Draft::finish(Order order, Retains retains)
{
    dropEmpty();
    const auto settle = [&] {
        updateChangedItems();
        if (retains == Retains::DropUseless)
            dropUselessRetains();
    };
    if (order == Order::Repair) {
        const std::vector<Item> unsettled = items;
        settle();
        const auto issues = newIssues();
        if (std::ranges::any_of(issues,
                                [](const Issue& issue) { return issue.code == IssueCode::Dependency; })) {
            items = unsettled;
            repairOrder();
            settle();
        }
    } else {
        settle();
    }
    if (!m_options.force)
        if (const auto issues = newIssues(); !issues.empty())
            return Error{ErrorCode::Refused, issues.front().text, {}, {}};
    return schedule();
}

} // namespace tilewright::edit
