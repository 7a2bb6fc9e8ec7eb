// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/columns/combine_columns.h"

#include <cstdint>

namespace tilewright {

namespace {

using OpFlags = MasterProblem::OpFlags;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// Level of the beam, as a share of all levels, from which CombinedColumns::extensions takes its states.
constexpr double kExtensionLevel = 0.7;
constexpr std::size_t kMaxExtensions = 12;
/// Maximum number of columns in one element of CombinedColumns::extensions.
constexpr std::size_t kMaxExtensionColumns = 4;

struct State : PlanState
{
    bool guided = false;
    std::uint32_t parent = kNone;
    std::uint32_t column = kNone; ///< index of the last column on the path to this state
    double cost = 0;
    /// Estimated latency of plans through this state: `cost` plus the dual prices of the remaining rows.
    double estimate = 0;
};

class Beam
{
public:
    Beam(const MasterProblem& master, const CombineOptions& options)
        : m_master(master), m_options(options), m_limit(options.limit)
    {
        m_prefix = options.prefix != nullptr ? *options.prefix : master.fixed().before;
        const double gap = options.limit - m_prefix.latency - master.value();
        for (const MasterProblem::Column& c : master.columns())
            if (master.reducedCost(c) <= gap) {
                m_byResident[c.resident].push_back(static_cast<std::uint32_t>(m_columns.size()));
                m_columns.push_back(c);
            }
        const Problem& problem = master.pool().problem();
        for (const TensorId t : problem.graphOutputs())
            if (const std::optional<OpId> o = problem.producer(t))
                m_goal.set(o->index());
        m_goal = (m_goal & ~master.fixed().storedAfter) | master.fixed().readAfter;
        setGuide(options.guide);
    }

    CombinedColumns run()
    {
        m_states.push_back({m_prefix, !m_guide.empty(), kNone, kNone, m_prefix.latency, 0});
        std::vector<std::vector<std::uint32_t>> levels{{0}};
        while (!levels.back().empty() && m_options.keepGoing())
            levels.push_back(nextLevel(levels.back(), levels.size() - 1));
        CombinedColumns out;
        for (const Found& found : m_found) {
            Plan& plan = out.plans.emplace_back(Plan{m_prefix.columns});
            const std::vector<CostedSet> own = columnsOf(found.state);
            plan.entries.insert(plan.entries.end(), own.begin(), own.end());
        }
        if (out.plans.empty())
            out.extensions = extensions(levels);
        return out;
    }

private:
    /// Returns sequences of columns for the start of the stretch, the most promising first. A sequence is
    /// promising if it leads to a state with a small estimate at a late level of the beam (kExtensionLevel),
    /// because a bad choice raises the estimates only some levels later. Sequences to the other states of
    /// level `first` follow.
    std::vector<std::vector<CostedSet>>
    extensions(const std::vector<std::vector<std::uint32_t>>& levels) const
    {
        const auto depth = static_cast<std::size_t>(kExtensionLevel * static_cast<double>(levels.size() - 1));
        const std::size_t first = std::min(kMaxExtensionColumns, (depth + 3) / 4);
        std::vector<std::uint32_t> starts;
        const auto add = [&](std::uint32_t state) {
            if (starts.size() < kMaxExtensions && !m_states[state].guided &&
                m_states[state].column != kNone && !isIn(state, starts) &&
                !m_options.isVisited(m_states[state]))
                starts.push_back(state);
        };
        for (std::uint32_t state : byEstimate(levels[depth])) {
            for (std::size_t d = depth; d > first; --d)
                state = m_states[state].parent;
            add(state);
        }
        for (const std::uint32_t state : byEstimate(levels[first]))
            add(state);
        std::vector<std::vector<CostedSet>> out;
        out.reserve(starts.size());
        for (const std::uint32_t state : starts)
            out.push_back(columnsOf(state));
        return out;
    }

    [[nodiscard]] std::vector<std::uint32_t> byEstimate(std::vector<std::uint32_t> level) const
    {
        std::ranges::stable_sort(level, {}, [&](std::uint32_t i) { return m_states[i].estimate; });
        return level;
    }

    struct Found
    {
        double cost;
        std::uint32_t state;
    };
    [[nodiscard]] std::vector<CostedSet> columnsOf(std::uint32_t state) const
    {
        std::vector<CostedSet> out;
        for (; m_states[state].column != kNone; state = m_states[state].parent)
            out.push_back(m_columns[m_states[state].column]);
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

    void setGuide(std::span<const CostedSet> entries)
    {
        for (const CostedSet& e : entries) {
            const auto it = std::ranges::find(m_columns, static_cast<const PlannedSet&>(e));
            if (it == m_columns.end())
                return;
            m_guide.push_back(static_cast<std::uint32_t>(it - m_columns.begin()));
        }
    }

    std::vector<std::uint32_t> nextLevel(const std::vector<std::uint32_t>& level, std::size_t depth)
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
                return s.guided ? -std::numeric_limits<double>::infinity() : s.estimate;
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
        const MasterProblem::Column& column = m_columns[with];
        if ((column.reads & ~state.stored).any() ||
            ((column.stores & ~state.stored).none() && column.retain == 0))
            return;
        State out{{state.run | column.runs, state.stored | column.stores, column.retain},
                  false,
                  from,
                  with,
                  state.cost + column.latency,
                  0};
        out.guided = state.guided && depth < m_guide.size() && m_guide[depth] == with;
        if (out.cost >= m_limit)
            return;
        if ((m_goal & ~out.stored).none() && out.resident == m_master.fixed().residentAfter) {
            if (!out.guided)
                keep(out);
            return;
        }
        if (const auto it = m_seen.find(out); it != m_seen.end() && it->second <= out.cost && !out.guided)
            return;
        out.estimate = out.cost + m_master.priceOfRest(out);
        if (out.estimate >= m_limit && !out.guided)
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

    const MasterProblem& m_master;
    const CombineOptions& m_options;
    PlanPrefix m_prefix;
    /// Columns whose reduced cost is small enough for plans below the limit.
    std::vector<MasterProblem::Column> m_columns;
    std::unordered_map<RetainId, std::vector<std::uint32_t>> m_byResident;
    std::vector<std::uint32_t> m_guide; ///< indices of the columns of CombineOptions::guide
    OpFlags m_goal;
    std::vector<State> m_states;
    std::vector<State> m_next;
    std::unordered_map<PlanState, std::size_t, PlanState::Hash> m_index; ///< index of each state in m_next
    std::unordered_map<PlanState, double, PlanState::Hash> m_seen; ///< cost at which each state was expanded
    double m_limit;
    std::vector<Found> m_found; ///< the plans found, best first
};

} // namespace

CombinedColumns combineColumns(const MasterProblem& master, const CombineOptions& options)
{
    return Beam(master, options).run();
}

} // namespace tilewright
