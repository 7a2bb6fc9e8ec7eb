// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/shared_memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

namespace tilewright::npu {

inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// One use of a channel's data bus: adjacent bursts of one tile in one bank and row.
struct DramEvent
{
    Cycle start = 0, end = 0;
    std::int64_t address = 0;
    std::uint32_t tile = 0;
    std::uint32_t bursts = 0;
    std::uint16_t channel = 0, bank = 0;
    bool rowHit = false;
    bool isStore = false;
    bool operator==(const DramEvent&) const = default;
};

/// Bytes and row hits per channel and bank over time, in at most kBins bins. The bin width doubles as the run
/// grows. A transfer counts in the bin in which its bus time starts.
class DramSeries
{
public:
    static constexpr std::size_t kBins = 1024;
    struct Bin
    {
        std::int64_t bytes = 0;
        std::uint32_t hits = 0, misses = 0; ///< numbers of burst groups with a row hit (miss)
    };
    DramSeries() = default;
    DramSeries(int channels, int banks);
    void add(int channel, int bank, Cycle time, std::int64_t bytes, bool hit);
    [[nodiscard]] Cycle binCycles() const noexcept { return Cycle{1} << m_shift; }
    [[nodiscard]] std::size_t binsUsed() const noexcept { return m_used; }
    [[nodiscard]] const Bin& at(int channel, int bank, std::size_t bin) const noexcept
    {
        return m_bins[bin * m_width + static_cast<std::size_t>(channel) * m_banks +
                      static_cast<std::size_t>(bank)];
    }

private:
    void halve();

    /// Ordered by bin, then channel, then bank, so that the banks of a bin are contiguous in memory.
    std::vector<Bin> m_bins;
    std::size_t m_banks = 0, m_width = 0, m_used = 0;
    int m_shift = 6; ///< log2 of the bin width in cycles
};

/// Event-driven model of the channels, banks and arbiter of docs/rules/npu.md 5.3.
///
/// A burst group is a run of adjacent bursts of one tile in one interleave block, hence in one bank and row.
/// It is the unit of service. The bank takes the hit or miss latency for the first burst and the hit latency
/// for each further burst; then the group holds the channel's bus for all its bursts. The bank accepts its
/// next group when the bus is released. The arbiter uses one priority order for two choices: the transfer
/// that an idle bank serves, and the finished bank that gets the bus. Bursts of one transfer stay in order
/// within a bank.
class Dram
{
public:
    Dram(const DramHardware& hardware, int slots);

    /// Begins a transfer in the free slot `slot`: queues its bursts, or sends requests for them if these have
    /// a latency or a limit (docs/rules/npu.md 5.9). `age` increases with every transfer. Burst groups that
    /// `shared` supplies are not queued; null: the machine has no shared memory.
    void begin(int slot, const NpuTensor& tensor, const TileDesc& tile, std::uint32_t tileId,
               std::uint64_t age, std::int32_t head, bool isStore, Cycle now, SharedMemory* shared = nullptr);
    /// The next time at which a bus is released, an idle bus can be granted or a request arrives; kNever if
    /// there is no such event.
    [[nodiscard]] Cycle nextTime() const noexcept
    {
        const Cycle next = *std::min_element(m_next.begin(), m_next.end());
        return m_arrivals.empty() ? next : std::min(next, m_arrivals.front().time);
    }
    /// Releases the buses whose transfers end at `now`. Calls delivered(slot, bytes) for each, in order of
    /// channel.
    template <typename F> void release(Cycle now, F&& delivered)
    {
        for (std::size_t c = 0; c < m_channels.size(); ++c) {
            if (m_next[c] != now)
                continue;
            Channel& ch = m_channels[c];
            m_touched |= std::uint64_t{1} << c;
            if (ch.reservedBank >= 0)
                grantReservedBus(c);
            if (ch.busBank >= 0 && ch.busEnd == now) {
                const Bank& bank = ch.banks[static_cast<std::size_t>(ch.busBank)];
                const int slot = bank.slot;
                const Group group = bank.group;
                releaseBus(c);
                delivered(slot, static_cast<std::int64_t>(group.bursts) << m_burstShift);
                if (m_hasRequests)
                    endGroup(slot, group, now);
            }
        }
        if (!m_arrivals.empty())
            takeArrivals(now);
    }
    /// Assigns work to idle banks and buses. Call it after release() and all begin() calls of this cycle.
    void issue(Cycle now)
    {
        for (; m_touched != 0; m_touched &= m_touched - 1)
            issueChannel(static_cast<std::size_t>(std::countr_zero(m_touched)), now);
    }

    [[nodiscard]] std::int64_t queuedBytes(int channel) const noexcept
    {
        return m_channels[static_cast<std::size_t>(channel)].queuedBytes;
    }
    [[nodiscard]] std::int64_t remainingBytes(int slot) const noexcept
    {
        return m_slots[static_cast<std::size_t>(slot)].remaining;
    }
    [[nodiscard]] Cycle busBusy(int channel) const noexcept
    {
        return m_channels[static_cast<std::size_t>(channel)].busy;
    }
    [[nodiscard]] std::int64_t totalBytes() const noexcept { return m_totalBytes; }
    [[nodiscard]] std::int64_t rowHits() const noexcept { return m_hits; }
    [[nodiscard]] std::int64_t rowMisses() const noexcept { return m_misses; }

