// SPDX-License-Identifier: GPL-3.0-or-later
// The verb `map` with an architecture of levels (docs/rules/hierarchy.md).
#pragma once

#include "hierarchy/report.h"
#include "verbs/map.h"

namespace tilewright::verbs {

/// The mapping in a file, and its cost.
struct MappingAnswer
{
    hierarchy::Mapping mapping;
    hierarchy::Cost cost;
    double seconds = 0; ///< duration of the evaluation
};
// Precondition of all functions: `call.hierarchy` is set.

/// Reads the mapping file of the call and returns its cost on the layer; the Error names file and field.
[[nodiscard]] Result<MappingAnswer> evaluateMapping(const MapSubject& subject, const MapCall& call);

/// Called about ten times a second during a search, with the best result so far.
using HierarchyStatus = std::function<void(const hierarchy::SearchStatus&)>;
/// Searches the mappings of a layer for the call's objective, within the call's time limit.
[[nodiscard]] hierarchy::SearchResult mapLayerOnHierarchy(const MapSubject& subject, const MapCall& call,
                                                          const std::stop_token& stop,
                                                          const HierarchyStatus& status = {});
/// Calls `onLayer` before the search of each layer, and `onFound` with its result.
[[nodiscard]] Result<hierarchy::ModelResult>
mapModelOnHierarchy(const MapModel& model, const MapCall& call, const std::stop_token& stop,
                    const HierarchyStatus& status = {}, const std::function<void(std::size_t)>& onLayer = {},
                    const std::function<void(const hierarchy::LayerResult&)>& onFound = {});

/// The JSON document with the answer of the whole call.
[[nodiscard]] Result<std::string> hierarchyDocument(const std::variant<MapSubject, MapModel>& subject,
                                                    const MapCall& call, const std::stop_token& stop);

} // namespace tilewright::verbs
