// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// A valid schedule found while solving, checked by the explaining evaluator.
struct SolveImprovement
{
    double seconds = 0; ///< since the start of solve()
    double total = 0;   ///< latency
    std::shared_ptr<const Schedule> schedule;
};

/// What the first of the searching threads does.
enum class SolvePhase : std::uint8_t {
    Starting, ///< each op alone, then neighbours fused greedily
    Annealing,
    Combining, ///< the start of a round: column generation
    Windows,   ///< the end of a round: annealing, and exact replanning of groups of neighbouring ops
    Tiling,    ///< thorough search for the tilings of the best schedule
    Proving
};

struct SolveStatus
{
    double seconds = 0;
    double best = 0; ///< latency of the best checked schedule; infinite before the first
    double lowerBound = 0;
    std::int64_t evaluations = 0;
    SolvePhase phase = SolvePhase::Starting;
    int round = 0;           ///< of annealing, from 1; 0 before
    double lastImproved = 0; ///< second at which `best` was found
    double proofUntil = 0;   ///< while proving: the second at which the proof is given up
};

/// Default search time in seconds for a problem of so many ops: a tenth of what the contest allows, and
/// beyond its largest problem in proportion, up to a minute.
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
    double seconds = 10;         ///< wall clock of the whole call; 0 = no limit
    std::int64_t iterations = 0; ///< search steps a thread; 0 = no limit. With 1 thread and no `seconds` the
                                 ///< result depends on the seed and this alone
    int threads = 0;             ///< 0 = all
    std::uint64_t seed = 1;
    /// Where to start; its locked subgraphs keep ops, granularity, retained tensors and a custom or spiral
    /// traversal. The result is never worse.
    std::optional<Schedule> start;
    /// Only subgraphs of `start` that run one of these ops may change; all when empty.
    std::vector<OpId> selection;
    /// The clock that `seconds` are measured by, in seconds since any moment, e.g. CPU time in a benchmark on
    /// a busy machine; called by several threads. Wall clock when empty.
    std::function<double()> clock;
    /// Seconds without a better schedule after which the search ends by itself; 0 = never.
    double stagnation = 0;
    /// True while the search is to pause; called often, by several threads. `clock` should stop meanwhile.
    std::function<bool()> paused;
    bool prove = true; ///< small problems: prove the optimum (see SolveResult::provenOptimal)
    /// Only schedules whose buffers have addresses (docs/rules/place.md). The proof of `prove` covers the
    /// others, too.
    bool placeable = false;
    std::stop_token stop; ///< ends the call within about 50 ms with the best schedule so far
    /// Both are called from the calling thread: for every improvement (at most some a second), and regularly.
    std::function<void(const SolveImprovement&)> onImprovement;
    std::function<void(const SolveStatus&)> onStatus;
};

struct SolveResult
{
    Schedule schedule;
    double total = 0;
    double startTotal = 0; ///< of a valid SolveOptions::start, else of each op alone with its best tiling
    double lowerBound = 0;
    bool provenOptimal = false;
    std::string provenSpace; ///< what the proof covers, in words
    bool stopped = false;    ///< by the stop token
    bool stagnated = false;  ///< ended by SolveOptions::stagnation
    double seconds = 0;
    std::int64_t evaluations = 0;                 ///< tilings evaluated exactly
    std::int64_t lookups = 0;                     ///< latencies of subgraphs looked up, most of them known
    std::int64_t steps = 0;                       ///< moves tried
    std::vector<std::pair<double, double>> curve; ///< (seconds, latency) of every improvement
    std::vector<double> latencies;                ///< by subgraph
    [[nodiscard]] double gap() const { return lowerBound > 0 ? total / lowerBound - 1 : 0; }
};

} // namespace tilewright
