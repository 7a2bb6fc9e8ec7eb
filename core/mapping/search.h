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

/// Lower bound of the cost in the open parts of a space; infinite if there are none.
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

/// Numbers of tilings by the way in which the search settled them; each tiling represents all orders of its
/// loops.
struct SearchCounts
{
    std::optional<std::int64_t> space; ///< number of all factorisations; empty above 63 bits
    std::int64_t valid = 0;       ///< number of tilings that fit and keep the reductions; exact once proven
    std::int64_t invalid = 0;     ///< number of tilings that do not fit or do not keep the reductions
    std::int64_t visited = 0;     ///< number of tilings evaluated under every class that can be needed
    std::int64_t cut = 0;         ///< number of valid tilings settled by a bound or by dominance
    std::int64_t evaluations = 0; ///< number of (tiling, class pair) costs computed
};

/// Progress of a running search, reported at most about ten times a second.
struct SearchStatus
{
    double settled = 0; ///< share of the settled tilings in the space
    SearchCounts counts;
    std::array<std::optional<Cost>, kObjectives> best;
    std::vector<Cost> front; ///< Pareto front so far
    double seconds = 0;

    /// Adds a point of the front.
    void add(const Cost& cost);
};

struct SearchOptions
{
    int threads = 0;       ///< number of threads; 0: all hardware threads
    double seconds = 0;    ///< time limit; 0: none, except that sampled spaces have a default limit
    Reductions reductions; ///< reductions of the space; none: the whole space is searched
    std::stop_token stop;
    std::function<void(const SearchStatus&)> status; ///< called from the thread that calls search()
    /// Spaces with more divisor combinations are sampled instead of settled.
    std::size_t maxLatticePoints = std::size_t{1} << 21;
    std::uint64_t seed = 1; ///< seed of the sampling
};

struct SearchResult
{
    /// Best per objective (index: Objective); nothing when no valid method was found.
    std::array<std::optional<MethodCost>, kObjectives> best;
    std::vector<MethodCost> front; ///< energy ascending, cycles descending
    bool proven = false;           ///< true if the whole (reduced) space is settled
    bool interrupted = false;      ///< true if the stop token ended the search
    Reductions reductions;         ///< reductions for which the result holds
    SearchCounts counts;
    double settled = 0; ///< share of the settled tilings in the space
    /// Lower bound of each objective over all methods of the space; equals the best value when proven.
    std::array<double, kObjectives> lowerBound{};
    double seconds = 0;

    [[nodiscard]] const std::optional<MethodCost>& of(Objective o) const
    {
        return best[static_cast<std::size_t>(o)];
    }
    /// Adds a point of the front.
    void add(const MethodCost& method);
    /// Sets `lowerBound` to the bounds of the open parts of the space, or to the best values where these are
    /// less.
    void boundBy(const std::array<double, kObjectives>& open);
    /// True if no method of the space is better in this objective, even if the front is not settled.
    [[nodiscard]] bool isOptimal(Objective objective) const noexcept;
    /// Relative gap: best / lower bound - 1; 0 when proven.
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

/// Runs search() with quickReductions() and lowers the utilisations by a tenth until it finds a method.
[[nodiscard]] SearchResult quickSearch(const LoopNest& nest, const Architecture& architecture,
                                       SearchOptions options);

} // namespace tilewright::mapping
