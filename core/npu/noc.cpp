// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/noc.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tilewright::npu {

namespace {

Int128 ceilDiv128(Int128 a, Int128 b)
{
    return a / b + (a % b != 0 ? 1 : 0);
}

} // namespace

Noc::Noc(const NpuHardware& hw)
    : m_cores(hw.cores), m_link(hw.linkBytesPerCycle),
      m_trunk(hw.shared.hasTwoPorts() ? hw.trunkBytesPerCycle : hw.rateOfTrunk()),
      m_threshold(2 * hw.dram.interleaveBytes), m_flows(static_cast<std::size_t>(2 * hw.cores)),
      m_users(static_cast<std::size_t>(hw.cores), 0)
{
    // Shares are multiples of 1/m_unit: the rate of the trunk (minus halves of links) divided by the number
    // of transfers that share it equally. With more than 32 transfers, shares are rounded down to such a
    // multiple.
    std::int64_t multiple = 1;
    for (std::int64_t i = 2; i <= std::min<std::int64_t>(2 * hw.cores, 32); ++i)
        multiple = std::lcm(multiple, i);
    m_unit = 2 * static_cast<Int128>(multiple);
    if (hw.shared.bytes > 0 && hw.shared.hasTwoPorts()) {
        m_read = hw.shared.readBytesPerCycle;
        m_write = hw.shared.writeBytesPerCycle;
    }
}

void Noc::begin(int slot, Cycle now, int leader)
{
    Flow& f = m_flows[static_cast<std::size_t>(slot)];
    assert(!f.active);
    f.active = true;
    f.complete = f.byNoc = f.endIsKnown = false;
    f.backlog = 0;
    f.share = 0;
    f.updated = now;
    f.end = kNever;
    f.flips.clear();
    f.from = -1;
    f.stream = 0;
    if (leader >= 0) {
        std::uint64_t& stream = m_flows[static_cast<std::size_t>(leader)].stream;
        if (stream == 0)
            stream = ++m_streams;
        f.stream = stream;
    }
    countUser(slot, f, 1);
    m_changed = true;
}

void Noc::beginFromCore(int slot, int from, std::int64_t bytes, Cycle now)
{
    begin(slot, now);
    Flow& f = m_flows[static_cast<std::size_t>(slot)];
    f.from = from;
    ++m_users[static_cast<std::size_t>(from)];
    f.backlog = static_cast<Int128>(bytes) * m_unit;
    f.complete = f.byNoc = true; // ends as soon as the NoC has moved it
    f.flips.push_back({now, true});
}

void Noc::countUser(int slot, const Flow& f, int by)
{
    m_users[static_cast<std::size_t>(slot / 2)] += by;
    if (f.from >= 0)
        m_users[static_cast<std::size_t>(f.from)] += by;
}

void Noc::beginUntil(int slot, Cycle end)
{
    Flow& f = m_flows[static_cast<std::size_t>(slot)];
    assert(!f.active);
    f.active = f.endIsKnown = true;
    f.end = end;
    m_next = std::min(m_next, end);
}

void Noc::drain(Flow& f, Cycle now) const
{
    if (f.backlog > 0 && now > f.updated) {
        const Int128 moved = f.share * (now - f.updated);
        if (moved >= f.backlog) {
            if (f.byNoc) {
                f.flips.push_back({f.updated + static_cast<Cycle>(ceilDiv128(f.backlog, f.share)), false});
                f.byNoc = false;
            }
            f.backlog = 0;
        } else {
            f.backlog -= moved;
        }
    }
    f.updated = now;
}

void Noc::setEnd(Flow& f) const
{
    f.end = f.complete ? f.updated + static_cast<Cycle>(ceilDiv128(f.backlog, f.share)) : kNever;
}

void Noc::findNext()
{
    m_next = kNever;
    for (const Flow& f : m_flows)
        if (f.active)
            m_next = std::min(m_next, f.end);
}

void Noc::arrive(int slot, std::int64_t bytes, bool isLast, Cycle now)
{
    Flow& f = m_flows[static_cast<std::size_t>(slot)];
    drain(f, now);
    f.backlog += static_cast<Int128>(bytes) * m_unit;
    if (!f.byNoc && (isLast || f.backlog > static_cast<Int128>(m_threshold) * m_unit)) {
        f.byNoc = true;
        f.flips.push_back({now, true});
    }
    if (isLast) {
        f.complete = true;
        setEnd(f);
        m_next = std::min(m_next, f.end);
    }
}

void Noc::finish(int slot, Cycle now)
{
    Flow& f = m_flows[static_cast<std::size_t>(slot)];
    f.active = false;
    f.end = kNever;
    if (f.endIsKnown) {
        findNext();
        return;
    }
    drain(f, now);
    countUser(slot, f, -1);
    m_changed = true;
}

/// Finds the streams of the active transfers, and caps the share of each transfer by its links.
void Noc::findStreams(Cycle now)
{
    m_active.clear();
    for (std::size_t s = 0; s < m_flows.size(); ++s) {
        Flow& f = m_flows[s];
        if (!f.active)
            continue;
        drain(f, now);
        // A link that carries a transfer into the core and one out of it gives half of its rate to each. All
        // links are equally fast, so a transfer over two links gets half a link if either is halved.
        const bool halved =
            m_users[s / 2] > 1 || (f.from >= 0 && m_users[static_cast<std::size_t>(f.from)] > 1);
        f.share = (halved ? m_link : 2 * m_link) * (m_unit / 2);
        f.streamAt = m_active.size();
        for (std::size_t i = 0; f.stream > 0 && i < m_active.size(); ++i)
            if (m_active[i].number == f.stream)
                f.streamAt = i;
        if (f.streamAt == m_active.size())
            m_active.push_back(
                {f.stream, f.from >= 0 ? Port::None : (s % 2 == 0 ? Port::Read : Port::Write), 0});
        m_active[f.streamAt].cap = std::max(m_active[f.streamAt].cap, f.share);
    }
}

/// The level to which the caps in m_caps must be lowered so that their sum is at most `rate`.
Int128 Noc::levelOf(Int128 rate)
{
    std::sort(m_caps.begin(), m_caps.end());
    for (std::size_t i = 0; i < m_caps.size(); ++i) {
        const auto others = static_cast<std::int64_t>(m_caps.size() - i);
        if (m_caps[i] * others > rate)
            return rate / others; // the streams with larger caps share the remaining rate equally
        rate -= m_caps[i];
    }
    return m_unit * m_link;
}

/// Lowers the caps of the streams through a port of the shared memory to their fair share of its rate.
void Noc::capByPort(Port port, std::int64_t rate)
{
    m_caps.clear();
    for (const Stream& s : m_active)
        if (s.port == port)
            m_caps.push_back(s.cap);
    const Int128 level = levelOf(rate * m_unit);
    for (Stream& s : m_active)
        if (s.port == port)
            s.cap = std::min(s.cap, level);
}

void Noc::recomputeShares(Cycle now)
{
    m_changed = false;
    findStreams(now);
    if (m_read > 0) {
        capByPort(Port::Read, m_read);
        capByPort(Port::Write, m_write);
    }
    m_caps.clear();
    for (const Stream& s : m_active)
        m_caps.push_back(s.cap);
    const Int128 level = levelOf(m_trunk * m_unit);
    for (Flow& f : m_flows)
        if (f.active) {
            f.share = std::min({f.share, m_active[f.streamAt].cap, level});
            setEnd(f);
        }
    findNext();
}

} // namespace tilewright::npu
