// SPDX-License-Identifier: GPL-3.0-or-later
#include "layout/layout.h"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <random>

using namespace tilewright;

namespace {

/// About two edges a node, as in docs/design.md 6.1; groups of three.
LayoutGraph benchGraph(int nodes)
{
    std::mt19937 random(7);
    LayoutGraph graph;
    for (int i = 0; i < nodes; ++i)
        graph.nodes.push_back({120, 44, i / 3, {}});
    for (int i = 1; i < nodes; ++i) {
        const unsigned inputs = 1 + random() % 3;
        for (unsigned j = 0; j < inputs; ++j)
            graph.edges.push_back(
                {static_cast<unsigned>(std::max(0, i - 1 - static_cast<int>(random() % 12))),
                 static_cast<unsigned>(i),
                 0,
                 {}});
    }
    return graph;
}

void layoutFromScratch(benchmark::State& state)
{
    const LayoutGraph graph = benchGraph(static_cast<int>(state.range(0)));
    LayoutOptions options;
    options.aspect = 1.6;
    std::int64_t crossings = 0;
    for (auto _ : state)
        crossings = layeredLayout(graph, options)->crossings;
    state.counters["crossings"] = static_cast<double>(crossings);
}

void layoutAfterEdit(benchmark::State& state)
{
    LayoutGraph graph = benchGraph(static_cast<int>(state.range(0)));
    const auto before = layeredLayout(graph);
    for (std::size_t v = 0; v < graph.nodes.size(); ++v)
        graph.nodes[v].previous = before->anchors[v];
    for (std::size_t e = 0; e < graph.edges.size(); ++e)
        graph.edges[e].previous = before->edgeAnchors[e];
    graph.nodes[graph.nodes.size() / 2].group = 1;
    for (auto _ : state)
        benchmark::DoNotOptimize(layeredLayout(graph));
}

BENCHMARK(layoutFromScratch)->Arg(40)->Arg(150)->Arg(600)->Arg(3000)->Unit(benchmark::kMillisecond);
BENCHMARK(layoutAfterEdit)->Arg(150)->Arg(3000)->Unit(benchmark::kMillisecond);

} // namespace
