// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// A change of a schedule and its effect on the total latency.
struct Suggestion
{
    enum class Kind : std::uint8_t {
        Granularity,      ///< another w, h and k, and another traversal if this helps
        Depth,            ///< another k
        Traversal,        ///< another traversal
        Retain,           ///< retain a product for the next subgraph
        Release,          ///< do not retain the tensor any longer
        FuseWithPrevious, ///< fuse with the previous subgraph and choose a new granularity
        FuseWithNext,
        FuseWithOther, ///< fuse with a subgraph that is not adjacent and exchanges a tensor with it
        Move,          ///< move an op to a subgraph that produces its operand or reads its result
        Recompute,     ///< compute the producer of an input in this subgraph as well
        Split,         ///< move an op to a new subgraph
        Reorder,       ///< move a producer and a reader next to each other and retain the tensor
    };
    static constexpr std::size_t kKinds = 12;
    Kind kind = Kind::Granularity;
    std::optional<TensorId> tensor; ///< affected tensor of Retain, Release and Reorder
    Schedule schedule;              ///< the whole schedule after the change
    double total = 0;               ///< latency of `schedule`
    double gain = 0;       ///< latency before minus latency after, exact; 0 unless both schedules can run
    std::size_t fixes = 0; ///< number of issues that the change removes
    std::string text;      ///< short description: "retain t3 in fast memory for the next subgraph"
};
[[nodiscard]] std::string_view suggestionKindName(Suggestion::Kind kind);

/// Returns the single changes around a subgraph that improve the schedule, the best first, one per kind (and
/// tensor). `evaluation` = evaluate(problem, schedule, rules). Takes about ten milliseconds; on a stop
/// request, returns the changes found so far.
[[nodiscard]] std::vector<Suggestion> suggestions(const Problem& problem, const Schedule& schedule,
                                                  const Evaluation& evaluation, SubgraphId subgraph,
                                                  std::stop_token stop = {});

} // namespace tilewright
