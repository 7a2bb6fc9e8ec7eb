// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "solve/proof/box_costs.h"
#include "solve/proof/set_frontier.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// Finds the op sets of a component that prices exceed, without listing the others (docs/rules/bound.md 4).
class SetPricing
{
public:
    /// Each list ascending.
    struct Set
    {
        std::vector<OpId> ops;
        std::vector<TensorId> stayIn;  ///< in fast memory before it
        std::vector<TensorId> stayOut; ///< results that are kept there
        bool operator==(const Set&) const = default;
    };
    using Keys = std::unordered_set<Digest, DigestHash>;
    /// Sets with the same key are the same, or as good as; asked by several threads at once.
    using KeyOf = std::function<Digest(const Set&)>;

    /// The graph is of these ops.
    SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
               const FrontierGraph& graph);

    struct Limits
    {
        std::size_t sets = 0; ///< as many are found at most
        double unit = 1;      ///< what one op is worth, about
        std::function<double()> secondsLeft;
        std::size_t threads = 1;
    };
    struct Found
    {
        std::vector<Set> sets; ///< those that the prices may exceed, one for each key that is not known
        bool all = false;
    };
    /// The prices: by row of the graph's situations.
    [[nodiscard]] Found find(const std::vector<double>& prices, const KeyOf& keyOf, const Keys& known,
                             const Limits& limits) const;
    /// Connected sets of few ops: of one, and of two and so on as far as all these are no more than that.
    /// Nothing stays.
    [[nodiscard]] std::vector<Set> smallSets(std::size_t most) const;
    /// What this set costs at least, as finely as find() sees it.
    [[nodiscard]] double leastOf(const Set& set) const;

private:
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
        std::vector<std::uint32_t> kinds; ///< of the events on them
    };
    class Search;

    const Problem& m_problem;
    BoxCosts m_costs;
    const std::vector<OpId>& m_ops;
    /// What happens at one op, of all layers one after the other.
    struct Event
    {
        const FrontierSituation* situation;
        OpId op;
        std::uint32_t kind; ///< of what it costs
        bool adds;          ///< something to a set
    };
    void add(const Event& event, Set& set) const;
    std::vector<Event> m_events;
    std::vector<std::uint32_t> m_kinds; ///< by kind: an event
    Paths m_paths;                      ///< all
};

} // namespace tilewright
