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
    bool repeated = false; ///< the same shape as an earlier layer, whose result it shares
};

/// Sums over layers times count; in each column every layer runs its best method of that objective.
struct ModelTotals
{
    double energy = 0;
    double cycles = 0;
    double edp = 0; ///< sum of the layers' own products
};

struct ModelResult
{
    std::string name;
    Architecture architecture;
    std::vector<LayerResult> layers;
    std::array<ModelTotals, kObjectives> totals{}; ///< index: Objective that the methods were chosen for
    bool proven = false;                           ///< every layer
    bool complete = false;                         ///< every layer has a method
    bool interrupted = false;
    double seconds = 0;
};

/// Searches every distinct shape once. `options.seconds` is for the whole model, shared out over the
/// layers still to do; `progress` is told the index of the layer about to start, `finished` each layer as it
/// is done (both on the thread that calls).
[[nodiscard]] Result<ModelResult> searchModel(const Model& model, const Architecture& architecture,
                                              const SearchOptions& options, bool quick,
                                              const std::function<void(std::size_t)>& progress = {},
                                              const std::function<void(const LayerResult&)>& finished = {});

} // namespace tilewright::mapping
