// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

namespace tilewright {

/// Tiles along each axis (R5.1).
struct TileGrid
{
    std::int64_t rows = 0;
    std::int64_t cols = 0;
    [[nodiscard]] std::int64_t tiles() const noexcept { return rows * cols; }
    bool operator==(const TileGrid&) const = default;
};
/// R5.1 for ops that pass checkFormat().
[[nodiscard]] TileGrid tileGrid(const Problem& problem, std::span<const OpId> ops,
                                const Granularity& granularity);

/// R2.2 (FORMAT, GRANULARITY, RETAIN), in its order; at most one Issue per code.
[[nodiscard]] std::vector<Issue> checkFormat(const Problem& problem, const Subgraph& subgraph, SubgraphId id);

/// R4.1 to R4.7 and R5.3 in their order, at most one Issue per code; the subgraph passes checkFormat().
[[nodiscard]] std::vector<Issue> checkStructure(const Problem& problem, const Subgraph& subgraph,
                                                SubgraphId id, const Rules& rules);

} // namespace tilewright
