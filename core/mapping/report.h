// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/evaluate.h"
#include "mapping/model_search.h"
#include "mapping/padding.h"
#include "mapping/search.h"

#include <string>

// JSON documents of `map --json` (docs/design.md 3.2, docs/rules/mapping.md 8), and the CSV file of a model.
namespace tilewright::mapping {

/// Name of this cost model in every answer. The name of the model of docs/rules/hierarchy.md is
/// hierarchy::kCostModel.
inline constexpr std::string_view kCostModel = "four levels";

/// Document of one evaluated method. Figures are null if the factors do not multiply to the trip counts.
[[nodiscard]] std::string evaluationReport(const LoopNest& nest, const Method& method,
                                           const MappingCost& evaluation, Objective objective,
                                           double seconds);

/// Additional values for the document of a search.
struct SearchNotes
{
    std::int64_t runs = 1; ///< number of executions of the layer in its model
    std::optional<PaddingHint> padding = {};
    std::optional<MethodCost> imperfect = {}; ///< result of imperfectHint()
};

/// Document of a search: the best method for `objective` with its cost components, the best values of all
/// three objectives, the Pareto front and the counts.
[[nodiscard]] std::string searchReport(const LoopNest& nest, const Architecture& architecture,
                                       const SearchResult& result, Objective objective,
                                       const SearchNotes& notes = {});

/// Document of a model: one entry per layer, and the totals.
[[nodiscard]] std::string modelReport(const ModelResult& result, Objective objective);

/// CSV with a header line. One row per layer and objective, with cycles and energy by level and operand; then
/// the totals per objective.
[[nodiscard]] std::string modelCsv(const ModelResult& result);

/// CSV of one layer in the form of modelCsv(), without totals.
[[nodiscard]] std::string layerCsv(const Layer& layer, const LoopNest& nest, const Architecture& architecture,
                                   const SearchResult& result);

/// CSV of one evaluated method, one row.
[[nodiscard]] std::string methodCsv(const Layer& layer, const LoopNest& nest, const MappingCost& evaluation);

/// JSON with the best method of every layer for an objective: {"name", "objective", "layers": [{"name",
/// "method"}]}.
[[nodiscard]] std::string modelMethods(const ModelResult& result, Objective objective);

} // namespace tilewright::mapping
