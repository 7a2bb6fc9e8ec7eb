// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/hash.h"
#include "eval/lower_bound.h"
#include "solve/proof/frontier_graph.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright {

/// A range of tile widths, heights and depths (k), both ends included.
struct TileBox
{
    std::int64_t w0, w1, h0, h1, k0, k1;
};

/// Lower bounds of the compute, traffic and fast memory that a FrontierChoice adds to a subgraph with a tile
/// size in a box (docs/rules/bound.md 4). The bounds of the choices on a path add up. The bounds of a box
/// that lies inside another one are never lower.
class BoxCosts
{
public:
    /// Number of steps whose fast memory is compared with the capacity: the first step, and the steps that
    /// complete sinks of the two largest reductions.
    static constexpr std::size_t kMoments = 3;
    struct Terms
    {
        double compute = 0, memory = 0;            ///< compute time, memory time
        std::array<double, kMoments> fastMemory{}; ///< fast memory at each moment, in elements
        bool possible = true;
    };

    /// `ops` are the ops of the graph.
    BoxCosts(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
             const FrontierGraph& graph);

    [[nodiscard]] Terms of(const FrontierChoice& s, OpId o, const TileBox& box) const;
    /// Digest that is equal for choices with the same bounds in every box.
    [[nodiscard]] Digest kindOf(const FrontierChoice& s, OpId o) const;
    /// Returns the box of all tiles that R4.1 and R4.2 allow.
    [[nodiscard]] TileBox all() const;
    /// Splits a box in two. Returns false for a single tile size.
    [[nodiscard]] bool split(const TileBox& box, TileBox& low, TileBox& high) const;

private:
    [[nodiscard]] double computeOf(OpId o, const FrontierChoice& s, const TileBox& box) const;

    const Problem& m_problem;
    const Rules& m_rules;
    const FrontierGraph& m_graph;
    std::vector<SpatialAxes> m_spatial;
    std::vector<std::int64_t> m_reductions;   ///< reduction sizes, ascending
    std::int64_t m_widest = 1, m_highest = 1; ///< largest width and height of the results
    /// For each moment: 0 for the first step, otherwise the depth of the sinks that the step completes.
    std::array<std::int64_t, kMoments> m_depthOf{};
};

} // namespace tilewright
