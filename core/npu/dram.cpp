// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/dram.h"

#include "base/integer.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace tilewright::npu {

DramSeries::DramSeries(int channels, int banks)
    : m_bins(static_cast<std::size_t>(channels) * static_cast<std::size_t>(banks) * kBins),
      m_banks(static_cast<std::size_t>(banks)), m_width(static_cast<std::size_t>(channels) * m_banks)
{
}

void DramSeries::halve()
{
    for (std::size_t i = 0; i < kBins; ++i)
        for (std::size_t bank = 0; bank < m_width; ++bank) {
            Bin sum;
            if (i < kBins / 2)
                for (const Bin& half :
                     {m_bins[2 * i * m_width + bank], m_bins[(2 * i + 1) * m_width + bank]}) {
                    sum.bytes += half.bytes;
                    sum.hits += half.hits;
                    sum.misses += half.misses;
                }
            m_bins[i * m_width + bank] = sum;
        }
    m_used = (m_used + 1) / 2;
    ++m_shift;
}

void DramSeries::add(int channel, int bank, Cycle time, std::int64_t bytes, bool hit)
{
    while (time >> m_shift >= static_cast<Cycle>(kBins))
        halve();
    const auto index = static_cast<std::size_t>(time >> m_shift);
    m_used = std::max(m_used, index + 1);
    Bin& bin = m_bins[index * m_width + static_cast<std::size_t>(channel) * m_banks +
                      static_cast<std::size_t>(bank)];
    bin.bytes += bytes;
    ++(hit ? bin.hits : bin.misses);
}

Dram::Dram(const DramHardware& hardware, int slots)
    : series(hardware.channels, hardware.banks), m_hw(hardware), m_busCycles(hardware.busCyclesPerBurst()),
      m_banks(static_cast<std::size_t>(hardware.banks)), m_perChannel(hardware.channels),
      m_perBank(hardware.banks), m_channels(static_cast<std::size_t>(hardware.channels)),
      m_next(m_channels.size(), kNever), m_slots(static_cast<std::size_t>(slots)), m_ranks(m_slots.size()),
      m_queues(m_channels.size() * m_banks * m_slots.size()),
      m_hasRequests(hardware.outstandingRequests > 0 || hardware.readLatencyCycles > 0 ||
                    hardware.writeLatencyCycles > 0),
      m_burstShift(std::countr_zero(static_cast<std::uint64_t>(hardware.burstBytes))),
      m_interleaveShift(std::countr_zero(static_cast<std::uint64_t>(hardware.interleaveBytes))),
      m_rowShift(std::countr_zero(static_cast<std::uint64_t>(hardware.rowBytes)))
{
    while (m_slots.size() > std::size_t{64} << m_slotShift)
        ++m_slotShift;
    for (Channel& c : m_channels) {
        c.banks.resize(m_banks);
        c.servedBy.resize(m_slots.size(), 0);
    }
}

/// Queues a burst group of a transfer at its bank.
inline void Dram::enqueue(int slotIndex, std::uint32_t id, const DramPlace& place)
{
    Slot& slot = m_slots[static_cast<std::size_t>(slotIndex)];
    const Group& group = slot.groups[id];
    const auto channel = static_cast<std::size_t>(place.channel), bank = static_cast<std::size_t>(place.bank);
    Queue& q = queues(channel, bank)[slotIndex];
    Channel& ch = m_channels[channel];
    if (q.first == kNone) {
        q.first = id;
        q.row = group.row;
        Bank& b = ch.banks[bank];
        b.waiting |= bitOf(static_cast<std::size_t>(slotIndex));
        if (b.slot < 0)
            ch.idleWithWork |= std::uint64_t{1} << bank;
    } else {
        slot.groups[q.last].next = id;
    }
    q.last = id;
    m_touched |= std::uint64_t{1} << channel;
}

