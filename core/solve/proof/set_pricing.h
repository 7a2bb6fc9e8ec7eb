// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "solve/proof/frontier_graph.h"
#include "solve/proof/tile_box_costs.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// The pricing problem of the set-cover bound: finds the subgraphs of a component with a negative reduced
/// cost (those whose latency the prices of what they achieve exceed) without listing the others, by branch
/// and bound over tile sizes and paths of a FrontierGraph (docs/rules/bound.md 4).
class SetPricing
{
public:
    /// A subgraph with what is in fast memory. Each list ascending.
    struct Set
    {
        std::vector<OpId> ops;
        std::vector<TensorId> resident; ///< found in fast memory
        std::vector<TensorId> retained; ///< results that stay in fast memory
        bool operator==(const Set&) const = default;
    };
    using Keys = std::unordered_set<Digest, DigestHash>;
    /// Sets with the same key are the same, or as good as; demand by several threads at once.
    using KeyOf = std::function<Digest(const Set&)>;

    /// `ops`: those of the graph.
    SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
               const FrontierGraph& graph);

    struct Limits
    {
        std::size_t sets = 0; ///< found, at most (about)
        double unit = 1;      ///< rough price of an op
        std::function<double()> secondsLeft;
        std::size_t threads = 1;
    };
    struct Found
    {
        std::vector<Set> sets; ///< one for each key that is not known
        bool all = false;      ///< no other set has a negative reduced cost
    };
    /// `prices`: by row of the master problem.
    [[nodiscard]] Found find(const std::vector<double>& prices, const KeyOf& keyOf, const Keys& known,
                             const Limits& limits) const;
    /// Connected sets of one op, of two and so on, as long as they are at most so many. Nothing is resident
    /// or retained.
    [[nodiscard]] std::vector<Set> smallSets(std::size_t most) const;

private:
    /// The graph of all layers together; every arc leads to a state with a higher number.
    struct Paths
    {
        static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
        struct Arc
        {
            std::uint32_t event;
            std::uint32_t to; ///< or kEnd
        };
        std::vector<std::uint32_t> first; ///< by state: its first arc; one more entry
        std::vector<Arc> arcs;
        std::vector<std::uint32_t> kinds; ///< of the events on them
    };
    class Search;

    const Problem& m_problem;
    BoxCosts m_costs;
    const std::vector<OpId>& m_ops;
    /// A situation of some layer.
    struct Event
    {
        const FrontierSituation* situation;
        OpId op;
        std::uint32_t kind; ///< events of a kind cost the same
        bool adds;          ///< it adds an op or a tensor to a set
    };
    void add(const Event& event, Set& set) const;
    std::vector<Event> m_events;
    std::vector<std::uint32_t> m_kinds; ///< by kind: one of its events
    Paths m_paths;                      ///< of all sets
};

} // namespace tilewright
