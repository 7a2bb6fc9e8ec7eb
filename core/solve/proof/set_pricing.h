// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "solve/proof/frontier_graph.h"
#include "solve/proof/tile_box_costs.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// The pricing problem of the set-cover bound: finds the subgraphs of a component with negative reduced cost
/// without listing the others. Branch and bound over tile sizes and over the paths of a FrontierGraph
/// (docs/rules/bound.md 4).
class SetPricing
{
public:
    /// A subgraph with its tensors in fast memory. All lists are ascending.
    struct Set
    {
        std::vector<OpId> ops;
        std::vector<TensorId> resident; ///< tensors that are in fast memory at the start
        std::vector<TensorId> retained; ///< results that are retained in fast memory
        bool operator==(const Set&) const = default;
    };
    using Keys = std::unordered_set<Digest, DigestHash>;
    /// Function that returns the key of a set. Sets with equal keys are interchangeable. Several threads call
    /// it at the same time.
    using KeyOf = std::function<Digest(const Set&)>;

    /// `ops` are the ops of the graph.
    SetPricing(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
               const FrontierGraph& graph);

    struct Limits
    {
        std::size_t sets = 0; ///< approximate maximum number of sets to find
        /// Approximate price of an op; it scales tolerances and the initial prices of fast memory.
        double unit = 1;
        std::function<double()> secondsLeft;
        std::size_t threads = 1;
    };
    struct Found
    {
        std::vector<Set> sets; ///< overpriced sets, one for each new key
        bool all = false;      ///< true if no other set has a negative reduced cost
    };
    /// Finds sets with a negative reduced cost. `prices` has the dual price of each row of the master
    /// problem.
    [[nodiscard]] Found find(const std::vector<double>& prices, const KeyOf& keyOf, const Keys& known,
                             const Limits& limits) const;
    /// Returns connected sets without resident or retained tensors: all sets of one op, all sets of two ops
    /// and so on, while the number of sets is at most `most`.
    [[nodiscard]] std::vector<Set> smallSets(std::size_t most) const;

private:
    /// All layers as one graph. Every arc leads to a state with a higher index.
    struct Paths
    {
        static constexpr std::uint32_t kEnd = std::numeric_limits<std::uint32_t>::max();
        struct Arc
        {
            std::uint32_t event;
            std::uint32_t to; ///< index of the next state, or kEnd
        };
        std::vector<std::uint32_t> first; ///< index of each state's first arc; last entry: number of arcs
        std::vector<Arc> arcs;
        std::vector<std::uint32_t> kinds; ///< kinds of the events on the arcs
    };
    class Search;

    const Problem& m_problem;
    BoxCosts m_costs;
    const std::vector<OpId>& m_ops;
    /// An event: one choice in some layer of the FrontierGraph.
    struct Event
    {
        const FrontierChoice* choice;
        OpId op;
        std::uint32_t kind; ///< kind of the event; events of one kind have equal costs
        bool adds;          ///< true if the event adds an op or a tensor to a set
    };
    void add(const Event& event, Set& set) const;
    std::vector<Event> m_events;
    std::vector<std::uint32_t> m_kinds; ///< for each kind, one of its events
    Paths m_paths;                      ///< paths of all sets
};

} // namespace tilewright
