// SPDX-License-Identifier: GPL-3.0-or-later
// The explaining evaluator: the rules word by word, one (tile, k) step after the other
// (docs/rules/schedule.md 14).
#include "eval/trace.h"

#include "eval/cost.h"
#include "eval/tile_order.h"
#include "eval/validate.h"

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

namespace tilewright {

namespace {

using RunKey = std::array<std::int64_t, 7>; // op, rectangle, k range (R6.6)

struct RunKeyHash
{
    std::size_t operator()(const RunKey& key) const noexcept
    {
        std::uint64_t h = 1469598103934665603ULL;
        for (const std::int64_t v : key)
            h = (h ^ static_cast<std::uint64_t>(v)) * 1099511628211ULL;
        return h ^ (h >> 29);
    }
};

struct Sink
{
    TensorId tensor;
    OpId op;
    std::vector<OpId> drivers; // R5.4, in depth-first order
    std::int64_t kSteps = 1;   // n(t)
    bool retained = false;
};

struct Request
{
    TensorId tensor;
    Role role;
    Rect rect;
};

bool sameBuffer(const StepBuffer& a, const StepBuffer& b)
{
    return a.tensor == b.tensor && a.full == b.full && (a.full || (a.role == b.role && a.rect == b.rect));
}

/// What of `rect` is not in `covered`; `covered` grows by it (R9.7).
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
public:
    Walker(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
           const Rules& rules)
        : m_problem(problem), m_subgraph(subgraph), m_rules(rules),
          m_cost(problem.hardware(), subgraph.granularity, rules), m_inside(problem.tensorCount(), false),
          m_resident(problem.tensorCount(), false), m_retained(problem.tensorCount(), false),
          m_covered(problem.tensorCount(), {}), m_requestsOf(problem.tensorCount(), {}),
          m_runsOf(problem.opCount(), {}), m_visited(problem.opCount(), 0)
    {
        for (const OpId o : subgraph.ops)
            m_inside[problem.op(o).output] = true;
        for (const TensorId t : subgraph.retain)
            m_retained[t] = true;
        for (const TensorId t : residentBefore) {
            m_resident[t] = true;
            m_reserved += problem.tensor(t).elements();
        }
        for (const TensorId t : subgraph.retain) // products, and with retain_inputs=allow inputs (R9.7)
            if (!m_resident[t])
                m_reserved += problem.tensor(t).elements();
        for (const TensorId t : boundaryOf(problem, subgraph.ops).sinks) {
            const OpId producer = *problem.producer(t);
            Sink sink{t, producer, driversOf(producer), 1, m_retained[t] != 0};
            for (const OpId d : sink.drivers)
                sink.kSteps =
                    std::max(sink.kSteps, ceilDiv(problem.reductionSize(d), subgraph.granularity.k));
            m_sinks.push_back(std::move(sink));
        }
        m_grid = tileGrid(problem, subgraph.ops, subgraph.granularity);
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
            for (const Sink& s : m_sinks)
                if (tileOf(s).area() > 0)
                    m_step.kSteps = std::max(m_step.kSteps, s.kSteps);
            for (m_step.kStep = 0; m_step.kStep < m_step.kSteps; ++m_step.kStep) {
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
    // Chains of ops are followed with stacks of our own: they may be longer than a thread's stack.

    /// In depth-first order (R5.4).
    [[nodiscard]] std::vector<OpId> driversOf(OpId sink)
    {
        std::vector<OpId> drivers;
        ++m_mark;
        m_pending.assign(1, m_problem.op(sink).output);
        while (!m_pending.empty()) {
            const OpId o = *m_problem.producer(m_pending.back());
            m_pending.pop_back();
            if (std::exchange(m_visited[o], m_mark) == m_mark)
                continue;
            const Op& op = m_problem.op(o);
            if (op.type == OpType::MatMul) {
                drivers.push_back(o);
                continue;
            }
            for (auto t = op.inputs.rbegin(); t != op.inputs.rend(); ++t)
                if (m_inside[*t])
                    m_pending.push_back(*t);
        }
        return drivers;
    }

    /// The tile of a sink's tensor at the current position; empty (area <= 0) when it does not take part.
    [[nodiscard]] Rect tileOf(const Sink& s) const
    {
        const Tensor& t = m_problem.tensor(s.tensor);
        const Granularity& g = m_subgraph.granularity;
        const Rect r{m_step.row * g.h, std::min((m_step.row + 1) * g.h, t.height), m_step.col * g.w,
                     std::min((m_step.col + 1) * g.w, t.width)};
        return r.r0 < r.r1 && r.c0 < r.c1 ? r : Rect{};
    }

    // R6 ------------------------------------------------------------------------------------------------

    struct Need
    {
        TensorId tensor;
        Role role;
        Rect rect;
        bool rowsReduce, colsReduce;
    };

    /// The last one first, so that requests come in depth-first order (R6.6).
    void serveNeeds()
    {
        while (!m_needs.empty()) {
            const Need n = m_needs.back();
            m_needs.pop_back();
            if (m_inside[n.tensor]) {
                const OpId producer = *m_problem.producer(n.tensor);
                run(producer, n.rect, 0,
                    m_problem.op(producer).type == OpType::MatMul ? m_problem.reductionSize(producer) : 0,
                    n.rowsReduce, n.colsReduce);
            } else {
                request({n.tensor, n.role, n.rect});
            }
        }
    }

    void request(const Request& wanted)
    {
        std::vector<std::uint32_t>& same = m_requestsOf[wanted.tensor];
        for (const std::uint32_t r : same)
            if (m_requests[r].role == wanted.role && m_requests[r].rect == wanted.rect)
                return;
        same.push_back(static_cast<std::uint32_t>(m_requests.size()));
        m_requests.push_back(wanted);
    }

    /// Adds the run; false when it is already in this step (R6.6).
    bool addRun(OpId o, const Rect& rect, std::int64_t k0, std::int64_t k1, bool rowsReduce, bool colsReduce)
    {
        std::vector<std::uint32_t>& same = m_runsOf[o];
        for (const std::uint32_t i : same)
            if (const StepRun& r = m_step.runs[i]; r.rect == rect && r.k0 == k0 && r.k1 == k1)
                return false;
        const Op& op = m_problem.op(o);
        StepRun r{o, rect, k0, k1, 0, false};
        if (m_rules.ephemeral == Rules::Ephemeral::Neutral) {
            const RunKey key{static_cast<std::int64_t>(o.value), rect.r0, rect.r1, rect.c0, rect.c1, k0, k1};
            r.repeated = !m_earlier.insert(key).second;
        }
        if (!r.repeated)
            r.cost = static_cast<double>(op.baseCost) * m_cost.rows(rowsReduce, rect.r1 - rect.r0) *
                     m_cost.cols(colsReduce, rect.c1 - rect.c0) *
                     (op.type == OpType::MatMul ? m_cost.depth(k1 - k0, m_problem.reductionSize(o)) : 1.0);
        same.push_back(static_cast<std::uint32_t>(m_step.runs.size()));
        m_step.runs.push_back(r);
        return true;
    }

    /// Adds the run and puts what it needs on the stack, unless it is in this step already.
    void run(OpId o, const Rect& rect, std::int64_t k0, std::int64_t k1, bool rowsReduce, bool colsReduce)
    {
        if (!addRun(o, rect, k0, k1, rowsReduce, colsReduce))
            return;
        const Op& op = m_problem.op(o);
        if (op.type == OpType::MatMul) {
            m_needs.push_back({op.inputs[1], Role::Rhs, {k0, k1, rect.c0, rect.c1}, true, colsReduce});
            m_needs.push_back({op.inputs[0], Role::Lhs, {rect.r0, rect.r1, k0, k1}, rowsReduce, true});
        } else {
            for (auto t = op.inputs.rbegin(); t != op.inputs.rend(); ++t)
                m_needs.push_back({*t, Role::Pointwise, rect, rowsReduce, colsReduce});
        }
    }

    /// The producer of a sink and the Pointwises of its epilogue, on the sink's tile (R6.1, R6.2).
    void runDriven(OpId sink, const Rect& tile, bool completes)
    {
        ++m_mark;
        m_pending.assign(1, m_problem.op(sink).output);
        while (!m_pending.empty()) {
            const TensorId needed = m_pending.back();
            m_pending.pop_back();
            if (!m_inside[needed]) {
                if (completes)
                    request({needed, Role::Pointwise, tile});
                continue;
            }
            const OpId o = *m_problem.producer(needed);
            if (std::exchange(m_visited[o], m_mark) == m_mark)
                continue;
            const Op& op = m_problem.op(o);
            if (op.type == OpType::MatMul) {
                const std::int64_t k = m_subgraph.granularity.k;
                const std::int64_t k0 = m_step.kStep * k;
                const std::int64_t k1 = std::min(k0 + k, m_problem.reductionSize(o));
                if (k0 < k1)
                    run(o, tile, k0, k1, false, false);
                serveNeeds();
                continue;
            }
            if (completes)
                addRun(o, tile, 0, 0, false, false);
            for (auto t = op.inputs.rbegin(); t != op.inputs.rend(); ++t)
                m_pending.push_back(*t);
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
            if (m_resident[r.tensor]) {
                if (std::find(m_step.residentReads.begin(), m_step.residentReads.end(), r.tensor) ==
                    m_step.residentReads.end())
                    m_step.residentReads.push_back(r.tensor);
                continue;
            }
            if (m_retained[r.tensor]) {
                const std::int64_t fresh = cover(m_covered[r.tensor], r.rect);
                m_step.loadElements += fresh;
                if (fresh > 0)
                    m_step.keptLoads.push_back({r.tensor, r.role, r.rect, false, true});
                continue;
            }
            StepBuffer b{r.tensor, r.role, r.rect, isWhole(r), true};
            const StepBuffer full{r.tensor, r.role, {}, true, true};
            if (!b.full) {
                const auto& same = m_requestsOf[r.tensor];
                b.full = std::any_of(same.begin(), same.end(),
                                     [&](std::uint32_t o) { return isWhole(m_requests[o]); }) ||
                         holds(m_previous, full);
            }
            if (holds(m_step.buffers, b))
                continue;
            if (b.full)
                b.rect = {0, m_problem.tensor(r.tensor).height, 0, m_problem.tensor(r.tensor).width};
            b.loaded = !holds(m_previous, b);
            m_step.inputElements += b.rect.area();
            if (b.loaded)
                m_step.loadElements += b.rect.area();
            m_step.buffers.push_back(b);
        }
    }

    [[nodiscard]] static bool holds(const std::vector<StepBuffer>& buffers, const StepBuffer& b)
    {
        return std::any_of(buffers.begin(), buffers.end(),
                           [&](const StepBuffer& x) { return sameBuffer(x, b); });
    }

    // R9.6: returns the tensors whose buffers were taken over.
    [[nodiscard]] std::vector<TensorId> donate()
    {
        std::vector<TensorId> taken;
        if (!m_rules.donation)
            return taken;
        for (std::size_t i = 0; i < m_step.sinks.size(); ++i) {
            const StepSink& s = m_step.sinks[i];
            const OpId producer = *m_problem.producer(s.tensor);
            if (!s.completes || !s.stored || m_problem.op(producer).type != OpType::Pointwise)
                continue;
            for (const Request& r : m_requests) {
                if (r.role != Role::Pointwise || r.rect != s.tile || m_resident[r.tensor] ||
                    m_retained[r.tensor] || std::find(taken.begin(), taken.end(), r.tensor) != taken.end())
                    continue;
                taken.push_back(r.tensor);
                m_step.donatedElements += s.tile.area();
                break;
            }
        }
        return taken;
    }

    void takeStep()
    {
        for (const Request& r : m_requests)
            m_requestsOf[r.tensor].clear();
        for (const StepRun& r : m_step.runs)
            m_runsOf[r.op].clear();
        m_requests.clear();
        m_step.runs.clear();
        m_step.buffers.clear();
        m_step.sinks.clear();
        m_step.residentReads.clear();
        m_step.keptLoads.clear();
        m_step.loadElements = m_step.storeElements = 0;
        m_step.inputElements = m_step.outputElements = m_step.accumulatorElements = m_step.donatedElements =
            0;
        m_step.reserved = m_reserved;

        std::vector<std::pair<OpId, Rect>> accumulators;
        for (const Sink& s : m_sinks) {
            const Rect tile = tileOf(s);
            if (tile.area() == 0 || m_step.kStep >= s.kSteps)
                continue;
            StepSink out{s.tensor, tile, m_step.kStep == s.kSteps - 1, false, 0, 0};
            out.stored = out.completes && !s.retained;
            out.outputElements = s.retained ? 0 : tile.area();
            if (s.kSteps > 1)
                for (const OpId d : s.drivers) {
                    const std::pair<OpId, Rect> key{d, tile};
                    if (d == s.op ||
                        std::find(accumulators.begin(), accumulators.end(), key) != accumulators.end())
                        continue;
                    accumulators.push_back(key);
                    out.accumulators += tile.area();
                }
            m_step.storeElements += out.stored ? tile.area() : 0;
            m_step.outputElements += out.outputElements;
            m_step.accumulatorElements += out.accumulators;
            m_step.sinks.push_back(out);
            runDriven(s.op, tile, out.completes);
        }
        serve();
        const std::vector<TensorId> taken = donate();
        m_step.workingSet = m_reserved + m_step.inputElements + m_step.outputElements +
                            m_step.accumulatorElements - m_step.donatedElements;
        m_step.compute = 0;
        for (const StepRun& r : m_step.runs)
            m_step.compute += r.cost;
        m_step.memory = static_cast<double>(m_step.loadElements + m_step.storeElements) /
                        static_cast<double>(m_problem.hardware().slowMemoryBandwidth);
        m_step.latency = std::max(m_step.compute, m_step.memory);

        m_previous = m_step.buffers;
        std::erase_if(m_previous, [&](const StepBuffer& b) {
            return std::find(taken.begin(), taken.end(), b.tensor) != taken.end();
        });
    }

    const Problem& m_problem;
    const Subgraph& m_subgraph;
    const Rules& m_rules;
    StepCosts m_cost;
    IdVector<TensorId, char> m_inside;
    IdVector<TensorId, char> m_resident;
    IdVector<TensorId, char> m_retained;
    IdVector<TensorId, std::vector<Rect>> m_covered; // R9.7: what of a retained input is there already
    std::vector<Sink> m_sinks;
    TileGrid m_grid;
    std::int64_t m_reserved = 0;
    std::vector<StepBuffer> m_previous;
    std::vector<Request> m_requests;
    IdVector<TensorId, std::vector<std::uint32_t>> m_requestsOf; // this step's, by position
    IdVector<OpId, std::vector<std::uint32_t>> m_runsOf;
    std::vector<Need> m_needs;       // stack of what runs need
    std::vector<TensorId> m_pending; // stack of an epilogue
    IdVector<OpId, std::uint32_t> m_visited;
    std::uint32_t m_mark = 0;
    std::unordered_set<RunKey, RunKeyHash> m_earlier;
    Step m_step;
};

} // namespace

void traceSubgraph(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
                   const Rules& rules, const std::function<bool(const Step&)>& visit)
{
    if (!checkFormat(problem, subgraph, SubgraphId{}).empty() ||
        !checkStructure(problem, subgraph, SubgraphId{}, rules).empty())
        return;
    Walker(problem, subgraph, residentBefore, rules).walk(visit);
}

} // namespace tilewright