    bool recordEvents = false, recordSeries = true;
    std::vector<DramEvent> events;
    DramSeries series;

private:
    struct Group
    {
        std::int64_t address = 0;
        std::uint32_t row = 0;
        std::uint32_t bursts = 0;
        std::uint32_t next = kNone; ///< index of the next group of the same slot and bank
        std::uint32_t request = 0;  ///< index of the group's request in the slot
    };
    /// Bursts that a DMA requests together: the burst groups [first, end) of its slot.
    struct Request
    {
        std::uint32_t first = 0, end = 0;
        std::int64_t bursts = 0; ///< number of bursts that the bus has not moved yet
    };
    /// A request that has been sent and reaches the banks at `time`.
    struct Arrival
    {
        Cycle time = 0;
        int slot = 0;
        std::uint32_t request = 0;
        bool operator>(const Arrival& o) const noexcept
        {
            return std::tie(time, slot, request) > std::tie(o.time, o.slot, o.request);
        }
    };
    /// Burst groups of one slot that wait for one bank, in order; kNone if there are none.
    struct Queue
    {
        std::uint32_t first = kNone, last = kNone;
        std::uint32_t row = 0; ///< row of the first group
    };
    struct Bank
    {
        int slot = -1; ///< slot that the bank serves, -1 = idle
        Group group;
        bool hit = false;
        std::uint32_t openRow = kNone;
        std::uint64_t waiting = 0; ///< bits (bitOf) of the slots that have queued groups for this bank
    };
    /// Busy banks, sorted by the time at which their data is ready.
    class ServedBanks
    {
    public:
        void add(std::size_t bank, Cycle readyAt)
        {
            if (m_end == m_entries.size()) {
                std::copy(m_entries.data() + m_begin, m_entries.data() + m_end, m_entries.data());
                m_end -= m_begin;
                m_begin = 0;
            }
            std::size_t at = m_end++; // insertion from the end: most new entries are ready last
            for (; at > m_begin && m_entries[at - 1].readyAt > readyAt; --at)
                m_entries[at] = m_entries[at - 1];
            m_entries[at] = {readyAt, bank};
        }
        void remove(std::size_t bank) ///< `bank` is near the front
        {
            std::size_t at = m_begin;
            while (m_entries[at].bank != bank)
                ++at;
            for (; at > m_begin; --at)
                m_entries[at] = m_entries[at - 1];
            ++m_begin;
        }
        /// Returns a bit mask of the banks that are ready at `now` and removes them.
        [[nodiscard]] std::uint64_t takeReady(Cycle now)
        {
            std::uint64_t out = 0;
            for (; m_begin < m_end && m_entries[m_begin].readyAt <= now; ++m_begin)
                out |= std::uint64_t{1} << m_entries[m_begin].bank;
            return out;
        }
        [[nodiscard]] bool isEmpty() const noexcept { return m_begin == m_end; }
        [[nodiscard]] Cycle firstReadyAt() const noexcept { return m_entries[m_begin].readyAt; }
        /// Bit mask of the banks with the earliest ready time.
        [[nodiscard]] std::uint64_t first() const noexcept
        {
            std::uint64_t out = 0;
            for (std::size_t at = m_begin; at < m_end && m_entries[at].readyAt == firstReadyAt(); ++at)
                out |= std::uint64_t{1} << m_entries[at].bank;
            return out;
        }

    private:
        struct Entry
        {
            Cycle readyAt;
            std::size_t bank;
        };
        std::array<Entry, 4 * 64> m_entries; ///< four times the largest number of banks per channel
        std::size_t m_begin = 0, m_end = 0;
    };
    // Bit masks of a channel have one bit per bank, so that the arbiter need not visit all banks.
    struct Channel
    {
        std::vector<Bank> banks;
        ServedBanks served;                  ///< busy banks whose data may not be ready for the bus yet
        std::vector<std::uint64_t> servedBy; ///< per slot: mask of its banks that wait for the bus
        std::uint64_t idleWithWork = 0;
        std::uint64_t ready = 0;  ///< banks whose data is ready for the bus
        std::uint64_t hits = 0;   ///< banks that were served from an open row
        std::uint64_t usedBy = 0; ///< bits (bitOf) of the slots with banks that wait for the bus
        int busBank = -1;
        Cycle busEnd = 0;
        int reservedBank = -1; ///< bank that gets the idle bus at reservedAt unless a transfer starts before
        Cycle reservedAt = 0;
        int lastBank = -1;
        std::int32_t lastHead = -2;
        std::int64_t queuedBytes = 0;
        Cycle busy = 0;
    };
    struct Slot
    {
        std::vector<Group> groups;
        std::vector<Request> requests; ///< only if requests have a latency or a limit
        std::size_t nextRequest = 0;   ///< index of the first request that has not been sent
        std::uint32_t tile = 0;
        bool isStore = false;
        std::int64_t remaining = 0;
    };
    /// Values of a slot's transfer by which the arbiter orders transfers.
    struct SlotRank
    {
        std::uint64_t age = 0;
        std::int32_t head = -1;
    };
    /// Fast division: a shift if the divisor is a power of two.
    struct Divisor
    {
        explicit Divisor(std::int64_t by)
            : value(by), shift(std::has_single_bit(static_cast<std::uint64_t>(by))
                                   ? std::countr_zero(static_cast<std::uint64_t>(by))
                                   : -1)
        {
        }
        [[nodiscard]] std::int64_t of(std::int64_t v) const noexcept
        {
            return shift >= 0 ? v >> shift : v / value;
        }
        std::int64_t value;
        int shift;
    };

