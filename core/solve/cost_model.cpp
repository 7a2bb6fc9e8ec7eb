// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/cost_model.h"

#include "base/integer.h"

#include <algorithm>

namespace tilewright {

namespace {

constexpr std::uint8_t kLhs = 0;
constexpr std::uint8_t kRhs = 1;
constexpr std::uint8_t kPointwise = 2;
constexpr std::uint8_t kFull = 3; ///< role of a request for the whole tensor: FULL(t) has none (R7.1)

} // namespace

CostModel::CostModel(const Problem& problem, const Rules& rules)
    : m_problem(problem), m_rules(rules), m_supported(supports(rules)), m_compiler(problem, rules),
      m_capacity(problem.hardware().fastMemoryCapacity),
      m_bandwidth(static_cast<double>(problem.hardware().slowMemoryBandwidth)),
      m_nativeW(problem.hardware().nativeWidth), m_nativeH(problem.hardware().nativeHeight),
      m_nativeK(problem.hardware().nativeK())
{
    for (auto* stamps : {&m_producedHere, &m_consumedHere, &m_residentHere, &m_retainedHere})
        stamps->assign(problem.tensorCount(), 0);
    for (auto* stamps : {&m_inside, &m_visited, &m_counted})
        stamps->assign(problem.opCount(), 0);
}

bool CostModel::supports(const Rules& rules) noexcept
{
    Rules reference;
    reference.kScaling = rules.kScaling;
    reference.ephemeral = rules.ephemeral;
    reference.prologue = rules.prologue;
    reference.opOrder = rules.opOrder;
    return rules == reference;
}

std::uint64_t CostModel::causeBit(std::int64_t height, std::int64_t width, std::int64_t reduction,
                                  bool completing)
{
    for (std::size_t i = 0; i < m_causes.size(); ++i) {
        const Cause& c = m_causes[i];
        if (c.height == height && c.width == width && c.reduction == reduction && c.completing == completing)
            return std::uint64_t{1} << i;
    }
    if (m_causes.size() == 64) {
        m_overflow = true;
        return 1;
    }
    m_causes.push_back({height, width, reduction, completing, 0, 0, 0});
    return std::uint64_t{1} << (m_causes.size() - 1);
}

void CostModel::addRequest(std::uint32_t tensor, std::uint8_t role, Axis row, Axis col, std::uint64_t cause)
{
    for (Request& r : m_requests)
        if (r.tensor == tensor && r.role == role && r.row == row && r.col == col) {
            r.causes |= cause;
            return;
        }
    m_requests.push_back({tensor, role, row, col, cause});
}

/// The last need first, so that requests come in depth-first order (R6.6). The stack is our own: a chain may
/// be longer than a thread's stack.
void CostModel::serveNeeds(std::uint64_t cause)
{
    while (!m_needs.empty()) {
        const Need n = m_needs.back();
        m_needs.pop_back();
        if (m_producedHere[n.tensor] == m_stamp)
            addRun(m_problem.producer(TensorId(n.tensor))->value, n.row, n.col, false, cause);
        else if (m_residentHere[n.tensor] != m_stamp)
            addRequest(n.tensor, n.role, n.row, n.col, cause);
    }
}

/// Adds the run, or the cause to a known one, and puts what that needs on the stack.
void CostModel::addRun(std::uint32_t op, Axis row, Axis col, bool split, std::uint64_t cause)
{
    if (m_overflow)
        return;
    const Op& o = m_problem.op(OpId(op));
    const bool matmul = o.type == OpType::MatMul;
    bool known = false;
    for (Run& r : m_runs)
        if (r.op == op && r.row == row && r.col == col && r.split == split) {
            if ((r.causes & cause) == cause)
                return;
            r.causes |= cause;
            known = true;
            break;
        }
    if (!known) {
        const Tensor& out = m_problem.tensor(o.output);
        m_runs.push_back({op, row, col, split, matmul, cause, static_cast<double>(o.baseCost),
                          m_problem.reductionSize(OpId(op)), out.width, out.height});
    }
    if (matmul) {
        const Axis k = split ? Axis::Chunk : Axis::Full;
        m_needs.push_back({o.inputs[1].value, kRhs, k, col});
        m_needs.push_back({o.inputs[0].value, kLhs, row, k});
    } else {
        for (auto in = o.inputs.rbegin(); in != o.inputs.rend(); ++in)
            m_needs.push_back({in->value, kPointwise, row, col});
    }
}

void CostModel::runDriver(OpId op, const Tensor& shape)
{
    const std::uint64_t cause = causeBit(shape.height, shape.width, m_problem.reductionSize(op), false);
    addRun(op.value, Axis::Tile, Axis::Tile, true, cause);
    serveNeeds(cause);
}

void CostModel::runEpilogue(OpId sink, const Tensor& shape, std::uint64_t completing)
{
    std::vector<TensorId> pending{m_problem.op(sink).output};
    m_epilogueDone.clear();
    while (!pending.empty()) {
        const TensorId needed = pending.back();
        pending.pop_back();
        if (m_producedHere[needed.value] != m_stamp) {
            if (m_residentHere[needed.value] != m_stamp)
                addRequest(needed.value, kPointwise, Axis::Tile, Axis::Tile, completing);
            continue;
        }
        const OpId p = *m_problem.producer(needed);
        const Op& o = m_problem.op(p);
        if (o.type == OpType::MatMul) {
            runDriver(p, shape);
            continue;
        }
        if (std::ranges::find(m_epilogueDone, p.value) != m_epilogueDone.end())
            continue;
        m_epilogueDone.push_back(p.value);
        m_runs.push_back({p.value, Axis::Tile, Axis::Tile, false, false, completing,
                          static_cast<double>(o.baseCost), 1, shape.width, shape.height});
        pending.insert(pending.end(), o.inputs.rbegin(), o.inputs.rend());
    }
}

void CostModel::compileSinks(std::span<const OpId> ops)
{
    m_accumulators.clear();
    std::vector<std::uint32_t> epilogue;
    std::vector<std::uint32_t> drivers;
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        if (m_consumedHere[op.output.value] == m_stamp)
            continue;
        const Tensor& out = m_problem.tensor(op.output);
        Sink sink{op.output.value,
                  out.height,
                  out.width,
                  1,
                  m_retainedHere[op.output.value] == m_stamp,
                  0,
                  0,
                  0,
                  0,
                  0};
        sink.accFirst = static_cast<std::uint32_t>(m_accumulators.size());
        if (op.type == OpType::MatMul) {
            sink.reduction = m_problem.reductionSize(o);
            runDriver(o, out);
        } else {
            // R5.4: back through pointwise ops of the subgraph to the matmuls that are stepped along k.
            epilogue.assign(1, o.value);
            drivers.clear();
            for (std::size_t i = 0; i < epilogue.size(); ++i)
                for (const TensorId in : m_problem.op(OpId(epilogue[i])).inputs) {
                    if (m_producedHere[in.value] != m_stamp)
                        continue;
                    const std::uint32_t p = m_problem.producer(in)->value;
                    auto& list = m_problem.op(OpId(p)).type == OpType::MatMul ? drivers : epilogue;
                    if (std::ranges::find(list, p) == list.end())
                        list.push_back(p);
                }
            for (const std::uint32_t d : drivers)
                sink.reduction = std::max(sink.reduction, m_problem.reductionSize(OpId(d)));
            for (const std::uint32_t d : drivers) {
                if (std::ranges::find(m_accumulators, d) != m_accumulators.end())
                    m_sharedDrivers = true;
                m_accumulators.push_back(d);
            }
            // Depth first, as R6.6 orders requests. The epilogue runs in the completing step only; its
            // drivers' results are then at hand.
            const std::uint64_t completing = causeBit(out.height, out.width, sink.reduction, true);
            runEpilogue(o, out, completing);
        }
        sink.accCount = static_cast<std::uint32_t>(m_accumulators.size()) - sink.accFirst;
        m_sinks.push_back(sink);
    }
}

