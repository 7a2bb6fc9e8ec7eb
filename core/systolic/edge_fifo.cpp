// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/edge_fifo.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright::systolic {

namespace {
constexpr std::int64_t kCheckpoint = 512;
} // namespace

Status checkSupply(const EdgeSupply& supply)
{
    const auto refuse = [](std::string message, std::string path) -> Status {
        return Error{ErrorCode::Problem, std::move(message), std::move(path), {}};
    };
    if (supply.depth < 1)
        return refuse("a FIFO must hold at least 1 element", "supply.depth");
    if (supply.westPerCycle < 0 || supply.northPerCycle < 0 || supply.startDelay < 0)
        return refuse("rates and delays must not be negative", "supply");
    if (supply.pauseLength < 0 || (supply.pauseLength > 0 && supply.pauseLength >= supply.pausePeriod))
        return refuse("a pause must be shorter than its period", "supply.pauseLength");
    return Unit{};
}

std::int64_t LaneDemand::lanes() const noexcept
{
    return m_side == EdgeSide::West ? m_plan.array().rows : m_plan.array().cols;
}

std::int64_t LaneDemand::length(const Fold& fold) const noexcept
{
    const bool weights = m_side == EdgeSide::North && m_plan.options().dataflow != Dataflow::Os;
    return weights ? fold.rows : m_plan.stream();
}

std::int64_t LaneDemand::lastWindow(std::int64_t position) const noexcept
{
    const bool weights = m_side == EdgeSide::North && m_plan.options().dataflow != Dataflow::Os;
    if (!weights)
        return m_plan.foldStartedAt(position);
    // The lanes take a stationary block in a window that opens `rows` cycles before its fold starts.
    std::int64_t n = m_plan.foldStartedAt(position);
    while (n + 1 < m_plan.folds()) {
        const Fold next = m_plan.fold(n + 1);
        if (next.start - next.rows > position)
            break;
        ++n;
    }
    return n;
}

bool LaneDemand::takes(std::int64_t lane, std::int64_t tick) const noexcept
{
    const std::int64_t position = tick - lane;
    const std::int64_t n = lastWindow(position);
    if (n < 0)
        return false;
    const Fold fold = m_plan.fold(n);
    const std::int64_t size = length(fold);
    const bool weights = m_side == EdgeSide::North && m_plan.options().dataflow != Dataflow::Os;
    const std::int64_t opens = weights ? fold.start - fold.rows : fold.start;
    return position - opens < size && lane < (m_side == EdgeSide::West ? fold.rows : fold.cols);
}

std::int64_t LaneDemand::takenBefore(std::int64_t lane, std::int64_t tick) const noexcept
{
    const std::int64_t position = tick - lane; // position: the lane has taken the elements before it
    const std::int64_t n = lastWindow(position - 1);
    if (n < 0)
        return 0;
    const bool os = m_plan.options().dataflow == Dataflow::Os;
    const bool weights = m_side == EdgeSide::North && !os;
    const Fold fold = m_plan.fold(n);
    const std::int64_t inner = m_plan.innerBlocks();
    const Fold ragged = m_plan.fold(m_plan.folds() - 1);
    // True if the lanes of this side correspond to the outer dimension (OS: west; WS and IS: north).
    const bool outerSide = (m_side == EdgeSide::West) == os;
    const std::int64_t raggedLanes = m_side == EdgeSide::West ? ragged.rows : ragged.cols;
    const bool inRagged = lane < raggedLanes;
    const bool onlyRagged = outerSide ? m_plan.outerBlocks() == 1 : inner == 1;
    const bool inWhole = onlyRagged ? inRagged : true;

    std::int64_t taken = 0;
    if (weights) {
        // For each n-block, every row of the stationary matrix is loaded once, so its inner blocks together
        // load all rows.
        const std::int64_t rowsBefore = fold.rowOffset;
        const std::int64_t all = ragged.rowOffset + ragged.rows;
        taken = (inWhole ? fold.outer * all : 0);
        const bool here = fold.outer == m_plan.outerBlocks() - 1 ? inRagged : inWhole;
        if (here)
            taken += rowsBefore + std::min(position - (fold.start - fold.rows), fold.rows);
        return taken;
    }
    std::int64_t folds = 0; // number of earlier full folds that use the lane
    if (outerSide) {
        const bool last = fold.outer == m_plan.outerBlocks() - 1;
        folds = (inWhole ? fold.outer * inner : 0) + ((last ? inRagged : inWhole) ? fold.inner : 0);
    } else {
        const std::int64_t perOuter = (inner - 1) * (inWhole ? 1 : 0) + (inRagged ? 1 : 0);
        folds = fold.outer * perOuter + (inWhole ? fold.inner : 0);
    }
    const bool takesPart = lane < (m_side == EdgeSide::West ? fold.rows : fold.cols);
    return folds * m_plan.stream() + (takesPart ? std::min(position - fold.start, m_plan.stream()) : 0);
}

