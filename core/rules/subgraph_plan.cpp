// SPDX-License-Identifier: GPL-3.0-or-later
// Builds a SubgraphPlan: the properties of a set of ops that do not depend on the granularity.
#include "rules/subgraph_plan.h"

#include "base/hash.h"
#include "base/integer.h"
#include "rules/op_sets.h"

#include <algorithm>
#include <bit>

namespace tilewright {

SubgraphPlan::SubgraphPlan(const Problem& problem, std::span<const OpId> ops, const Rules& rules)
{
    PlanCompiler(problem, rules).compile(ops, *this);
}

std::optional<std::size_t> SubgraphPlan::inputIndex(TensorId t) const noexcept
{
    const auto it = std::find(m_inputs.begin(), m_inputs.end(), t);
    return it == m_inputs.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(it - m_inputs.begin()));
}

std::optional<std::size_t> SubgraphPlan::productIndex(TensorId t) const noexcept
{
    const auto it = std::find(m_products.begin(), m_products.end(), t);
    return it == m_products.end() ? std::nullopt
                                  : std::optional(static_cast<std::size_t>(it - m_products.begin()));
}

std::span<const std::uint32_t> SubgraphPlan::needs(const Use& run) const
{
    return run.epilogue ? std::span<const std::uint32_t>()
                        : std::span(m_needs).subspan(run.need, m_problem->op(m_ops[run.id]).inputs.size());
}

std::int64_t SubgraphPlan::kSteps(std::size_t sink, std::int64_t k) const noexcept
{
    std::int64_t steps = 1;
    for (const Group& g : m_groups)
        if (g.sink == sink && g.reduction > 0)
            steps = std::max(steps, ceilDiv(g.reduction, k));
    return steps;
}

std::int64_t SubgraphPlan::mostW() const noexcept
{
    return m_rules.superNative == Rules::SuperNative::Error ? m_problem->hardware().nativeWidth : INT64_MAX;
}

std::int64_t SubgraphPlan::mostH() const noexcept
{
    return m_rules.superNative == Rules::SuperNative::Error ? m_problem->hardware().nativeHeight : INT64_MAX;
}

std::int64_t SubgraphPlan::mostK() const noexcept
{
    const std::int64_t reduction = m_rules.kAboveK == Rules::KAboveK::Error ? m_smallestK : INT64_MAX;
    return nativeLimitsK() ? std::min(reduction, m_problem->hardware().nativeK()) : reduction;
}

bool SubgraphPlan::nativeLimitsK() const noexcept
{
    return m_hasMatMul && m_rules.superNative == Rules::SuperNative::Error &&
           m_rules.kLimit == Rules::KLimit::Native;
}

std::int64_t SubgraphPlan::leastK(std::int64_t w, std::int64_t h) const noexcept
{
    std::int64_t least = 1;
    if (m_rules.prologue == Rules::Prologue::SplitOnly) {
        if (!m_prologueWidths.empty() && m_prologueWidths.back() > w)
            least = m_prologueWidths.back();
        if (!m_prologueHeights.empty() && m_prologueHeights.back() > h)
            least = std::max(least, m_prologueHeights.back());
    }
    return least;
}

std::optional<IssueCode> SubgraphPlan::check(const Granularity& g) const noexcept
{
    if (g.w < 1 || g.h < 1 || g.k < 1)
        return IssueCode::Granularity;
    if (g.w > mostW() || g.h > mostH())
        return IssueCode::SuperNative;
    if (g.k > mostK())
        return nativeLimitsK() && g.k > m_problem->hardware().nativeK() ? IssueCode::SuperNative
                                                                        : IssueCode::KTooLarge;
    if (m_staticIssue)
        return m_staticIssue;
    if (g.w < m_leastW || g.h < m_leastH || g.k < leastK(g.w, g.h))
        return IssueCode::Prologue;
    return std::nullopt;
}

PlanCompiler::PlanCompiler(const Problem& problem, const Rules& rules)
    : m_problem(problem), m_rules(rules), m_localOp(problem.opCount(), -1),
      m_localInput(problem.tensorCount(), -1)
{
}

