// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of plans: states between two subgraphs, prefixes, and the fixed parts around a stretch.
#pragma once

#include "solve/plan/plan.h"

#include <bitset>
#include <cstddef>
#include <vector>

namespace tilewright {

/// State after the first subgraphs of a plan; it determines which subgraphs can follow. `run` holds the ops
/// that have run, `stored` the ops whose results are in slow memory.
struct PlanState
{
    static constexpr std::size_t kMostOps = 256;
    using OpFlags = std::bitset<kMostOps>;
    OpFlags run, stored;
    RetainId resident = 0;
    bool operator==(const PlanState&) const = default;
    struct Hash
    {
        std::size_t operator()(const PlanState& s) const noexcept
        {
            const std::hash<OpFlags> hash;
            return (hash(s.run) * 31 + hash(s.stored)) * 31 + s.resident;
        }
    };
};

/// The first subgraphs of a plan, and the state after them.
struct PlanPrefix : PlanState
{
    std::vector<CostedSet> columns;
    double latency = 0;
};

/// Some consecutive subgraphs of a plan.
struct PlanStretch
{
    std::size_t first = 0;
    std::size_t count = 0;
};

/// The parts of a plan before and after a stretch. They stay fixed while the stretch is searched.
struct FixedParts
{
    PlanPrefix before;
    PlanState::OpFlags runAfter; ///< ops that run after the stretch
    /// Producers of the tensors that the stretch must deliver: subgraphs after it read them from slow memory,
    /// and none of these subgraphs stores them.
    PlanState::OpFlags readAfter;
    PlanState::OpFlags storedAfter; ///< producers of tensors that subgraphs after the stretch store
    RetainId residentAfter = 0;     ///< tensors resident at the end of the stretch
};

/// runBy(): the ops of a column. readBy(): producers of what it reads from slow memory. storedBy(): producers
/// of what it stores there.
[[nodiscard]] PlanState::OpFlags runBy(const SubgraphPool& pool, const PlannedSet& column);
[[nodiscard]] PlanState::OpFlags readBy(const SubgraphPool& pool, const PlannedSet& column);
[[nodiscard]] PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlannedSet& column);
/// Returns the prefix with one more column.
[[nodiscard]] PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const CostedSet& column);
/// Returns the parts of a valid plan before and after the stretch.
[[nodiscard]] FixedParts fixedAround(const SubgraphPool& pool, const Plan& plan, PlanStretch stretch);

} // namespace tilewright
