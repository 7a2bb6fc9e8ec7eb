// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/digest.h"
#include "eval/request_kinds.h"
#include "rules/rules.h"
#include "solve/proof/frontier_graph.h"
#include "workload/problem.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

/// A range of tile widths, heights and depths, both ends included.
struct TileBox
{
    std::int64_t w0, w1, h0, h1, k0, k1;
};

/// Lower bounds on what one situation of a FrontierGraph adds to the compute, traffic and room of any
/// subgraph whose tile size lies in a box (docs/rules/bound.md 4). They add up along a path, and a box inside
/// another one never gives less.
class BoxCosts
{
public:
    /// Steps whose room is compared with the capacity: the first one, and those that complete sinks of the
    /// two largest reductions.
    static constexpr std::size_t kMoments = 3;
    struct Terms
    {
        double compute = 0, memory = 0;      ///< time
        std::array<double, kMoments> room{}; ///< elements
        bool possible = true;
    };

    /// `ops`: those of the graph.
    BoxCosts(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
             const FrontierGraph& graph);

    [[nodiscard]] Terms of(const FrontierSituation& s, OpId o, const TileBox& box) const;
    /// Equal for situations that add the same in every box.
    [[nodiscard]] Digest kindOf(const FrontierSituation& s, OpId o) const;
    /// The box of all tiles that R4.1 and R4.2 allow.
    [[nodiscard]] TileBox all() const;
    /// Cuts a box in two; false for a single tile size.
    [[nodiscard]] bool split(const TileBox& box, TileBox& low, TileBox& high) const;

private:
    [[nodiscard]] double computeOf(OpId o, const FrontierSituation& s, const TileBox& box) const;

    const Problem& m_problem;
    const Rules& m_rules;
    const FrontierGraph& m_graph;
    std::vector<SpatialAxes> m_spatial;
    std::vector<std::int64_t> m_reductions;   ///< ascending
    std::int64_t m_widest = 1, m_highest = 1; ///< of the results
    /// By moment: 0 for the first step, else the depth of the sinks that the step completes.
    std::array<std::int64_t, kMoments> m_depthOf{};
};

} // namespace tilewright
