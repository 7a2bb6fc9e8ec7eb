// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/set_pricing_search.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace tilewright {

/// From the last state to the first.
void SetPricing::Search::sweep(const Paths& paths)
{
    const std::size_t states = paths.first.size() - 1;
    m_least.resize(states);
    for (std::size_t s = states; s-- > 0;) {
        Lanes least;
        least.fill(std::numeric_limits<double>::infinity());
        for (std::uint32_t a = paths.first[s]; a < paths.first[s + 1]; ++a) {
            const Paths::Arc arc = paths.arcs[a];
            const Lanes sum = with(arc.event, arc.to == Paths::kEnd ? Lanes{} : m_least[arc.to]);
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                least[lane] = std::min(least[lane], sum[lane]);
        }
        m_least[s] = least;
    }
}

/// Those that may be worth their prices; what is not in smaller boxes either.
SetPricing::Paths SetPricing::Search::pruned(const Paths& paths)
{
    const std::size_t states = paths.first.size() - 1;
    Lanes never;
    never.fill(std::numeric_limits<double>::infinity());
    m_before.assign(states, never);
    m_before[0].fill(0);
    m_isUsed.assign(m_p.m_kinds.size(), 0);
    std::vector<std::uint32_t> number(states, Paths::kEnd);
    std::vector<std::uint32_t> kept;
    Paths out;
    const auto sum = [](const Lanes& a, const Lanes& b) {
        Lanes c;
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            c[lane] = a[lane] + b[lane];
        return c;
    };
    for (std::uint32_t s = 0; s < states; ++s) {
        if (!mayExceed(sum(m_before[s], m_least[s])))
            continue;
        number[s] = static_cast<std::uint32_t>(kept.size());
        kept.push_back(s);
        out.first.push_back(static_cast<std::uint32_t>(out.arcs.size()));
        for (std::uint32_t a = paths.first[s]; a < paths.first[s + 1]; ++a) {
            const Paths::Arc arc = paths.arcs[a];
            const Lanes here = with(arc.event, m_before[s]);
            if (!mayExceed(arc.to == Paths::kEnd ? here : sum(here, m_least[arc.to])))
                continue;
            out.arcs.push_back(arc);
            if (const std::uint32_t kind = m_p.m_events[arc.event].kind; m_isUsed[kind] == 0) {
                m_isUsed[kind] = 1;
                out.kinds.push_back(kind);
            }
            if (arc.to != Paths::kEnd)
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    m_before[arc.to][lane] = std::min(m_before[arc.to][lane], here[lane]);
        }
    }
    out.first.push_back(static_cast<std::uint32_t>(out.arcs.size()));
    for (Paths::Arc& arc : out.arcs)
        if (arc.to != Paths::kEnd)
            arc.to = number[arc.to];
    return out;
}

/// The set of the path that was walked; whether there may be more.
bool SetPricing::Search::take(std::vector<Taken>& out)
{
    Set set;
    for (const std::uint32_t event : m_path)
        m_p.add(m_p.m_events[event], set);
    std::ranges::sort(set.ops);
    std::ranges::sort(set.resident);
    std::ranges::sort(set.retained);
    const Digest key = m_keyOf(set);
    if (m_known.contains(key) || !m_taken.insert(key).second)
        return true;
    out.push_back({key, std::move(set)});
    return out.size() < m_mostSets;
}

bool SetPricing::Search::walk(const Paths& paths, const Node& node, std::vector<Taken>& out)
{
    if (++m_nodes > m_mostNodes)
        return false;
    for (std::uint32_t a = paths.first[node.state]; a < paths.first[node.state + 1]; ++a) {
        const Paths::Arc arc = paths.arcs[a];
        const BoxCosts::Terms& t = m_terms[m_p.m_events[arc.event].kind];
        Node next = node;
        next.state = arc.to;
        bool over = t.possible;
        for (std::size_t m = 0; m < BoxCosts::kMoments; ++m) {
            next.room[m] += t.room[m];
            over &= next.room[m] <= m_capacity;
        }
        if (!over)
            continue;
        for (std::size_t w = 0; w < kWeights; ++w)
            next.value[w] += kWeight[w] * t.compute + (1 - kWeight[w]) * t.memory - m_achieved[arc.event];
        if (arc.to == Paths::kEnd) {
            for (const double v : next.value)
                over &= v <= m_margin;
        } else {
            const Lanes& rest = m_least[arc.to];
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                over &= next.value[lane % kWeights] + rest[lane] -
                            m_roomPrice[lane] * (m_capacity - next.room[kMomentOf[lane / kWeights]]) <=
                        m_margin;
        }
        if (!over)
            continue;
        const bool adds = m_p.m_events[arc.event].adds;
        if (adds)
            m_path.push_back(arc.event);
        const bool goesOn = arc.to == Paths::kEnd ? take(out) : walk(paths, next, out);
        if (adds)
            m_path.pop_back();
        if (!goesOn)
            return false;
    }
    return true;
}

SetPricing::Search::Outcome SetPricing::Search::look(State& state, std::size_t mostNodes,
                                                     std::size_t mostSets, std::vector<Taken>& out)
{
    for (std::size_t lane = 0; lane < kLanes; ++lane)
        m_roomPrice[lane] = kTimes[lane / kWeights] * state.rooms[lane % kWeights] / m_capacity;
    for (const std::uint32_t kind : state.paths->kinds) {
        const Event& e = m_p.m_events[m_p.m_kinds[kind]];
        const BoxCosts::Terms t = m_terms[kind] = m_p.m_costs.of(*e.situation, e.op, state.box);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const double weight = kWeight[lane % kWeights];
            m_costs[kind][lane] = t.possible ? weight * t.compute + (1 - weight) * t.memory +
                                                   m_roomPrice[lane] * t.room[kMomentOf[lane / kWeights]]
                                             : std::numeric_limits<double>::infinity();
        }
    }
    sweep(*state.paths);
    const Lanes& least = m_least[0];
    if (!mayExceed(least))
        return Outcome::None;
    for (std::size_t w = 0; w < kWeights; ++w) {
        std::size_t best = 1;
        const auto at = [&](std::size_t room) {
            return least[room * kWeights + w] - m_roomPrice[room * kWeights + w] * m_capacity;
        };
        for (std::size_t r = 1; r < kFirstRooms; ++r)
            if (at(r) > at(best))
                best = r;
        state.rooms[w] *= kTimes[best];
    }
    m_mostNodes = m_nodes + mostNodes;
    m_mostSets = mostSets;
    if (walk(*state.paths, {}, out))
        return Outcome::All;
    if (out.size() >= mostSets)
        return Outcome::Some;
    for (const Taken& one : out) // to be found again in smaller boxes
        m_taken.erase(one.key);
    out.clear();
    state.paths = std::make_shared<const Paths>(pruned(*state.paths));
    return Outcome::TooMany;
}

} // namespace tilewright