void CostModel::compileRange(std::span<const OpId> ops)
{
    m_range = {};
    m_widths.clear();
    m_heights.clear();
    m_reductions.clear();
    for (const Sink& s : m_sinks) {
        m_widths.push_back(s.width);
        m_heights.push_back(s.height);
    }
    for (const Run& r : m_runs)
        if (r.split)
            m_reductions.push_back(r.reduction);
    for (auto* v : {&m_widths, &m_heights, &m_reductions}) {
        std::ranges::sort(*v);
        v->erase(std::unique(v->begin(), v->end()), v->end());
    }
    bool matmul = false;
    std::int64_t smallestK = kMaxDimension;
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        if (op.type != OpType::MatMul)
            continue;
        matmul = true;
        const std::int64_t k = m_problem.reductionSize(o);
        smallestK = std::min(smallestK, k);
        if (m_rules.prologue == Rules::Prologue::Off)
            continue;
        const auto fromPointwise = [&](TensorId t) {
            return m_producedHere[t.value] == m_stamp &&
                   m_problem.op(*m_problem.producer(t)).type == OpType::Pointwise;
        };
        if (fromPointwise(op.inputs[0]))
            m_range.minW = std::max(m_range.minW, k);
        if (fromPointwise(op.inputs[1]))
            m_range.minH = std::max(m_range.minH, k);
    }
    const bool limited = m_rules.superNative == Rules::SuperNative::Error;
    m_range.maxK = !matmul ? 1 : limited ? std::min(m_nativeK, smallestK) : smallestK;
    m_range.maxW = std::max(m_range.minW, m_widths.back());
    m_range.maxH = std::max(m_range.minH, m_heights.back());
    if (limited) {
        m_range.maxW = std::min(m_nativeW, m_range.maxW);
        m_range.maxH = std::min(m_nativeH, m_range.maxH);
    }
}

