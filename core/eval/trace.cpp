// SPDX-License-Identifier: GPL-3.0-or-later
// The explaining evaluator: simulates one (tile, k) step after another, exactly as the rules are written
// (docs/rules/schedule.md 14).
#include "eval/trace.h"

#include "eval/cost.h"
#include "eval/key_table.h"
#include "rules/check.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tilewright {

bool sameBuffer(const StepBuffer& a, const StepBuffer& b)
{
    return a.tensor == b.tensor && a.full == b.full && (a.full || (a.role == b.role && a.rect == b.rect));
}

namespace {

struct Request
{
    std::uint32_t input; // index in the plan's inputs()
    TensorId tensor;
    Role role;
    Rect rect;
    Rect box;            // what it touches of the stored tensor (R1.8)
    std::int64_t volume; // number of elements that it touches
};

/// Returns the number of elements of `rect` outside `covered`, and adds these parts to `covered` (R9.7).
std::int64_t cover(std::vector<Rect>& covered, const Rect& rect)
{
    std::vector<Rect> fresh{rect};
    for (const Rect& c : covered) {
        std::vector<Rect> rest;
        for (const Rect& f : fresh) {
            const Rect cut{std::max(f.r0, c.r0), std::min(f.r1, c.r1), std::max(f.c0, c.c0),
                           std::min(f.c1, c.c1)};
            if (cut.r0 >= cut.r1 || cut.c0 >= cut.c1) {
                rest.push_back(f);
                continue;
            }
            for (const Rect& piece : {Rect{f.r0, cut.r0, f.c0, f.c1}, Rect{cut.r1, f.r1, f.c0, f.c1},
                                      Rect{cut.r0, cut.r1, f.c0, cut.c0}, Rect{cut.r0, cut.r1, cut.c1, f.c1}})
                if (piece.r0 < piece.r1 && piece.c0 < piece.c1)
                    rest.push_back(piece);
        }
        fresh = std::move(rest);
    }
    std::int64_t area = 0;
    for (const Rect& f : fresh) {
        area += f.area();
        covered.push_back(f);
    }
    return area;
}

class Walker
{
    using Slot = SubgraphPlan::Slot;
    using Use = SubgraphPlan::Use;

public:
    Walker(const SubgraphPlan& plan, const Subgraph& subgraph, std::span<const TensorId> residentBefore)
        : m_plan(plan), m_problem(plan.problem()), m_subgraph(subgraph), m_rules(plan.rules()),
          m_cost(m_problem.hardware(), subgraph.granularity, plan.rules()), m_covered(plan.inputs().size()),
          m_range(plan.ranges().size()), m_requestsOf(plan.inputs().size()), m_runsOf(plan.ops().size())
    {
        findRepeatable();
        const auto listed = [](std::span<const TensorId> list, TensorId t) {
            return std::find(list.begin(), list.end(), t) != list.end();
        };
        for (std::size_t i = 0; i < plan.inputs().size(); ++i) {
            const TensorId t = m_problem.stored(plan.inputs()[i]);
            m_resident.push_back(listed(residentBefore, t));
            m_kept.push_back(listed(subgraph.retain, t)); // a retained input (R9.7)
            std::size_t first = 0;
            while (m_problem.stored(plan.inputs()[first]) != t)
                ++first;
            m_coveredBy.push_back(first);
        }
        if (m_problem.hasEnergy())
            m_energy.emplace(m_problem);
        m_reserved = reservedUnits(m_problem, residentBefore, subgraph.retain);
        for (const TensorId t : plan.products())
            m_interior.push_back(!listed(subgraph.retain, t));
        for (std::size_t s = 0; s < plan.sinks().size(); ++s) {
            m_interior[plan.sinks()[s].product] = false;
            m_kSteps.push_back(plan.kSteps(s, subgraph.granularity.k));
            m_retained.push_back(listed(subgraph.retain, plan.products()[plan.sinks()[s].product]));
        }
        m_grid = tileGrid(m_problem, subgraph.ops, subgraph.granularity);
    }

