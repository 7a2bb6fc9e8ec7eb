// SPDX-License-Identifier: GPL-3.0-or-later
// What a schedule computes and loads beyond the least: padding, repetition, loads of the same elements.
#pragma once

#include "eval/evaluation.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace tilewright {

/// Elements that a subgraph loads more than once (docs/rules/schedule.md R7.6).
struct Reloads
{
    double once = 0;  ///< elements that its loads would be if each were loaded only once
    double again = 0; ///< elements loaded beyond that
    double halo = 0;  ///< part of `again`: what slices read through windows of images have in common (R1.8)
};

/// Waste of a subgraph, or of a schedule.
struct Waste
{
    double padding = 0;           ///< compute time of padding of ragged tiles and of repeated work
    std::optional<Reloads> loads; ///< nothing if more than kMostWasteSteps steps would have to be walked

    [[nodiscard]] std::optional<double> again() const
    {
        return loads ? std::optional(loads->again) : std::nullopt;
    }
    [[nodiscard]] std::optional<double> halo() const
    {
        return loads ? std::optional(loads->halo) : std::nullopt;
    }
};

/// Maximum number of steps of a subgraph that are walked to count what it loads again. Only subgraphs that
/// read through index maps (R1.8) are walked.
inline constexpr std::int64_t kMostWasteSteps = 200'000;

/// Returns the time of the ops of a subgraph without padding and repetition.
[[nodiscard]] double workOf(const Problem& problem, const Subgraph& subgraph, const Rules& rules);
/// Returns the size of the inputs of a subgraph that are not resident, in units (R1.9).
[[nodiscard]] std::int64_t inputUnits(const Problem& problem, const Subgraph& subgraph,
                                      std::span<const TensorId> residentBefore);

/// Computes the waste of each subgraph. Requires `evaluation` = evaluate(problem, schedule, rules). A
/// subgraph that breaks R4 or R5.3 has none.
[[nodiscard]] std::vector<Waste> wasteOf(const Problem& problem, const Schedule& schedule,
                                         const Evaluation& evaluation);
/// Computes the waste of subgraph `i`.
[[nodiscard]] Waste wasteOf(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                            SubgraphId i, const std::stop_token& stop = {});
/// Returns the sums over subgraphs. Without loads if those of one are unknown.
[[nodiscard]] Waste sumOf(std::span<const Waste> waste);

} // namespace tilewright