void Dram::begin(int slotIndex, const NpuTensor& tensor, const TileDesc& tile, std::uint32_t tileId,
                 std::uint64_t age, std::int32_t head, bool isStore, Cycle now, SharedMemory* shared)
{
    Slot& slot = m_slots[static_cast<std::size_t>(slotIndex)];
    assert(slot.remaining == 0);
    slot.groups.clear();
    slot.requests.clear();
    slot.nextRequest = 0;
    m_ranks[static_cast<std::size_t>(slotIndex)] = {age, head};
    slot.tile = tileId;
    slot.isStore = isStore;
    bool isAdjacent = false; // whether this group follows the previous group in memory
    forEachRun(tensor, tile, [&](std::int64_t address, std::int64_t bytes) {
        const std::int64_t end = (address + bytes + m_hw.burstBytes - 1) >> m_burstShift << m_burstShift;
        isAdjacent = false;
        for (std::int64_t at = address >> m_burstShift << m_burstShift; at < end;) {
            const std::int64_t stop = std::min(end, ((at >> m_interleaveShift) + 1) << m_interleaveShift);
            const std::int64_t bursts = (stop - at) >> m_burstShift;
            if (shared != nullptr && shared->take(slotIndex, at, bursts)) {
                isAdjacent = false;
            } else {
                const DramPlace place = fastPlaceOf(at);
                m_channels[static_cast<std::size_t>(place.channel)].queuedBytes += bursts << m_burstShift;
                slot.remaining += bursts << m_burstShift;
                const auto row = static_cast<std::uint32_t>(place.row);
                if (m_hasRequests) {
                    addGroups(slot, {at, row, static_cast<std::uint32_t>(bursts), kNone, 0}, isAdjacent);
                } else {
                    slot.groups.push_back({at, row, static_cast<std::uint32_t>(bursts), kNone, 0});
                    enqueue(slotIndex, static_cast<std::uint32_t>(slot.groups.size() - 1), place);
                }
                isAdjacent = true;
            }
            at = stop;
        }
    });
    if (!m_hasRequests)
        return;
    const auto limit = static_cast<std::size_t>(m_hw.outstandingRequests);
    for (std::size_t left = limit > 0 ? limit : slot.requests.size(); left > 0; --left)
        sendRequest(slotIndex, now);
}

/// Appends bursts of one interleave block to a transfer, cut at the ends of requests. `isAdjacent`: the
/// previous group ends where these bursts begin.
void Dram::addGroups(Slot& slot, Group group, bool isAdjacent)
{
    const std::int64_t most =
        m_hw.outstandingRequests > 0 ? m_hw.burstsOfRequest() : std::numeric_limits<std::int64_t>::max();
    for (std::int64_t left = group.bursts; left > 0; left -= group.bursts) {
        if (!isAdjacent || slot.requests.back().bursts == most) {
            const auto first = static_cast<std::uint32_t>(slot.groups.size());
            slot.requests.push_back({first, first, 0});
        }
        isAdjacent = true;
        Request& request = slot.requests.back();
        group.bursts = static_cast<std::uint32_t>(std::min(left, most - request.bursts));
        group.request = static_cast<std::uint32_t>(slot.requests.size() - 1);
        slot.groups.push_back(group);
        ++request.end;
        request.bursts += group.bursts;
        group.address += static_cast<std::int64_t>(group.bursts) << m_burstShift;
    }
}

void Dram::enqueue(int slotIndex, const Request& request)
{
    for (std::uint32_t id = request.first; id < request.end; ++id)
        enqueue(slotIndex, id, fastPlaceOf(m_slots[static_cast<std::size_t>(slotIndex)].groups[id].address));
}

