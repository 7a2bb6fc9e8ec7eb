// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "npu/dram.h"
#include "npu/hardware.h"

#include <cstdint>
#include <vector>

namespace tilewright::npu {

/// The resource that limits a transfer (DRAM or NoC) changes at `time`.
struct LimiterChange
{
    Cycle time = 0;
    bool byNoc = false;
};

/// The NoC of docs/rules/npu.md 5.3: one link per core and a shared trunk, with exact max-min fair shares. A
/// shared memory may have a port for reads and one for writes. Cores that load the same data at the same time
/// may use port and trunk together as one stream (docs/rules/npu.md 5.7).
///
/// Shares are integers in units of 1/denominator byte per cycle, so only the end time of a transfer is
/// rounded (up). The backlog of a transfer is the number of bytes that DRAM has moved and the NoC has not.
/// The NoC limits a transfer from the cycle in which its backlog exceeds two interleave blocks, or in which
/// DRAM has moved its last byte, until the backlog is empty. Otherwise DRAM limits it.
class Noc
{
public:
    explicit Noc(const NpuHardware& hardware);

    /// Starts a transfer in slot 2*core (load) or 2*core + 1 (store). `leader`: slot of the load that this
    /// load joins; -1: none.
    void begin(int slot, Cycle now, int leader = -1);
    /// Starts a load of `bytes` from the scratchpad of the core `from`, whose store slot must be free.
    void beginFromCore(int slot, int from, std::int64_t bytes, Cycle now);
    /// Starts a transfer with a known end time; its bandwidth share is not used.
    void beginUntil(int slot, Cycle end);
    /// Reports that DRAM has moved `bytes` more of the transfer; `isLast`: these are its last bytes.
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

    /// Changes of the resource that limits the transfer, ascending by time. DRAM is the first one.
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
        bool endIsKnown = false; ///< the end time was given by beginUntil()
        int from = -1;           ///< core that sends the data; -1: it comes from DRAM
        /// Loads with the same number use port and trunk as one stream; 0: a stream of its own.
        std::uint64_t stream = 0;
        std::size_t streamAt = 0; ///< index of its stream in m_active
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
        std::uint64_t number = 0; ///< Flow::stream of its loads; 0: the stream is one transfer
        Port port = Port::None;
        Int128 cap = 0; ///< largest share that its links allow, later that its port allows
    };
    void findStreams(Cycle now);
    void capByPort(Port port, std::int64_t rate);
    [[nodiscard]] Int128 levelOf(Int128 rate);
    void countUser(int slot, const Flow& flow, int by);

    int m_cores;
    std::int64_t m_link, m_trunk, m_threshold;
    std::int64_t m_read = 0, m_write = 0; ///< rates of the two ports of the shared memory; 0: it has one port
    std::uint64_t m_streams = 0;          ///< number of the last stream created
    std::vector<Stream> m_active;         ///< streams of the active transfers
    std::vector<Int128> m_caps;           ///< reused buffer of findStreams() and capByPort()
    Int128 m_unit = 1;
    std::vector<Flow> m_flows;
    std::vector<int> m_users; ///< per core: number of transfers over its link, at most one in each direction
    Cycle m_next = kNever;
    bool m_changed = false;
};

} // namespace tilewright::npu
