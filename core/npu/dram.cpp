// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/dram.h"

#include "base/integer.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace tilewright::npu {

DramSeries::DramSeries(int channels, int banks)
    : m_bins(static_cast<std::size_t>(channels) * static_cast<std::size_t>(banks) * kBins),
      m_banks(static_cast<std::size_t>(banks))
{
}

void DramSeries::add(int channel, int bank, Cycle time, std::int64_t bytes, bool hit)
{
    while (time / m_width >= static_cast<Cycle>(kBins)) {
        for (std::size_t row = 0; row < m_bins.size(); row += kBins)
            for (std::size_t i = 0; i < kBins; ++i) {
                Bin sum;
                if (i < kBins / 2)
                    for (const Bin& half : {m_bins[row + 2 * i], m_bins[row + 2 * i + 1]}) {
                        sum.bytes += half.bytes;
                        sum.hits += half.hits;
                        sum.misses += half.misses;
                    }
                m_bins[row + i] = sum;
            }
        m_used = (m_used + 1) / 2;
        m_width *= 2;
    }
    const auto index = static_cast<std::size_t>(time / m_width);
    m_used = std::max(m_used, index + 1);
    Bin& bin = m_bins[(static_cast<std::size_t>(channel) * m_banks + static_cast<std::size_t>(bank)) * kBins +
                      index];
    bin.bytes += bytes;
    ++(hit ? bin.hits : bin.misses);
}

Dram::Dram(const DramHardware& hardware, int slots)
    : series(hardware.channels, hardware.banks), m_hw(hardware),
      m_channels(static_cast<std::size_t>(hardware.channels)), m_slots(static_cast<std::size_t>(slots)),
      m_burstShift(std::countr_zero(static_cast<std::uint64_t>(hardware.burstBytes))),
      m_interleaveShift(std::countr_zero(static_cast<std::uint64_t>(hardware.interleaveBytes))),
      m_rowShift(std::countr_zero(static_cast<std::uint64_t>(hardware.rowBytes)))
{
    for (Channel& c : m_channels)
        c.banks.resize(static_cast<std::size_t>(hardware.banks));
    for (Slot& s : m_slots) {
        s.first.assign(static_cast<std::size_t>(hardware.channels) * static_cast<std::size_t>(hardware.banks),
                       kNone);
        s.last = s.first;
    }
}

void Dram::begin(int slotIndex, const NpuTensor& tensor, const TileDesc& tile, std::uint32_t tileId,
                 std::uint64_t age, std::int32_t head, bool isStore)
{
    Slot& slot = m_slots[static_cast<std::size_t>(slotIndex)];
    assert(slot.remaining == 0);
    slot.groups.clear();
    slot.age = age;
    slot.head = head;
    slot.tile = tileId;
    slot.isStore = isStore;
    const std::int64_t interleave = m_hw.interleaveBytes;
    const auto add = [&](std::int64_t address, std::int64_t bursts) {
        const std::int64_t block = address >> m_interleaveShift;
        const std::int64_t perChannel = block / m_hw.channels;
        const auto channel = static_cast<std::size_t>(block - perChannel * m_hw.channels);
        const std::int64_t perBank = perChannel / m_hw.banks;
        const auto bank = static_cast<std::size_t>(perChannel - perBank * m_hw.banks);
        const std::int64_t local = (perBank << m_interleaveShift) + (address & (interleave - 1));
        const auto id = static_cast<std::uint32_t>(slot.groups.size());
        slot.groups.push_back({address, static_cast<std::uint32_t>(local >> m_rowShift),
                               static_cast<std::uint32_t>(bursts), kNone});
        const std::size_t list = channel * static_cast<std::size_t>(m_hw.banks) + bank;
        Channel& ch = m_channels[channel];
        Bank& b = ch.banks[bank];
        if (slot.first[list] == kNone) {
            slot.first[list] = id;
            b.waiting |= 1U << slotIndex;
            if (b.slot < 0)
                ch.idleWithWork |= std::uint64_t{1} << bank;
        } else {
            slot.groups[slot.last[list]].next = id;
        }
        slot.last[list] = id;
        ch.queuedBytes += bursts << m_burstShift;
        ch.touched = true;
        slot.remaining += bursts << m_burstShift;
    };
    forEachRun(tensor, tile, [&](std::int64_t address, std::int64_t bytes) {
        const std::int64_t end = (address + bytes + m_hw.burstBytes - 1) >> m_burstShift << m_burstShift;
        for (std::int64_t at = address >> m_burstShift << m_burstShift; at < end;) {
            const std::int64_t stop = std::min(end, ((at >> m_interleaveShift) + 1) << m_interleaveShift);
            add(at, (stop - at) >> m_burstShift);
            at = stop;
        }
    });
}

