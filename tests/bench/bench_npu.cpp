// SPDX-License-Identifier: GPL-3.0-or-later
// Budget (docs/rules/npu.md 8): 100,000 nodes with tiles of 8 to 64 KiB in under 5 s; memory linear in tiles.
#include "npu/generate.h"
#include "npu/run.h"

#include <benchmark/benchmark.h>

using namespace tilewright;
using namespace tilewright::npu;

namespace {

/// One matmul cut into about `nodes` nodes; its inputs are tiles of edge x 2 * edge and 2 * edge x edge.
NpuModel largeModel(std::int64_t nodes, std::int64_t tileEdge)
{
    NpuModel model;
    model.name = "large";
    const std::int64_t blocks = 16; // tiles along K and N
    const std::int64_t size = blocks * tileEdge;
    const std::int64_t rows = std::max<std::int64_t>(1, nodes / (blocks * blocks)) * tileEdge;
    const std::size_t a = model.addTensor("a", {rows, 2 * size});
    const std::size_t b = model.addTensor("b", {2 * size, size});
    const std::size_t c = model.addTensor("c", {rows, size});
    ModelOp op;
    op.type = OpType::MatMul;
    op.name = "matmul";
    op.inputs = {a, b};
    op.outputs = {c};
    op.tile.m = op.tile.n = tileEdge;
    op.tile.k = 2 * tileEdge;
    model.ops.push_back(op);
    return model;
}

void simulateLarge(benchmark::State& state)
{
    const NpuModel model = largeModel(state.range(0), state.range(1));
    RunOptions options;
    options.scheduler = state.range(2) ? Scheduler::Dynamic : Scheduler::Static;
    std::size_t nodes = 0;
    for (auto _ : state) {
        const auto graph = buildGraph(model, {});
        if (!graph) {
            state.SkipWithError(graph.error().text().c_str());
            return;
        }
        nodes = graph->nodes.size();
        const auto run = simulate(*graph, graph->hardware, options);
        benchmark::DoNotOptimize(run->makespan);
        state.counters["DRAM_GB"] = static_cast<double>(run->dramBytes) / 1e9;
    }
    state.counters["nodes"] = static_cast<double>(nodes);
}
BENCHMARK(simulateLarge)
    ->ArgNames({"nodes", "edge", "dynamic"})
    ->Args({100000, 45, 1})  // 8 KiB, unaligned rows
    ->Args({100000, 64, 1})  // 16 KiB
    ->Args({100000, 128, 0}) // 64 KiB
    ->Args({100000, 128, 1})
    ->Args({393216, 64, 1})
    ->Unit(benchmark::kMillisecond);

/// 100,000 elementwise tiles, all ready at once: the worst case of the dynamic choice.
void simulateWide(benchmark::State& state)
{
    NpuModel model;
    model.name = "wide";
    const std::int64_t rows = state.range(0);
    const std::size_t x = model.addTensor("x", {rows, 8192});
    const std::size_t g = model.addTensor("gamma", {8192});
    const std::size_t y = model.addTensor("y", {rows, 8192});
    ModelOp op;
    op.type = OpType::RmsNorm;
    op.name = "norm";
    op.inputs = {x, g};
    op.outputs = {y};
    op.tile.rows = 1;
    model.ops.push_back(op);
    for (auto _ : state) {
        const auto graph = buildGraph(model, {});
        const auto run = simulate(*graph, graph->hardware, {});
        benchmark::DoNotOptimize(run->makespan);
    }
}
BENCHMARK(simulateWide)->Arg(10000)->Arg(20000)->Arg(100000)->Unit(benchmark::kMillisecond);

void simulateLlama(benchmark::State& state)
{
    LlamaBlockOptions o;
    o.phase = state.range(0) ? LlamaPhase::Decode : LlamaPhase::Prefill;
    const auto model = generateLlamaBlock(o);
    const auto graph = buildGraph(*model, {});
    for (auto _ : state) {
        const auto run = simulate(*graph, graph->hardware, {});
        benchmark::DoNotOptimize(run->makespan);
    }
}
BENCHMARK(simulateLlama)->ArgName("decode")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

} // namespace
