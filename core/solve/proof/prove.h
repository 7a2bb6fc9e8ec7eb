// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/rules.h"
#include "schedule/schedule.h"
#include "solve/proof/set_cover.h"
#include "workload/problem.h"

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tilewright {

/// State of a running proof.
struct ProofProgress
{
    double seconds = 0;                    ///< since its start
    double lowerBound = 0;                 ///< no valid schedule takes less
    double presetBound = 0;                ///< no schedule of preset traversals takes less
    double best = 0;                       ///< latency of the incumbent, the best known schedule
    const SetCoverBound* priced = nullptr; ///< the bound by prices; valid during the call
};

struct ProofLimits
{
    double seconds = 10;
    std::function<bool()> keepGoing;                      ///< asked often, by the calling thread
    std::function<void(const ProofProgress&)> onProgress; ///< called by the calling thread
    std::size_t threads = 0;                              ///< 0: as many as the machine has
    std::size_t columns = 2'000'000;                      ///< at most; about 80 bytes each
    std::size_t nodes = 3'000'000;                        ///< of the search, at most; about 150 bytes each
};

struct Proof
{
    double lowerBound = 0;  ///< no valid schedule takes less; 0 when nothing could be said
    double presetBound = 0; ///< no schedule of preset traversals takes less
    SetCoverBound priced;   ///< the part of `lowerBound` that prices prove; the search proves the rest
    bool optimal = false;   ///< nothing in `space` is better than the incumbent
    std::string space;      ///< what the proof covers, in words
    std::optional<Schedule> schedule; ///< a better one than the incumbent, checked by the evaluator
    double total = std::numeric_limits<double>::infinity(); ///< its latency
    std::vector<double> latencies;                          ///< by subgraph of it
    std::size_t columns = 0;                                ///< that prices do not rule out
    std::int64_t states = 0;                                ///< expanded by the search
    double seconds = 0;
};

/// Branch and bound from the latency `best` of an incumbent (docs/rules/bound.md 7): removes all columns that
/// no better schedule can contain, and searches what is left. For problems of at most 64 ops whose op sets
/// can be listed. Under rules that the prices do not know (retain_inputs=allow) small problems are searched
/// without prices. Else it says nothing. Any thread may call it.
[[nodiscard]] Proof prove(const Problem& problem, const Rules& rules, double best, const ProofLimits& limits);

} // namespace tilewright
