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
    bool repeated = false; ///< true if an earlier layer has the same shape and the result is that layer's
};

/// Results of the search for all layers of a model. Layers of equal shape are searched once.
struct ModelResult
{
    std::string name;
    Architecture architecture;
    Objective objective = Objective::Edp; ///< objective of the search of every layer
    std::vector<LayerResult> layers;
    // Sums over the layers of the best mapping's values times the layer's count, in pJ, cycles and pJ *
    // cycles.
    double energy = 0;
    double cycles = 0;
    double edp = 0;
    bool proven = false;   ///< true if the results of all layers are proven optimal
    bool complete = false; ///< true if every layer has a mapping
    bool interrupted = false;
    double seconds = 0;
};

/// Searches each distinct layer shape once for `options.objective`, which must be set. `options.seconds` is
/// the time limit for the whole model; it is divided among the remaining layers. `progress` gets the index of
/// the next layer, `finished` each completed layer. Both are called on the calling thread. The Error names
/// the layer that is too large.
[[nodiscard]] Result<ModelResult> searchModel(const mapping::Model& model, const Architecture& architecture,
                                              const SearchOptions& options,
                                              const std::function<void(std::size_t)>& progress = {},
                                              const std::function<void(const LayerResult&)>& finished = {});

} // namespace tilewright::hierarchy
