// SPDX-License-Identifier: GPL-3.0-or-later
// Conversion of the plan of an op set to flat lists: the requests and runs of every sink (R6), each once,
// with the conditions under which it is active. The bounds use these lists; evaluations use core/eval.
#include "solve/cost/cost_model.h"

#include "base/integer.h"
#include "eval/cost.h"
#include "eval/energy_bound.h"

#include <cmath>

namespace tilewright {

CostModel::CostModel(const Problem& problem, const Rules& rules, const Price& price)
    : m_problem(problem), m_rules(rules), m_price(price), m_pricesLatency(price.isLatency()),
      m_supported(supports(rules)), m_array(rules.compute == Rules::Compute::Array),
      m_elements(rules.vector == Rules::Vector::Elements),
      m_plainArray(StepCosts(problem.hardware(), {}, rules).isPlainArray()), m_compiler(problem, rules),
      m_capacity(problem.capacityUnits()), m_bandwidth(static_cast<double>(problem.bandwidthUnits())),
      m_nativeW(problem.hardware().nativeWidth), m_nativeH(problem.hardware().nativeHeight),
      m_nativeK(problem.hardware().nativeK())
{
    m_residentHere.assign(problem.tensorCount(), 0);
    m_retainedHere.assign(problem.tensorCount(), 0);
    if (!m_pricesLatency) {
        const StepEnergy energy(problem);
        m_memoryEnergy = (energy.slow + energy.fast) * m_bandwidth;
    }
}

bool CostModel::supports(const Rules& rules) noexcept
{
    Rules reference;
    reference.nullOrderReuse = rules.nullOrderReuse;
    reference.donation = rules.donation;
    reference.superNative = rules.superNative;
    reference.kAboveK = rules.kAboveK;
    // every value is supported: m_keptInputs handles retained inputs
    reference.retainInputs = rules.retainInputs;
    reference.kScaling = rules.kScaling;
    reference.ephemeral = rules.ephemeral;
    reference.prologue = rules.prologue;
    reference.opOrder = rules.opOrder;
    reference.kLimit = rules.kLimit;
    reference.compute = rules.compute;
    reference.vector = rules.vector;
    // every value is supported: the bounds leave out the slices that interior=held adds (R9.9)
    reference.interior = rules.interior;
    return rules == reference;
}

std::uint64_t CostModel::conditionBit(std::int64_t height, std::int64_t width, std::int64_t reduction,
                                      bool completing)
{
    for (std::size_t i = 0; i < m_conditions.size(); ++i) {
        const Condition& c = m_conditions[i];
        if (c.height == height && c.width == width && c.reduction == reduction && c.completing == completing)
            return std::uint64_t{1} << i;
    }
    if (m_conditions.size() == 64) {
        m_overflow = true;
        return 1;
    }
    m_conditions.push_back({height, width, reduction, completing});
    return std::uint64_t{1} << (m_conditions.size() - 1);
}

void CostModel::addRequest(const SubgraphPlan::Use& use, std::uint64_t condition)
{
    const TensorId view = m_plan.inputs()[use.id];
    const std::uint32_t tensor = view.value;
    const std::uint32_t stored = m_problem.stored(view).value;
    if (m_residentHere[stored] == m_stamp)
        return;
    const double area = m_whole.empty() || isReadWhole(view)
                            ? static_cast<double>(m_problem.volume(view) * m_problem.units(view))
                            : 0;
    if (m_retainedHere[stored] == m_stamp) {
        const auto kept = std::ranges::find(m_keptInputs, stored, &KeptInput::tensor);
        if (kept == m_keptInputs.end())
            m_keptInputs.push_back({stored, area});
        else
            kept->area = std::max(kept->area, area);
        return;
    }
    const auto role = static_cast<std::uint8_t>(use.role);
    Axis row = m_plan.ranges()[use.rowSlot].axis;
    Axis col = m_plan.ranges()[use.colSlot].axis;
    const bool boxed = row == Axis::Box || col == Axis::Box;
    if (boxed)
        row = col = Axis::Full;
    for (Request& r : m_requests)
        if (r.tensor == tensor && r.role == role && r.row == row && r.col == col && r.boxed == boxed) {
            r.conditions |= condition;
            return;
        }
    m_requests.push_back(
        {tensor, role, row, col, condition, m_problem.map(view), boxed, area, m_problem.units(view)});
}

/// Adds a Run of an op to m_runs. If m_runs has an equal Run, only adds the condition to that one. Runs of
/// epilogues are never merged.
void CostModel::addRun(const SubgraphPlan::Use& use, bool epilogue, std::uint64_t condition)
{
    const OpId op = m_plan.ops()[use.id];
    const Op& o = m_problem.op(op);
    Axis row = m_plan.ranges()[use.rowSlot].axis;
    Axis col = m_plan.ranges()[use.colSlot].axis;
    const bool boxed = row == Axis::Box || col == Axis::Box;
    if (boxed)
        row = col = Axis::Full;
    const bool split = m_plan.ranges()[use.depthSlot].axis == Axis::Step;
    if (!epilogue)
        for (Run& r : m_runs)
            if (r.op == op.value && r.row == row && r.col == col && r.split == split && r.boxed == boxed) {
                r.conditions |= condition;
                return;
            }
    const Tensor& out = m_problem.tensor(o.output);
    // Without compute=array (MatMul) or vector=elements (Pointwise), a run over a box (Axis::Box) may cost
    // only one native tile, however large the box is. Its cost then counts as 0 in the lower bounds.
    const bool matmul = o.type == OpType::MatMul;
    const bool counts = (m_whole.empty() || m_whole[use.id]) && (!boxed || (matmul ? m_array : m_elements));
    m_runs.push_back({op.value, row, col, split, matmul, condition,
                      counts ? static_cast<double>(o.baseCost) : 0, m_problem.reductionSize(op), out.width,
                      out.height, boxed});
}

/// R1.8: finds the ops whose whole result the subgraph certainly computes: the sinks, and the producers of
/// tensors that such an op reads whole. Returns an empty list if no op reads through an index map, since then
/// the subgraph computes the whole result of every op.
void CostModel::findWholeRuns()
{
    m_whole.clear();
    if (!m_plan.hasMaps())
        return;
    m_whole.assign(m_plan.ops().size(), 0);
    std::vector<std::size_t> stack;
    for (const SubgraphPlan::Sink& s : m_plan.sinks())
        stack.push_back(s.product);
    while (!stack.empty()) {
        const std::size_t i = stack.back();
        stack.pop_back();
        if (m_whole[i])
            continue;
        m_whole[i] = 1;
        for (const TensorId t : m_problem.operands(m_plan.ops()[i]))
            if (const auto p = m_plan.productIndex(m_problem.stored(t)); p && m_problem.readsAll(t))
                stack.push_back(*p);
    }
}

/// True if an op that computes its whole result reads the tensor.
bool CostModel::isReadWhole(TensorId view) const
{
    for (std::size_t i = 0; i < m_plan.ops().size(); ++i)
        if (m_whole[i] && std::ranges::find(m_problem.operands(m_plan.ops()[i]), view) !=
                              m_problem.operands(m_plan.ops()[i]).end())
            return true;
    return false;
}

void CostModel::compileSinks()
{
    const std::vector<OpId>& drivers = m_plan.accumulated();
    for (auto d = drivers.begin(); d != drivers.end(); ++d)
        m_sharedDrivers |= std::find(drivers.begin(), d, *d) != d;
    for (const SubgraphPlan::Sink& s : m_plan.sinks()) {
        const TensorId t = m_plan.products()[s.product];
        const Tensor& out = m_problem.tensor(t);
        const bool free = std::ranges::find(m_free, t) != m_free.end();
        std::int64_t accumulator = std::numeric_limits<std::int64_t>::max();
        for (std::uint32_t d = s.driverBegin; d < s.driverEnd; ++d)
            accumulator = std::min(accumulator,
                                   m_problem.accumulatorUnits(m_problem.op(m_plan.accumulated()[d]).output));
        m_sinks.push_back({t.value, out.height, out.width, 1, m_retainedHere[t.value] == m_stamp, s.pointwise,
                           free, s.driverEnd - s.driverBegin, m_problem.units(t),
                           s.driverEnd > s.driverBegin ? accumulator : 0});
    }
    for (const SubgraphPlan::Group& g : m_plan.groups())
        m_sinks[g.sink].reduction = std::max(m_sinks[g.sink].reduction, g.reduction);
    m_groupConditions.clear();
    for (const SubgraphPlan::Group& g : m_plan.groups()) {
        const Sink& s = m_sinks[g.sink];
        const bool completing = g.reduction == 0;
        m_groupConditions.push_back(
            conditionBit(s.height, s.width, completing ? s.reduction : g.reduction, completing));
    }
    for (const SubgraphPlan::Use& use : m_plan.uses()) {
        if (use.run)
            addRun(use, m_plan.groups()[use.group].reduction == 0, m_groupConditions[use.group]);
        else
            addRequest(use, m_groupConditions[use.group]);
    }
}

void CostModel::compileRange()
{
    m_range = {};
    m_widths.clear();
    m_heights.clear();
    m_reductions.clear();
    for (const Sink& s : m_sinks) {
        m_widths.push_back(s.width);
        m_heights.push_back(s.height);
    }
    for (const SubgraphPlan::Group& g : m_plan.groups())
        if (g.reduction > 0)
            m_reductions.push_back(g.reduction);
    for (auto* v : {&m_widths, &m_heights, &m_reductions}) {
        std::ranges::sort(*v);
        v->erase(std::unique(v->begin(), v->end()), v->end());
    }
    m_range.minW = m_plan.leastW();
    m_range.minH = m_plan.leastH();
    m_range.maxW = std::min(m_plan.mostW(), std::max(m_range.minW, m_widths.back()));
    m_range.maxH = std::min(m_plan.mostH(), std::max(m_range.minH, m_heights.back()));
    m_range.maxK = m_plan.hasMatMul() ? std::min(m_plan.mostK(), m_plan.largestDriverK()) : 1;
    m_prologueWidths.clear();
    m_prologueHeights.clear();
    if (m_rules.prologue != Rules::Prologue::SplitOnly)
        return;
    // If k is split, the prologue may require tiles wider than every sink (R4.7).
    const auto demands = [](const std::vector<std::int64_t>& all, std::int64_t most, std::int64_t min,
                            std::int64_t& max, std::vector<std::int64_t>& out) {
        for (const std::int64_t size : all)
            if (size >= min && size <= most)
                out.push_back(size);
        if (!out.empty())
            max = std::max(max, out.back());
    };
    demands(m_plan.prologueWidths(), m_plan.mostW(), m_range.minW, m_range.maxW, m_prologueWidths);
    demands(m_plan.prologueHeights(), m_plan.mostH(), m_range.minH, m_range.maxH, m_prologueHeights);
}

void CostModel::compileEnergy()
{
    m_runEnergy = 0;
    for (std::size_t i = 0; i < m_plan.ops().size(); ++i)
        if (const OpId o = m_plan.ops()[i]; m_whole.empty() || m_whole[i])
            m_runEnergy +=
                leastEnergy(m_problem, o, m_problem.tensor(m_problem.op(o).output).elements()).total();
}

bool CostModel::compile(std::span<const OpId> ops, const Memory& memory)
{
    ++m_stamp;
    m_evaluator.reset();
    m_overflow = false;
    m_sharedDrivers = false;
    m_conditions.clear();
    m_sinks.clear();
    m_requests.clear();
    m_runs.clear();
    m_keptInputs.clear();
    m_reserved = 0;
    for (const TensorId t : memory.resident) {
        m_residentHere[t.value] = m_stamp;
        m_reserved += m_problem.sizeUnits(t);
    }
    for (const TensorId t : memory.retained) {
        m_retainedHere[t.value] = m_stamp;
        if (m_residentHere[t.value] != m_stamp)
            m_reserved += m_problem.sizeUnits(t);
    }
    for (const TensorId t : memory.free)
        m_residentHere[t.value] = m_retainedHere[t.value] = m_stamp;
    m_free.assign(memory.free.begin(), memory.free.end());
    m_resident.assign(memory.resident.begin(), memory.resident.end());
    m_retained.assign(memory.retained.begin(), memory.retained.end());
    m_compiler.compile(ops, m_plan);
    findWholeRuns();
    compileSinks();
    compileRange();
    std::ranges::stable_sort(m_requests, {}, &Request::tensor);
    compileBound();
    if (!m_pricesLatency)
        compileEnergy();
    return !m_overflow;
}

bool CostModel::legal(const Granularity& g) const
{
    return g.w >= m_range.minW && g.w <= m_plan.mostW() && g.h >= m_range.minH && g.h <= m_plan.mostH() &&
           g.k >= leastK(g.w, g.h) && (m_reductions.empty() || g.k <= m_range.maxK);
}

FastEvaluator& CostModel::evaluator()
{
    if (!m_evaluator.isPrepared())
        m_evaluator.prepare(m_plan, m_resident, m_retained);
    return m_evaluator;
}

TilingCost CostModel::evaluate(const Granularity& g, TraversalKind traversal, double cutoff,
                               const StepTotals& atLeast)
{
    if (!legal(g))
        return {};
    ++m_evaluations;
    const std::int64_t most = m_supported && m_keptInputs.empty() ? m_maxWalkedSteps : kMaxProofSteps;
    if (m_pricesLatency)
        return evaluator().evaluate(g, traversal, cutoff, atLeast, most);
    // Margin for rounding: a price that equals the cut-off is still computed.
    constexpr double kMargin = 1 + 1e-9;
    const double known = m_price.energy * (m_memoryEnergy * atLeast.memory + m_runEnergy);
    const double latest = m_price.latency > 0 ? std::max(0.0, cutoff * kMargin - known) / m_price.latency
                                              : std::numeric_limits<double>::infinity();
    TilingCost cost = evaluator().evaluate(g, traversal, latest, atLeast, most);
    if (cost.verdict == TilingCost::Verdict::Fits)
        cost.latency = m_price.of(cost.latency, cost.energy);
    return cost;
}

bool CostModel::firstTileFits(const Granularity& g)
{
    if (!legal(g))
        return false;
    ++m_evaluations;
    return evaluator().firstTileFits(g);
}

} // namespace tilewright
