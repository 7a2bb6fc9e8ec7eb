// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "npu/dram.h"
#include "npu/hardware.h"

#include <cstdint>
#include <vector>

namespace tilewright::npu {

/// Change of the limiting resource of a transfer (DRAM or NoC) at `time`.
struct LimiterChange
{
    Cycle time = 0;
    bool byNoc = false;
};

/// The NoC of docs/rules/npu.md 5.3: one link per core and a shared trunk, with exact max-min fair shares. A
/// shared memory may have a port for reads and one for writes, and loads that read the same at the same time
/// may pass port and trunk once (docs/rules/npu.md 5.7).
///
/// Shares are integers in units of 1/denominator byte per cycle, so only the end time of a transfer is
/// rounded (up). The backlog of a transfer is the number of bytes that DRAM has moved and the NoC has not.
/// The NoC limits a transfer from the cycle at which its backlog exceeds two interleave blocks, or DRAM has
/// moved its last byte, until the backlog is empty. Otherwise DRAM limits it.
class Noc
{
public:
    explicit Noc(const NpuHardware& hardware);

    /// Starts a transfer in slot 2*core (load) or 2*core + 1 (store). `leader`: a slot whose load it joins;
    /// -1: none.
    void begin(int slot, Cycle now, int leader = -1);
    /// Starts a load of `bytes` from the scratchpad of the core `from`, whose store slot is free.
    void beginFromCore(int slot, int from, std::int64_t bytes, Cycle now);
    /// Starts a transfer with a known end time; its bandwidth share is not used.
    void beginUntil(int slot, Cycle end);
    /// DRAM has moved `bytes` more of the transfer; `isLast`: these are its last bytes.
    void arrive(int slot, std::int64_t bytes, bool isLast, Cycle now);
    /// The earliest known end of a transfer; kNever if no end is known.
    [[nodiscard]] Cycle nextTime() const noexcept { return m_next; }
    [[nodiscard]] bool endsAt(int slot, Cycle now) const noexcept
    {
        return m_flows[static_cast<std::size_t>(slot)].active &&
               m_flows[static_cast<std::size_t>(slot)].end == now;
    }
    void finish(int slot, Cycle now);
    /// Recomputes the shares if transfers began or finished in this cycle.
    void share(Cycle now)
    {
        if (m_changed)
            recomputeShares(now);
    }

    /// Changes of the limiting resource, ascending by time. A transfer is limited by DRAM at first.
    [[nodiscard]] const std::vector<LimiterChange>& flips(int slot) const noexcept
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
        bool endIsKnown = false;  ///< the end time was given by beginUntil()
        int from = -1;            ///< core that sends it; -1: DRAM
        std::uint64_t stream = 0; ///< loads with one number pass port and trunk once; 0: it is alone
        std::size_t streamAt = 0; ///< index in m_active
        Int128 backlog = 0;
        Int128 share = 0;
        Cycle updated = 0;
        Cycle end = kNever;
        std::vector<LimiterChange> flips;
    };
    void drain(Flow& flow, Cycle now) const;
    void setEnd(Flow& flow) const;
    void findNext();
    void recomputeShares(Cycle now);
    enum class Port : std::uint8_t { Read, Write, None };
    /// A stream through the trunk: a transfer, or several loads that read the same data at the same time.
    struct Stream
    {
        std::uint64_t number = 0; ///< of its loads; 0: one transfer
        Port port = Port::None;
        Int128 cap = 0; ///< largest share that its links allow, then that its port allows
    };
    void findStreams(Cycle now);
    void capByPort(Port port, std::int64_t rate);
    [[nodiscard]] Int128 levelOf(Int128 rate);
    void countUser(int slot, const Flow& flow, int by);

    int m_cores;
    std::int64_t m_link, m_trunk, m_threshold;
    std::int64_t m_read = 0, m_write = 0; ///< rates of two ports of the shared memory; 0: there is one
    std::uint64_t m_streams = 0;          ///< number of the last stream
    std::vector<Stream> m_active;         ///< the streams of now
    std::vector<Int128> m_caps;           ///< kept for its memory
    Int128 m_unit = 1;
    std::vector<Flow> m_flows;
    std::vector<int> m_users; ///< by core: transfers over its link, at most one in and one out
    Cycle m_next = kNever;
    bool m_changed = false;
};

} // namespace tilewright::npu