bool CostModel::compile(std::span<const OpId> ops, const Memory& memory)
{
    ++m_stamp;
    m_planned = false;
    m_overflow = false;
    m_sharedDrivers = false;
    m_causes.clear();
    m_sinks.clear();
    m_requests.clear();
    m_runs.clear();
    m_reserved = 0;
    for (const OpId o : ops) {
        const Op& op = m_problem.op(o);
        m_inside[o.value] = m_stamp;
        m_producedHere[op.output.value] = m_stamp;
        for (const TensorId t : op.inputs)
            m_consumedHere[t.value] = m_stamp;
    }
    for (const TensorId t : memory.resident) {
        m_residentHere[t.value] = m_stamp;
        m_reserved += m_problem.tensor(t).elements();
    }
    for (const TensorId t : memory.retained) {
        m_retainedHere[t.value] = m_stamp;
        if (m_residentHere[t.value] != m_stamp)
            m_reserved += m_problem.tensor(t).elements();
    }
    m_ops.assign(ops.begin(), ops.end());
    m_resident.assign(memory.resident.begin(), memory.resident.end());
    m_retained.assign(memory.retained.begin(), memory.retained.end());
    compileSinks(ops);
    compileRange(ops);
    std::ranges::stable_sort(m_requests, {}, &Request::tensor);
    return !m_overflow;
}

bool CostModel::legal(const Granularity& g) const
{
    const bool limited = m_rules.superNative == Rules::SuperNative::Error;
    return g.w >= m_range.minW && (!limited || g.w <= m_nativeW) && g.h >= m_range.minH &&
           (!limited || g.h <= m_nativeH) && g.k >= 1 && (m_reductions.empty() || g.k <= m_range.maxK);
}

/// Whether a tile range [i*tile, ...) and a k range [q*chunk, ...) of one axis can be the same range.
bool CostModel::mayCoincide(Axis a, Axis b, std::int64_t tile, std::int64_t chunk, std::int64_t extent)
{
    if (a == b)
        return true;
    if (a == Axis::Full || b == Axis::Full)
        return false; // the other one is a proper part
    return tile == chunk || (extent - 1) / tile * tile == (extent - 1) / chunk * chunk;
}

