// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/plan_frame.h"

#include <algorithm>

namespace tilewright {

namespace {

bool isIn(const std::vector<TensorId>& list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

} // namespace

PlanState::OpFlags readBy(const SubgraphPool& pool, const PlanColumn& column)
{
    const OpSet& set = pool.set(column.set);
    PlanState::OpFlags out;
    for (const TensorId t : set.inputs)
        if (!isIn(pool.retain(column.resident), t))
            out.set(pool.problem().producer(t)->index());
    for (const TensorId t : set.bases)
        out.set(pool.problem().producer(t)->index());
    return out;
}

PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlanColumn& column)
{
    PlanState::OpFlags out;
    for (const TensorId t : pool.set(column.set).sinks)
        if (!isIn(pool.retain(column.retain), t))
            out.set(pool.problem().producer(t)->index());
    return out;
}

PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const PlanColumn& column)
{
    prefix.columns.push_back(column);
    for (const OpId o : pool.set(column.set).ops)
        prefix.run.set(o.index());
    prefix.stored |= storedBy(pool, column);
    prefix.resident = column.retain;
    prefix.latency += column.latency;
    return prefix;
}

PlanFrame frameAround(const SubgraphPool& pool, const Plan& plan, std::size_t first, std::size_t count)
{
    PlanFrame out;
    RetainId before = 0;
    for (std::size_t i = 0; i < plan.entries.size(); ++i) {
        const PlanEntry& e = plan.entries[i];
        const PlanColumn column{e.set, before, e.retain, e.latency};
        before = e.retain;
        if (i < first) {
            out.before = extended(pool, std::move(out.before), column);
        } else if (i >= first + count) {
            if (i == first + count)
                out.residentAfter = column.resident;
            out.readAfter |= readBy(pool, column) & ~out.storedAfter;
            out.storedAfter |= storedBy(pool, column);
            for (const OpId o : pool.set(column.set).ops)
                out.runAfter.set(o.index());
        }
    }
    return out;
}

} // namespace tilewright
