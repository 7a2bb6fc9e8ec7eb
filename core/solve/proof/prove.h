// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "schedule/schedule.h"
#include "solve/plan/solve_options.h"
#include "solve/proof/set_cover.h"
#include "workload/problem.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// How far a proof has come.
struct ProofProgress
{
    double seconds = 0;                    ///< since its start
    double lowerBound = 0;                 ///< no valid schedule takes less
    double presetBound = 0;                ///< no schedule of preset traversals does
    double best = 0;                       ///< latency of the best schedule that is known
    const SetCoverBound* priced = nullptr; ///< what the prices say of it; as long as the call takes
};

struct ProofLimits
{
    double seconds = 10;
    std::function<bool()> keepGoing;                      ///< asked often, by the calling thread
    std::function<void(const ProofProgress&)> onProgress; ///< from the calling thread
    std::size_t threads = 0;                              ///< 0: as many as the machine has
    std::size_t columns = 2'000'000;                      ///< op sets with what stays; about 80 bytes each
    std::size_t nodes = 3'000'000;                        ///< of the search; about 150 bytes each
};

struct Proof
{
    double lowerBound = 0;  ///< no valid schedule takes less; 0 when nothing could be said
    double presetBound = 0; ///< no schedule of preset traversals does
    SetCoverBound priced;   ///< what prices say of `lowerBound`, and its groups; the rest is of the search
    bool optimal = false;   ///< nothing in `space` is better than what is known now
    std::string space;
    /// A better one than what was known, checked by the evaluator.
    std::optional<Schedule> schedule;
    double total = std::numeric_limits<double>::infinity(); ///< of it
    std::vector<double> latencies;
    std::size_t columns = 0; ///< that cannot be ruled out by their price
    std::int64_t states = 0;
    double seconds = 0;
};

/// Branch and bound from a known latency (docs/rules/bound.md 7): strikes out all op sets that no better
/// schedule can contain, and searches what is left. For problems of at most 64 ops whose op sets can be
/// listed; else it says nothing. By value: any thread may call it.
[[nodiscard]] Proof prove(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits);

/// Takes over what was proven, and a better schedule where `replace` allows it.
void takeProof(SolveResult& result, Proof proof, bool replace);

/// Both for what solve() has found; where branch and bound says nothing, the bound by prices.
void proveResult(const Problem& problem, const Rules& rules, SolveResult& result, const ProofLimits& limits,
                 bool replace);

} // namespace tilewright