bool CostModel::prepareRequests(const Granularity& g)
{
    m_active.clear();
    m_groups.clear();
    for (std::size_t i = 0; i < m_requests.size();) {
        const Tensor& t = m_problem.tensor(TensorId(m_requests[i].tensor));
        Group group{static_cast<std::uint32_t>(m_active.size()), 0, t.elements(), false};
        const std::size_t begin = i;
        for (; i < m_requests.size() && m_requests[i].tensor == m_requests[begin].tensor; ++i) {
            const Request& r = m_requests[i];
            ActiveRequest a{r.causes, t.height, t.width, r.row, r.col, r.role};
            if ((a.row == Axis::Tile && g.h >= t.height) || (a.row == Axis::Chunk && g.k >= t.height))
                a.row = Axis::Full;
            if ((a.col == Axis::Tile && g.w >= t.width) || (a.col == Axis::Chunk && g.k >= t.width))
                a.col = Axis::Full;
            if (a.row == Axis::Full && a.col == Axis::Full)
                a.role = kFull;
            bool merged = false;
            for (std::uint32_t j = group.first; j < m_active.size() && !merged; ++j) {
                ActiveRequest& b = m_active[j];
                if (b.role != a.role)
                    continue;
                if (b.row == a.row && b.col == a.col) {
                    b.causes |= a.causes;
                    merged = true;
                } else if (mayCoincide(a.row, b.row, g.h, g.k, t.height) &&
                           mayCoincide(a.col, b.col, g.w, g.k, t.width)) {
                    return false;
                }
            }
            if (!merged)
                m_active.push_back(a);
        }
        group.count = static_cast<std::uint32_t>(m_active.size()) - group.first;
        m_groups.push_back(group);
    }
    return true;
}

bool CostModel::prepareRuns(const Granularity& g)
{
    m_activeRuns.clear();
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const Run& r = m_runs[i];
        ActiveRun a{};
        a.causes = r.causes;
        a.base = r.base;
        a.reduction = r.reduction;
        a.width = r.width;
        a.height = r.height;
        a.row = (r.row == Axis::Tile && g.h >= r.height) || (r.row == Axis::Chunk && g.k >= r.height)
                    ? Axis::Full
                    : r.row;
        a.col = (r.col == Axis::Tile && g.w >= r.width) || (r.col == Axis::Chunk && g.k >= r.width)
                    ? Axis::Full
                    : r.col;
        a.rowK = r.row != Axis::Tile;
        a.colK = r.col != Axis::Tile;
        a.split = r.split && g.k < r.reduction;
        a.matmul = r.matmul;
        a.seen = -1;
        a.constant = a.row != Axis::Chunk && a.col != Axis::Chunk && !a.split;
        a.flat = a.base;
        if (a.rowK && a.row == Axis::Full)
            a.flat *= static_cast<double>(a.height) / static_cast<double>(m_nativeH);
        if (a.colK && a.col == Axis::Full)
            a.flat *= static_cast<double>(a.width) / static_cast<double>(m_nativeW);
        if (a.matmul && m_rules.kScaling == Rules::KScaling::Native && !a.split)
            a.flat *= static_cast<double>(a.reduction) / static_cast<double>(m_nativeK);
        m_activeRuns.push_back(a);
    }
    // Runs of one op that become equal share their "done before" marks (R6.6, R8.1).
    for (std::size_t i = 0; i < m_runs.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            if (m_runs[i].op != m_runs[j].op)
                continue;
            ActiveRun& a = m_activeRuns[i];
            ActiveRun& b = m_activeRuns[j];
            if (a.row == b.row && a.col == b.col && a.split == b.split) {
                a.seen = static_cast<std::int32_t>(-2 - static_cast<std::int32_t>(j));
                if (b.seen == -1)
                    b.seen = 0;
                break;
            }
            if (a.split == b.split && mayCoincide(a.row, b.row, g.h, g.k, a.height) &&
                mayCoincide(a.col, b.col, g.w, g.k, a.width))
                return false;
        }
    return true;
}

