// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/evaluate.h"
#include "mapping/model_search.h"
#include "mapping/search.h"

#include <string>

// The JSON documents of `map --json` (docs/design.md 3.2, docs/rules/mapping.md 8), and the CSV of a model.
namespace tilewright::mapping {

/// One evaluated method. Numbers are null when the tiling does not multiply.
[[nodiscard]] std::string evaluationReport(const LoopNest& nest, const Method& method,
                                           const MappingCost& evaluation, Objective objective,
                                           double seconds);

/// A search: the best method of `objective` with its components, all three optima, the front, the counts.
[[nodiscard]] std::string searchReport(const LoopNest& nest, const Architecture& architecture,
                                       const SearchResult& result, Objective objective);

/// A model: one entry per layer and the totals.
[[nodiscard]] std::string modelReport(const ModelResult& result, Objective objective);

/// A row per layer and objective-wise totals, with a header line.
[[nodiscard]] std::string modelCsv(const ModelResult& result);

} // namespace tilewright::mapping
