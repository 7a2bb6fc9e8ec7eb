// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/array_timing.h"

#include <optional>
#include <vector>

namespace tilewright::systolic {

enum class EdgeSide { West, North };

/// How streamers fill the edge FIFOs (docs/rules/systolic.md 2.2). A side is filled vector by vector: element
/// v of every lane comes before element v + 1 of any lane, low lanes first. A lane with a full FIFO waits and
/// does not delay other lanes.
struct EdgeSupply
{
    std::int64_t depth = 32;        ///< capacity of a FIFO, in elements
    std::int64_t westPerCycle = 0;  ///< elements per cycle into all west FIFOs together; 0 = unlimited
    std::int64_t northPerCycle = 0; ///< elements per cycle into all north FIFOs together; 0 = unlimited
    std::int64_t startDelay = 0;    ///< cycles before the first delivery
    std::int64_t pausePeriod = 0;   ///< jitter: period of the pauses, in cycles
    std::int64_t pauseLength = 0;   ///< jitter: the streamers pause in the last cycles of each period
    bool operator==(const EdgeSupply&) const = default;

    [[nodiscard]] bool unlimited() const noexcept
    {
        return westPerCycle == 0 && northPerCycle == 0 && startDelay == 0 && pauseLength == 0;
    }
};

[[nodiscard]] Status checkSupply(const EdgeSupply& supply);

/// Ticks in which a lane of an edge takes elements: one window per fold, the ticks start + lane + [0,
/// length).
class LaneDemand
{
public:
    LaneDemand(const FoldPlan& plan, EdgeSide side) noexcept : m_plan(plan), m_side(side) {}
    [[nodiscard]] std::int64_t lanes() const noexcept;
    /// True if the lane takes an element in this tick.
    [[nodiscard]] bool takes(std::int64_t lane, std::int64_t tick) const noexcept;
    /// Number of elements that the lane takes before `tick`.
    [[nodiscard]] std::int64_t takenBefore(std::int64_t lane, std::int64_t tick) const noexcept;
    [[nodiscard]] std::int64_t total(std::int64_t lane) const noexcept;

private:
    [[nodiscard]] std::int64_t lastWindow(std::int64_t position) const noexcept;
    [[nodiscard]] std::int64_t length(const Fold& fold) const noexcept;

    FoldPlan m_plan;
    EdgeSide m_side;
};

/// A stall of the array because of an empty FIFO.
struct EdgeStall
{
    std::int64_t cycle = 0;  ///< first cycle of the stall
    std::int64_t length = 0; ///< number of cycles
    EdgeSide side = EdgeSide::West;
    std::int64_t lane = 0;          ///< first lane with an empty FIFO
    std::int64_t stalledBefore = 0; ///< number of stalled cycles before this stall
};

/// Clock of the array with a given supply. If a lane needs an element and its FIFO is empty, the whole array
/// stops for that cycle and every register keeps its value. The state of the registers therefore depends only
/// on the number of ticks. In each cycle the streamers deliver before the lanes take elements.
class EdgeClock
{
public:
    /// Precondition: checkSupply accepts the supply.
    EdgeClock(const FoldPlan& plan, const EdgeSupply& supply);

    /// Number of cycles, including stalls.
    [[nodiscard]] std::int64_t cycles() const noexcept { return m_ticks + m_stalled; }
    [[nodiscard]] std::int64_t stalledCycles() const noexcept { return m_stalled; }
    [[nodiscard]] std::int64_t stalledCycles(EdgeSide side) const noexcept;
    [[nodiscard]] const std::vector<EdgeStall>& stalls() const noexcept { return m_stalls; }
    /// The stall that contains the cycle, if any.
    [[nodiscard]] std::optional<EdgeStall> stallAt(std::int64_t cycle) const noexcept;
    /// Number of ticks that the array completed before the cycle.
    [[nodiscard]] std::int64_t ticksBefore(std::int64_t cycle) const noexcept;
    /// The cycle in which the array completes a tick.
    [[nodiscard]] std::int64_t cycleOfTick(std::int64_t tick) const noexcept;
    /// Number of elements in each FIFO of a side after `cycle` (-1: before the first cycle).
    [[nodiscard]] std::vector<std::int64_t> occupancy(EdgeSide side, std::int64_t cycle) const;

private:
    struct State
    {
        std::int64_t cycle = 0;         ///< next cycle
        std::int64_t tick = 0;          ///< next tick
        std::vector<std::int64_t> west; ///< elements delivered so far, per lane
        std::vector<std::int64_t> north;
    };
    /// Simulates one cycle. Returns the stall if the array stalled in it.
    [[nodiscard]] std::optional<EdgeStall> step(State& state) const;
    void deliver(const LaneDemand& demand, std::int64_t perCycle, std::int64_t tick,
                 std::vector<std::int64_t>& delivered) const;
    [[nodiscard]] std::optional<std::int64_t> emptyLane(const LaneDemand& demand, std::int64_t tick,
                                                        const std::vector<std::int64_t>& delivered) const;

    EdgeSupply m_supply;
    LaneDemand m_west;
    LaneDemand m_north;
    std::int64_t m_ticks = 0;
    std::int64_t m_stalled = 0;
    std::vector<EdgeStall> m_stalls;
    std::vector<State> m_checkpoints; ///< one state per kCheckpoint cycles
};

/// Sizes of the buffers at the edges of the array. The source document has 2 KB of FIFOs per side and 4 KB of
/// streaming buffer per operand, for K = 64 on 16 x 16.
struct EdgeSizes
{
    std::int64_t west = 0, north = 0; ///< capacity of all FIFOs of the side together, in bytes
    /// Number of elements that the deepest FIFO must hold because of the skew.
    std::int64_t westSkew = 0, northSkew = 0;
    std::int64_t westStream = 0,
                 /// Bytes of the operand for one fold, which suffice for streaming without stalls.
        northStream = 0;
};
/// Computes the buffer sizes; values saturate.
[[nodiscard]] EdgeSizes edgeSizes(const FoldPlan& plan, const EdgeSupply& supply,
                                  std::int64_t elementBytes) noexcept;

/// Largest product of cycles and lanes that EdgeClock accepts; a simulation of this size takes a few seconds.
inline constexpr std::int64_t kMaxClockWork = 200'000'000;
/// Returns an Error if the cycle-by-cycle simulation of the edge FIFOs would exceed kMaxClockWork.
[[nodiscard]] Status checkClockWork(const FoldPlan& plan, const EdgeSupply& supply);
/// Fill, steady and drain in cycles, including stalls. A stall counts in the phase that it delays.
[[nodiscard]] ArrayPhases stalledPhases(const ArrayPhases& phases, const EdgeClock& clock) noexcept;

} // namespace tilewright::systolic