void CostModel::prepareSeen()
{
    m_seen.clear();
    const auto rows = static_cast<std::int32_t>(m_rowReps.size());
    const auto cols = static_cast<std::int32_t>(m_colReps.size());
    const auto steps = static_cast<std::int32_t>(m_stepReps.size());
    const bool strict = m_rules.ephemeral == Rules::Ephemeral::Strict;
    for (ActiveRun& a : m_activeRuns) {
        if (a.seen <= -2) {
            const ActiveRun& same = m_activeRuns[static_cast<std::size_t>(-2 - a.seen)];
            a.seen = same.seen;
            a.strideRow = same.strideRow;
            a.strideCol = same.strideCol;
            a.strideStep = same.strideStep;
            continue;
        }
        const bool byRow = a.row == Axis::Tile || strict;
        const bool byCol = a.col == Axis::Tile || strict;
        const bool byStep = a.row == Axis::Chunk || a.col == Axis::Chunk || a.split || strict;
        const bool everyStep = (byRow || rows == 1) && (byCol || cols == 1) && (byStep || steps == 1);
        if (a.seen == -1 && everyStep)
            continue; // never repeated
        a.strideStep = byStep ? 1 : 0;
        a.strideCol = byCol ? (byStep ? steps : 1) : 0;
        a.strideRow = byRow ? (byStep ? steps : 1) * (byCol ? cols : 1) : 0;
        a.seen = static_cast<std::int32_t>(m_seen.size());
        m_seen.resize(m_seen.size() + static_cast<std::size_t>((byStep ? steps : 1) * (byCol ? cols : 1) *
                                                               (byRow ? rows : 1)));
    }
}

bool CostModel::prepare(const Granularity& g)
{
    for (Cause& c : m_causes) {
        c.rows = ceilDiv(c.height, g.h);
        c.cols = ceilDiv(c.width, g.w);
        c.n = ceilDiv(c.reduction, g.k);
    }
    for (Sink& s : m_sinks) {
        s.rows = ceilDiv(s.height, g.h);
        s.cols = ceilDiv(s.width, g.w);
        s.n = ceilDiv(s.reduction, g.k);
    }
    return prepareRequests(g) && prepareRuns(g);
}

/// One index for every class of equal positions between the cuts: the first, one for those that follow an
/// equal one, and, along an axis that is walked both ways, the last. Along the outer axis of a snake the
/// direction alternates, so repeated positions are represented once for each parity.
void CostModel::representatives(std::vector<Rep>& out, std::vector<std::int64_t>& cuts, bool bothWays) const
{
    out.clear();
    std::ranges::sort(cuts);
    std::int64_t from = 0;
    for (const std::int64_t to : cuts) {
        const std::int64_t length = to - from;
        if (length <= 0)
            continue;
        if (length <= 3) {
            for (std::int64_t i = from; i < to; ++i)
                out.push_back({i, 1});
        } else if (bothWays) {
            out.push_back({from, 1});
            out.push_back({from + 1, length - 2});
            out.push_back({to - 1, 1});
        } else {
            // What follows must be preceded by a position walked in the true direction.
            const bool closing = length % 2 == 0 && to != cuts.back();
            out.push_back({from, 1});
            out.push_back({from + 1, length / 2 - (closing ? 1 : 0)});
            out.push_back({from + 2, (length - 1) / 2});
            if (closing)
                out.push_back({to - 1, 1});
        }
        from = to;
    }
}

