// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/exact.h"

#include "eval/cost.h"
#include "eval/energy_bound.h"
#include "eval/traffic_bound.h"
#include "solve/proof/connected_sets.h"

#include <algorithm>
#include <bit>

namespace tilewright {

namespace {

constexpr std::size_t kMaxWindowOps = 16;
/// Maximum number of bits of a mask: ops, and inputs that may be retained.
constexpr std::size_t kMaxMaskBits = 32;
constexpr const char* kEveryPlan = "every order, fusion, recomputation and retention";
constexpr const char* kEveryTiling = "every granularity; raster, snake, column and column-snake traversals";

/// Exact search over the plans of a part of a schedule (ExactWindow). Masks have a bit for each op of the
/// part and, where inputs may be retained (R9.7), further bits for them.
class ExactSearch : StateSearch
{
public:
    ExactSearch(SubgraphPool& pool, const Rules& rules, const ExactWindow& window, TilingEffort effort,
                const ExactLimits& limits);
    ExactResult run();

private:
    struct Candidate // an op set that can be a subgraph
    {
        OpMask needs, bases, sinks;
        /// Tensors worth retaining: inputs, and results that an op of the part reads or that are resident
        /// after the part.
        OpMask retainable;
        /// True if the set reads a tensor that is only in fast memory at the start (residentBefore). The set
        /// must then come first in the part.
        bool needsResident;
        SetId set;
    };
    /// An input tensor of the replanned part that is read from slow memory.
    struct Load
    {
        TensorId tensor;
        OpMask readers;
        std::int64_t units; ///< least number of units that a reader loads
        OpMask bit;         ///< bit of the input in masks; 0 if it may not be retained
    };