std::uint32_t PlanCompiler::input(TensorId t)
{
    std::int32_t& local = m_localInput[t.index()];
    if (local < 0) {
        local = static_cast<std::int32_t>(m_plan->m_inputs.size());
        m_plan->m_inputs.push_back(t);
    }
    return static_cast<std::uint32_t>(local);
}

std::uint32_t PlanCompiler::slot(const SubgraphPlan::Slot& slot)
{
    auto& slots = m_plan->m_slots;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        const SubgraphPlan::Slot& s = slots[i];
        if (s.axis == slot.axis && s.size == slot.size &&
            (s.row == slot.row || s.axis == Axis::Step || s.axis == Axis::Full) &&
            (s.axis != Axis::Box || s == slot))
            return static_cast<std::uint32_t>(i);
    }
    slots.push_back(slot);
    return static_cast<std::uint32_t>(slots.size() - 1);
}

/// Slot for an axis of the box of base elements that a rectangle of the view touches (R1.8).
std::uint32_t PlanCompiler::boxSlot(TensorId view, bool row, std::uint32_t rowSlot, std::uint32_t colSlot)
{
    const Tensor& base = m_problem.tensor(m_problem.stored(view));
    const bool ofRows = row != isTransposed(*m_problem.map(view));
    return slot({row ? base.height : base.width, Axis::Box, row,
                 m_plan->m_slots[ofRows ? rowSlot : colSlot].reduces(), view, rowSlot, colSlot});
}

std::uint32_t PlanCompiler::group(std::uint32_t sink, std::int64_t reduction)
{
    m_plan->m_groups.push_back({sink, reduction});
    return static_cast<std::uint32_t>(m_plan->m_groups.size() - 1);
}

PlanCompiler::Added PlanCompiler::addUse(const SubgraphPlan::Use& use)
{
    // A short list of uses is searched linearly, a long one by a hash table with open addressing.
    constexpr std::size_t kFew = 24;
    auto& uses = m_plan->m_uses;
    const auto hash = [](const SubgraphPlan::Use& u) {
        return hashOf(u.id, u.run, u.group, u.rowSlot, u.colSlot, u.depthSlot, u.role);
    };
    const auto place = [&](std::size_t i) {
        std::size_t at = hash(uses[i]) & (m_useTable.size() - 1);
        while (m_useTable[at] != 0)
            at = (at + 1) & (m_useTable.size() - 1);
        m_useTable[at] = static_cast<std::uint32_t>(i + 1);
    };
    const auto last = [&] { return static_cast<std::uint32_t>(uses.size() - 1); };
    if (uses.size() < kFew) {
        for (std::uint32_t i = 0; i < uses.size(); ++i)
            if (uses[i].sameAs(use))
                return {i, false};
        uses.push_back(use);
        return {last(), true};
    }
    if (uses.size() == kFew || uses.size() * 2 > m_useTable.size()) {
        m_useTable.assign(std::bit_ceil(uses.size() * 4), 0);
        for (std::size_t i = 0; i < uses.size(); ++i)
            place(i);
    }
    for (std::size_t at = hash(use) & (m_useTable.size() - 1); m_useTable[at] != 0;
         at = (at + 1) & (m_useTable.size() - 1))
        if (uses[m_useTable[at] - 1].sameAs(use))
            return {m_useTable[at] - 1, false};
    uses.push_back(use);
    place(uses.size() - 1);
    return {last(), true};
}

/// Returns the use that serves a request: a run of the producer over its whole reduction, or an input
/// request.
std::uint32_t PlanCompiler::resolve(const Need& n, std::uint32_t group)
{
    const std::int32_t producer = inside(n.tensor);
    if (producer < 0)
        return addUse({.id = input(n.tensor),
                       .group = group,
                       .rowSlot = n.rowSlot,
                       .colSlot = n.colSlot,
                       .role = n.role})
            .use;
    const bool mapped = m_problem.map(n.tensor) != nullptr;
    const std::uint32_t rows = mapped ? boxSlot(n.tensor, true, n.rowSlot, n.colSlot) : n.rowSlot;
    const std::uint32_t cols = mapped ? boxSlot(n.tensor, false, n.rowSlot, n.colSlot) : n.colSlot;
    const OpId o = m_plan->m_ops[static_cast<std::size_t>(producer)];
    return addRun(static_cast<std::uint32_t>(producer), rows, cols,
                  slot(Axis::Full, false, m_problem.reductionSize(o)), group);
}

