// SPDX-License-Identifier: GPL-3.0-or-later
// Factors that need not divide: the last tile of a loop is smaller (docs/rules/hierarchy.md 11).
#pragma once

#include "hierarchy/mapping.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::hierarchy {

/// A loop of a mapping: its steps cover a loop of the layer.
struct Step
{
    std::int64_t factor = 1;
    std::int64_t size = 1; ///< iterations of the layer's loop in one step
    std::size_t level = 0;
    bool temporal = true;
    std::size_t order = 0; ///< position among all loops of the mapping, from the outermost inwards
};
using StepList = std::vector<Step>; ///< steps of one loop of the layer, from the outermost inwards
using Steps = std::array<StepList, kMaxLoops>;

[[nodiscard]] Steps stepsOf(const Architecture& architecture, const Mapping& mapping);

/// Counts the combinations of the steps selected by `isFree` that begin within the trip count; all other
/// steps are at their first iteration.
template <typename IsFree>
[[nodiscard]] std::int64_t countSteps(const StepList& steps, std::int64_t trips, const IsFree& isFree)
{
    std::int64_t whole = 1; // number of combinations of the steps further inside, if none is cut off
    for (const Step& step : steps)
        if (isFree(step))
            whole *= step.factor;
    std::int64_t out = 0, room = trips;
    for (const Step& step : steps) {
        if (!isFree(step)) {
            if (room >= step.size)
                return out + whole;
            continue;
        }
        whole /= step.factor;
        const std::int64_t full = std::min(step.factor, room / step.size);
        out += full * whole;
        room -= full * step.size;
        if (full == step.factor || room == 0)
            return out;
    }
    return out + 1;
}

/// Number of elements of a read operand that move between level `outer` and the next level inside it that
/// holds the operand, over all instances and visits. For the MACs, `inner` is the number of levels.
struct ReadCounts
{
    std::int64_t reads = 0;  ///< elements that the outer level reads
    std::int64_t writes = 0; ///< elements written to the inner level
};
struct WrittenCounts
{
    std::int64_t sent = 0;     ///< number of elements that the inner level sends
    std::int64_t arriving = 0; ///< number of elements that arrive after the reduction trees
    /// Number of elements visited: those of each instance of the outer level, once per visit.
    std::int64_t visited = 0;
    std::int64_t first = 0; ///< part of `visited` that is sent in the first visit of a tile
};

/// Counts the traffic of a mapping tile by tile, each tile with its actual size.
class ImperfectCounter
{
public:
    ImperfectCounter(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping);

    [[nodiscard]] std::int64_t compute() const; ///< number of temporal steps
    [[nodiscard]] ReadCounts read(std::size_t operand, std::size_t outer, std::size_t inner) const;
    [[nodiscard]] WrittenCounts written(std::size_t outer, std::size_t inner) const;

private:
    /// Role that a step of a mapping plays in one exchange.
    enum class Part { Inside, Dropped, Kept, Place, Between };
    struct Exchanged
    {
        std::size_t outer = 0, inner = 0;
        std::size_t lastChange = 0; ///< 1 + order of the last temporal loop that is not dropped
    };
    /// A set of tiles along a loop that one read can serve, and the number of times that it occurs.
    struct Group
    {
        std::int64_t count = 0;
        struct Tile
        {
            std::int64_t start = 0, length = 0;
        };
        std::vector<Tile> tiles;
    };

    [[nodiscard]] Exchanged exchanged(std::size_t operand, std::size_t outer, std::size_t inner) const;
    [[nodiscard]] static Part partOf(const Step& step, const Exchanged& e) noexcept;
    [[nodiscard]] bool isShared(const Step& step, const Exchanged& e) const noexcept;
    [[nodiscard]] std::vector<Group> groups(std::size_t loop, const Exchanged& e, bool together) const;
    [[nodiscard]] std::int64_t summedSpans(const mapping::Dimension& d, const Exchanged& e,
                                           bool together) const;
    [[nodiscard]] std::int64_t summed(std::size_t operand, const Exchanged& e, bool together) const;

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    Steps m_steps;
};

/// A loop whose factors are smaller or larger than its trip count requires, with the reason; nullopt if there
/// is none.
struct FactorFault
{
    int loop = 0;
    std::string message;
};
[[nodiscard]] std::optional<FactorFault>
imperfectFault(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping);

/// Returns the mapping with each factor replaced by the number of steps of its loop in the last tile.
/// Requires that imperfectFault() finds no fault.
[[nodiscard]] Mapping residuesOf(const LoopNest& nest, const Architecture& architecture,
                                 const Mapping& mapping);

/// Returns the mapping with each factor reduced to the smallest one that covers the trip counts; the
/// outermost level gets the remaining factors. The factors are valid for this nest, also if the mapping was
/// made for other trip counts.
[[nodiscard]] Mapping tightened(const LoopNest& nest, const Architecture& architecture,
                                const Mapping& mapping);

} // namespace tilewright::hierarchy