/// Sends the next request of a transfer, if it has one left.
void Dram::sendRequest(int slotIndex, Cycle now)
{
    Slot& slot = m_slots[static_cast<std::size_t>(slotIndex)];
    if (slot.nextRequest == slot.requests.size())
        return;
    const auto number = static_cast<std::uint32_t>(slot.nextRequest++);
    if (const Cycle latency = m_hw.latency(slot.isStore); latency > 0) {
        m_arrivals.push_back({now + latency, slotIndex, number});
        std::push_heap(m_arrivals.begin(), m_arrivals.end(), std::greater<>());
        return;
    }
    enqueue(slotIndex, slot.requests[number]);
}

/// Called when a burst group of a transfer has been moved. If this completes a request, the next one is sent.
void Dram::endGroup(int slotIndex, const Group& group, Cycle now)
{
    Request& request = m_slots[static_cast<std::size_t>(slotIndex)].requests[group.request];
    request.bursts -= group.bursts;
    if (request.bursts == 0 && m_hw.outstandingRequests > 0)
        sendRequest(slotIndex, now);
}

void Dram::takeArrivals(Cycle now)
{
    while (!m_arrivals.empty() && m_arrivals.front().time <= now) {
        const Arrival arrival = m_arrivals.front();
        std::pop_heap(m_arrivals.begin(), m_arrivals.end(), std::greater<>());
        m_arrivals.pop_back();
        enqueue(arrival.slot, m_slots[static_cast<std::size_t>(arrival.slot)].requests[arrival.request]);
    }
}

void Dram::releaseBus(std::size_t channel)
{
    Channel& ch = m_channels[channel];
    const auto bank = static_cast<std::size_t>(ch.busBank);
    Bank& b = ch.banks[bank];
    const std::int64_t bytes = static_cast<std::int64_t>(b.group.bursts) << m_burstShift;
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
    // Two waiting transfers never have the same age, so exactly one has the best key.
    constexpr std::uint64_t kOtherRow = std::uint64_t{1} << 63, kSameHead = std::uint64_t{1} << 62;
    Channel& ch = m_channels[channel];
    Bank& b = ch.banks[bankIndex];
    Queue* const queued = queues(channel, bankIndex);
    auto best = static_cast<std::size_t>(std::countr_zero(b.waiting));
    if (m_slotShift > 0 || (b.waiting & (b.waiting - 1)) != 0) {
        const bool aware = m_hw.arbiter == Arbiter::DramAware;
        std::uint64_t bestKey = ~std::uint64_t{0};
        forEachSlot(b.waiting, [&](std::size_t s) {
            if (m_slotShift > 0 && queued[s].first == kNone)
                return;
            const SlotRank& rank = m_ranks[s];
            std::uint64_t key = rank.age;
            if (aware)
                key |=
                    (queued[s].row != b.openRow ? kOtherRow : 0) | (rank.head == ch.lastHead ? kSameHead : 0);
            if (key < bestKey) {
                best = s;
                bestKey = key;
            }
        });
    }
    const std::vector<Group>& groups = m_slots[best].groups;
    Queue& q = queued[best];
    b.group = groups[q.first];
    q.first = b.group.next;
    if (q.first != kNone)
        q.row = groups[q.first].row;
    else if (isBitFree(best, [queued](std::size_t s) { return queued[s].first == kNone; }))
        b.waiting &= ~bitOf(best);
    b.slot = static_cast<int>(best);
    b.hit = b.group.row == b.openRow;
    b.openRow = b.group.row;
    ch.served.add(bankIndex, now + (b.hit ? m_hw.rowHitCycles : m_hw.rowMissCycles) +
                                 (b.group.bursts - 1) * m_hw.rowHitCycles);
    const std::uint64_t bit = std::uint64_t{1} << bankIndex;
    ch.hits = b.hit ? ch.hits | bit : ch.hits & ~bit;
    ch.servedBy[best] |= bit;
    ch.usedBy |= bitOf(best);
}