    void listLeastRuns();
    void listLoads();
    void listSets();
    [[nodiscard]] bool canRetain(OpMask retain) const;
    /// True if the constraints of the pool allow the set to retain these tensors.
    [[nodiscard]] bool allows(SetId set, OpMask retain)
    {
        return !m_isConstrained || m_pool.allows({set, 0, retainId(retain)});
    }
    [[nodiscard]] double remaining(const State& state) const override;
    [[nodiscard]] bool isGoal(std::uint32_t at) const override;
    [[nodiscard]] bool expand(std::uint32_t at) override;
    [[nodiscard]] SetId setOf(std::uint32_t choice) const override { return m_sets[choice].set; }
    [[nodiscard]] std::vector<TensorId> tensorsOf(OpMask mask) const override;
    [[nodiscard]] std::optional<double> latency(const PlannedSet& p, double cutoff) override
    {
        if (m_effort == TilingEffort::Quick)
            return m_pool.latency(p);
        return StateSearch::latency(p, cutoff);
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const ExactWindow& m_window;
    TilingEffort m_effort;
    int m_maxRetained;
    ProofGraph m_graph;
    MemoryCosts m_memory;
    bool m_isConstrained;
    bool m_retainsInputs;
    /// True if tensors may stay in fast memory during subgraphs that neither produce nor read them.
    bool m_carries;
    bool m_hasTooManyInputs = false; ///< true if there are too many inputs for the masks
    /// Inputs that may be retained; their bits follow those of the ops.
    std::vector<TensorId> m_inputTensors;
    /// For each op: true if it reads a tensor that is resident before the part; true if it can run in the
    /// part.
    std::vector<char> m_usesResident, m_possible;
    /// For each op, the least number of elements of its result that a subgraph with the op computes.
    std::vector<std::int64_t> m_leastRun;
    /// Lower bounds of the compute time and the store time of each op.
    std::vector<double> m_compute, m_store;
    /// Lower bound of the energy of each op's runs; empty if the price is the latency.
    std::vector<double> m_energy;
    std::vector<std::int64_t> m_elements; ///< for each bit of a mask, the size of its tensor in units (R1.9)
    std::vector<Load> m_loads;
    OpMask m_required, m_slowBefore = 0, m_after, m_read = 0;
    std::vector<Candidate> m_sets;
};

ExactSearch::ExactSearch(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                         TilingEffort effort, const ExactLimits& limits)
    : StateSearch(pool, limits, window.residentBefore), m_problem(pool.problem()), m_rules(rules),
      m_window(window), m_effort(effort), m_maxRetained(limits.maxRetained), m_graph(m_problem, window.ops),
      m_memory(m_problem), m_isConstrained(pool.constraints().any()),
      m_retainsInputs(rules.keepsInputs() && effort == TilingEffort::Exhaustive),
      m_carries(m_retainsInputs && rules.retainInputs == Rules::RetainInputs::Carry),
      m_usesResident(window.ops.size()), m_possible(window.ops.size(), 1),
      m_required(m_graph.maskOf(window.required)), m_after(m_graph.maskOf(pool.retain(window.residentAfter)))
{
    listLeastRuns();
    std::vector<SpatialAxes> axes = spatialAxes(m_problem, rules);
    for (std::size_t i = 0; i < m_graph.size(); ++i) {
        const OpId o = m_graph.ops[i];
        axes[o.index()].least = m_leastRun[i];
        m_compute.push_back(leastCompute(m_problem, rules, o, axes[o.index()]));
        if (!pool.model().price().isLatency())
            m_energy.push_back(leastEnergy(m_problem, o, axes[o.index()].least).total());
        m_elements.push_back(m_problem.sizeUnits(m_graph.output(i)));
        m_store.push_back(m_memory.time(0, m_elements.back()));
        m_read |= m_graph.inputs[i];
        if (window.slowBefore[m_graph.output(i).index()] != 0)
            m_slowBefore |= ProofGraph::bit(i);
    }
    listLoads();
    if (!m_hasTooManyInputs)
        listSets();
}

/// Lists for each op the least number of elements that a run of it computes: those of the whole result, or
/// those of the part that a reader in the same subgraph needs.
void ExactSearch::listLeastRuns()
{
    std::vector<std::int64_t> least(m_problem.opCount());
    const auto& order = m_problem.topologicalOrder();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const OpId o = *it;
        const TensorId t = m_problem.op(o).output;
        least[o.index()] = m_problem.tensor(t).elements();
        for (const OpId reader : m_problem.consumers(t))
            least[o.index()] =
                std::min(least[o.index()], leastReadOf(m_problem, t, reader, least[reader.index()]));
    }
    for (const OpId o : m_graph.ops)
        m_leastRun.push_back(least[o.index()]);
}

/// Lists the inputs of each op that no op of the part produces.
void ExactSearch::listLoads()
{
    const std::vector<TensorId>& residentBefore = m_pool.retain(m_window.residentBefore);
    const auto isOutside = [&](TensorId t) { return m_problem.producer(t) && m_graph.producerOf(t) == 0; };
    for (std::size_t i = 0; i < m_graph.size(); ++i)
        for (const TensorId t : m_problem.op(m_graph.ops[i]).inputs) {
            for (const TensorId base : m_problem.bases(t))
                if (isOutside(base) && m_window.slowBefore[base.index()] == 0)
                    m_possible[i] = 0;
            if (m_problem.producer(t) && !isOutside(t))
                continue;
            const bool isResident = std::ranges::find(residentBefore, t) != residentBefore.end();
            if (m_problem.producer(t) && m_window.slowBefore[t.index()] == 0) {
                m_usesResident[i] = 1;
                m_possible[i] &= isResident ? 1 : 0;
            }
            if (isResident)
                continue;
            auto it = std::ranges::find(m_loads, t, &Load::tensor);
            if (it == m_loads.end())
                it = m_loads.insert(it, Load{t, 0, m_problem.sizeUnits(t), 0});
            const std::int64_t least = leastReadOf(m_problem, t, m_graph.ops[i], m_leastRun[i]);
            it->units = std::min(it->units, least * m_problem.units(t));
            it->readers |= ProofGraph::bit(i);
        }
    for (Load& load : m_loads) {
        if (!m_retainsInputs || m_problem.isView(load.tensor)) // a view cannot be retained (R1.7)
            continue;
        m_hasTooManyInputs = m_elements.size() >= kMaxMaskBits;
        if (m_hasTooManyInputs)
            return;
        load.bit = ProofGraph::bit(m_elements.size());
        m_inputTensors.push_back(load.tensor);
        m_elements.push_back(m_problem.sizeUnits(load.tensor));
    }
}

void ExactSearch::listSets()
{
    std::vector<OpMask> sets;
    (void)forEachConnectedSet(m_problem, m_rules, m_graph.ops, [&](std::uint64_t set) {
        sets.push_back(set);
        return true;
    });
    std::ranges::sort(sets);
    for (const OpMask s : sets) {
        Candidate c{m_graph.neededBy(s), m_graph.basesOf(s), m_graph.sinksOf(s), 0, false, 0};
        bool possible = true;
        forEachBit(s, [&](std::size_t i) {
            c.needsResident |= m_usesResident[i] != 0;
            possible &= m_possible[i] != 0;
        });
        if (!possible)
            continue;
        c.set = m_pool.intern(m_graph.opsOf(s));
        if (!m_pool.set(c.set).allowed)
            continue;
        // Retaining a graph output that no op reads saves no load. It can still help: the op that produces it
        // may be the only connection of the other ops of the set, and another subgraph writes the output
        // (docs/rules/bound.md 1). Only proofs consider this case.
        const bool mayConnect = m_effort == TilingEffort::Exhaustive && std::popcount(s) > 1;
        c.retainable = s & ((mayConnect ? m_graph.outputs : 0) | (~m_graph.outputs & (m_read | m_after)));
        if (m_retainsInputs) {
            c.retainable |= c.needs;
            for (const Load& load : m_loads)
                c.retainable |= (load.readers & s) != 0 ? load.bit : 0;
        }
        m_sets.push_back(c);
    }
}

std::vector<TensorId> ExactSearch::tensorsOf(OpMask mask) const
{
    std::vector<TensorId> out;
    forEachBit(mask, [&](std::size_t i) {
        out.push_back(i < m_graph.size() ? m_graph.output(i) : m_inputTensors[i - m_graph.size()]);
    });
    return out;
}

bool ExactSearch::canRetain(OpMask retain) const
{
    if (std::popcount(retain) > m_maxRetained)
        return false;
    std::int64_t elements = 0;
    forEachBit(retain, [&](std::size_t i) { elements += m_elements[i]; });
    // A step needs at least one element besides the retained tensors, unless all its inputs are retained as
    // well.
    return elements < m_problem.capacityUnits() + (m_retainsInputs ? 1 : 0);
}

double ExactSearch::remaining(const State& state) const
{
    OpMask all = 0;
    double compute = 0, energy = 0;
    const auto runAgain = [&](std::size_t i) {
        all |= ProofGraph::bit(i);
        compute += m_compute[i];
        energy += m_energy.empty() ? 0 : m_energy[i];
    };
    double memory = 0;
    const OpMask after = state.resident == m_after ? 0 : m_after;
    const OpMask written = m_graph.forEachMissing(m_required, after, state.slow, state.resident, runAgain);
    forEachBit(written, [&](std::size_t i) { memory += m_store[i]; });
    for (const Load& load : m_loads)
        if ((load.readers & all) != 0 && (load.bit & state.resident) == 0)
            memory += m_memory.time(load.units, 0);
    return m_pool.model().priced({compute, memory}, energy);
}

bool ExactSearch::isGoal(std::uint32_t at) const
{
    const State& state = node(at).state;
    const bool ends = m_effort == TilingEffort::Exhaustive || state.resident == m_after;
    return (m_required & ~state.slow) == 0 && ends &&
           (at != 0 || m_window.residentBefore == m_window.residentAfter);
}

bool ExactSearch::expand(std::uint32_t at)
{
    const Node from = node(at);
    const RetainId resident = residentAt(at);
    for (std::uint32_t i = 0; i < m_sets.size(); ++i) {
        const Candidate& c = m_sets[i];
        if ((c.needs & ~from.state.slow & ~from.state.resident) != 0 || (c.bases & ~from.state.slow) != 0 ||
            (c.needsResident && at != 0))
            continue;
        const OpMask retainable = c.retainable | (m_carries ? from.state.resident : 0);
        for (OpMask retain = retainable;; retain = (retain - 1) & retainable) {
            const State next{from.state.slow | (c.sinks & ~retain), retain};
            if (const double rest = canRetain(retain) && allows(c.set, retain)
                                        ? remainingBelowLimit(next, from.cost)
                                        : std::numeric_limits<double>::infinity();
                rest < m_limit) {
                const double least = m_pool.latencyBound({c.set, resident, retainId(retain)});
                open({next, from.cost, from.cost + least, 0, at, i, false}, rest);
            }
            if (retain == 0)
                break;
        }
        if (hasTooManyNodes() || (i % 64 == 63 && !m_limits.keepGoing()))
            return false;
    }
    return true;
}

ExactResult ExactSearch::run()
{
    ExactResult result;
    if (m_hasTooManyInputs)
        return result;
    result.space = kEveryPlan;
    result.space += m_retainsInputs ? ", of inputs too; " : "; ";
    result.space += m_effort == TilingEffort::Quick ? "granularities at even splits and the capacity limit"
                                                    : kEveryTiling;
    if (m_isConstrained)
        result.space += "; within the constraints";
    const Outcome found = search({m_slowBefore, m_graph.maskOf(m_pool.retain(m_window.residentBefore))});
    result.finished = found.finished;
    result.states = found.states;
    if (found.goal) {
        result.entries = entriesTo(*found.goal);
        result.total = node(*found.goal).cost;
    }
    return result;
}

} // namespace

std::string exactSpace()
{
    return std::string(kEveryPlan) + "; " + kEveryTiling;
}

ExactWindow wholeProblem(const Problem& problem)
{
    return {problem.topologicalOrder(), std::vector<char>(problem.tensorCount()), 0, problem.graphOutputs(),
            0};
}

ExactResult solveExactly(SubgraphPool& pool, const Rules& rules, const ExactWindow& window,
                         TilingEffort effort, const ExactLimits& limits)
{
    if (window.ops.size() > kMaxWindowOps)
        return {};
    return ExactSearch(pool, rules, window, effort, limits).run();
}

} // namespace tilewright
