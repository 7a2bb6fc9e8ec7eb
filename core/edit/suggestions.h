// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright {

/// One change to a schedule and what it does to the total.
struct Suggestion
{
    enum class Kind : std::uint8_t {
        Granularity,      ///< w, h and k, and the traversal if that helps
        Depth,            ///< k alone
        Traversal,        ///< traversal alone
        Retain,           ///< keep a product for the next subgraph
        Release,          ///< keep it no longer
        FuseWithPrevious, ///< one subgraph of two, tiled anew
        FuseWithNext,
        FuseWithOther, ///< with one that it exchanges a tensor with, further away in the order
        Move,          ///< one of its ops to a subgraph that makes its operand or reads its result
        Recompute,     ///< what it reads is computed in it as well
        Split,         ///< one of its ops leaves into a subgraph of its own
        Reorder,       ///< two that exchange a tensor run one after the other, which keeps it
    };
    static constexpr std::size_t kKinds = 12;
    Kind kind = Kind::Granularity;
    std::optional<TensorId> tensor; ///< Retain, Release, Reorder
    Schedule schedule;              ///< the whole schedule after the change
    double total = 0;               ///< of that schedule
    double gain = 0;                ///< total before - after, when both are complete; exact
    std::size_t fixes = 0;          ///< issues that disappear
    std::string text;               ///< a phrase: "keep t3 in fast memory for the next subgraph"
};
[[nodiscard]] std::string_view suggestionKindName(Suggestion::Kind kind);

/// Every single change around a subgraph that helps, the best first: one for each kind (and tensor).
/// `evaluation` = evaluate(problem, schedule, rules). Takes some ten milliseconds; a stop gives what is
/// known.
[[nodiscard]] std::vector<Suggestion> suggestions(const Problem& problem, const Schedule& schedule,
                                                  const Evaluation& evaluation, SubgraphId subgraph,
                                                  std::stop_token stop = {});

} // namespace tilewright
