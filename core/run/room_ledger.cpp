// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/room_ledger.h"

#include <algorithm>
#include <utility>

namespace tilewright {

namespace {

constexpr RoomLedger::ItemId kNone = UINT32_MAX;

} // namespace

RoomLedger::RoomLedger(const Problem& problem)
    : m_problem(problem), m_reservedItem(problem.tensorCount(), kNone)
{
}

RoomLedger::ItemId RoomLedger::add(RunRoom::Kind kind, std::int64_t units, std::uint64_t load)
{
    if (m_free.empty()) {
        m_free.push_back(static_cast<ItemId>(m_items.size()));
        m_items.emplace_back();
    }
    const ItemId id = m_free.back();
    m_free.pop_back();
    m_items[id] = {.units = units, .load = load, .kind = kind};
    return id;
}

void RoomLedger::freeIfUnused(ItemId item)
{
    if (m_items[item].holders == 0 && !m_items[item].listed)
        m_free.push_back(item);
}

template <class Key> void RoomLedger::replace(std::vector<Named<Key>>& old, std::vector<Named<Key>>& fresh)
{
    for (const Named<Key>& n : old)
        m_items[n.item].listed = false;
    for (const Named<Key>& n : fresh)
        m_items[n.item].listed = true;
    for (const Named<Key>& n : old)
        freeIfUnused(n.item);
    old.swap(fresh);
    fresh.clear();
}

void RoomLedger::reserve(std::span<const TensorId> tensors)
{
    m_reserved.clear();
    for (const TensorId t : tensors) {
        if (m_reservedItem[t] == kNone) {
            m_reservedItem[t] = add(RunRoom::Reserved, m_problem.sizeUnits(t));
            m_items[m_reservedItem[t]].listed = true; // permanently, because all subgraphs use the same item
        }
        m_reserved.push_back(m_reservedItem[t]);
    }
}

std::vector<RoomLedger::ItemId> RoomLedger::itemsOf(const Step& step, const StepLinks& links,
                                                    std::uint64_t loads)
{
    std::vector<ItemId> items;
    items.reserve(step.buffers.size() + m_reserved.size() + step.sinks.size() + links.accumulators.size() +
                  step.interiors.size());
    for (const StepBuffer& b : step.buffers) {
        ItemId item = kNone;
        if (b.loaded)
            item = add(RunRoom::Input, b.size, ++loads);
        else
            item = std::find_if(m_buffers.begin(), m_buffers.end(), [&](const auto& n) {
                       return sameBuffer(n.key, b);
                   })->item;
        m_freshBuffers.push_back({b, item});
        items.push_back(item);
    }
    items.insert(items.end(), m_reserved.begin(), m_reserved.end());
    const bool sameTile = step.kStep > 0;
    for (const StepSink& s : step.sinks) {
        const auto known = std::find_if(m_sinks.begin(), m_sinks.end(),
                                        [&](const auto& n) { return sameTile && n.key == s.tensor; });
        const ItemId item = known != m_sinks.end() ? known->item : add(RunRoom::Output, s.outputElements);
        m_freshSinks.push_back({s.tensor, item});
        items.push_back(item);
    }
    for (const StepLinks::Accumulator& a : links.accumulators) {
        const auto known = std::find_if(m_accumulators.begin(), m_accumulators.end(), [&](const auto& n) {
            return sameTile && n.key.op == a.op && n.key.rect == a.rect;
        });
        const ItemId item = known != m_accumulators.end() ? known->item : add(RunRoom::Accumulator, a.size);
        m_freshAccumulators.push_back({a, item});
        items.push_back(item);
    }
    for (const StepInterior& i : step.interiors)
        items.push_back(add(RunRoom::Interior, i.size));
    replace(m_buffers, m_freshBuffers);
    replace(m_sinks, m_freshSinks);
    replace(m_accumulators, m_freshAccumulators);
    return items;
}

std::int64_t RoomLedger::added(std::span<const ItemId> items) const
{
    std::int64_t sum = 0;
    for (const ItemId i : items)
        if (m_items[i].holders == 0)
            sum += m_items[i].units;
    return sum;
}

void RoomLedger::hold(std::span<const ItemId> items)
{
    for (const ItemId i : items)
        if (m_items[i].holders++ == 0) {
            m_taken[m_items[i].kind] += m_items[i].units;
            m_total += m_items[i].units;
        }
}

void RoomLedger::release(std::span<const ItemId> items)
{
    for (const ItemId i : items)
        if (--m_items[i].holders == 0) {
            m_taken[m_items[i].kind] -= m_items[i].units;
            m_total -= m_items[i].units;
            freeIfUnused(i);
        }
}

} // namespace tilewright
