// SPDX-License-Identifier: GPL-3.0-or-later
// What the user asks of the schedules of a search (docs/rules/constraints.md).
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

/// Bounds of one extent of a tile.
struct ExtentRange
{
    std::int64_t least = 1;
    std::int64_t most = std::numeric_limits<std::int64_t>::max();

    [[nodiscard]] bool any() const noexcept { return *this != ExtentRange(); }
    /// `whole`: the extent that is divided into tiles. A tile that covers it is as large as it can be.
    [[nodiscard]] bool allows(std::int64_t extent, std::int64_t whole) const noexcept
    {
        const std::int64_t covered = std::min(extent, whole);
        return covered >= std::min(least, whole) && covered <= most;
    }
    /// The extents that both ranges allow.
    [[nodiscard]] ExtentRange with(const ExtentRange& other) const noexcept
    {
        return {std::max(least, other.least), std::min(most, other.most)};
    }
    bool operator==(const ExtentRange&) const = default;
};

/// Bounds of width, height and k of a tile.
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

/// Constraints of schedules. Each is a condition on every single subgraph. They have one numbering:
/// `together` first, then `apart`, `tiles` and `retain`.
struct ScheduleConstraints
{
    /// A subgraph that runs one of the ops of a group runs all of them.
    std::vector<std::vector<OpId>> together;
    /// A subgraph runs at most one of the ops of a group.
    std::vector<std::vector<OpId>> apart;
    struct Tiles
    {
        std::vector<OpId> ops; ///< of each subgraph that runs one of them; empty: of every subgraph
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
    /// Adds all constraints of another list; what is there already stays once.
    void add(const ScheduleConstraints& more);
    /// All constraints but the one with this number.
    [[nodiscard]] ScheduleConstraints without(std::size_t number) const;

    /// True if a subgraph may run exactly these ops, at some granularity.
    [[nodiscard]] bool allowsOps(std::span<const OpId> ops) const;
    /// The tiles that a subgraph of these ops may have.
    [[nodiscard]] TileRange tilesOf(std::span<const OpId> ops) const;

    bool operator==(const ScheduleConstraints&) const = default;
};

/// A constraint in one line, such as "together: q, k" or "tiles of q: w 64, h 16 to 128".
[[nodiscard]] std::string constraintText(const Problem& problem, const ScheduleConstraints& constraints,
                                         std::size_t number);

/// A subgraph that breaks a constraint.
struct ConstraintViolation
{
    std::size_t number = 0; ///< of the constraint
    SubgraphId subgraph{};
    std::string text; ///< what the subgraph does: "runs q but not k"
    bool operator==(const ConstraintViolation&) const = default;
};
/// Compares a schedule with the constraints, constraint by constraint; shares nothing with the search.
[[nodiscard]] std::vector<ConstraintViolation> violations(const Problem& problem, const Rules& rules,
                                                          const Schedule& schedule,
                                                          const ScheduleConstraints& constraints);

/// Reads a constraints file (docs/rules/constraints.md 2). The Error names file and field.
[[nodiscard]] Result<ScheduleConstraints> readConstraints(const Problem& problem, std::string_view text,
                                                          const std::string& file);
/// The field `constraints` of a schedule file, which is in Schedule::extra; none without it.
[[nodiscard]] Result<ScheduleConstraints> constraintsOf(const Problem& problem, const Schedule& schedule,
                                                        const std::string& file);
/// Schedule::extra with these constraints as its field `constraints`, without the field if there are none.
[[nodiscard]] std::string withConstraints(const Problem& problem, const std::string& extra,
                                          const ScheduleConstraints& constraints);
/// The constraints as the text of a file that readConstraints() reads.
[[nodiscard]] std::string writeConstraints(const Problem& problem, const ScheduleConstraints& constraints);

} // namespace tilewright
