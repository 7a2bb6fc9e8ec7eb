// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "mapping/density.h"
#include "mapping/files.h"
#include "mapping/model_search.h"
#include "mapping_brute_force.h"

#include <benchmark/benchmark.h>

namespace {

using namespace tilewright;
using namespace tilewright::mapping;

LayersFile sample(const std::string& name)
{
    const std::string path = TILEWRIGHT_SOURCE_DIR "/samples/mapping/" + name + ".json";
    return readLayers(readFile(path).value(), path).value();
}

LoopNest nestOf(const std::string& name)
{
    return makeNest(sample("layers/" + name).model.layers[0]).value();
}

/// (tiling, order class pair) evaluations a second on one core; the budget is 10^7.
void mappingEvaluatePairs(benchmark::State& state)
{
    const LoopNest nest = nestOf("conv-3x3-64");
    const FastEvaluator fast(nest, {});
    DensityOptions options;
    options.tilings = 2000;
    std::vector<Method> tilings;
    for (const MethodCost& m : sampleDensity(nest, {}, options).examples)
        tilings.push_back(m.method);
    std::int64_t pairs = 0;
    for (auto _ : state)
        for (const Method& m : tilings)
            pairs += fast.visitClasses(
                m, [](const OrderClass&, const OrderClass&, Cost c) { benchmark::DoNotOptimize(c); });
    state.counters["pairs"] = benchmark::Counter(static_cast<double>(pairs), benchmark::Counter::kIsRate);
}
BENCHMARK(mappingEvaluatePairs);

void mappingEvaluateExplaining(benchmark::State& state)
{
    const LoopNest nest = nestOf("conv-3x3-64");
    const Method m = search(nest, {}, {}).of(Objective::Edp)->method;
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluate(nest, {}, m));
}
BENCHMARK(mappingEvaluateExplaining);

void mappingProve(benchmark::State& state, const char* name)
{
    const LoopNest nest = nestOf(name);
    SearchResult r;
    for (auto _ : state)
        r = search(nest, {}, {});
    state.counters["space"] = static_cast<double>(r.counts.space.value_or(0));
    state.counters["visited"] = static_cast<double>(r.counts.visited);
    state.counters["proven"] = r.proven ? 1 : 0;
}
BENCHMARK_CAPTURE(mappingProve, conv_3x3_64, "conv-3x3-64")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingProve, conv_3x3_256, "conv-3x3-256")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingProve, conv_1x1_2048, "conv-1x1-2048")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingProve, gemm_1000, "gemm-1000")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingProve, conv5_2_batch4, "resnet-conv5_2-batch4")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();
BENCHMARK_CAPTURE(mappingProve, depthwise_144, "depthwise-3x3-144")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

void mappingModel(benchmark::State& state, const char* name)
{
    const Model model = sample(std::string("models/") + name).model;
    bool proven = false;
    for (auto _ : state)
        proven = searchModel(model, {}, {}, false)->proven;
    state.counters["proven"] = proven ? 1 : 0;
}
BENCHMARK_CAPTURE(mappingModel, resnet_18, "resnet-18")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingModel, resnet_50, "resnet-50")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingModel, vgg_16, "vgg-16")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingModel, mobilenet_v2, "mobilenet-v2")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingModel, bert_base, "bert-base")->Unit(benchmark::kMillisecond)->UseRealTime();
BENCHMARK_CAPTURE(mappingModel, gpt_2_xl_block, "gpt-2-xl-block")
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

/// What branch and bound is compared with: every tiling and class pair, one core.
void mappingBruteForce(benchmark::State& state, const char* name)
{
    const LoopNest nest = nestOf(name);
    BruteForceResult r;
    for (auto _ : state)
        r = bruteForce(nest, {});
    state.counters["pairs"] =
        benchmark::Counter(static_cast<double>(r.evaluations), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK_CAPTURE(mappingBruteForce, conv_1x1_2048, "conv-1x1-2048")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(mappingBruteForce, gemm_1000, "gemm-1000")->Unit(benchmark::kMillisecond);

void mappingDensity(benchmark::State& state)
{
    const LoopNest nest = nestOf("conv-3x3-64");
    for (auto _ : state)
        benchmark::DoNotOptimize(sampleDensity(nest, {}, {}));
}
BENCHMARK(mappingDensity)->Unit(benchmark::kMillisecond);

} // namespace
