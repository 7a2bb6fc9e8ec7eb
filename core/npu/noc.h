// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/dram.h"
#include "npu/hardware.h"

#include <cstdint>
#include <vector>

namespace tilewright::npu {

__extension__ typedef __int128 Int128;

/// What limits a transfer changed at `time`.
struct LimitFlip
{
    Cycle time = 0;
    bool byNoc = false;
};

/// The NoC of docs/rules/npu.md 5.3: one link per core and a shared trunk, exact max-min fair shares.
///
/// Shares are integers in units of 1/denominator byte a cycle, so that nothing is ever rounded before the
/// ceiling of a transfer's end. Bytes that DRAM has moved and the NoC has not are the transfer's backlog. The
/// NoC limits a transfer from the cycle on at which the backlog exceeds two interleave blocks or DRAM is done
/// with it, until the backlog is empty; otherwise DRAM does.
class Noc
{
public:
    explicit Noc(const NpuHardware& hardware);

    /// Starts a transfer in slot 2*core (load) or 2*core + 1 (store).
    void begin(int slot, Cycle now);
    /// Starts a transfer whose end is known; shares then mean nothing.
    void beginUntil(int slot, Cycle end);
    /// DRAM moved `bytes` of the transfer; `isLast` when these are all.
    void arrive(int slot, std::int64_t bytes, bool isLast, Cycle now);
    /// The next end of a transfer, kNever when none is in its tail.
    [[nodiscard]] Cycle nextTime() const noexcept { return m_next; }
    [[nodiscard]] bool endsAt(int slot, Cycle now) const noexcept
    {
        return m_flows[static_cast<std::size_t>(slot)].active &&
               m_flows[static_cast<std::size_t>(slot)].end == now;
    }
    void finish(int slot, Cycle now);
    /// New shares after begin and finish calls of this cycle.
    void share(Cycle now)
    {
        if (m_changed)
            shareAnew(now);
    }

    /// Changes of what limits the transfer, ascending; it starts limited by DRAM.
    [[nodiscard]] const std::vector<LimitFlip>& flips(int slot) const noexcept
    {
        return m_flows[static_cast<std::size_t>(slot)].flips;
    }
    [[nodiscard]] bool isActive(int slot) const noexcept
    {
        return m_flows[static_cast<std::size_t>(slot)].active;
    }

private:
    struct Flow
    {
        bool active = false, complete = false, byNoc = false;
        bool isKnown = false; ///< when it ends
        Int128 backlog = 0;
        Int128 share = 0;
        Cycle updated = 0;
        Cycle end = kNever;
        std::vector<LimitFlip> flips;
    };
    void drain(Flow& flow, Cycle now) const;
    void setEnd(Flow& flow) const;
    void findNext();
    void shareAnew(Cycle now);

    int m_cores;
    std::int64_t m_link, m_trunk, m_threshold;
    Int128 m_unit = 1;
    std::vector<Flow> m_flows;
    Cycle m_next = kNever;
    bool m_changed = false;
};

} // namespace tilewright::npu
