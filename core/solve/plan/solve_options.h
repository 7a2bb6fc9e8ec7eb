// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/constraint_cost.h"
#include "eval/objective.h"
#include "schedule/schedule.h"
#include "solve/cost/constraints.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// A valid schedule found during a search, checked by an evaluator.
struct SolveImprovement
{
    double seconds = 0; ///< seconds since the start of solve()
    double total = 0;   ///< latency of this schedule
    double energy = 0;  ///< energy of this schedule in pJ (R17)
    double value = 0;   ///< value of this schedule under SolveOptions::objective
    std::shared_ptr<const Schedule> schedule;
};

/// Current activity of the first search thread.
enum class SolvePhase : std::uint8_t {
    Starting,          ///< first plans: each op alone, then greedy fusion
    Annealing,         ///< middle part of a round: annealing without exact replanning
    GeneratingColumns, ///< first part of a round: column generation
    Replanning,        ///< last part of a round: annealing with exact replanning
    Tiling,            ///< thorough search for the tilings of the best plan
    Proving
};

struct SolveStatus
{
    double seconds = 0;
    double best = 0;       ///< value of the best checked schedule; infinite before the first one
    double lowerBound = 0; ///< lower bound of the value of every schedule
    std::int64_t evaluations = 0;
    SolvePhase phase = SolvePhase::Starting;
    int round = 0;           ///< number of the current round, counted from 1; 0 before the first round
    double lastImproved = 0; ///< time at which `best` was found, in seconds since the start
    /// during a proof: latest time at which the proof ends, in seconds since the start
    double proofUntil = 0;
};

/// Default search time in seconds for a problem with this number of ops: a tenth of the contest's limit.
/// Above the contest's largest problem it grows in proportion, up to a minute.
[[nodiscard]] constexpr double suggestedSeconds(std::size_t ops)
{
    return ops <= 5     ? 0.2
           : ops <= 20  ? 0.5
           : ops <= 32  ? 1.5
           : ops <= 63  ? 3
           : ops <= 103 ? 6
           : ops <= 152 ? 12
                        : std::min(60.0, 12.0 * static_cast<double>(ops) / 152);
}

struct SolveOptions
{
    Rules rules = Rules::final();
    /// The quantity that is minimised. Objectives other than the latency need a problem with energies (R17).
    SolveObjective objective = SolveObjective::Latency;
    double seconds = 10; ///< time limit of the whole call to solve(); 0 = none
    /// Maximum number of search steps of each thread; 0 = no limit. With one thread and seconds = 0, the
    /// result depends only on `iterations` and `seed`
    std::int64_t iterations = 0;
    int threads = 0; ///< number of search threads; 0 = all hardware threads
    std::uint64_t seed = 1;
    /// The given schedule, from which the search starts. Its locked subgraphs keep ops, granularity, retained
    /// tensors and a custom or spiral traversal. The result is never worse than the given schedule.
    std::optional<Schedule> start;
    /// If not empty, only subgraphs of `start` that run one of these ops may change.
    std::vector<OpId> selection;
    /// Constraints that every schedule found satisfies. The lower bounds ignore them, so they hold without
    /// constraints as well.
    ScheduleConstraints constraints;
    /// Clock for `seconds`, in seconds since an arbitrary moment, e.g. CPU time for a benchmark on a busy
    /// machine. Several threads call it. If empty, wall-clock time is used.
    std::function<double()> clock;
    /// The search ends after this number of seconds without an improvement; 0 = never.
    double stagnation = 0;
    /// Callback that returns true while the search is paused. Several threads call it often. `clock` should
    /// stop during a pause.
    std::function<bool()> paused;
    bool prove = true; ///< true: tries to prove the optimality of small problems (SolveResult::provenOptimal)
    /// Only return schedules whose buffers can be placed (docs/rules/place.md). Proofs also cover the other
    /// schedules.
    bool placeable = false;
    std::stop_token stop; ///< a stop request ends the call within about 50 ms with the best schedule so far
    /// The calling thread calls both functions: onImprovement for improvements (at most a few a second),
    /// onStatus regularly.
    std::function<void(const SolveImprovement&)> onImprovement;
    std::function<void(const SolveStatus&)> onStatus;
};

struct SolveResult
{
    Schedule schedule;
    double total = 0;
    double energy = 0; ///< energy of the schedule in pJ (R17); 0 if the problem states no energies
    /// Objective of the search. For the product of latency and energy, the search minimises weighted sums of
    /// both (docs/solver.md 11).
    SolveObjective objective = SolveObjective::Latency;
    /// Latency of the start schedule: SolveOptions::start if valid, else oneOpPerSubgraph() if valid, else
    /// the best plan that runs each op alone.
    double startTotal = 0;
    /// Energy of the start schedule; 0 if `objective` is the latency and `start` is empty.
    double startEnergy = 0;
    double lowerBound = 0;  ///< lower bound of the latency
    double energyBound = 0; ///< lower bound of the energy; 0 if the problem states no energies
    /// The Pareto front of latency and energy over the schedules checked during the search; empty if the
    /// problem states no energies.
    Front front;
    bool provenOptimal = false;
    std::string provenSpace; ///< description of the schedules that the proof covers
    bool stopped = false;    ///< true if a stop request ended the search
    bool stagnated = false;  ///< true if SolveOptions::stagnation ended the search
    double seconds = 0;
    std::int64_t evaluations = 0; ///< number of exact evaluations of tilings
    std::int64_t lookups = 0;     ///< number of lookups of subgraph latencies, most of them cached
    std::int64_t steps = 0;       ///< number of moves that were tried
    std::vector<std::pair<double, double>> curve; ///< time in seconds and value of every improvement
    std::vector<double> latencies;                ///< latency of each subgraph
    /// Cost of each constraint and each lock; filled by findConstraintCosts()
    std::vector<ConstraintCost> constraintCosts;
    [[nodiscard]] double value() const { return valueOf(objective, total, energy); }
    [[nodiscard]] double startValue() const { return valueOf(objective, startTotal, startEnergy); }
    /// Lower bound of value() over all valid schedules.
    [[nodiscard]] double bound() const { return valueOf(objective, lowerBound, energyBound); }
    [[nodiscard]] double gap() const { return bound() > 0 ? value() / bound() - 1 : 0; }
};

} // namespace tilewright