TilingCost CostModel::walk(const Granularity& g, TraversalKind traversal, double cutoff, bool firstTileOnly)
{
    TilingCost result;
    ++m_evaluations;
    const bool rowMajor = traversal == TraversalKind::Raster || traversal == TraversalKind::Snake;
    const bool snake = traversal == TraversalKind::Snake || traversal == TraversalKind::ColumnSnake;

    m_cuts.clear();
    for (const std::int64_t height : m_heights) {
        m_cuts.push_back(ceilDiv(height, g.h));
        if (height % g.h != 0)
            m_cuts.push_back(height / g.h);
    }
    representatives(m_rowReps, m_cuts, !rowMajor);
    m_cuts.clear();
    for (const std::int64_t width : m_widths) {
        m_cuts.push_back(ceilDiv(width, g.w));
        if (width % g.w != 0)
            m_cuts.push_back(width / g.w);
    }
    representatives(m_colReps, m_cuts, rowMajor);
    m_cuts.assign(1, 1);
    for (const std::int64_t reduction : m_reductions) {
        m_cuts.push_back(ceilDiv(reduction, g.k));
        m_cuts.push_back(m_cuts.back() - 1);
    }
    std::ranges::sort(m_cuts);
    m_stepReps.clear();
    std::int64_t from = 0;
    for (const std::int64_t to : m_cuts) {
        if (to <= from)
            continue;
        m_stepReps.push_back({from, 1});
        if (to - from > 1)
            m_stepReps.push_back({from + 1, to - from - 1});
        from = to;
    }
    prepareSeen();

    for (Group& group : m_groups)
        group.wasFull = false;
    std::uint64_t activeBefore = 0;
    std::int64_t rowBefore = -1;
    std::int64_t colBefore = -1;
    std::int64_t stepBefore = -1;
    double latency = 0;
    std::uint32_t stepStamp = 0;
    if (m_sharedDrivers)
        std::ranges::fill(m_counted, 0U);

    const std::size_t outerCount = firstTileOnly ? 1 : rowMajor ? m_rowReps.size() : m_colReps.size();
    const std::size_t innerAll = rowMajor ? m_colReps.size() : m_rowReps.size();
    const std::size_t innerCount = firstTileOnly ? 1 : innerAll;
    for (std::size_t outer = 0; outer < outerCount; ++outer) {
        const bool back = snake && ((rowMajor ? m_rowReps : m_colReps)[outer].index & 1) != 0;
        for (std::size_t i = 0; i < innerCount; ++i) {
            const std::size_t inner = back ? innerAll - 1 - i : i;
            const std::size_t ri = rowMajor ? outer : inner;
            const std::size_t ci = rowMajor ? inner : outer;
            const std::int64_t r = m_rowReps[ri].index;
            const std::int64_t c = m_colReps[ci].index;
            const std::int64_t tileWeight = m_rowReps[ri].weight * m_colReps[ci].weight;
            std::int64_t steps = 0;
            for (const Sink& s : m_sinks)
                if (r < s.rows && c < s.cols)
                    steps = std::max(steps, s.n);
            for (std::size_t qi = 0; qi < m_stepReps.size() && m_stepReps[qi].index < steps; ++qi) {
                const std::int64_t q = m_stepReps[qi].index;
                std::uint64_t active = 0;
                for (std::size_t b = 0; b < m_causes.size(); ++b) {
                    const Cause& cause = m_causes[b];
                    if (r < cause.rows && c < cause.cols &&
                        (cause.completing ? q == cause.n - 1 : q < cause.n))
                        active |= std::uint64_t{1} << b;
                }
                // Buffers (R7)
                std::int64_t buffers = 0;
                std::int64_t traffic = 0;
                const auto areaOf = [&](const ActiveRequest& a) {
                    const std::int64_t rows = a.row == Axis::Full   ? a.height
                                              : a.row == Axis::Tile ? std::min(g.h, a.height - r * g.h)
                                                                    : std::min(g.k, a.height - q * g.k);
                    const std::int64_t cols = a.col == Axis::Full   ? a.width
                                              : a.col == Axis::Tile ? std::min(g.w, a.width - c * g.w)
                                                                    : std::min(g.k, a.width - q * g.k);
                    return rows * cols;
                };
                const auto heldBefore = [&](const ActiveRequest& a) {
                    return (a.causes & activeBefore) != 0 && (a.row != Axis::Tile || r == rowBefore) &&
                           (a.col != Axis::Tile || c == colBefore) &&
                           ((a.row != Axis::Chunk && a.col != Axis::Chunk) || q == stepBefore);
                };
                for (Group& group : m_groups) {
                    const ActiveRequest* requests = m_active.data() + group.first;
                    if (group.count == 1) {
                        if ((requests->causes & active) == 0)
                            continue;
                        const std::int64_t area = areaOf(*requests);
                        buffers += area;
                        if (!heldBefore(*requests))
                            traffic += area;
                        continue;
                    }
                    bool any = false;
                    bool full = false;
                    for (std::uint32_t j = 0; j < group.count; ++j)
                        if ((requests[j].causes & active) != 0) {
                            any = true;
                            full |= requests[j].role == kFull;
                        }
                    if (any && (full || group.wasFull)) {
                        buffers += group.area;
                        if (!group.wasFull)
                            traffic += group.area;
                        group.wasFull = true;
                        continue;
                    }
                    group.wasFull = false;
                    for (std::uint32_t j = 0; j < group.count; ++j) {
                        if ((requests[j].causes & active) == 0)
                            continue;
                        const std::int64_t area = areaOf(requests[j]);
                        buffers += area;
                        if (!heldBefore(requests[j]))
                            traffic += area;
                    }
                }
                // Sinks: output tiles, accumulators, stores (R7.4, R9.1)
                std::int64_t outputs = 0;
                ++stepStamp;
                for (const Sink& s : m_sinks) {
                    if (r >= s.rows || c >= s.cols || q >= s.n)
                        continue;
                    const std::int64_t tile =
                        std::min(g.h, s.height - r * g.h) * std::min(g.w, s.width - c * g.w);
                    if (!s.retained) {
                        outputs += tile;
                        if (q == s.n - 1)
                            traffic += tile;
                    }
                    if (s.n > 1) {
                        if (!m_sharedDrivers) {
                            outputs += tile * s.accCount;
                        } else {
                            for (std::uint32_t d = s.accFirst; d < s.accFirst + s.accCount; ++d)
                                if (std::uint32_t& mark = m_counted[m_accumulators[d]]; mark != stepStamp) {
                                    mark = stepStamp;
                                    outputs += tile;
                                }
                        }
                    }
                }
                const std::int64_t workingSet = m_reserved + buffers + outputs;
                result.peak = std::max(result.peak, workingSet);
                if (workingSet > m_capacity) {
                    result.verdict = TilingCost::Verdict::TooLarge;
                    return result;
                }
                if (!firstTileOnly) {
                    double compute = 0;
                    for (const ActiveRun& a : m_activeRuns) {
                        if ((a.causes & active) == 0)
                            continue;
                        if (a.seen >= 0) {
                            char& seen = m_seen[static_cast<std::size_t>(a.seen) +
                                                static_cast<std::size_t>(a.strideRow) * ri +
                                                static_cast<std::size_t>(a.strideCol) * ci +
                                                static_cast<std::size_t>(a.strideStep) * qi];
                            if (seen != 0)
                                continue;
                            seen = 1;
                        }
                        if (a.constant) {
                            compute += a.flat;
                            continue;
                        }
                        double cost = a.flat;
                        if (a.row == Axis::Chunk)
                            cost *= static_cast<double>(std::min(g.k, a.height - q * g.k)) /
                                    static_cast<double>(m_nativeH);
                        if (a.col == Axis::Chunk)
                            cost *= static_cast<double>(std::min(g.k, a.width - q * g.k)) /
                                    static_cast<double>(m_nativeW);
                        if (a.split) {
                            const std::int64_t range = std::min(g.k, a.reduction - q * g.k);
                            if (range <= 0)
                                continue;
                            const std::int64_t whole =
                                m_rules.kScaling == Rules::KScaling::Native ? m_nativeK : a.reduction;
                            cost *= static_cast<double>(range) / static_cast<double>(whole);
                        }
                        compute += cost;
                    }
                    const double memory = static_cast<double>(traffic) / m_bandwidth;
                    latency +=
                        static_cast<double>(tileWeight * m_stepReps[qi].weight) * std::max(compute, memory);
                    if (latency >= cutoff) {
                        result.verdict = TilingCost::Verdict::Cut;
                        return result;
                    }
                }
                activeBefore = active;
                rowBefore = r;
                colBefore = c;
                stepBefore = q;
            }
        }
    }
    result.verdict = TilingCost::Verdict::Fits;
    result.latency = latency;
    return result;
}

