// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/combine_columns.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tilewright {

namespace {

using OpFlags = PlanColumns::OpFlags;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

constexpr double kAhead = 0.7; ///< of the levels got to
constexpr std::size_t kMostStarts = 12;
constexpr std::size_t kMostAhead = 4; ///< columns of a start

struct Item
{
    OpFlags runs, reads, stores;
    PlanColumn column;
};

struct State : PlanState
{
    bool guided = false;
    std::uint32_t parent = kNone;
    std::uint32_t item = kNone;
    double cost = 0;
    double least = 0; ///< of any plan that goes on from here
};

class Beam
{
public:
    Beam(const PlanColumns& columns, const CombineOptions& options)
        : m_columns(columns), m_options(options), m_limit(options.limit)
    {
        m_prefix = options.prefix != nullptr ? *options.prefix : columns.frame().before;
        const double most = options.limit - m_prefix.latency - columns.value();
        for (const PlanColumn& c : columns.columns()) {
            if (!(c.latency - columns.price(c) <= most))
                continue;
            Item item{{}, readBy(columns.pool(), c), storedBy(columns.pool(), c), c};
            for (const OpId o : columns.pool().set(c.set).ops)
                item.runs.set(o.index());
            m_byResident[c.resident].push_back(static_cast<std::uint32_t>(m_items.size()));
            m_items.push_back(item);
        }
        const Problem& problem = columns.pool().problem();
        for (const TensorId t : problem.graphOutputs())
            if (const std::optional<OpId> o = problem.producer(t))
                m_goal.set(o->index());
        m_goal = (m_goal & ~columns.frame().storedAfter) | columns.frame().readAfter;
        follow(options.guide);
    }

    CombinedColumns run()
    {
        m_states.push_back({m_prefix, !m_guide.empty(), kNone, kNone, m_prefix.latency, 0});
        std::vector<std::vector<std::uint32_t>> levels{{0}};
        while (!levels.back().empty() && m_options.keepGoing())
            levels.push_back(next(levels.back(), levels.size() - 1));
        CombinedColumns out;
        for (const Found& found : m_found) {
            Plan& plan = out.plans.emplace_back();
            for (const PlanColumn& c : m_prefix.columns)
                plan.entries.push_back({c.set, c.retain});
            for (const PlanColumn& c : columnsOf(found.state))
                plan.entries.push_back({c.set, c.retain});
        }
        if (out.plans.empty())
            out.ahead = ahead(levels);
        return out;
    }

private:
    /// By the most promising ones not of the last level, but of one before: what those lack shows late. Then
    /// others that look good from the start.
    std::vector<std::vector<PlanColumn>> ahead(const std::vector<std::vector<std::uint32_t>>& levels) const
    {
        const auto depth = static_cast<std::size_t>(kAhead * static_cast<double>(levels.size() - 1));
        const std::size_t first = std::min(kMostAhead, (depth + 3) / 4);
        std::vector<std::uint32_t> starts;
        const auto add = [&](std::uint32_t state) {
            if (starts.size() < kMostStarts && !m_states[state].guided && m_states[state].item != kNone &&
                std::ranges::find(starts, state) == starts.end() && !m_options.isVisited(m_states[state]))
                starts.push_back(state);
        };
        for (std::uint32_t state : byLeast(levels[depth])) {
            for (std::size_t d = depth; d > first; --d)
                state = m_states[state].parent;
            add(state);
        }
        for (const std::uint32_t state : byLeast(levels[first]))
            add(state);
        std::vector<std::vector<PlanColumn>> out;
        out.reserve(starts.size());
        for (const std::uint32_t state : starts)
            out.push_back(columnsOf(state));
        return out;
    }

    [[nodiscard]] std::vector<std::uint32_t> byLeast(std::vector<std::uint32_t> level) const
    {
        std::ranges::stable_sort(level, {}, [&](std::uint32_t i) { return m_states[i].least; });
        return level;
    }

    struct Found
    {
        double cost;
        std::uint32_t state;
    };
    [[nodiscard]] std::vector<PlanColumn> columnsOf(std::uint32_t state) const
    {
        std::vector<PlanColumn> out;
        for (; m_states[state].item != kNone; state = m_states[state].parent)
            out.push_back(m_items[m_states[state].item].column);
        std::ranges::reverse(out);
        return out;
    }

