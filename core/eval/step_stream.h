// SPDX-License-Identifier: GPL-3.0-or-later
// The steps of a subgraph, cut into one stretch for each core (docs/rules/run.md 5.1).
#pragma once

#include "eval/step_links.h"
#include "eval/trace_walker.h"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace tilewright {

/// A valid subgraph with the order of its tiles. The problem, the subgraph and the rules must outlive it.
struct StepOrder
{
    StepOrder(const Problem& problem, const Subgraph& subgraph, std::span<const TensorId> residentBefore,
              const Rules& rules);

    SubgraphPlan plan;
    const Subgraph& subgraph;
    std::vector<TensorId> resident;
    std::vector<std::int64_t> tiles; ///< tiles in order of execution
    std::int64_t cols = 1;           ///< columns of the grid of tiles
};

/// A contiguous part of StepOrder::tiles.
struct StepStretch
{
    std::size_t begin = 0, end = 0; ///< indices of the tiles in StepOrder::tiles, from `begin` up to `end`
    std::int64_t firstStep = 0;     ///< Step::index of its first step
    std::int64_t steps = 0;
};
/// Cuts the order into `count` stretches of whole tiles with about equally many steps. Cut j is at the tile
/// boundary nearest to the share j / count of all steps; of two equally near boundaries, at the first one.
[[nodiscard]] std::vector<StepStretch> cutIntoStretches(const StepOrder& order, std::size_t count);

/// Takes the steps of a stretch one after another. The stretch begins with empty buffers.
class StepStream
{
public:
    StepStream(std::shared_ptr<const StepOrder> order, const StepStretch& stretch);

    /// Takes the next step. Returns false if there is none.
    [[nodiscard]] bool next();
    /// The step taken last, until the next call.
    [[nodiscard]] const Step& step() const noexcept { return m_walker.step(); }
    [[nodiscard]] const StepLinks& links() const noexcept { return m_walker.links(); }

private:
    std::shared_ptr<const StepOrder> m_order;
    std::size_t m_tile, m_end;
    bool m_isInTile = false;
    StepWalker m_walker;
};

} // namespace tilewright