    /// Queues of one bank, indexed by slot.
    [[nodiscard]] Queue* queues(std::size_t channel, std::size_t bank) noexcept
    {
        return m_queues.data() + (channel * m_banks + bank) * m_slots.size();
    }
    /// Bit of a slot in a mask. With more than 64 slots, adjacent slots share a bit.
    [[nodiscard]] std::uint64_t bitOf(std::size_t slot) const noexcept
    {
        return std::uint64_t{1} << (slot >> m_slotShift);
    }
    /// Calls use(slot) for each slot whose bit is set. Slots that share the bit of a set slot are called,
    /// too.
    template <typename F> void forEachSlot(std::uint64_t mask, F&& use) const
    {
        for (; mask != 0; mask &= mask - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(mask));
            if (m_slotShift == 0) {
                use(bit);
                continue;
            }
            const std::size_t end = std::min((bit + 1) << m_slotShift, m_slots.size());
            for (std::size_t s = bit << m_slotShift; s < end; ++s)
                use(s);
        }
    }
    /// True if isFree() holds for all slots that share the bit of `slot`. It must hold for `slot` itself.
    template <typename F> [[nodiscard]] bool isBitFree(std::size_t slot, F&& isFree) const
    {
        bool out = true;
        if (m_slotShift > 0)
            forEachSlot(bitOf(slot), [&](std::size_t s) { out = out && isFree(s); });
        return out;
    }
    void addGroups(Slot& slot, Group group, bool isAdjacent);
    void enqueue(int slot, std::uint32_t group, const DramPlace& place);
    void enqueue(int slot, const Request& request);
    void sendRequest(int slot, Cycle now);
    void endGroup(int slot, const Group& group, Cycle now);
    void takeArrivals(Cycle now);
    /// Equals placeOf(), with precomputed divisors.
    [[nodiscard]] DramPlace fastPlaceOf(std::int64_t address) const noexcept
    {
        const std::int64_t block = address >> m_interleaveShift;
        const std::int64_t perChannel = m_perChannel.of(block), perBank = m_perBank.of(perChannel);
        DramPlace place{static_cast<int>(block - perChannel * m_hw.channels),
                        static_cast<int>(perChannel - perBank * m_hw.banks),
                        ((perBank << m_interleaveShift) + (address & (m_hw.interleaveBytes - 1))) >>
                            m_rowShift};
        if (m_hw.addressHash) {
            place.channel = static_cast<int>(permuted(place.channel, m_hw.channels, perChannel));
            place.bank = static_cast<int>(permuted(place.bank, m_hw.banks, place.row));
        }
        return place;
    }
    void releaseBus(std::size_t channel);
    void issueChannel(std::size_t channel, Cycle now);
    void serve(std::size_t channel, std::size_t bank, Cycle now);
    [[nodiscard]] int bankForBus(const Channel& channel, std::uint64_t candidates) const;
    void giveBus(std::size_t channel, Cycle now);
    void grantReservedBus(std::size_t channel);
    void holdBus(std::size_t channel, int bank, Cycle from);

    DramHardware m_hw;
    Cycle m_busCycles;
    std::size_t m_banks;
    Divisor m_perChannel, m_perBank;
    std::vector<Channel> m_channels;
    std::vector<Cycle> m_next; ///< per channel: time of its next event
    std::vector<Slot> m_slots;
    std::vector<SlotRank> m_ranks;   ///< arbitration keys, per slot
    std::vector<Queue> m_queues;     ///< indexed by channel, bank and slot
    std::vector<Arrival> m_arrivals; ///< requests under way; a heap, the earliest on top
    bool m_hasRequests;              ///< true if requests have a latency or a limit
    std::uint64_t m_touched = 0;     ///< mask of the channels that issue() must visit
    std::int64_t m_totalBytes = 0, m_hits = 0, m_misses = 0;
    int m_burstShift = 0, m_interleaveShift = 0, m_rowShift = 0;
    int m_slotShift = 0; ///< log2 of the number of slots that share a bit of a mask
};

} // namespace tilewright::npu
