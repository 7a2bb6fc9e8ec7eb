// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/constraint_cost.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/feasible.h"
#include "mapping/search.h"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace tilewright::hierarchy {

using mapping::kObjectives;
using mapping::Objective;

/// A valid mapping with its cost in pJ, cycles and pJ * cycles.
struct MappingCost
{
    Mapping mapping;
    double energy = 0;
    double cycles = 0;

    [[nodiscard]] double edp() const noexcept { return energy * cycles; }
    [[nodiscard]] double value(Objective objective) const noexcept
    {
        return objective == Objective::Energy ? energy : objective == Objective::Cycles ? cycles : edp();
    }
};

/// Progress of a running search, reported at most about ten times a second.
struct SearchStatus
{
    std::array<std::optional<double>, kObjectives> best; ///< value of the best mapping so far
    std::int64_t evaluations = 0;                        ///< number of costs and bounds computed
    double seconds = 0;
};

struct SearchOptions
{
    /// Objective for which the space must be settled; nullopt: all objectives and the front.
    std::optional<Objective> objective;
    int threads = 0;         ///< number of threads; 0: all hardware threads
    double seconds = 0;      ///< time limit; 0: none
    bool quick = false;      ///< true: only the start of the search, whose result has a gap
    Constraints constraints; ///< constraints of this nest and architecture
    std::stop_token stop;
    std::function<void(const SearchStatus&)> status; ///< called from the thread that calls search()
};

struct SearchResult
{
    /// Best mapping per objective (index: Objective); nothing if no valid mapping was found.
    std::array<std::optional<MappingCost>, kObjectives> best;
    std::vector<MappingCost> front; ///< energy ascending, cycles descending; one mapping per point
    bool proven = false;            ///< true if the whole space is settled for SearchOptions::objective
    bool interrupted = false;       ///< the stop token ended the search
    std::optional<NoMapping> none;  ///< why no mapping is valid, if this is known
    Constraints constraints;        ///< constraints for which the result holds
    /// Cost of each constraint; filled in by constraintCosts().
    std::vector<ConstraintCost> constraintCosts;
    /// Lower bound of each objective over all valid mappings that satisfy the constraints; equals the best
    /// value if that is proven optimal.
    std::array<double, kObjectives> lowerBound{};
    /// Number of valid tilings evaluated; each represents all orders of its loops.
    std::int64_t tilings = 0;
    std::int64_t cut = 0;         ///< number of valid tilings that a bound settled
    std::int64_t evaluations = 0; ///< number of costs and bounds computed
    double seconds = 0;

    [[nodiscard]] const std::optional<MappingCost>& of(Objective o) const
    {
        return best[static_cast<std::size_t>(o)];
    }
    /// True if no valid mapping has a better value of this objective.
    [[nodiscard]] bool isOptimal(Objective objective) const noexcept;
    /// Relative gap: best / lower bound - 1. It is 0 if the best value is optimal, infinite without a mapping
    /// or a bound.
    [[nodiscard]] double gap(Objective objective) const noexcept;
};

/// Searches the best mapping of the layer (docs/rules/hierarchy.md 7 and 8). Preconditions:
/// checkArchitecture() and checkCountable() succeed.
[[nodiscard]] SearchResult search(const LoopNest& nest, const Architecture& architecture,
                                  const SearchOptions& options);

} // namespace tilewright::hierarchy
