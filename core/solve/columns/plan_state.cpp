// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/plan_state.h"

namespace tilewright {

PlanState::OpFlags runBy(const SubgraphPool& pool, const PlannedSet& column)
{
    PlanState::OpFlags out;
    for (const OpId o : pool.set(column.set).ops)
        out.set(o.index());
    return out;
}

PlanState::OpFlags readBy(const SubgraphPool& pool, const PlannedSet& column)
{
    PlanState::OpFlags out;
    (void)allReads(pool, column, [&](TensorId t) {
        out.set(pool.problem().producer(t)->index());
        return true;
    });
    return out;
}

PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlannedSet& column)
{
    PlanState::OpFlags out;
    forEachStored(pool, column, [&](TensorId t) { out.set(pool.problem().producer(t)->index()); });
    return out;
}

PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const CostedSet& column)
{
    prefix.columns.push_back(column);
    prefix.run |= runBy(pool, column);
    prefix.stored |= storedBy(pool, column);
    prefix.resident = column.retain;
    prefix.latency += column.latency;
    return prefix;
}

FixedParts fixedAround(const SubgraphPool& pool, const Plan& plan, PlanStretch stretch)
{
    FixedParts out;
    const std::size_t end = stretch.first + stretch.count;
    for (std::size_t i = 0; i < stretch.first; ++i)
        out.before = extended(pool, std::move(out.before), plan.entries[i]);
    for (std::size_t i = end; i < plan.entries.size(); ++i) {
        const CostedSet& e = plan.entries[i];
        if (i == end)
            out.residentAfter = e.resident;
        out.readAfter |= readBy(pool, e) & ~out.storedAfter;
        out.storedAfter |= storedBy(pool, e);
        out.runAfter |= runBy(pool, e);
    }
    return out;
}

} // namespace tilewright
