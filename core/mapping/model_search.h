// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/search.h"

#include <array>
#include <functional>
#include <vector>

namespace tilewright::mapping {

struct LayerResult
{
    Layer layer;
    LoopNest nest;
    SearchResult search;
    bool repeated = false; ///< true if an earlier layer has the same shape and the result is that layer's
};

/// Sums over the layers of cost times count. For each objective, every layer has its own best method.
struct ModelTotals
{
    double energy = 0;
    double cycles = 0;
    double edp = 0; ///< sum of the EDPs of the layers
};

struct ModelResult
{
    std::string name;
    Architecture architecture;
    std::vector<LayerResult> layers;
    std::array<ModelTotals, kObjectives> totals{}; ///< totals of the best methods for each objective
    bool proven = false;                           ///< true if the results of all layers are proven optimal
    bool complete = false;                         ///< true if every layer has a method
    bool interrupted = false;
    double seconds = 0;
};

/// True if both layers have the same loop nest. Their names and counts may differ.
[[nodiscard]] bool sameShape(const Layer& a, const Layer& b);

/// Searches each distinct layer shape once. `options.seconds` is the time limit for the whole model; it is
/// divided among the remaining layers. `progress` gets the index of the next layer, `finished` each completed
/// layer. Both are called on the calling thread.
[[nodiscard]] Result<ModelResult> searchModel(const Model& model, const Architecture& architecture,
                                              const SearchOptions& options, bool quick,
                                              const std::function<void(std::size_t)>& progress = {},
                                              const std::function<void(const LayerResult&)>& finished = {});

} // namespace tilewright::mapping
