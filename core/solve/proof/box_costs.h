// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "eval/request_kinds.h"
#include "rules/rules.h"
#include "solve/proof/set_frontier.h"
#include "workload/problem.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

/// Tile sizes, both ends included.
struct TileBox
{
    std::int64_t w0, w1, h0, h1, k0, k1;
};

/// What the situations of a FrontierGraph add at least to any subgraph, whatever tiles of a box it has
/// (docs/rules/bound.md 4). Boxes inside another one never add less.
class BoxCosts
{
public:
    /// Room is looked at in the first step and in those that complete sinks of some depths.
    static constexpr std::size_t kMoments = 3;
    struct Terms
    {
        double compute = 0, memory = 0;      ///< time
        std::array<double, kMoments> room{}; ///< elements
        bool possible = true;
    };

    /// The graph is of these ops.
    BoxCosts(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
             const FrontierGraph& graph);

    [[nodiscard]] Terms of(const FrontierSituation& s, OpId o, const TileBox& box) const;
    /// Situations with equal ones add the same in every box.
    [[nodiscard]] Digest kindOf(const FrontierSituation& s, OpId o) const;
    /// All tiles that R4.1 and R4.2 allow.
    [[nodiscard]] TileBox all() const;
    /// Cuts a box in two; false for one tile size.
    [[nodiscard]] bool split(const TileBox& box, TileBox& low, TileBox& high) const;

private:
    [[nodiscard]] double computeOf(OpId o, const FrontierSituation& s, const TileBox& box) const;

    const Problem& m_problem;
    const Rules& m_rules;
    const FrontierGraph& m_graph;
    std::vector<SpatialAxes> m_spatial;
    std::vector<std::int64_t> m_reductions;   ///< ascending
    std::int64_t m_widest = 1, m_highest = 1; ///< results
    /// Of the steps whose room is looked at: 0 the first one, else those that complete sinks of this depth.
    std::array<std::int64_t, kMoments> m_depthOf{};
};

} // namespace tilewright