int Dram::bankForBus(const Channel& ch, std::uint64_t candidates) const
{
    const bool aware = m_hw.arbiter == Arbiter::DramAware;
    if (aware) {
        if ((candidates & ch.hits) != 0)
            candidates &= ch.hits;
        const std::uint64_t last = ch.lastBank >= 0 ? std::uint64_t{1} << ch.lastBank : 0;
        if ((candidates & ~last) != 0)
            candidates &= ~last;
    }
    if ((candidates & (candidates - 1)) == 0)
        return std::countr_zero(candidates);
    std::size_t by = 0;
    std::uint64_t bestKey = ~std::uint64_t{0};
    forEachSlot(ch.usedBy, [&](std::size_t s) {
        if ((ch.servedBy[s] & candidates) == 0)
            return;
        const std::uint64_t sameHead = aware && m_ranks[s].head == ch.lastHead ? std::uint64_t{1} << 63 : 0;
        if (const std::uint64_t key = m_ranks[s].age | sameHead; key < bestKey) {
            by = s;
            bestKey = key;
        }
    });
    return std::countr_zero(ch.servedBy[by] & candidates);
}

void Dram::giveBus(std::size_t channel, Cycle now)
{
    Channel& ch = m_channels[channel];
    ch.ready |= ch.served.takeReady(now);
    if (ch.ready != 0) {
        const int bank = bankForBus(ch, ch.ready);
        ch.ready &= ~(std::uint64_t{1} << bank);
        holdBus(channel, bank, now);
        return;
    }
    if (ch.served.isEmpty()) {
        m_next[channel] = kNever;
        return;
    }
    // The reservation of the bus holds until `reservedAt`. A new transfer cancels it.
    ch.reservedBank = bankForBus(ch, ch.served.first());
    ch.reservedAt = ch.served.firstReadyAt();
    m_next[channel] =
        ch.reservedAt + ch.banks[static_cast<std::size_t>(ch.reservedBank)].group.bursts * m_busCycles;
}

void Dram::grantReservedBus(std::size_t channel)
{
    Channel& ch = m_channels[channel];
    ch.served.remove(static_cast<std::size_t>(ch.reservedBank));
    holdBus(channel, ch.reservedBank, ch.reservedAt);
    ch.reservedBank = -1;
}

void Dram::holdBus(std::size_t channel, int bank, Cycle from)
{
    Channel& ch = m_channels[channel];
    const std::uint64_t bit = std::uint64_t{1} << bank;
    const Bank& b = ch.banks[static_cast<std::size_t>(bank)];
    const auto by = static_cast<std::size_t>(b.slot);
    const Cycle held = b.group.bursts * m_busCycles;
    ch.servedBy[by] &= ~bit;
    if (ch.servedBy[by] == 0 && isBitFree(by, [&ch](std::size_t s) { return ch.servedBy[s] == 0; }))
        ch.usedBy &= ~bitOf(by);
    ch.busBank = bank;
    ch.busEnd = m_next[channel] = from + held;
    ch.busy += held;
    ch.lastBank = bank;
    ch.lastHead = m_ranks[by].head;
    ++(b.hit ? m_hits : m_misses);
    if (recordSeries)
        series.add(static_cast<int>(channel), bank, from,
                   static_cast<std::int64_t>(b.group.bursts) << m_burstShift, b.hit);
    if (recordEvents)
        events.push_back({from, ch.busEnd, b.group.address, m_slots[by].tile, b.group.bursts,
                          static_cast<std::uint16_t>(channel), static_cast<std::uint16_t>(bank), b.hit,
                          m_slots[by].isStore});
}

void Dram::issueChannel(std::size_t c, Cycle now)
{
    Channel& ch = m_channels[c];
    if (ch.reservedBank >= 0 && ch.reservedAt < now)
        grantReservedBus(c);
    ch.reservedBank = -1;
    for (std::uint64_t left = ch.idleWithWork; left != 0; left &= left - 1)
        serve(c, static_cast<std::size_t>(std::countr_zero(left)), now);
    ch.idleWithWork = 0;
    if (ch.busBank < 0)
        giveBus(c, now);
}

} // namespace tilewright::npu