/// Resolves the requests on the stack, the last one first, so that ops are visited depth-first (R6.6: the
/// first request decides about a run). With an explicit stack, chains may be deeper than a thread's call
/// stack.
void PlanCompiler::resolveNeeds(std::uint32_t group)
{
    while (!m_needs.empty()) {
        const Need n = m_needs.back();
        m_needs.pop_back();
        const std::uint32_t use = resolve(n, group);
        m_plan->m_needs[n.at] = use;
    }
}

/// Adds a run and pushes its input requests, unless the same run exists.
std::uint32_t PlanCompiler::addRun(std::uint32_t op, std::uint32_t rowSlot, std::uint32_t colSlot,
                                   std::uint32_t depthSlot, std::uint32_t group)
{
    auto& needs = m_plan->m_needs;
    const auto at = static_cast<std::uint32_t>(needs.size());
    const Added added = addUse({.id = op,
                                .group = group,
                                .rowSlot = rowSlot,
                                .colSlot = colSlot,
                                .depthSlot = depthSlot,
                                .run = true,
                                .need = at});
    if (!added.isNew)
        return added.use;
    const OpId o = m_plan->m_ops[op];
    const std::vector<TensorId>& operands = m_problem.operands(o);
    for (std::size_t i = 0; i < operands.size(); ++i)
        needs.push_back(0); // much faster than resize() for a few elements
    if (m_problem.op(o).type == OpType::MatMul) {
        m_needs.push_back({operands[1], Role::Rhs, depthSlot, colSlot, at + 1});
        m_needs.push_back({operands[0], Role::Lhs, rowSlot, depthSlot, at});
    } else {
        for (auto i = static_cast<std::uint32_t>(operands.size()); i-- > 0;)
            m_needs.push_back({operands[i], Role::Pointwise, rowSlot, colSlot, at + i});
    }
    return added.use;
}

bool PlanCompiler::drives(std::uint32_t op)
{
    if (m_drives[op] != 0)
        return m_drives[op] == 2;
    m_opStack.assign(1, op);
    while (!m_opStack.empty()) {
        const std::uint32_t at = m_opStack.back();
        const Op& o = m_problem.op(m_plan->m_ops[at]);
        bool found = o.type == OpType::MatMul;
        std::int32_t unknown = -1;
        for (const TensorId t : m_problem.operands(m_plan->m_ops[at]))
            if (const std::int32_t p = inside(t); p >= 0 && !found && !m_problem.map(t)) {
                const char known = m_drives[static_cast<std::size_t>(p)];
                found = known == 2;
                if (known == 0)
                    unknown = p;
            }
        if (!found && unknown >= 0) {
            m_opStack.push_back(static_cast<std::uint32_t>(unknown));
            continue;
        }
        m_drives[at] = found ? 2 : 1;
        m_opStack.pop_back();
    }
    return m_drives[op] == 2;
}

void PlanCompiler::addEpilogue(std::uint32_t sinkOp, std::uint32_t sink, std::uint32_t completing)
{
    auto& plan = *m_plan;
    const std::uint32_t rowSlot = plan.m_sinks[sink].rowSlot;
    const std::uint32_t colSlot = plan.m_sinks[sink].colSlot;
    m_epilogue.assign(1, plan.m_products[sinkOp]);
    while (!m_epilogue.empty()) {
        const TensorId needed = m_epilogue.back();
        m_epilogue.pop_back();
        const std::int32_t producer = inside(needed);
        if (producer < 0 || m_problem.map(needed)) { // the walk through the epilogue stops here (R5.4)
            plan.m_roots.push_back(resolve({needed, Role::Pointwise, rowSlot, colSlot, 0}, completing));
            resolveNeeds(completing);
            continue;
        }
        const auto op = static_cast<std::uint32_t>(producer);
        if (m_visited[op] == sink + 1)
            continue;
        m_visited[op] = sink + 1;
        const OpId id = plan.m_ops[op];
        const Op& o = m_problem.op(id);
        if (o.type == OpType::MatMul) {
            const std::int64_t depth = m_problem.reductionSize(id);
            ++plan.m_drivers;
            plan.m_largestDriverK = std::max(plan.m_largestDriverK, depth);
            if (plan.m_sinks[sink].product != op)
                plan.m_accumulated.push_back(id);
            const std::uint32_t own = group(sink, depth);
            plan.m_roots.push_back(addRun(op, rowSlot, colSlot, slot(Axis::Step, false, depth), own));
            resolveNeeds(own);
            continue;
        }
        plan.m_roots.push_back(addUse({.id = op,
                                       .group = completing,
                                       .rowSlot = rowSlot,
                                       .colSlot = colSlot,
                                       .depthSlot = slot(Axis::Full, false, 1),
                                       .run = true,
                                       .epilogue = true,
                                       .drives = drives(op)})
                                   .use);
        const std::vector<TensorId>& operands = m_problem.operands(id);
        m_epilogue.insert(m_epilogue.end(), operands.rbegin(), operands.rend());
    }
}

