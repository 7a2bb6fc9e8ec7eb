// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/model_search.h"

#include <algorithm>
#include <chrono>

namespace tilewright::mapping {

namespace {

void addTotals(ModelResult& out)
{
    out.complete = true;
    out.proven = true;
    for (const LayerResult& l : out.layers) {
        out.proven = out.proven && l.search.proven;
        out.interrupted = out.interrupted || l.search.interrupted;
        const double count = static_cast<double>(l.layer.runs());
        for (std::size_t o = 0; o < kObjectives; ++o) {
            const auto& best = l.search.best[o];
            if (!best) {
                out.complete = false;
                continue;
            }
            out.totals[o].energy += count * best->energy;
            out.totals[o].cycles += count * static_cast<double>(best->cycles);
            out.totals[o].edp += count * best->edp;
        }
    }
}

} // namespace

bool sameShape(const Layer& a, const Layer& b)
{
    Layer x = a;
    Layer y = b;
    x.name = y.name = {};
    x.count = y.count = 1;
    return x == y;
}

Result<ModelResult> searchModel(const Model& model, const Architecture& architecture,
                                const SearchOptions& options, bool quick,
                                const std::function<void(std::size_t)>& progress,
                                const std::function<void(const LayerResult&)>& finished)
{
    using Clock = std::chrono::steady_clock;
    const auto start = Clock::now();
    const auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
    ModelResult out;
    out.name = model.name;
    out.architecture = architecture;
    for (std::size_t i = 0; i < model.layers.size(); ++i) {
        const Layer& layer = model.layers[i];
        auto nest = makeNest(layer);
        if (!nest)
            return nest.error();
        if (auto s = checkCountable(*nest, architecture); !s) {
            Error error = s.error();
            error.path = "layers[" + std::to_string(i) + "]";
            return error;
        }
        const auto same = std::find_if(out.layers.begin(), out.layers.end(),
                                       [&](const LayerResult& l) { return sameShape(l.layer, layer); });
        if (same != out.layers.end()) {
            LayerResult copy = *same;
            copy.layer = layer;
            copy.repeated = true;
            out.layers.push_back(std::move(copy));
            if (finished)
                finished(out.layers.back());
            continue;
        }
        if (progress)
            progress(i);
        SearchOptions own = options;
        if (options.seconds > 0)
            own.seconds =
                std::max(0.001, (options.seconds - elapsed()) / static_cast<double>(model.layers.size() - i));
        SearchResult found = quick ? quickSearch(*nest, architecture, own) : search(*nest, architecture, own);
        out.layers.push_back({layer, *nest, std::move(found), false});
        if (finished)
            finished(out.layers.back());
    }
    addTotals(out);
    out.seconds = elapsed();
    return out;
}

} // namespace tilewright::mapping
