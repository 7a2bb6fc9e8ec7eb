// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/evaluate.h"
#include "mapping/model_search.h"
#include "mapping/padding.h"
#include "mapping/search.h"

#include <string>

// The JSON documents of `map --json` (docs/design.md 3.2, docs/rules/mapping.md 8), and the CSV of a model.
namespace tilewright::mapping {

/// One evaluated method. Numbers are null when the tiling does not multiply.
[[nodiscard]] std::string evaluationReport(const LoopNest& nest, const Method& method,
                                           const MappingCost& evaluation, Objective objective,
                                           double seconds);

/// What a search report says beside the result.
struct SearchNotes
{
    std::int64_t runs = 1; ///< of the layer in its model
    std::optional<PaddingHint> padding;
};

/// A search: the best method of `objective` with its components, all three optima, the front, the counts.
[[nodiscard]] std::string searchReport(const LoopNest& nest, const Architecture& architecture,
                                       const SearchResult& result, Objective objective,
                                       const SearchNotes& notes = {});

/// A model: one entry per layer and the totals.
[[nodiscard]] std::string modelReport(const ModelResult& result, Objective objective);

/// A row per layer and objective with cycles and energy by level and operand, and objective-wise totals, with
/// a header line.
[[nodiscard]] std::string modelCsv(const ModelResult& result);

/// The same rows of one layer, without totals.
[[nodiscard]] std::string layerCsv(const Layer& layer, const LoopNest& nest, const Architecture& architecture,
                                   const SearchResult& result);

/// One row of an evaluated method.
[[nodiscard]] std::string methodCsv(const Layer& layer, const LoopNest& nest, const MappingCost& evaluation);

/// The best method of every layer for an objective: {"name", "objective", "layers": [{"name", "method"}]}.
[[nodiscard]] std::string modelMethods(const ModelResult& result, Objective objective);

} // namespace tilewright::mapping
