// SPDX-License-Identifier: GPL-3.0-or-later
// All ways to put factors of one loop into the levels, if they need not divide
// (docs/rules/hierarchy.md 11.3).
#pragma once

#include "hierarchy/constraints.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tilewright::hierarchy {

/// A level P and the next level C inside it that holds an operand. For the MACs, C is the number of levels.
struct Hop
{
    std::size_t operand = 0, outer = 0, inner = 0;
};
[[nodiscard]] std::vector<Hop> hopsOf(const Architecture& architecture);

/// Least contribution of one loop to the traffic of an exchange: a factor of each product of
/// docs/rules/hierarchy.md 3. Steps of loops that do not index the operand count only if no loop order can
/// avoid them.
struct Share
{
    // Factors of the reads of P and the writes of C; for the written operand, of the writes of P and the
    // reads of C. For loops of a window they are numbers of tiles, which are kept separately.
    double outer = 1, inner = 1, outerTiles = 1, innerTiles = 1;
    /// For the written operand: number of visits, and largest possible number of first visits.
    double visited = 1, first = 1;

    void multiply(const Share& other) noexcept
    {
        outer *= other.outer;
        inner *= other.inner;
        outerTiles *= other.outerTiles;
        innerTiles *= other.innerTiles;
        visited *= other.visited;
        first *= other.first;
    }
    /// Lowers each member to the smaller one of both values.
    void limit(const Share& other) noexcept;
};

/// The factors of one loop at all places (a "chain").
struct Chain
{
    std::array<std::int64_t, kMaxLevels> temporal{}; ///< temporal factor of the loop at each level
    /// Factor of the loop on each axis. The axes of all levels form one list.
    std::vector<std::int64_t> spatial;
    std::array<std::int64_t, kMaxLevels> extents{}; ///< extent of the loop in the largest tile of each level
    std::array<double, kMaxLevels + 1> instances{}; ///< number of instances along this loop
    double steps = 1;                               ///< number of temporal steps
    std::vector<Share> shares;                      ///< one entry per hop
};

struct ChainList
{
    std::vector<Chain> list;
    bool complete = true; ///< false: there are more chains than listed
};

/// Lists the chains of a loop that satisfy the constraints and whose tiles fit if all other loops have extent
/// 1; at most `most`.
[[nodiscard]] ChainList listChains(const LoopNest& nest, const Architecture& architecture,
                                   const Constraints& constraints, const std::vector<Hop>& hops, int loop,
                                   std::size_t most);

} // namespace tilewright::hierarchy
