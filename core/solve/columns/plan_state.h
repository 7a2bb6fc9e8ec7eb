// SPDX-License-Identifier: GPL-3.0-or-later
// What plans look like in the middle: states between two subgraphs, prefixes, and the parts around a stretch.
#pragma once

#include "solve/plan/plan.h"

#include <bitset>
#include <cstddef>
#include <vector>

namespace tilewright {

/// The state after some subgraphs of a plan; what can follow depends on nothing else. Sets of ops by their
/// bits: those that have run, those whose results are in slow memory.
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

/// Some subgraphs of a plan in a row.
struct PlanStretch
{
    std::size_t first = 0;
    std::size_t count = 0;
};

/// The parts of a plan that stay fixed while a stretch of it is searched: its first subgraphs and its last.
struct FixedParts
{
    PlanPrefix before;
    PlanState::OpFlags runAfter;    ///< ops that the last ones run
    PlanState::OpFlags readAfter;   ///< makers of what they read from slow memory and do not store themselves
    PlanState::OpFlags storedAfter; ///< makers of what they store
    RetainId residentAfter = 0;     ///< resident before the first of them
};

/// The ops of a column; the ops that make what it reads from slow memory, and what it stores there.
[[nodiscard]] PlanState::OpFlags runBy(const SubgraphPool& pool, const PlannedSet& column);
[[nodiscard]] PlanState::OpFlags readBy(const SubgraphPool& pool, const PlannedSet& column);
[[nodiscard]] PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlannedSet& column);
/// The prefix with one more column.
[[nodiscard]] PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const CostedSet& column);
/// The parts of a settled plan around the stretch.
[[nodiscard]] FixedParts fixedAround(const SubgraphPool& pool, const Plan& plan, PlanStretch stretch);

} // namespace tilewright
