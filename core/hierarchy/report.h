// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"
#include "hierarchy/model_search.h"

#include <string>

// JSON documents, tables and texts of `map` for an architecture with levels (docs/rules/hierarchy.md).

namespace tilewright::hierarchy {

/// Name of this cost model in every answer. The name of the model of docs/rules/mapping.md is
/// mapping::kCostModel.
inline constexpr std::string_view kCostModel = "hierarchy";

/// Document of one evaluated mapping. Figures are null if the factors do not multiply to the trip counts.
[[nodiscard]] std::string evaluationReport(const LoopNest& nest, const Architecture& architecture,
                                           const Mapping& mapping, Objective objective, double seconds);

/// Document of a search: the best mapping for `objective` with its figures, the best mapping of each
/// objective, bounds and the Pareto front. `runs`: number of executions of the layer in its model.
[[nodiscard]] std::string searchReport(const LoopNest& nest, const Architecture& architecture,
                                       const SearchResult& result, Objective objective, std::int64_t runs);

/// Document of a model: one entry per layer, and the totals.
[[nodiscard]] std::string modelReport(const ModelResult& result);

/// JSON with the best mapping of every layer: {"name", "objective", "layers": [{"name", "mapping"}]}.
[[nodiscard]] std::string modelMappings(const ModelResult& result);

/// Table with a row per level: instances, reads and writes of each operand, energy, cycles.
[[nodiscard]] Table levelTable(const LoopNest& nest, const Architecture& architecture, const Cost& cost);

/// CSV with a header line: one row per layer, level and operand, with tile, traffic, energy and waiting
/// cycles of the best mapping.
[[nodiscard]] std::string modelCsv(const ModelResult& result);

/// CSV of one mapping of a layer, with the columns of modelCsv().
[[nodiscard]] std::string mappingCsv(const mapping::Layer& layer, const LoopNest& nest,
                                     const Architecture& architecture, const Cost& cost);

/// Text of the resource that limits the cycles: "the reads of buffer" or "the MACs".
[[nodiscard]] std::string limitText(const Architecture& architecture, const Cost& cost);

/// Text that says why a search has no mapping: "no valid mapping exists: level buffer needs ...".
[[nodiscard]] std::string noMappingText(const SearchResult& result);

/// Text of the loops of a mapping, one line per level: "buffer  X 2, Y 2 | rows: X 2".
[[nodiscard]] std::string printMapping(const LoopNest& nest, const Architecture& architecture,
                                       const Mapping& mapping);

} // namespace tilewright::hierarchy
