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

/// A method with its cost: energy in pJ, cycles of the array clock, EDP in pJ * cycles.
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

/// Numbers of tilings by the way in which the search settled them. Each tiling stands for all orders of its
/// loops.
struct SearchCounts
{
    std::optional<std::int64_t> space; ///< number of all factorisations; empty if above 63 bits
    std::int64_t valid = 0;   ///< number of tilings that fit and keep the reductions; exact once proven
    std::int64_t invalid = 0; ///< number of tilings that do not fit or do not keep the reductions
    std::int64_t visited = 0; ///< number of tilings evaluated with every order class that may be on the front
    std::int64_t cut = 0;     ///< number of valid tilings settled by a bound or by dominance
    std::int64_t evaluations = 0; ///< number of (tiling, class pair) costs computed
};

/// Progress of a running search, reported at most about ten times a second.
struct SearchStatus
{
    double settled = 0; ///< share of the space's tilings that are settled
    SearchCounts counts;
    std::array<std::optional<Cost>, kObjectives> best;
    std::vector<Cost> front; ///< Pareto front so far
    double seconds = 0;

    /// Adds a point to the front.
    void add(const Cost& cost);
};

struct SearchOptions
{
    int threads = 0;       ///< number of threads; 0: all hardware threads
    double seconds = 0;    ///< time limit; 0: none, except that sampled spaces have a default limit
    Reductions reductions; ///< reductions of the space; none: the whole space is searched
    std::stop_token stop;
    std::function<void(const SearchStatus&)> status; ///< called from the thread that calls search()
    /// Spaces with more divisor combinations are sampled, not searched completely.
    std::size_t maxLatticePoints = std::size_t{1} << 21;
    std::uint64_t seed = 1; ///< seed of the random numbers for sampling
};

struct SearchResult
{
    /// Best method per objective (index: Objective); nothing if no valid method was found.
    std::array<std::optional<MethodCost>, kObjectives> best;
    std::vector<MethodCost> front; ///< energy ascending, cycles descending
    bool proven = false;           ///< true if the whole (reduced) space is settled
    bool interrupted = false;      ///< true if the stop token ended the search
    Reductions reductions;         ///< reductions for which the result holds
    SearchCounts counts;
    double settled = 0; ///< share of the space's tilings that are settled
    /// Lower bound of each objective over all methods of the space; equals the best value when proven.
    std::array<double, kObjectives> lowerBound{};
    double seconds = 0;

    [[nodiscard]] const std::optional<MethodCost>& of(Objective o) const
    {
        return best[static_cast<std::size_t>(o)];
    }
    /// Adds a point to the front.
    void add(const MethodCost& method);
    /// Sets `lowerBound` to the bounds `open` of the open parts of the space. Where a best value is less, it
    /// is the bound.
    void boundBy(const std::array<double, kObjectives>& open);
    /// True if no method of the space has a better value of this objective, even if the front is not settled.
    [[nodiscard]] bool isOptimal(Objective objective) const noexcept;
    /// Relative gap: best / lower bound - 1; 0 when proven.
    [[nodiscard]] double gap(Objective objective) const noexcept;
};

/// Exhaustive branch and bound over all tilings and order classes (docs/rules/mapping.md 7). Returns the best
/// method of each objective and the Pareto front. The result is proven unless the time limit or the stop
/// token ends the search. Energies within a relative 1e-12 of each other count as equal. Pre-condition:
/// checkCountable(nest, architecture).
[[nodiscard]] SearchResult search(const LoopNest& nest, const Architecture& architecture,
                                  const SearchOptions& options);

/// The default reductions of dMazeRunner: at least 80 % of PEs and register files and 50 % of the
/// scratchpad in use, no spatial reduction, no filter loops at DRAM.
[[nodiscard]] Reductions quickReductions();

/// Runs search() with quickReductions(). Lowers the required utilisations by a tenth until a method is found.
[[nodiscard]] SearchResult quickSearch(const LoopNest& nest, const Architecture& architecture,
                                       SearchOptions options);

} // namespace tilewright::mapping