TilingCost CostModel::general(const Granularity& g, TraversalKind traversal)
{
    TilingCost result;
    ++m_evaluations;
    result.verdict = TilingCost::Verdict::Unmodelled;
    const double tiles = static_cast<double>(ceilDiv(m_heights.back(), g.h)) *
                         static_cast<double>(ceilDiv(m_widths.back(), g.w));
    const std::int64_t depth = m_reductions.empty() ? 1 : ceilDiv(m_reductions.back(), g.k);
    if (tiles * static_cast<double>(depth) >
        static_cast<double>(m_supported ? m_maxWalkedSteps : kMaxProofSteps))
        return result;
    if (!m_planned) {
        m_compiler.compile(m_ops, m_plan);
        m_planned = true;
    }
    const SubgraphEvaluation e = m_plan.evaluate(g, Traversal(traversal), m_resident, m_retained);
    result.peak = e.peakWorkingSet;
    result.verdict = !e.structurallyValid ? TilingCost::Verdict::Illegal
                     : e.fits             ? TilingCost::Verdict::Fits
                                          : TilingCost::Verdict::TooLarge;
    if (e.structurallyValid && e.fits)
        result.latency = e.latency;
    return result;
}

TilingCost CostModel::evaluate(const Granularity& g, TraversalKind traversal, double cutoff)
{
    if (!legal(g))
        return {};
    if (!m_supported || !prepare(g))
        return general(g, traversal);
    return walk(g, traversal, cutoff, false);
}

