// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/array_table.h"
#include "mapping/evaluate.h"

#include <array>
#include <functional>
#include <optional>
#include <stop_token>
#include <vector>

namespace tilewright::mapping {

enum class Objective { Energy, Cycles, Edp };
inline constexpr int kObjectives = 3;

[[nodiscard]] std::string_view objectiveName(Objective objective);

[[nodiscard]] inline double valueOf(const Cost& cost, Objective objective) noexcept
{
    const auto cycles = static_cast<double>(cost.cycles);
    return objective == Objective::Energy   ? cost.energy
           : objective == Objective::Cycles ? cycles
                                            : cost.energy * cycles;
}

/// What the open parts of a space can cost at least: nothing when there are none.
struct OpenBound
{
    std::array<double, kObjectives> least;

    OpenBound() noexcept;
    void include(const Cost& bound) noexcept;
};

/// A method with its cost: pJ, cycles of the array clock, pJ * cycles.
struct MethodCost
{
    Method method;
    double energy = 0;
    std::int64_t cycles = 0;
    double edp = 0;

    [[nodiscard]] double value(Objective objective) const noexcept
    {
        return objective == Objective::Energy   ? energy
               : objective == Objective::Cycles ? static_cast<double>(cycles)
                                                : edp;
    }
};

/// How many tilings were dealt with in which way; each tiling stands for all its order classes.
struct SearchCounts
{
    std::optional<std::int64_t> space; ///< all factorisations; nothing when beyond 63 bits
    std::int64_t valid = 0;            ///< those that fit (and keep the reductions); exact once proven
    std::int64_t invalid = 0;          ///< those that do not
    std::int64_t visited = 0;          ///< evaluated under every class that can be needed
    std::int64_t cut = 0;              ///< valid and settled by a bound or by dominance
    std::int64_t evaluations = 0;      ///< (tiling, class pair) costs computed
};

/// What a running search tells, at most about ten times a second.
struct SearchStatus
{
    double settled = 0; ///< share of the space's tilings
    SearchCounts counts;
    std::array<std::optional<Cost>, kObjectives> best;
    std::vector<Cost> front; ///< so far
    double seconds = 0;

    /// A point of the front.
    void add(const Cost& cost);
};

struct SearchOptions
{
    int threads = 0;       ///< 0: as many as the machine has
    double seconds = 0;    ///< 0: until the space is settled
    Reductions reductions; ///< none: the whole space
    std::stop_token stop;
    std::function<void(const SearchStatus&)> status; ///< called from the thread that calls search()
    /// Spaces with more divisor combinations are sampled instead of settled.
    std::size_t maxLatticePoints = std::size_t{1} << 21;
    std::uint64_t seed = 1; ///< of the sampling
};

struct SearchResult
{
    /// Best per objective (index: Objective); nothing when no valid method was found.
    std::array<std::optional<MethodCost>, kObjectives> best;
    std::vector<MethodCost> front; ///< energy ascending, cycles descending
    bool proven = false;           ///< the whole (reduced) space is settled
    bool interrupted = false;      ///< by the stop token
    Reductions reductions;         ///< those that the result holds for
    SearchCounts counts;
    double settled = 0; ///< share of the space
    /// No method of the space is better; equals the best when proven.
    std::array<double, kObjectives> lowerBound{};
    double seconds = 0;

    [[nodiscard]] const std::optional<MethodCost>& of(Objective o) const
    {
        return best[static_cast<std::size_t>(o)];
    }
    /// A point of the front.
    void add(const MethodCost& method);
    /// The bounds, given those of what is open; nothing found is better than them.
    void boundBy(const std::array<double, kObjectives>& open);
    /// No method of the space is better, though the front may not be settled.
    [[nodiscard]] bool isOptimal(Objective objective) const noexcept;
    /// best / lower bound - 1; 0 when proven.
    [[nodiscard]] double gap(Objective objective) const noexcept;
};

/// Exhaustive branch and bound over all tilings and order classes (docs/rules/mapping.md 7): the best method
/// of each objective and the Pareto front, proven unless stopped by time or token. Energies within 1e-12 of
/// each other count as equal. Pre-condition: checkCountable(nest, architecture).
[[nodiscard]] SearchResult search(const LoopNest& nest, const Architecture& architecture,
                                  const SearchOptions& options);

/// The reference project's default reductions: 80 % of PEs and register files, 50 % of the scratchpad, no
/// spatial reduction, no filter loops at DRAM.
[[nodiscard]] Reductions quickReductions();

/// search() with quickReductions(), the utilisations lowered by a tenth until something is found.
[[nodiscard]] SearchResult quickSearch(const LoopNest& nest, const Architecture& architecture,
                                       SearchOptions options);

} // namespace tilewright::mapping