Cycle Dram::nextTime() const noexcept
{
    Cycle next = kNever;
    for (const Channel& c : m_channels)
        next = std::min(next, c.next);
    return next;
}

void Dram::releaseBus(std::size_t channel)
{
    Channel& ch = m_channels[channel];
    const auto bank = static_cast<std::size_t>(ch.busBank);
    Bank& b = ch.banks[bank];
    const std::int64_t bytes = b.group.bursts * m_hw.burstBytes;
    ch.queuedBytes -= bytes;
    m_slots[static_cast<std::size_t>(b.slot)].remaining -= bytes;
    m_totalBytes += bytes;
    b.slot = -1;
    if (b.waiting != 0)
        ch.idleWithWork |= std::uint64_t{1} << bank;
    ch.busBank = -1;
}

void Dram::serve(std::size_t channel, std::size_t bankIndex, Cycle now)
{
    Channel& ch = m_channels[channel];
    Bank& b = ch.banks[bankIndex];
    const std::size_t list = channel * static_cast<std::size_t>(m_hw.banks) + bankIndex;
    int best = -1;
    std::tuple<bool, bool, std::uint64_t> bestKey;
    for (std::uint32_t left = b.waiting; left != 0; left &= left - 1) {
        const int s = std::countr_zero(left);
        const Slot& slot = m_slots[static_cast<std::size_t>(s)];
        std::tuple<bool, bool, std::uint64_t> key{false, false, slot.age};
        if (m_hw.arbiter == Arbiter::DramAware)
            key = {slot.groups[slot.first[list]].row != b.openRow, slot.head == ch.lastHead, slot.age};
        if (best < 0 || key < bestKey) {
            best = s;
            bestKey = key;
        }
    }
    Slot& slot = m_slots[static_cast<std::size_t>(best)];
    b.group = slot.groups[slot.first[list]];
    slot.first[list] = b.group.next;
    if (b.group.next == kNone)
        b.waiting &= ~(1U << best);
    b.slot = best;
    b.hit = b.group.row == b.openRow;
    b.openRow = b.group.row;
    b.ready =
        now + (b.hit ? m_hw.rowHitCycles : m_hw.rowMissCycles) + (b.group.bursts - 1) * m_hw.rowHitCycles;
    ch.serving |= std::uint64_t{1} << bankIndex;
}

void Dram::giveBus(std::size_t channel, Cycle now)
{
    Channel& ch = m_channels[channel];
    const bool aware = m_hw.arbiter == Arbiter::DramAware;
    int best = -1;
    std::tuple<bool, bool, bool, std::uint64_t> bestKey;
    Cycle earliest = kNever;
    for (std::uint64_t left = ch.serving; left != 0; left &= left - 1) {
        const int i = std::countr_zero(left);
        const Bank& b = ch.banks[static_cast<std::size_t>(i)];
        earliest = std::min(earliest, b.ready);
        if (b.ready > now)
            continue;
        const Slot& slot = m_slots[static_cast<std::size_t>(b.slot)];
        std::tuple<bool, bool, bool, std::uint64_t> key{false, false, false, slot.age};
        if (aware)
            key = {!b.hit, i == ch.lastBank, slot.head == ch.lastHead, slot.age};
        if (best < 0 || key < bestKey) {
            best = i;
            bestKey = key;
        }
    }
    if (best < 0) {
        ch.next = earliest;
        return;
    }
    const Bank& b = ch.banks[static_cast<std::size_t>(best)];
    const Slot& slot = m_slots[static_cast<std::size_t>(b.slot)];
    const Cycle held = b.group.bursts * m_hw.busCyclesPerBurst();
    ch.serving &= ~(std::uint64_t{1} << best);
    ch.busBank = best;
    ch.busEnd = ch.next = now + held;
    ch.busy += held;
    ch.lastBank = best;
    ch.lastHead = slot.head;
    ++(b.hit ? m_hits : m_misses);
    series.add(static_cast<int>(channel), best, now, b.group.bursts * m_hw.burstBytes, b.hit);
    if (recordEvents)
        events.push_back({now, ch.busEnd, b.group.address, slot.tile, b.group.bursts,
                          static_cast<std::uint16_t>(channel), static_cast<std::uint16_t>(best), b.hit,
                          slot.isStore});
}

void Dram::issue(Cycle now)
{
    for (std::size_t c = 0; c < m_channels.size(); ++c) {
        Channel& ch = m_channels[c];
        if (!ch.touched)
            continue;
        ch.touched = false;
        for (std::uint64_t left = ch.idleWithWork; left != 0; left &= left - 1)
            serve(c, static_cast<std::size_t>(std::countr_zero(left)), now);
        ch.idleWithWork = 0;
        if (ch.busBank < 0)
            giveBus(c, now);
    }
}

} // namespace tilewright::npu