bool CostModel::mayFit(const Granularity& g)
{
    if (!legal(g))
        return false;
    if (!m_supported || !prepare(g))
        return general(g, TraversalKind::Raster).verdict != TilingCost::Verdict::TooLarge;
    return walk(g, TraversalKind::Raster, std::numeric_limits<double>::infinity(), true).verdict ==
           TilingCost::Verdict::Fits;
}

double CostModel::bound(std::int64_t w, std::int64_t h) const
{
    if (!m_supported)
        return 0;
    double compute = 0;
    for (std::size_t i = 0; i < m_runs.size(); ++i) {
        const Run& r = m_runs[i];
        if (r.row != Axis::Tile || r.col != Axis::Tile)
            continue;
        // A run that another kind of request of the same op may stand in for is left out.
        bool single = true;
        for (std::size_t j = 0; j < m_runs.size() && single; ++j)
            single = j == i || m_runs[j].op != r.op;
        if (!single)
            continue;
        double cost =
            r.base * static_cast<double>(ceilDiv(r.height, h)) * static_cast<double>(ceilDiv(r.width, w));
        if (r.matmul && m_rules.kScaling == Rules::KScaling::Native)
            cost *= static_cast<double>(r.reduction) / static_cast<double>(m_nativeK);
        compute += cost;
    }
    double traffic = 0;
    for (const Sink& s : m_sinks)
        if (!s.retained)
            traffic += static_cast<double>(s.height) * static_cast<double>(s.width);
    for (std::size_t i = 0; i < m_requests.size(); ++i) {
        const Request& r = m_requests[i];
        const bool shared = (i > 0 && m_requests[i - 1].tensor == r.tensor) ||
                            (i + 1 < m_requests.size() && m_requests[i + 1].tensor == r.tensor);
        if (i > 0 && m_requests[i - 1].tensor == r.tensor)
            continue;
        const Tensor& t = m_problem.tensor(TensorId(r.tensor));
        double passes = 1;
        // A slice that changes with every k step is never reused: it is loaded anew for every tile that needs
        // it.
        const bool stepped = (r.row == Axis::Chunk && t.height > m_range.maxK) ||
                             (r.col == Axis::Chunk && t.width > m_range.maxK);
        if (!shared && stepped) {
            std::int64_t rows = 1;
            std::int64_t cols = 1;
            for (std::size_t b = 0; b < m_causes.size(); ++b)
                if ((r.causes >> b & 1) != 0) {
                    rows = std::max(rows, ceilDiv(m_causes[b].height, h));
                    cols = std::max(cols, ceilDiv(m_causes[b].width, w));
                }
            passes = (r.row == Axis::Tile ? 1.0 : static_cast<double>(rows)) *
                     (r.col == Axis::Tile ? 1.0 : static_cast<double>(cols));
        }
        traffic += passes * static_cast<double>(t.elements());
    }
    return std::max(compute, traffic / m_bandwidth);
}

} // namespace tilewright