std::int64_t LaneDemand::total(std::int64_t lane) const noexcept
{
    const Fold last = m_plan.fold(m_plan.folds() - 1);
    return takenBefore(lane, last.start + m_plan.stream() + m_plan.array().rows + lane + 1);
}

EdgeClock::EdgeClock(const FoldPlan& plan, const EdgeSupply& supply)
    : m_supply(supply), m_west(plan, EdgeSide::West), m_north(plan, EdgeSide::North), m_ticks(plan.cycles())
{
    if (supply.unlimited())
        return;
    State state;
    state.west.assign(static_cast<std::size_t>(plan.array().rows), 0);
    state.north.assign(static_cast<std::size_t>(plan.array().cols), 0);
    while (state.tick < m_ticks) {
        if (state.cycle % kCheckpoint == 0)
            m_checkpoints.push_back(state);
        if (const auto stall = step(state)) {
            const bool continues = !m_stalls.empty() && m_stalls.back().side == stall->side &&
                                   m_stalls.back().lane == stall->lane &&
                                   m_stalls.back().cycle + m_stalls.back().length == stall->cycle;
            if (continues) {
                ++m_stalls.back().length;
            } else {
                m_stalls.push_back(*stall);
                m_stalls.back().stalledBefore = m_stalled;
            }
            ++m_stalled;
        }
    }
}

void EdgeClock::deliver(const LaneDemand& demand, std::int64_t perCycle, std::int64_t tick,
                        std::vector<std::int64_t>& delivered) const
{
    struct Room
    {
        std::int64_t until; ///< number of elements that may have been delivered by now
        std::size_t lane;
    };
    std::vector<Room> rooms;
    for (std::size_t i = 0; i < delivered.size(); ++i) {
        const auto lane = static_cast<std::int64_t>(i);
        const std::int64_t until =
            std::min(demand.total(lane), demand.takenBefore(lane, tick) + m_supply.depth);
        if (delivered[i] < until)
            rooms.push_back({until, i});
    }
    if (perCycle == 0) {
        for (const Room& room : rooms)
            delivered[room.lane] = room.until;
        return;
    }
    for (std::int64_t budget = perCycle; budget > 0 && !rooms.empty(); --budget) {
        const auto next = std::min_element(rooms.begin(), rooms.end(), [&](const Room& x, const Room& y) {
            return delivered[x.lane] < delivered[y.lane];
        });
        if (++delivered[next->lane] == next->until)
            rooms.erase(next);
    }
}

std::optional<std::int64_t> EdgeClock::emptyLane(const LaneDemand& demand, std::int64_t tick,
                                                 const std::vector<std::int64_t>& delivered) const
{
    for (std::size_t i = 0; i < delivered.size(); ++i) {
        const auto lane = static_cast<std::int64_t>(i);
        if (demand.takes(lane, tick) && delivered[i] == demand.takenBefore(lane, tick))
            return lane;
    }
    return std::nullopt;
}

std::optional<EdgeStall> EdgeClock::step(State& state) const
{
    const std::int64_t cycle = state.cycle++;
    const bool paused = m_supply.pauseLength > 0 &&
                        cycle % m_supply.pausePeriod >= m_supply.pausePeriod - m_supply.pauseLength;
    if (cycle >= m_supply.startDelay && !paused) {
        deliver(m_west, m_supply.westPerCycle, state.tick, state.west);
        deliver(m_north, m_supply.northPerCycle, state.tick, state.north);
    }
    if (const auto lane = emptyLane(m_west, state.tick, state.west))
        return EdgeStall{cycle, 1, EdgeSide::West, *lane, 0};
    if (const auto lane = emptyLane(m_north, state.tick, state.north))
        return EdgeStall{cycle, 1, EdgeSide::North, *lane, 0};
    ++state.tick;
    return std::nullopt;
}

std::int64_t EdgeClock::stalledCycles(EdgeSide side) const noexcept
{
    std::int64_t sum = 0;
    for (const EdgeStall& stall : m_stalls)
        sum += stall.side == side ? stall.length : 0;
    return sum;
}