void PlanCompiler::checkStatic()
{
    auto& plan = *m_plan;
    const std::size_t n = plan.m_ops.size();
    m_parent.resize(n);
    for (std::size_t i = 0; i < n; ++i)
        m_parent[i] = static_cast<std::uint32_t>(i);
    const auto root = [&](std::uint32_t i) {
        while (m_parent[i] != i)
            i = m_parent[i] = m_parent[m_parent[i]];
        return i;
    };
    bool ordered = true;
    std::size_t parts = n;
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
        a = root(a);
        b = root(b);
        parts -= a != b;
        m_parent[a] = b;
    };
    // In this loop, m_localInput temporarily holds the first op of the subgraph that reads a boundary input.
    for (std::uint32_t i = 0; i < n; ++i) {
        const Op& op = m_problem.op(plan.m_ops[i]);
        for (const TensorId t : m_problem.operands(plan.m_ops[i]))
            plan.m_hasMaps = plan.m_hasMaps || m_problem.map(t);
        for (const TensorId t : op.inputs) {
            const std::int32_t p = inside(t);
            if (p >= 0) {
                m_consumed[static_cast<std::size_t>(p)] = true;
                ordered = ordered && static_cast<std::uint32_t>(p) < i;
                join(i, static_cast<std::uint32_t>(p));
            } else if (m_localInput[t.index()] < 0) {
                m_localInput[t.index()] = static_cast<std::int32_t>(i);
            } else {
                join(i, static_cast<std::uint32_t>(m_localInput[t.index()]));
            }
        }
        if (op.type != OpType::MatMul)
            continue;
        const std::int64_t depth = m_problem.reductionSize(plan.m_ops[i]);
        plan.m_hasMatMul = true;
        plan.m_smallestK = std::min(plan.m_smallestK, depth);
        const auto insideProducer = [&](TensorId t) {
            return inside(t) >= 0 ? m_problem.producer(t) : std::nullopt;
        };
        forEachPrologue(m_problem, plan.m_ops[i], m_rules, insideProducer, [&](const Prologue& p) {
            (p.left ? plan.m_prologueWidths : plan.m_prologueHeights).push_back(p.least);
        });
    }
    if (!plan.m_prologueWidths.empty() || !plan.m_prologueHeights.empty())
        finishPrologues();
    for (const OpId o : plan.m_ops)
        for (const TensorId t : m_problem.op(o).inputs)
            m_localInput[t.index()] = -1;
    if (!ordered && m_rules.opOrder == Rules::OpOrder::Error)
        plan.m_staticIssue = IssueCode::OpOrder;
    else if (parts > 1)
        plan.m_staticIssue = IssueCode::Disconnected;
}

/// Sorts the sizes that R4.7 requires, and derives the smallest w and h that are legal for every legal k
/// (R4.2, R4.3).
void PlanCompiler::finishPrologues()
{
    auto& plan = *m_plan;
    const bool ifSplit = m_rules.prologue == Rules::Prologue::SplitOnly;
    for (auto [demands, least] : {std::pair(&plan.m_prologueWidths, &plan.m_leastW),
                                  std::pair(&plan.m_prologueHeights, &plan.m_leastH)}) {
        if (demands->empty())
            continue;
        std::ranges::sort(*demands);
        demands->erase(std::unique(demands->begin(), demands->end()), demands->end());
        if (!ifSplit || demands->back() > plan.mostK())
            *least = demands->back();
    }
}

