// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

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
    Combining, ///< the start of a round: schedules are put together by what their subgraphs are worth
    Windows,   ///< the end of a round: groups of neighbouring ops are planned anew, exactly
    Tiling,    ///< the tilings of the best schedule are looked at harder
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
    double proofUntil = 0;   ///< while proving: the second at which it is given up
};

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
    /// Seconds since any moment, asked by several threads: what `seconds` are measured by, e.g. CPU time in
    /// a benchmark on a busy machine. Wall clock when empty.
    std::function<double()> clock;
    /// Seconds without a better schedule after which the search ends by itself; 0 = never.
    double stagnation = 0;
    /// While it says so the threads rest; asked often, by several threads. The clock is the caller's to stop.
    std::function<bool()> paused;
    bool prove = true; ///< small problems: prove the optimum (see SolveResult::provenOptimal)
    /// Only schedules whose buffers have addresses (docs/rules/place.md); the proof of `prove` does not know
    /// it.
    bool placeable = false;
    std::stop_token stop; ///< the best so far is returned within about 50 ms
    /// Called from the calling thread, for every improvement (at most some a second) and regularly.
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
    std::int64_t lookups = 0;                     ///< subgraph costs asked, mostly remembered ones
    std::int64_t steps = 0;                       ///< changes tried
    std::vector<std::pair<double, double>> curve; ///< (seconds, latency) of every improvement
    std::vector<double> latencies;                ///< by subgraph
    [[nodiscard]] double gap() const { return lowerBound > 0 ? total / lowerBound - 1 : 0; }
};

} // namespace tilewright