std::optional<EdgeStall> EdgeClock::stallAt(std::int64_t cycle) const noexcept
{
    auto after = std::upper_bound(m_stalls.begin(), m_stalls.end(), cycle,
                                  [](std::int64_t c, const EdgeStall& s) { return c < s.cycle; });
    if (after == m_stalls.begin())
        return std::nullopt;
    --after;
    return cycle < after->cycle + after->length ? std::optional(*after) : std::nullopt;
}

std::int64_t EdgeClock::ticksBefore(std::int64_t cycle) const noexcept
{
    cycle = std::clamp<std::int64_t>(cycle, 0, cycles());
    auto after = std::upper_bound(m_stalls.begin(), m_stalls.end(), cycle,
                                  [](std::int64_t c, const EdgeStall& s) { return c < s.cycle; });
    if (after == m_stalls.begin())
        return cycle;
    --after;
    return cycle - after->stalledBefore - std::min(after->length, cycle - after->cycle);
}

std::int64_t EdgeClock::cycleOfTick(std::int64_t tick) const noexcept
{
    // A stall that begins at cycle c delays the tick c - stalledBefore and all later ones.
    auto after =
        std::upper_bound(m_stalls.begin(), m_stalls.end(), tick,
                         [](std::int64_t u, const EdgeStall& s) { return u < s.cycle - s.stalledBefore; });
    if (after == m_stalls.begin())
        return tick;
    --after;
    return tick + after->stalledBefore + after->length;
}

std::vector<std::int64_t> EdgeClock::occupancy(EdgeSide side, std::int64_t cycle) const
{
    const LaneDemand& demand = side == EdgeSide::West ? m_west : m_north;
    std::vector<std::int64_t> out(static_cast<std::size_t>(demand.lanes()), 0);
    cycle = std::min(cycle, cycles() - 1);
    if (m_supply.unlimited()) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto lane = static_cast<std::int64_t>(i);
            // The streamers filled the FIFO up to its depth before the lanes took their elements in this
            // cycle.
            const std::int64_t before = demand.takenBefore(lane, std::max<std::int64_t>(cycle, 0));
            const std::int64_t after = demand.takenBefore(lane, cycle + 1);
            out[i] = std::min(demand.total(lane), before + m_supply.depth) - after;
        }
        return out;
    }
    if (cycle < 0)
        return out;
    State state = m_checkpoints[static_cast<std::size_t>(cycle / kCheckpoint)];
    while (state.cycle <= cycle)
        (void)step(state);
    const auto& delivered = side == EdgeSide::West ? state.west : state.north;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = delivered[i] - demand.takenBefore(static_cast<std::int64_t>(i), state.tick);
    return out;
}

EdgeSizes edgeSizes(const FoldPlan& plan, const EdgeSupply& supply, std::int64_t elementBytes) noexcept
{
    const Fold first = plan.fold(0); // the largest fold
    const bool os = plan.options().dataflow == Dataflow::Os;
    const auto bytes = [&](std::int64_t lanes, std::int64_t elements) {
        return saturatingMul(saturatingMul(lanes, elements), elementBytes);
    };
    return {bytes(plan.array().rows, supply.depth),
            bytes(plan.array().cols, supply.depth),
            plan.array().rows - 1,
            plan.array().cols - 1,
            bytes(first.rows, plan.stream()),
            bytes(first.cols, os ? plan.stream() : first.rows)};
}

Status checkClockWork(const FoldPlan& plan, const EdgeSupply& supply)
{
    if (auto ok = checkSupply(supply); !ok || supply.unlimited())
        return ok;
    const std::int64_t work = saturatingMul(plan.cycles(), plan.array().rows + plan.array().cols);
    if (work <= kMaxClockWork)
        return Unit{};
    return Error{ErrorCode::Problem,
                 "the edge FIFOs are simulated cycle by cycle, up to " + formatGrouped(kMaxClockWork) +
                     " cycles times lanes; this is " + formatGrouped(work) + ": choose a smaller GEMM",
                 "supply",
                 {}};
}

ArrayPhases stalledPhases(const ArrayPhases& phases, const EdgeClock& clock) noexcept
{
    const std::int64_t first = clock.cycleOfTick(phases.fill);
    const std::int64_t last = clock.cycleOfTick(phases.fill + phases.steady - 1);
    // The cycles after the last tick (the final shift-out of Readout::ScaleSim) never stall.
    const std::int64_t end = clock.cycleOfTick(phases.fill + phases.steady + phases.drain - 1) + 1;
    return {first, last - first + 1, end - last - 1, phases.peakPes};
}

} // namespace tilewright::systolic
