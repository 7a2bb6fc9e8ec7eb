// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"
#include "solve/proof/set_cover.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

class TilingMemo;

/// State of a running proof.
struct ProofProgress
{
    double seconds = 0;     ///< seconds since the start of the proof
    double lowerBound = 0;  ///< lower bound for every valid schedule
    double presetBound = 0; ///< lower bound for schedules with preset traversals
    double best = 0;        ///< latency of the incumbent, the best known schedule
    /// Details of the bound by dual prices; valid only during the call.
    const SetCoverBound* priced = nullptr;
};

struct ProofLimits
{
    double seconds = 10;
    std::function<double()> clock; ///< clock for `seconds`, as SolveOptions::clock; wall clock if empty
    /// Polled often by the calling thread; the proof ends when it returns false.
    std::function<bool()> keepGoing;
    std::function<void(const ProofProgress&)> onProgress; ///< called by the calling thread
    std::size_t threads = 0;                              ///< number of threads; 0 = all hardware threads
    std::size_t columns = 2'000'000;                      ///< maximum number of columns; about 80 bytes each
    std::size_t nodes = 3'000'000; ///< maximum number of nodes of the A* search; about 150 bytes each
    TilingMemo* memo = nullptr;    ///< cache of tilings, used and extended by the proof; null = its own
};

struct Proof
{
    double lowerBound = 0;  ///< lower bound for every valid schedule; 0 if there is no result
    double presetBound = 0; ///< lower bound for schedules with preset traversals
    SetCoverBound priced;   ///< the part of `lowerBound` that dual prices prove; the search proves the rest
    bool optimal = false;   ///< true if no schedule in `space` is better than the incumbent
    std::string space;      ///< description of the schedules that the proof covers
    /// A schedule better than the given incumbent, checked by the evaluator.
    std::optional<Schedule> schedule;
    double total = std::numeric_limits<double>::infinity(); ///< latency of `schedule`
    std::vector<double> latencies;                          ///< latency of each subgraph of `schedule`
    std::size_t columns = 0; ///< number of columns that reduced costs do not exclude
    std::int64_t states = 0; ///< number of states that the search has expanded
    double seconds = 0;
};

/// Branch and bound from the latency `best` of an incumbent (docs/rules/bound.md 7): removes all columns that
/// cannot be part of a better schedule, and searches the remaining ones. Dual prices do not support index
/// maps, element widths and retained inputs; small problems with these are searched without prices. The
/// result is empty for larger problems of this kind, for more than 64 ops, and for an infinite `best`.
/// Thread-safe.
[[nodiscard]] Proof prove(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits);

} // namespace tilewright
