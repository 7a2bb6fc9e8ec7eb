// SPDX-License-Identifier: GPL-3.0-or-later
// The documents of `evaluate --json` and of proven bounds, with the issues of the schedule file.
#pragma once

#include "eval/energy_bound.h"
#include "eval/evaluation.h"
#include "eval/rule_choice.h"
#include "snapshot/snapshot.h"

#include <span>
#include <string>
#include <string_view>

namespace tilewright {

/// Inserts the issues of R2.2 in the file before all other issues (R10.4). The totals do not change: they
/// hold for the readable part of the file.
void prependFormatIssues(Evaluation& evaluation, std::span<const Issue> issues);

/// Returns the issue as a sentence such as "OOM in subgraph 2: the working set ...".
[[nodiscard]] std::string sentence(const Issue& issue);

/// True if every subgraph can be evaluated, so that the total latency is defined.
[[nodiscard]] bool hasTotal(const Evaluation& evaluation);

/// Returns the document of `evaluate --json` (docs/design.md 3.2), one JSON object. total_latency and
/// array_total are null if a subgraph cannot be evaluated. If the file violates R2.2, only the verdict is
/// written.
[[nodiscard]] std::string evaluationJson(const Snapshot& snapshot, std::string_view rulesReason);

/// Returns the document of `check --json`: {"valid", "error", "issues": [{"code", "message", "subgraph"}...],
/// "latency_deviations": [{"subgraph", "reported", "computed"}...]}, and the energy of a valid schedule if
/// the problem states energies. `deviations`: deviations of latencies (R10.2).
[[nodiscard]] std::string checkJson(const Problem& problem, const Evaluation& evaluation,
                                    std::string_view rulesReason,
                                    std::span<const LatencyDeviation> deviations = {});

/// The best known schedule, and whether it is proven optimal.
struct BoundedBest
{
    double latency = 0;
    bool proven = false;
    std::string space; ///< space of schedules that the proof covers, as text
    [[nodiscard]] double gap(double bound) const { return bound > 0 ? latency / bound - 1 : 0; }
};

/// Returns the document of `bound --json`: {"lower_bound", "compute", "memory", "hardware", "parts": [...],
/// "prices": [...]}, and the bounds of energy and EDP if the problem states energies. If a best schedule is
/// known, also {"best", "gap", "proven_optimal", "proven_space"}.
[[nodiscard]] std::string boundJson(const Problem& problem, const LowerBound& bound,
                                    const EnergyBound& energy, const BoundedBest* best = nullptr);

} // namespace tilewright