    void keep(const State& state)
    {
        const Found found{state.cost, static_cast<std::uint32_t>(m_states.size())};
        m_states.push_back(state);
        m_found.insert(std::ranges::upper_bound(m_found, found.cost, {}, &Found::cost), found);
        if (m_found.size() > m_options.plans)
            m_found.pop_back();
        if (m_found.size() == m_options.plans)
            m_limit = m_found.back().cost;
    }

    void follow(std::span<const PlanEntry> entries)
    {
        RetainId before = m_prefix.resident;
        for (const PlanEntry& e : entries) {
            const auto isOf = [&](const Item& i) { return i.column == PlanColumn{e.set, before, e.retain}; };
            const auto it = std::ranges::find_if(m_items, isOf);
            if (it == m_items.end())
                return;
            m_guide.push_back(static_cast<std::uint32_t>(it - m_items.begin()));
            before = e.retain;
        }
    }

    std::vector<std::uint32_t> next(const std::vector<std::uint32_t>& level, std::size_t depth)
    {
        m_next.clear();
        m_index.clear();
        for (const std::uint32_t from : level) {
            const auto fitting = m_byResident.find(m_states[from].resident);
            if (fitting == m_byResident.end())
                continue;
            for (const std::uint32_t i : fitting->second)
                extend(from, i, depth);
        }
        if (m_next.size() > m_options.width) {
            const auto end = m_next.begin() + static_cast<std::ptrdiff_t>(m_options.width);
            std::ranges::nth_element(m_next, end, {}, [](const State& s) {
                return s.guided ? -std::numeric_limits<double>::infinity() : s.least;
            });
            m_next.erase(end, m_next.end());
        }
        std::vector<std::uint32_t> out;
        for (const State& s : m_next) {
            m_seen[s] = s.cost;
            out.push_back(static_cast<std::uint32_t>(m_states.size()));
            m_states.push_back(s);
        }
        return out;
    }

    void extend(std::uint32_t from, std::uint32_t with, std::size_t depth)
    {
        const State& state = m_states[from];
        const Item& item = m_items[with];
        if ((item.reads & ~state.stored).any() ||
            ((item.stores & ~state.stored).none() && item.column.retain == 0))
            return;
        State out{{state.run | item.runs, state.stored | item.stores, item.column.retain},
                  false,
                  from,
                  with,
                  state.cost + item.column.latency,
                  0};
        out.guided = state.guided && depth < m_guide.size() && m_guide[depth] == with;
        if (out.cost >= m_limit)
            return;
        if ((m_goal & ~out.stored).none() && out.resident == m_columns.frame().residentAfter) {
            if (!out.guided)
                keep(out);
            return;
        }
        if (const auto it = m_seen.find(out); it != m_seen.end() && it->second <= out.cost && !out.guided)
            return;
        out.least = out.cost + m_columns.rest(out.run, out.stored, out.resident);
        if (out.least >= m_limit && !out.guided)
            return;
        const auto [it, isNew] = m_index.try_emplace(out, m_next.size());
        if (isNew) {
            m_next.push_back(out);
            return;
        }
        State& other = m_next[it->second];
        out.guided |= other.guided;
        if (out.cost < other.cost)
            other = out;
        else
            other.guided = out.guided;
    }

    const PlanColumns& m_columns;
    const CombineOptions& m_options;
    PlanPrefix m_prefix;
    std::vector<Item> m_items;
    std::unordered_map<RetainId, std::vector<std::uint32_t>> m_byResident;
    std::vector<std::uint32_t> m_guide; ///< items
    OpFlags m_goal;
    std::vector<State> m_states;
    std::vector<State> m_next;
    std::unordered_map<PlanState, std::size_t, PlanState::Hash> m_index; ///< into m_next
    std::unordered_map<PlanState, double, PlanState::Hash> m_seen;       ///< cost of what has gone on
    double m_limit;
    std::vector<Found> m_found; ///< the best first
};

} // namespace

CombinedColumns combineColumns(const PlanColumns& columns, const CombineOptions& options)
{
    return Beam(columns, options).run();
}

} // namespace tilewright
