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

/// A level P and the next level C inside it that holds an operand; C is the number of levels for the MACs.
struct Hop
{
    std::size_t operand = 0, outer = 0, inner = 0;
};
[[nodiscard]] std::vector<Hop> hopsOf(const Architecture& architecture);

/// The least that a loop contributes to what an exchange moves: a factor of each product of
/// docs/rules/hierarchy.md 3. Steps of loops that do not index the operand count if no order can drop them.
struct Share
{
    // Reads of P and writes of C, for the written operand writes of P and reads of C. Those of loops of a
    // window are numbers of tiles, and stand apart.
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
    /// Lowers each member to the lesser of both values.
    void limit(const Share& other) noexcept;
};

/// The factors of one loop at all places.
struct Chain
{
    std::array<std::int64_t, kMaxLevels> temporal{}; ///< factor of the loop at each level
    /// Factor of the loop on each axis; the axes of all levels form one list.
    std::vector<std::int64_t> spatial;
    std::array<std::int64_t, kMaxLevels> extents{}; ///< extents of the largest tile of each level
    std::array<double, kMaxLevels + 1> instances{}; ///< along this loop
    double steps = 1;                               ///< temporal ones
    std::vector<Share> shares;                      ///< one entry for each hop
};

struct ChainList
{
    std::vector<Chain> list;
    bool complete = true; ///< false: there are more
};

/// The chains of a loop that keep the constraints and whose tiles fit, with the other loops at 1; at most
/// `most`.
[[nodiscard]] ChainList listChains(const LoopNest& nest, const Architecture& architecture,
                                   const Constraints& constraints, const std::vector<Hop>& hops, int loop,
                                   std::size_t most);

} // namespace tilewright::hierarchy
