// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/search.h"

#include <functional>
#include <string>
#include <vector>

namespace tilewright::hierarchy {

/// Result of the search for one layer of a model.
struct LayerResult
{
    mapping::Layer layer;
    LoopNest nest;
    SearchResult search;
    bool repeated = false; ///< has the shape of an earlier layer and shares its result
};

/// Results of the search for all layers of a model; equal shapes are searched once.
struct ModelResult
{
    std::string name;
    Architecture architecture;
    Objective objective = Objective::Edp; ///< what every layer was searched for
    std::vector<LayerResult> layers;
    // Sums of the layers' best mappings times the layers' counts: pJ, cycles, pJ * cycles.
    double energy = 0;
    double cycles = 0;
    double edp = 0;
    bool proven = false;   ///< true if the results of all layers are proven optimal
    bool complete = false; ///< true if every layer has a mapping
    bool interrupted = false;
    double seconds = 0;
};

/// Searches each distinct shape once for `options.objective`, which must be set. `options.seconds` is the
/// limit for the whole model; it is divided among the remaining layers. `progress` gets the index of the next
/// layer, `finished` each completed one; both are called on the calling thread. The Error names the layer
/// that is too large.
[[nodiscard]] Result<ModelResult> searchModel(const mapping::Model& model, const Architecture& architecture,
                                              const SearchOptions& options,
                                              const std::function<void(std::size_t)>& progress = {},
                                              const std::function<void(const LayerResult&)>& finished = {});

} // namespace tilewright::hierarchy