    void walk(const std::function<bool(const Step&)>& visit)
    {
        const bool forgets = m_subgraph.traversal.kind() == TraversalKind::Raster && !m_rules.nullOrderReuse;
        forEachTile(m_subgraph.traversal, m_grid.rows, m_grid.cols, [&](std::int64_t row, std::int64_t col) {
            if (forgets)
                m_previous.clear();
            m_step.tile = row * m_grid.cols + col;
            m_step.row = row;
            m_step.col = col;
            m_step.kSteps = 0;
            m_step.kStep = 0;
            findRanges();
            for (std::size_t s = 0; s < m_kSteps.size(); ++s)
                if (tileOf(s).area() > 0)
                    m_step.kSteps = std::max(m_step.kSteps, m_kSteps[s]);
            for (; m_step.kStep < m_step.kSteps; ++m_step.kStep) {
                findRanges();
                takeStep();
                if (!visit(m_step))
                    return false;
                m_step.start += m_step.latency;
                ++m_step.index;
            }
            return true;
        });
    }

private:
    struct Range
    {
        std::int64_t begin = 0, end = 0;
    };

    /// Finds the ops that may repeat a run: all except those with only one kind of request, by tiles and k
    /// steps.
    void findRepeatable()
    {
        std::vector<std::uint32_t> ways(m_plan.ops().size(), 0);
        m_repeatable.assign(m_plan.ops().size(), true);
        for (const Use& u : m_plan.uses())
            if (u.run && ++ways[u.id] == 1)
                m_repeatable[u.id] = m_plan.ranges()[u.rowSlot].axis != SubgraphPlan::Axis::Tile ||
                                     m_plan.ranges()[u.colSlot].axis != SubgraphPlan::Axis::Tile ||
                                     (m_plan.groups()[u.group].reduction > 0 &&
                                      m_plan.ranges()[u.depthSlot].axis != SubgraphPlan::Axis::Step);
            else if (u.run)
                m_repeatable[u.id] = true;
    }

    /// Sets the ranges of the plan for this step; each is a tile, a k range or the whole extent.
    void findRanges()
    {
        const Granularity& g = m_subgraph.granularity;
        for (std::size_t i = 0; i < m_range.size(); ++i) {
            const Slot& slot = m_plan.ranges()[i];
            const auto part = [&](std::int64_t index, std::int64_t size) {
                const std::int64_t begin = std::min(index * size, slot.size);
                return Range{begin, std::min(begin + size, slot.size)};
            };
            switch (slot.axis) {
            case SubgraphPlan::Axis::Tile:
                m_range[i] = slot.row ? part(m_step.row, g.h) : part(m_step.col, g.w);
                break;
            case SubgraphPlan::Axis::Step:
                m_range[i] = part(m_step.kStep, g.k);
                break;
            case SubgraphPlan::Axis::Full:
                m_range[i] = {0, slot.size};
                break;
            case SubgraphPlan::Axis::Box: {
                const Rect box = footprint(*m_problem.map(slot.view), rectOf(slot.rowSlot, slot.colSlot)).box;
                m_range[i] = slot.row ? Range{box.r0, box.r1} : Range{box.c0, box.c1};
                break;
            }
            }
        }
    }

    [[nodiscard]] Rect rectOf(std::uint32_t rowSlot, std::uint32_t colSlot) const
    {
        const Range& rows = m_range[rowSlot];
        const Range& cols = m_range[colSlot];
        return {rows.begin, rows.end, cols.begin, cols.end};
    }

    /// Returns the tile of a sink at the current position; empty if the sink is not active.
    [[nodiscard]] Rect tileOf(std::size_t sink) const
    {
        const SubgraphPlan::Sink& s = m_plan.sinks()[sink];
        return rectOf(s.rowSlot, s.colSlot);
    }

    // R6 ------------------------------------------------------------------------------------------------

    void request(const Use& u)
    {
        const Rect rect = rectOf(u.rowSlot, u.colSlot);
        Request wanted{u.id, m_plan.inputs()[u.id], u.role, rect, rect, rect.area()};
        if (const IndexMap* map = m_problem.map(wanted.tensor)) {
            const MapFootprint touched = footprint(*map, wanted.rect);
            if (touched.empty())
                return;
            wanted.box = touched.box;
            wanted.volume = touched.volume;
        }
        std::vector<std::uint32_t>& same = m_requestsOf[u.id];
        for (const std::uint32_t r : same)
            if (m_requests[r].role == wanted.role && m_requests[r].rect == wanted.rect)
                return;
        same.push_back(static_cast<std::uint32_t>(m_requests.size()));
        m_requests.push_back(wanted);
    }

