// SPDX-License-Identifier: GPL-3.0-or-later
// What the units of a core wait for (docs/rules/run.md 2.2).
#include "run/run_core.h"

#include <algorithm>

namespace tilewright {

void RunCore::wait(Ticks next)
{
    for (std::size_t u = 0; u < kRunUnits; ++u)
        if (const auto unit = static_cast<RunUnit>(u); !isBusy(unit))
            m_shared.record.wait(m_core, unit, waitOf(unit), m_shared.now, next);
}

bool RunCore::isBusy(RunUnit unit) const
{
    switch (unit) {
    case RunUnit::Array:
        return m_running[kArray].has_value();
    case RunUnit::Vector:
        return m_running[kVector].has_value();
    case RunUnit::Load:
        return m_loading.has_value();
    case RunUnit::Store:
        return m_storing.has_value();
    }
    return false;
}

RunRecord::Wait RunCore::waitOf(RunUnit unit) const
{
    switch (unit) {
    case RunUnit::Array:
    case RunUnit::Vector: {
        const auto& queue = m_queue[unit == RunUnit::Array ? kArray : kVector];
        return queue.empty() ? RunRecord::Wait{m_held} : waitOfRun(queue.front());
    }
    case RunUnit::Load:
        return m_queue[kLoad].empty() ? RunRecord::Wait{m_held} : waitOfLoad(m_queue[kLoad].front());
    case RunUnit::Store:
        return waitOfStore();
    }
    return {};
}

/// The wait for commands of other cores that compute a resident tensor.
std::optional<RunRecord::Wait> RunCore::waitOfOrigin(const Command& c) const
{
    for (const Origin& o : c.origins)
        if (!isComplete(o))
            return o.kept ? RunRecord::Wait{RunWait::Load, {}, o.tensor}
                          : RunRecord::Wait{RunWait::Run, m_problem.producer(o.tensor), {}};
    return {};
}

RunRecord::Wait RunCore::waitOfRun(const Command& run) const
{
    if (run.needs[kLoad] > m_ended[kLoad])
        return {RunWait::Load, {}, command(kLoad, run.needs[kLoad]).what.tensor};
    for (const Queue q : {kArray, kVector})
        if (run.needs[q] > m_ended[q])
            return {RunWait::Run, command(q, run.needs[q]).what.op, {}};
    return waitOfOrigin(run).value_or(RunRecord::Wait{});
}

RunRecord::Wait RunCore::waitOfLoad(const Command& load) const
{
    if (load.what.network)
        return waitOfOrigin(load).value_or(RunRecord::Wait{RunWait::Channel});
    if (m_shared.channel)
        return {RunWait::Channel};
    for (const std::uint32_t gate : load.gates)
        if (!m_shared.isOpen(gate))
            return {RunWait::Store, {}, m_shared.gates[gate].tensor};
    return {RunWait::Channel};
}

RunRecord::Wait RunCore::waitOfStore() const
{
    if (!m_stores.empty() && m_shared.channel)
        return {RunWait::Channel};
    for (const Queue q : {kArray, kVector})
        // With prefetch 0, stores wait until all runs of the step have ended.
        if (!m_stores.empty() && m_running[q])
            return {RunWait::Run, m_queue[q].front().what.op, {}};
    for (const StepState& s : m_steps)
        if (s.incomplete > 0) {
            const auto next =
                std::find_if(s.tiles.begin(), s.tiles.end(), [](const Store& x) { return !x.isComplete; });
            return {RunWait::Run, m_problem.producer(*next->what.tensor), {}};
        }
    return {m_held};
}

} // namespace tilewright
