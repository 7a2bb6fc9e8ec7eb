// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/array_timing.h"

#include <optional>
#include <vector>

namespace tilewright::systolic {

enum class EdgeSide { West, North };

/// How the streamers fill the edge FIFOs (docs/rules/systolic.md 2.2). Elements of one side are delivered
/// vector by vector (element v of every lane before element v + 1 of any lane, low lanes first), except that
/// a lane whose FIFO is full waits without holding up the others.
struct EdgeSupply
{
    std::int64_t depth = 32;        ///< elements a FIFO holds
    std::int64_t westPerCycle = 0;  ///< elements a cycle into all west FIFOs together; 0 = unlimited
    std::int64_t northPerCycle = 0; ///< the same for the north
    std::int64_t startDelay = 0;    ///< cycles before the first delivery
    std::int64_t pausePeriod = 0;   ///< jitter: of every `pausePeriod` cycles ...
    std::int64_t pauseLength = 0;   ///< ... the streamers rest the last `pauseLength`
    bool operator==(const EdgeSupply&) const = default;

    [[nodiscard]] bool unlimited() const noexcept
    {
        return westPerCycle == 0 && northPerCycle == 0 && startDelay == 0 && pauseLength == 0;
    }
};

[[nodiscard]] Status checkSupply(const EdgeSupply& supply);

/// When lane `lane` of an edge takes elements: in window n (one a fold) at ticks start + lane + [0, length).
class LaneDemand
{
public:
    LaneDemand(const FoldPlan& plan, EdgeSide side) noexcept : m_plan(plan), m_side(side) {}
    [[nodiscard]] std::int64_t lanes() const noexcept;
    /// Does the lane take an element in this tick?
    [[nodiscard]] bool takes(std::int64_t lane, std::int64_t tick) const noexcept;
    /// Elements taken in all ticks before `tick`.
    [[nodiscard]] std::int64_t takenBefore(std::int64_t lane, std::int64_t tick) const noexcept;
    [[nodiscard]] std::int64_t total(std::int64_t lane) const noexcept;

private:
    [[nodiscard]] std::int64_t lastWindow(std::int64_t position) const noexcept;
    [[nodiscard]] std::int64_t length(const Fold& fold) const noexcept;

    FoldPlan m_plan;
    EdgeSide m_side;
};

/// Cycles in which the array stood still because a FIFO was empty.
struct EdgeStall
{
    std::int64_t cycle = 0;  ///< first cycle of the stall
    std::int64_t length = 0; ///< cycles
    EdgeSide side = EdgeSide::West;
    std::int64_t lane = 0;          ///< the first empty FIFO
    std::int64_t stalledBefore = 0; ///< cycles stalled before this one
};

/// The clock of the array under a given supply. A FIFO that runs empty when its lane needs an element stops
/// the whole wavefront (every register holds) for that cycle, so the registers depend only on the number of
/// ticks that have passed. In a cycle the streamers deliver first, then the lanes take.
class EdgeClock
{
public:
    /// Pre-condition: checkSupply accepts the supply.
    EdgeClock(const FoldPlan& plan, const EdgeSupply& supply);

    /// Cycles including stalls.
    [[nodiscard]] std::int64_t cycles() const noexcept { return m_ticks + m_stalled; }
    [[nodiscard]] std::int64_t stalledCycles() const noexcept { return m_stalled; }
    [[nodiscard]] std::int64_t stalledCycles(EdgeSide side) const noexcept;
    [[nodiscard]] const std::vector<EdgeStall>& stalls() const noexcept { return m_stalls; }
    /// The stall that cycle t belongs to.
    [[nodiscard]] std::optional<EdgeStall> stallAt(std::int64_t cycle) const noexcept;
    /// Ticks of the array completed before cycle t begins.
    [[nodiscard]] std::int64_t ticksBefore(std::int64_t cycle) const noexcept;
    /// The cycle in which a tick happens.
    [[nodiscard]] std::int64_t cycleOfTick(std::int64_t tick) const noexcept;
    /// Elements in every FIFO of a side after cycle t (t = -1: before the first).
    [[nodiscard]] std::vector<std::int64_t> occupancy(EdgeSide side, std::int64_t cycle) const;

private:
    struct State
    {
        std::int64_t cycle = 0;         ///< next cycle
        std::int64_t tick = 0;          ///< next tick
        std::vector<std::int64_t> west; ///< elements delivered to each lane
        std::vector<std::int64_t> north;
    };
    /// Simulates one cycle; the stall if it was one.
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
    std::vector<State> m_checkpoints; ///< every kCheckpoint cycles
};

/// What stands at the edges of the array (the source document: 2 KB of FIFOs a side and 4 KB of streaming
/// buffer an operand for K = 64 on 16 x 16).
struct EdgeSizes
{
    std::int64_t west = 0, north = 0;             ///< bytes of all FIFOs of a side
    std::int64_t westSkew = 0, northSkew = 0;     ///< elements that the skew alone needs in the deepest FIFO
    std::int64_t westStream = 0, northStream = 0; ///< bytes of a fold's operands: streaming without a stall
};
/// Saturates.
[[nodiscard]] EdgeSizes edgeSizes(const FoldPlan& plan, const EdgeSupply& supply,
                                  std::int64_t elementBytes) noexcept;

/// Cycles times lanes of an EdgeClock that take a few seconds; beyond it is refused rather than waited for.
inline constexpr std::int64_t kMaxClockWork = 200'000'000;
/// Can the edge FIFOs of this plan be followed under this supply?
[[nodiscard]] Status checkClockWork(const FoldPlan& plan, const EdgeSupply& supply);
/// Fill, steady and drain with the stalls of the clock: each stall belongs to the phase that it holds up.
[[nodiscard]] ArrayPhases stalledPhases(const ArrayPhases& phases, const EdgeClock& clock) noexcept;

} // namespace tilewright::systolic