void PlanCompiler::compile(std::span<const OpId> ops, SubgraphPlan& out)
{
    m_plan = &out;
    out.m_problem = &m_problem;
    out.m_rules = m_rules;
    out.m_ops.assign(ops.begin(), ops.end());
    out.m_inputs.clear();
    out.m_products.clear();
    out.m_slots.clear();
    out.m_uses.clear();
    out.m_groups.clear();
    out.m_sinks.clear();
    out.m_accumulated.clear();
    out.m_needs.clear();
    out.m_roots.clear();
    out.m_prologueWidths.clear();
    out.m_prologueHeights.clear();
    out.m_smallestK = INT64_MAX;
    out.m_leastW = out.m_leastH = out.m_sinkHeight = out.m_sinkWidth = out.m_largestDriverK = 1;
    out.m_drivers = 0;
    out.m_hasMatMul = out.m_hasMaps = false;
    out.m_oneShape = true;
    out.m_staticIssue.reset();

    for (std::size_t i = 0; i < ops.size(); ++i) {
        m_localOp[ops[i].index()] = static_cast<std::int32_t>(i);
        out.m_products.push_back(m_problem.op(ops[i]).output);
    }
    m_consumed.assign(ops.size(), false);
    m_visited.assign(ops.size(), 0);
    m_drives.assign(ops.size(), 0);
    checkStatic();

    for (std::uint32_t i = 0; i < ops.size(); ++i) {
        if (m_consumed[i])
            continue;
        const Tensor& t = m_problem.tensor(out.m_products[i]);
        const auto sink = static_cast<std::uint32_t>(out.m_sinks.size());
        SubgraphPlan::Sink s;
        s.product = i;
        s.rowSlot = slot(Axis::Tile, true, t.height);
        s.colSlot = slot(Axis::Tile, false, t.width);
        s.pointwise = m_problem.op(ops[i]).type == OpType::Pointwise;
        s.driverBegin = static_cast<std::uint32_t>(out.m_accumulated.size());
        s.rootBegin = static_cast<std::uint32_t>(out.m_roots.size());
        out.m_sinks.push_back(s);
        out.m_oneShape =
            out.m_oneShape &&
            (sink == 0 || (out.m_sinks[0].rowSlot == s.rowSlot && out.m_sinks[0].colSlot == s.colSlot));
        out.m_sinkHeight = std::max(out.m_sinkHeight, t.height);
        out.m_sinkWidth = std::max(out.m_sinkWidth, t.width);
        addEpilogue(i, sink, s.pointwise ? group(sink, 0) : 0);
        out.m_sinks[sink].driverEnd = static_cast<std::uint32_t>(out.m_accumulated.size());
        out.m_sinks[sink].rootEnd = static_cast<std::uint32_t>(out.m_roots.size());
    }
    for (const OpId o : ops)
        m_localOp[o.index()] = -1;
    for (const TensorId t : out.m_inputs)
        m_localInput[t.index()] = -1;
}

std::optional<RunTile> largestRun(const SubgraphPlan& plan, const Granularity& g, OpId op) noexcept
{
    const auto extent = [&](std::uint32_t slot) {
        const SubgraphPlan::Slot& s = plan.ranges()[slot];
        switch (s.axis) {
        case SubgraphPlan::Axis::Tile:
            return std::min(s.size, s.row ? g.h : g.w);
        case SubgraphPlan::Axis::Step:
            return std::min(s.size, g.k);
        case SubgraphPlan::Axis::Full:
        case SubgraphPlan::Axis::Box: // a box covers at most the whole base
            break;
        }
        return s.size;
    };
    std::optional<RunTile> out;
    std::int64_t most = 0;
    for (const SubgraphPlan::Use& use : plan.uses()) {
        if (!use.run || plan.ops()[use.id] != op)
            continue;
        const RunTile tile{extent(use.rowSlot), extent(use.colSlot), extent(use.depthSlot)};
        const std::int64_t work = saturatingMul(saturatingMul(tile.rows, tile.cols), tile.depth);
        if (work > most) {
            most = work;
            out = tile;
        }
    }
    return out;
}

} // namespace tilewright
