// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/model_search.h"

#include "base/progress.h"
#include "mapping/model_search.h"

#include <algorithm>

namespace tilewright::hierarchy {

namespace {

void addTotals(ModelResult& out)
{
    out.complete = out.proven = true;
    for (const LayerResult& l : out.layers) {
        out.proven = out.proven && l.search.proven;
        out.interrupted = out.interrupted || l.search.interrupted;
        const auto& best = l.search.of(out.objective);
        if (!best) {
            out.complete = false;
            continue;
        }
        const auto runs = static_cast<double>(l.layer.runs());
        out.energy += runs * best->energy;
        out.cycles += runs * best->cycles;
        out.edp += runs * best->edp();
    }
}

} // namespace

Result<ModelResult> searchModel(const mapping::Model& model, const Architecture& architecture,
                                const SearchOptions& options,
                                const std::function<void(std::size_t)>& progress,
                                const std::function<void(const LayerResult&)>& finished)
{
    const double start = wallClock();
    ModelResult out;
    out.name = model.name;
    out.architecture = architecture;
    out.objective = options.objective.value_or(Objective::Edp);
    const auto take = [&](LayerResult layer) {
        out.layers.push_back(std::move(layer));
        if (finished)
            finished(out.layers.back());
    };
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const mapping::Layer& layer = model.layers[i];
        const auto nest = mapping::makeNest(layer);
        if (!nest)
            return nest.error();
        if (Status s = checkCountable(*nest); !s) {
            Error error = s.error();
            error.path = "layers[" + std::to_string(i) + "]";
            return error;
        }
        const auto same = std::ranges::find_if(
            out.layers, [&](const LayerResult& l) { return mapping::sameShape(l.layer, layer); });
        if (same != out.layers.end()) {
            LayerResult copy = *same;
            copy.layer = layer;
            copy.repeated = true;
            take(std::move(copy));
            continue;
        }
        if (progress)
            progress(i);
        SearchOptions own = options;
        own.objective = out.objective;
        if (options.seconds > 0)
            own.seconds = std::max(0.001, (options.seconds - (wallClock() - start)) /
                                              static_cast<double>(model.layers.size() - i));
        take({layer, *nest, search(*nest, architecture, own), false});
    }
    addTotals(out);
    out.seconds = wallClock() - start;
    return out;
}

} // namespace tilewright::hierarchy
