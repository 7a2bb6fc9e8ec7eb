// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/box_costs.h"
#include "solve/set_frontier.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// Finds the op sets of a component that prices exceed, without listing the others (docs/rules/bound.md 8).
class SetPricing
{
public:
    using OpBits = std::uint64_t; ///< by place in the ops of the component
    struct Set
    {
        OpBits ops = 0;
        OpBits stayIn = 0;  ///< by place in inputs(): in fast memory before it
        OpBits stayOut = 0; ///< results that are kept there
        bool operator==(const Set&) const = default;
    };
    struct SetHash
    {
        std::size_t operator()(const Set& s) const noexcept
        {
            std::uint64_t h = s.ops * 0x9E3779B97F4A7C15;
            h = (h ^ (h >> 31) ^ s.stayIn) * 0xBF58476D1CE4E5B9;
            h = (h ^ (h >> 30) ^ s.stayOut) * 0x94D049BB133111EB;
            return h ^ (h >> 31);
        }
    };
    using Known = std::unordered_set<Set, SetHash>;

    /// The ops: at most 64, in topological order; the graph is of them.
    SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
               const FrontierGraph& graph);

    /// Whether sets can be told apart: no more than 64 tensors may be there before one.
    [[nodiscard]] bool covers() const noexcept { return m_inputs.size() <= kMostInputs; }

    struct Limits
    {
        std::size_t sets = 0; ///< as many are found at most
        std::function<double()> secondsLeft;
        std::size_t threads = 1;
    };
    struct Found
    {
        std::vector<Set> sets; ///< those that the prices may exceed, but for those that are known
        bool all = false;
    };
    /// The prices: by row of the graph's situations.
    [[nodiscard]] Found find(const std::vector<double>& prices, const Known& known,
                             const Limits& limits) const;
    /// Connected sets of few ops: of one, of two and so on, as far as these are no more than that. Nothing
    /// stays.
    [[nodiscard]] std::vector<Set> smallSets(std::size_t most) const;
    /// What this set costs at least, as finely as find() sees it.
    [[nodiscard]] double leastOf(const Set& set) const;
    /// Tensors that may be in fast memory before a set of these ops.
    [[nodiscard]] const std::vector<TensorId>& inputs() const noexcept { return m_inputs; }

private:
    static constexpr std::size_t kMostInputs = 64;
    /// Sets as paths from the first state; every arc leads to a state with a higher number.
    struct Paths
    {
        static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
        struct Arc
        {
            std::uint32_t event;
            std::uint32_t to; ///< or kEnd
        };
        std::vector<std::uint32_t> first; ///< by state: its arcs; one more
        std::vector<Arc> arcs;
    };
    class Search;

    const Problem& m_problem;
    BoxCosts m_costs;
    std::vector<std::uint32_t> m_placeOf; ///< by op
    std::vector<OpBits> m_near;           ///< by bit: ops that touch a common tensor
    std::vector<TensorId> m_inputs;
    /// What happens at one op, of all layers one after the other.
    struct Event
    {
        const FrontierSituation* situation;
        OpId op;
        Set adds;
    };
    std::vector<Event> m_events;
    Paths m_paths; ///< all
};

} // namespace tilewright