    /// Adds the run; returns false if it is already in this step (R6.6).
    bool addRun(const Use& u)
    {
        const OpId o = m_plan.ops()[u.id];
        const Op& op = m_problem.op(o);
        const bool matmul = op.type == OpType::MatMul;
        const Rect rect = rectOf(u.rowSlot, u.colSlot);
        if (rect.area() == 0) // R1.8: the rectangle of a view touches nothing
            return false;
        const Range depth = matmul ? m_range[u.depthSlot] : Range{};
        std::vector<std::uint32_t>& same = m_runsOf[u.id];
        for (const std::uint32_t i : same)
            if (const StepRun& r = m_step.runs[i]; r.rect == rect && r.k0 == depth.begin && r.k1 == depth.end)
                return false;
        StepRun r{o, rect, depth.begin, depth.end, 0, false};
        if (m_rules.ephemeral == Rules::Ephemeral::Neutral && m_repeatable[u.id]) {
            r.repeated =
                !m_earlier.add({u.id, rect.r0, rect.r1, rect.c0, rect.c1, depth.begin, depth.end}).isNew;
        }
        if (!r.repeated) {
            const auto base = static_cast<double>(op.baseCost);
            const StepCosts::Extent rows{m_plan.ranges()[u.rowSlot].reduces(), rect.r1 - rect.r0};
            const StepCosts::Extent cols{m_plan.ranges()[u.colSlot].reduces(), rect.c1 - rect.c0};
            r.cost =
                matmul ? m_cost.matMul(base, rows, cols, depth.end - depth.begin, m_problem.reductionSize(o))
                       : m_cost.pointwise(base, rows, cols);
            if (m_energy)
                r.energy = matmul ? m_energy->matMul(m_problem, o, rows.extent, cols.extent,
                                                     depth.end - depth.begin, depth.begin > 0)
                                  : m_energy->pointwise(m_problem, o, rows.extent, cols.extent);
        }
        same.push_back(static_cast<std::uint32_t>(m_step.runs.size()));
        m_step.runs.push_back(r);
        return true;
    }

    /// Adds a use and, unless it is already a run of this step, the uses that it needs. Depth-first search
    /// with an explicit stack, since long chains would overflow the thread's stack.
    void follow(std::uint32_t root)
    {
        m_pending.assign(1, root);
        while (!m_pending.empty()) {
            const Use& u = m_plan.uses()[m_pending.back()];
            m_pending.pop_back();
            if (!u.run)
                request(u);
            else if (addRun(u)) {
                const auto needs = m_plan.needs(u);
                m_pending.insert(m_pending.end(), needs.rbegin(), needs.rend());
            }
        }
    }

    /// Adds the uses of a sink (R6.1, R6.2): its drivers in their k steps, its epilogue in the completing
    /// step.
    void runSink(const SubgraphPlan::Sink& sink, bool completes)
    {
        for (const std::uint32_t root : m_plan.roots(sink)) {
            const std::int64_t reduction = m_plan.groups()[m_plan.uses()[root].group].reduction;
            if (reduction > 0 ? m_step.kStep * m_subgraph.granularity.k < reduction : completes)
                follow(root);
        }
    }

    // R7 ------------------------------------------------------------------------------------------------

    [[nodiscard]] bool isWhole(const Request& r) const
    {
        const Tensor& t = m_problem.tensor(r.tensor);
        return r.rect == Rect{0, t.height, 0, t.width};
    }

