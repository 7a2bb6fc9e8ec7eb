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
    : m_cores(hw.cores), m_link(hw.linkBytesPerCycle), m_trunk(hw.rateOfAllCores()),
      m_threshold(2 * hw.dram.interleaveBytes), m_flows(static_cast<std::size_t>(2 * hw.cores)),
      m_users(static_cast<std::size_t>(hw.cores), 0)
{
    // Every share is a multiple of 1/m_unit: the trunk (minus halves of links) divided by the number of
    // transfers that share it equally. Of more than 32 transfers, shares are rounded down to such a multiple.
    std::int64_t multiple = 1;
    for (std::int64_t i = 2; i <= std::min<std::int64_t>(2 * hw.cores, 32); ++i)
        multiple = std::lcm(multiple, i);
    m_unit = 2 * static_cast<Int128>(multiple);
}

void Noc::begin(int slot, Cycle now)
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

void Noc::recomputeShares(Cycle now)
{
    m_changed = false;
    // Bandwidth limits in half bytes per cycle: what comes into a core and what leaves it each get half of
    // its link. All links are equally fast, so a transfer over two of them has the smaller of both limits.
    struct Cap
    {
        std::int64_t halves;
        std::size_t slot;
    };
    std::vector<Cap> caps;
    for (std::size_t s = 0; s < m_flows.size(); ++s)
        if (m_flows[s].active) {
            drain(m_flows[s], now);
            const int from = m_flows[s].from;
            const bool halved =
                m_users[s / 2] > 1 || (from >= 0 && m_users[static_cast<std::size_t>(from)] > 1);
            caps.push_back({halved ? m_link : 2 * m_link, s});
        }
    std::stable_sort(caps.begin(), caps.end(),
                     [](const Cap& a, const Cap& b) { return a.halves < b.halves; });
    std::int64_t left = 2 * m_trunk;
    for (std::size_t i = 0; i < caps.size(); ++i) {
        const auto others = static_cast<std::int64_t>(caps.size() - i);
        Flow& f = m_flows[caps[i].slot];
        const bool full = caps[i].halves * others <= left;
        if (full) {
            f.share = caps[i].halves * (m_unit / 2);
            left -= caps[i].halves;
        } else { // The remaining transfers share the remaining bandwidth equally.
            for (std::size_t j = i; j < caps.size(); ++j)
                m_flows[caps[j].slot].share = left * (m_unit / 2) / others;
            break;
        }
    }
    for (Flow& f : m_flows)
        if (f.active)
            setEnd(f);
    findNext();
}

} // namespace tilewright::npu
