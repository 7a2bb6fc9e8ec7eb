// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_traffic.h"

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr std::int64_t kMostSteps = 200'000; // of one subgraph; beyond it its lines carry no figures
}

GraphTraffic TrafficMemory::count(const Snapshot& snapshot, std::stop_token stop)
{
    const auto& subgraphs = snapshot.schedule.subgraphs;
    const Rules& rules = snapshot.evaluation.rules;
    std::unordered_multimap<const Subgraph*, Entry> next;
    GraphTraffic out(subgraphs.size());
    for (std::size_t i = 0; i < subgraphs.size() && !stop.stop_requested(); ++i) {
        const auto resident = snapshot.residentBefore(SubgraphId(i));
        const auto [first, last] = m_entries.equal_range(subgraphs[i].get());
        const auto known = std::find_if(first, last, [&](const auto& item) {
            return item.second.rules == rules && std::ranges::equal(item.second.resident, resident);
        });
        if (known != last) {
            out[i] = known->second.traffic;
            next.insert(m_entries.extract(known));
            continue;
        }
        ++m_counted;
        out[i].emplace();
        const auto& evaluations = snapshot.evaluation.subgraphs;
        if (i < evaluations.size() && evaluations[i].structurallyValid && evaluations[i].steps <= kMostSteps)
            if (auto figures =
                    tensorTraffic(*snapshot.problem, *subgraphs[i], resident, rules, kMostSteps, stop))
                out[i] = std::move(*figures);
        if (!stop.stop_requested())
            next.emplace(subgraphs[i].get(),
                         Entry{subgraphs[i], {resident.begin(), resident.end()}, rules, *out[i]});
    }
    if (stop.stop_requested())
        next.merge(m_entries); // what was not looked at may be wanted next time
    m_entries = std::move(next);
    return out;
}

} // namespace tilewright::ui