    void serve()
    {
        for (const Request& r : m_requests) {
            const TensorId stored = m_problem.stored(r.tensor);
            if (m_resident[r.input]) {
                if (std::find(m_step.residentReads.begin(), m_step.residentReads.end(), stored) ==
                    m_step.residentReads.end())
                    m_step.residentReads.push_back(stored);
                continue;
            }
            if (m_kept[r.input]) {
                const std::int64_t fresh =
                    cover(m_covered[m_coveredBy[r.input]], r.box) * m_problem.units(stored);
                m_step.loadElements += fresh;
                if (fresh > 0)
                    m_step.keptLoads.push_back({stored, r.role, r.box, fresh, false, true});
                continue;
            }
            StepBuffer b{r.tensor, r.role, r.rect, 0, isWhole(r), true};
            const StepBuffer full{r.tensor, r.role, {}, 0, true, true};
            if (!b.full) {
                const auto& same = m_requestsOf[r.input];
                b.full = std::any_of(same.begin(), same.end(),
                                     [&](std::uint32_t o) { return isWhole(m_requests[o]); }) ||
                         holds(m_previous, full);
            }
            if (holds(m_step.buffers, b))
                continue;
            if (b.full)
                b.rect = {0, m_problem.tensor(r.tensor).height, 0, m_problem.tensor(r.tensor).width};
            b.size = (b.full ? m_problem.volume(r.tensor) : r.volume) * m_problem.units(r.tensor);
            b.loaded = !holds(m_previous, b);
            m_step.inputElements += b.size;
            if (b.loaded)
                m_step.loadElements += b.size;
            m_step.buffers.push_back(b);
        }
    }

    [[nodiscard]] static bool holds(const std::vector<StepBuffer>& buffers, const StepBuffer& b)
    {
        return std::any_of(buffers.begin(), buffers.end(),
                           [&](const StepBuffer& x) { return sameBuffer(x, b); });
    }

    // R9.6: returns the tensors whose buffers outputs have taken over.
    [[nodiscard]] std::vector<TensorId> donate()
    {
        std::vector<TensorId> taken;
        if (!m_rules.donation)
            return taken;
        for (StepSink& s : m_step.sinks) {
            const OpId producer = *m_problem.producer(s.tensor);
            if (!s.completes || !s.stored || m_problem.op(producer).type != OpType::Pointwise)
                continue;
            for (const Request& r : m_requests) {
                if (r.role != Role::Pointwise || r.rect != s.tile || m_resident[r.input] || m_kept[r.input] ||
                    m_problem.map(r.tensor) || m_problem.units(r.tensor) != m_problem.units(s.tensor) ||
                    std::find(taken.begin(), taken.end(), r.tensor) != taken.end())
                    continue;
                taken.push_back(r.tensor);
                s.takesOver = r.tensor;
                m_step.donatedElements += s.tile.area() * m_problem.units(s.tensor);
                break;
            }
        }
        return taken;
    }

    /// R9.9: adds the interior slices that the runs of this step produce.
    void holdInterior(std::span<const std::pair<OpId, Rect>> accumulators)
    {
        std::vector<std::pair<OpId, Rect>> held(accumulators.begin(), accumulators.end());
        for (const StepRun& r : m_step.runs) {
            const TensorId t = m_problem.op(r.op).output;
            if (!m_interior[*m_plan.productIndex(t)] ||
                std::find(held.begin(), held.end(), std::pair{r.op, r.rect}) != held.end())
                continue;
            held.emplace_back(r.op, r.rect);
            m_step.interiors.push_back({t, r.rect, r.rect.area() * m_problem.units(t)});
            m_step.interiorElements += m_step.interiors.back().size;
        }
    }

