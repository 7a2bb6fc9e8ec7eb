// SPDX-License-Identifier: GPL-3.0-or-later
// Constraints that the user sets on the schedules of a search (docs/rules/constraints.md).
#pragma once

#include "base/result.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Range of the width, height or k that a tile may have.
struct ExtentRange
{
    std::int64_t least = 1;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool any() const noexcept { return *this != ExtentRange(); }
    /// True if the range allows a tile with this extent. `whole` is the extent of the tensor or reduction
    /// that tiles divide; a tile that covers it always satisfies the lower limit.
    [[nodiscard]] bool allows(std::int64_t extent, std::int64_t whole) const noexcept
    {
        const std::int64_t covered = std::min(extent, whole);
        return covered >= std::min(least, whole) && covered <= most;
    }
    /// The intersection of both ranges.
    [[nodiscard]] ExtentRange with(const ExtentRange& other) const noexcept
    {
        return {std::max(least, other.least), std::min(most, other.most)};
    }
    bool operator==(const ExtentRange&) const = default;
};

/// Ranges of width, height and k of a tile.
struct TileRange
{
    ExtentRange w, h, k;

    [[nodiscard]] bool any() const noexcept { return *this != TileRange(); }
    [[nodiscard]] TileRange with(const TileRange& other) const noexcept
    {
        return {w.with(other.w), h.with(other.h), k.with(other.k)};
    }
    bool operator==(const TileRange&) const = default;
};

/// Constraints on schedules. Each constraint is a condition on every single subgraph. Constraints are
/// numbered consecutively: first `together`, then `apart`, `tiles` and `retain`.
struct ScheduleConstraints
{
    /// Groups of ops: a subgraph that runs one op of a group runs all of them.
    std::vector<std::vector<OpId>> together;
    /// Groups of ops: a subgraph runs at most one op of a group.
    std::vector<std::vector<OpId>> apart;
    struct Tiles
    {
        /// The constraint applies to subgraphs that run one of these ops; if empty, to all subgraphs.
        std::vector<OpId> ops;
        TileRange range;
        bool operator==(const Tiles&) const = default;
    };
    std::vector<Tiles> tiles;
    struct Retention
    {
        TensorId tensor;
        /// true: no subgraph stores the tensor in slow memory; false: no subgraph retains it
        bool always = true;
        bool operator==(const Retention&) const = default;
    };
    std::vector<Retention> retain;

    [[nodiscard]] std::size_t size() const noexcept
    {
        return together.size() + apart.size() + tiles.size() + retain.size();
    }
    [[nodiscard]] bool any() const noexcept { return size() > 0; }
    /// Adds all constraints of another list; those that this list already contains are not added again.
    void add(const ScheduleConstraints& more);
    /// Returns all constraints except the one with this number.
    [[nodiscard]] ScheduleConstraints without(std::size_t number) const;

    /// True if the constraints allow a subgraph of exactly these ops at some granularity.
    [[nodiscard]] bool allowsOps(std::span<const OpId> ops) const;
    /// Returns the tile sizes that the constraints allow for a subgraph of these ops.
    [[nodiscard]] TileRange tilesOf(std::span<const OpId> ops) const;

    bool operator==(const ScheduleConstraints&) const = default;
};

/// Describes a constraint in one line, such as "together: q, k" or "tiles of q: w 64, h 16 to 128".
[[nodiscard]] std::string constraintText(const Problem& problem, const ScheduleConstraints& constraints,
                                         std::size_t number);

/// A constraint, and a subgraph that violates it.
struct ConstraintViolation
{
    std::size_t number = 0; ///< number of the constraint
    SubgraphId subgraph{};
    std::string text; ///< how the subgraph violates the constraint: "runs q but not k"
    bool operator==(const ConstraintViolation&) const = default;
};
/// Lists all violations of the constraints in a schedule, in the order of the constraints. Uses no code of
/// the search, so that it can check the search.
[[nodiscard]] std::vector<ConstraintViolation> violations(const Problem& problem, const Rules& rules,
                                                          const Schedule& schedule,
                                                          const ScheduleConstraints& constraints);

/// Reads a constraints file (docs/rules/constraints.md 2). An Error names the file and the field.
[[nodiscard]] Result<ScheduleConstraints> readConstraints(const Problem& problem, std::string_view text,
                                                          const std::string& file);
/// Reads the field `constraints` of a schedule file, which Schedule::extra holds. Without this field there
/// are no constraints.
[[nodiscard]] Result<ScheduleConstraints> constraintsOf(const Problem& problem, const Schedule& schedule,
                                                        const std::string& file);
/// Returns the text `extra` (Schedule::extra) with these constraints as its field `constraints`. If there are
/// no constraints, removes the field.
[[nodiscard]] std::string withConstraints(const Problem& problem, const std::string& extra,
                                          const ScheduleConstraints& constraints);
/// Writes the constraints as the text of a file that readConstraints() can read.
[[nodiscard]] std::string writeConstraints(const Problem& problem, const ScheduleConstraints& constraints);

} // namespace tilewright
