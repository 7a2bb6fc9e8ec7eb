// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/plan/plan.h"

#include <bitset>
#include <cstddef>
#include <vector>

namespace tilewright {

/// What a plan may consist of: a set of ops between what is resident before it and what it retains.
struct PlanColumn
{
    SetId set = 0;
    RetainId resident = 0;
    RetainId retain = 0;
    double latency = 0;
    bool operator==(const PlanColumn& other) const noexcept
    {
        return set == other.set && resident == other.resident && retain == other.retain;
    }
    struct Hash
    {
        std::size_t operator()(const PlanColumn& c) const noexcept
        {
            return SubgraphPool::CostKeyHash{}({c.set, c.resident, c.retain});
        }
    };
};

/// What is there after some subgraphs; what can be done from then on depends on nothing else. Sets of ops by
/// their bits: those that ran, those whose results are in slow memory.
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

/// The first subgraphs of a plan, and what is there after them.
struct PlanPrefix : PlanState
{
    std::vector<PlanColumn> columns;
    double latency = 0;
};

/// What of a plan stays as it is: its first subgraphs, and its last ones.
struct PlanFrame
{
    PlanPrefix before;
    PlanState::OpFlags runAfter;    ///< ops that the last ones run
    PlanState::OpFlags readAfter;   ///< what they read in slow memory and do not store themselves
    PlanState::OpFlags storedAfter; ///< what they store
    RetainId residentAfter = 0;     ///< what they begin with
};

/// By the ops that make them: what a column reads from slow memory, and what it stores there.
[[nodiscard]] PlanState::OpFlags readBy(const SubgraphPool& pool, const PlanColumn& column);
[[nodiscard]] PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlanColumn& column);
/// What is there when one more column has run.
[[nodiscard]] PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const PlanColumn& column);
/// Of a settled plan: all but so many of its subgraphs from `first` on.
[[nodiscard]] PlanFrame frameAround(const SubgraphPool& pool, const Plan& plan, std::size_t first,
                                    std::size_t count);

} // namespace tilewright