    void takeStep()
    {
        for (const Request& r : m_requests)
            m_requestsOf[r.input].clear();
        for (auto& runs : m_runsOf)
            runs.clear();
        m_requests.clear();
        m_step.runs.clear();
        m_step.buffers.clear();
        m_step.sinks.clear();
        m_step.interiors.clear();
        m_step.residentReads.clear();
        m_step.keptLoads.clear();
        m_step.loadElements = m_step.storeElements = 0;
        m_step.inputElements = m_step.outputElements = m_step.accumulatorElements = m_step.donatedElements =
            m_step.interiorElements = 0;
        m_step.reserved = m_reserved;

        std::vector<std::pair<OpId, Rect>> accumulators;
        for (std::size_t i = 0; i < m_plan.sinks().size(); ++i) {
            const SubgraphPlan::Sink& s = m_plan.sinks()[i];
            const Rect tile = tileOf(i);
            if (tile.area() == 0 || m_step.kStep >= m_kSteps[i])
                continue;
            StepSink out;
            out.tensor = m_plan.products()[s.product];
            out.tile = tile;
            out.completes = m_step.kStep == m_kSteps[i] - 1;
            out.stored = out.completes && !m_retained[i];
            const std::int64_t units = m_problem.units(out.tensor);
            // R9.1c: a split MatMul accumulates in its own tile
            const bool accumulates = m_kSteps[i] > 1 && !s.pointwise;
            const std::int64_t width =
                accumulates ? std::max(units, m_problem.accumulatorUnits(out.tensor)) : units;
            out.outputElements = tile.area() * (m_retained[i] ? width - units : width);
            out.storedElements = out.stored ? tile.area() * units : 0;
            for (std::uint32_t d = s.driverBegin; m_kSteps[i] > 1 && d < s.driverEnd; ++d) {
                const std::pair<OpId, Rect> key{m_plan.accumulated()[d], tile};
                if (std::find(accumulators.begin(), accumulators.end(), key) != accumulators.end())
                    continue;
                accumulators.push_back(key);
                ++out.accumulatorCount;
                out.accumulators += tile.area() * m_problem.accumulatorUnits(m_problem.op(key.first).output);
            }
            m_step.storeElements += out.storedElements;
            m_step.outputElements += out.outputElements;
            m_step.accumulatorElements += out.accumulators;
            m_step.sinks.push_back(out);
            runSink(s, out.completes);
        }
        serve();
        const std::vector<TensorId> taken = donate();
        if (m_rules.interior == Rules::Interior::Held)
            holdInterior(accumulators);
        m_step.workingSet = m_reserved + m_step.inputElements + m_step.outputElements +
                            m_step.accumulatorElements + m_step.interiorElements - m_step.donatedElements;
        m_step.compute = 0;
        m_step.energy = m_energy ? m_energy->transfers(m_step.loadElements, m_step.storeElements) : 0;
        for (const StepRun& r : m_step.runs) {
            m_step.compute += r.cost;
            m_step.energy += r.energy;
        }
        m_step.memory = static_cast<double>(m_step.loadElements + m_step.storeElements) /
                        static_cast<double>(m_problem.bandwidthUnits());
        m_step.latency = std::max(m_step.compute, m_step.memory);

        m_previous = m_step.buffers;
        std::erase_if(m_previous, [&](const StepBuffer& b) {
            return std::find(taken.begin(), taken.end(), b.tensor) != taken.end();
        });
    }

    const SubgraphPlan& m_plan;
    const Problem& m_problem;
    const Subgraph& m_subgraph;
    const Rules& m_rules;
    StepCosts m_cost;
    // for each input: true if resident; true if retained by this subgraph
    std::vector<char> m_resident, m_kept;
    std::optional<StepEnergy> m_energy;
    // by input: the parts of a retained input that are already in fast memory (R9.7), at the first input that
    // reads the same stored tensor
    std::vector<std::vector<Rect>> m_covered;
    std::vector<std::size_t> m_coveredBy;
    std::vector<char> m_interior;       // for each product: true if it is neither a sink nor retained (R9.9)
    std::vector<std::int64_t> m_kSteps; // number of k steps of each sink, n(t)
    std::vector<char> m_retained;       // for each sink: true if retained
    std::vector<Range> m_range;         // the range of each slot in the current step
    TileGrid m_grid;
    std::int64_t m_reserved = 0;
    std::vector<StepBuffer> m_previous;
    std::vector<Request> m_requests;
    std::vector<std::vector<std::uint32_t>> m_requestsOf; // by input: positions of the requests in this step
    std::vector<std::vector<std::uint32_t>> m_runsOf;     // for each op, its runs in the current step
    std::vector<std::uint32_t> m_pending;                 // stack of uses that are still to be followed
    std::vector<char> m_repeatable;                       // for each op, true if it may repeat a run
    KeyTable<7> m_earlier;                                // op, rectangle and k range of runs (R8.1)
    Step m_step;
};

} // namespace

void traceSubgraph(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
                   const Rules& rules, const std::function<bool(const Step&)>& visit)
{
    if (!checkFormat(problem, subgraph, SubgraphId{}).empty() ||
        !checkStructure(problem, subgraph, SubgraphId{}, rules, residentBefore).empty())
        return;
    Walker(SubgraphPlan(problem, subgraph.ops, rules), subgraph, residentBefore).walk(visit);
}

} // namespace tilewright
