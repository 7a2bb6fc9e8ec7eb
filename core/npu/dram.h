// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/tile.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace tilewright::npu {

inline constexpr Cycle kNever = std::numeric_limits<Cycle>::max();

/// A channel's data bus held by adjacent bursts of one tile in one bank and row.
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

/// Bytes and row hits per channel and bank over time, in at most kBins bins whose width doubles as the run
/// grows. A transfer counts in the bin in which its bus time starts.
class DramSeries
{
public:
    static constexpr std::size_t kBins = 1024;
    struct Bin
    {
        std::int64_t bytes = 0;
        std::uint32_t hits = 0, misses = 0; ///< burst groups
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

    std::vector<Bin> m_bins; ///< by bin, channel and bank: what is written at one time lies together
    std::size_t m_banks = 0, m_width = 0, m_used = 0;
    int m_shift = 6; ///< of the width of a bin
};

/// Channels, banks and the arbiter of docs/rules/npu.md 5.3, event driven.
///
/// A burst group (adjacent bursts of one tile in one interleave block, hence one bank and row) is served as
/// one: its bank works hit-or-miss latency for the first burst and hit latency for each further one, then the
/// channel's bus is held for all of them; the bank takes its next group when the bus is released. The arbiter
/// chooses twice with the same order: which transfer an idle bank serves, and which finished bank gets the
/// bus. Bursts of one transfer stay in order within a bank.
class Dram
{
public:
    Dram(const DramHardware& hardware, int slots);

    /// Queues all bursts of a transfer in slot `slot` (free until then); `age` grows with every transfer.
    void begin(int slot, const NpuTensor& tensor, const TileDesc& tile, std::uint32_t tileId,
               std::uint64_t age, std::int32_t head, bool isStore);
    /// The next time a bus is released or an idle bus can be given, kNever when nothing is queued.
    [[nodiscard]] Cycle nextTime() const noexcept { return *std::min_element(m_next.begin(), m_next.end()); }
    /// Releases the buses that end at `now`; calls delivered(slot, bytes) in order of channel.
    template <typename F> void release(Cycle now, F&& delivered)
    {
        for (std::size_t c = 0; c < m_channels.size(); ++c) {
            if (m_next[c] != now)
                continue;
            Channel& ch = m_channels[c];
            m_touched |= std::uint64_t{1} << c;
            if (ch.promised >= 0)
                keepPromise(c);
            if (ch.busBank >= 0 && ch.busEnd == now) {
                const Bank& bank = ch.banks[static_cast<std::size_t>(ch.busBank)];
                const int slot = bank.slot;
                const std::int64_t bytes = static_cast<std::int64_t>(bank.group.bursts) << m_burstShift;
                releaseBus(c);
                delivered(slot, bytes);
            }
        }
    }
    /// Gives idle banks and buses their next work; after release and all begin calls of this cycle.
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
        std::uint32_t next = kNone; ///< of the same slot and bank
    };
    /// What a slot has queued for a bank: groups in order, kNone without any.
    struct Queue
    {
        std::uint32_t first = kNone, last = kNone;
        std::uint32_t row = 0; ///< of the first
    };
    struct Bank
    {
        int slot = -1; ///< being served, -1 = idle
        Group group;
        bool hit = false;
        std::uint32_t openRow = kNone;
        std::uint32_t waiting = 0; ///< bit per slot with queued groups
    };
    /// Banks at work, the first to be ready first.
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
            std::size_t at = m_end++; // most are ready after all others
            for (; at > m_begin && m_entries[at - 1].readyAt > readyAt; --at)
                m_entries[at] = m_entries[at - 1];
            m_entries[at] = {readyAt, bank};
        }
        void remove(std::size_t bank) ///< one of the first
        {
            std::size_t at = m_begin;
            while (m_entries[at].bank != bank)
                ++at;
            for (; at > m_begin; --at)
                m_entries[at] = m_entries[at - 1];
            ++m_begin;
        }
        /// Bit a bank of those that are ready at `now`, which it forgets.
        [[nodiscard]] std::uint64_t takeReady(Cycle now)
        {
            std::uint64_t out = 0;
            for (; m_begin < m_end && m_entries[m_begin].readyAt <= now; ++m_begin)
                out |= std::uint64_t{1} << m_entries[m_begin].bank;
            return out;
        }
        [[nodiscard]] bool isEmpty() const noexcept { return m_begin == m_end; }
        [[nodiscard]] Cycle firstReadyAt() const noexcept { return m_entries[m_begin].readyAt; }
        /// Bit a bank of those that are ready first.
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
        std::array<Entry, 4 * 64> m_entries; ///< four times the banks a channel may have
        std::size_t m_begin = 0, m_end = 0;
    };
    // Masks have a bit a bank, so that the arbiter looks at the transfers and not at all banks.
    struct Channel
    {
        std::vector<Bank> banks;
        ServedBanks served;                  ///< not known to be ready for the bus
        std::vector<std::uint64_t> servedBy; ///< per slot: its banks that wait for the bus
        std::uint64_t idleWithWork = 0;
        std::uint64_t ready = 0;  ///< for the bus
        std::uint64_t hits = 0;   ///< banks that were served from an open row
        std::uint32_t usedBy = 0; ///< bit a slot with banks that wait for the bus
        int busBank = -1;
        Cycle busEnd = 0;
        int promised =
            -1; ///< the bank that gets the idle bus at promisedAt, if no transfer starts until then
        Cycle promisedAt = 0;
        int lastBank = -1;
        std::int32_t lastHead = -2;
        std::int64_t queuedBytes = 0;
        Cycle busy = 0;
    };
    struct Slot
    {
        std::vector<Group> groups;
        std::uint32_t tile = 0;
        bool isStore = false;
        std::int64_t remaining = 0;
    };
    /// What the arbiter knows of a slot's transfer.
    struct SlotRank
    {
        std::uint64_t age = 0;
        std::int32_t head = -1;
    };
    /// Division by a number that is mostly a power of two.
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

    /// Of a bank, by slot.
    [[nodiscard]] Queue* queues(std::size_t channel, std::size_t bank) noexcept
    {
        return m_queues.data() + (channel * m_banks + bank) * m_slots.size();
    }
    void releaseBus(std::size_t channel);
    void issueChannel(std::size_t channel, Cycle now);
    void serve(std::size_t channel, std::size_t bank, Cycle now);
    [[nodiscard]] int bankForBus(const Channel& channel, std::uint64_t candidates) const;
    void giveBus(std::size_t channel, Cycle now);
    void keepPromise(std::size_t channel);
    void holdBus(std::size_t channel, int bank, Cycle from);

    DramHardware m_hw;
    Cycle m_busCycles;
    std::size_t m_banks;
    Divisor m_perChannel, m_perBank;
    std::vector<Channel> m_channels;
    std::vector<Cycle> m_next; ///< per channel
    std::vector<Slot> m_slots;
    std::vector<SlotRank> m_ranks; ///< per slot
    std::vector<Queue> m_queues;   ///< per channel, bank and slot
    std::uint64_t m_touched = 0;   ///< bit a channel to look at in issue()
    std::int64_t m_totalBytes = 0, m_hits = 0, m_misses = 0;
    int m_burstShift = 0, m_interleaveShift = 0, m_rowShift = 0;
};

} // namespace tilewright::npu
