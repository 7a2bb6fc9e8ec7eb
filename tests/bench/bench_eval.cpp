// SPDX-License-Identifier: GPL-3.0-or-later
// Budgets (docs/design.md 7): subgraph evaluations on cached structure and fresh, a 150-op schedule.
#include "edit/suggestions.h"
#include "eval/evaluator.h"
#include "eval/fast_evaluator.h"
#include "eval/granularity_search.h"
#include "eval/lower_bound.h"
#include "eval/memory_use.h"
#include "eval/trace.h"

#include <benchmark/benchmark.h>

using namespace tilewright;

namespace {

struct Builder
{
    Problem::Data data;

    TensorId tensor(std::int64_t height, std::int64_t width)
    {
        data.tensors.push_back({width, height, {}});
        return TensorId(data.tensors.size() - 1);
    }
    TensorId matmul(TensorId a, TensorId b, std::int64_t cost = 2000)
    {
        const TensorId out = tensor(data.tensors[a].height, data.tensors[b].width);
        data.ops.push_back({OpType::MatMul, {a, b}, out, cost, {}});
        return out;
    }
    TensorId pointwise(std::vector<TensorId> in, std::int64_t cost = 300)
    {
        const TensorId out = tensor(data.tensors[in[0]].height, data.tensors[in[0]].width);
        data.ops.push_back({OpType::Pointwise, std::move(in), out, cost, {}});
        return out;
    }
    ProblemPtr build()
    {
        data.hardware = {500000, 25, 128, 128, {}};
        return *Problem::build(std::move(data));
    }
};

std::vector<OpId> allOps(const Problem& p)
{
    std::vector<OpId> ops;
    for (std::size_t i = 0; i < p.opCount(); ++i)
        ops.emplace_back(i);
    return ops;
}

/// 0: one matmul; 1: matmul + bias + activation; 2: two chained matmuls; 3: gated MLP (6 ops, two drivers);
/// 4: three matmuls sharing an input.
ProblemPtr shape(std::int64_t which)
{
    Builder b;
    const TensorId x = b.tensor(1000, 1024);
    const TensorId w1 = b.tensor(1024, 2048);
    const TensorId w2 = b.tensor(2048, 1024);
    switch (which) {
    case 0:
        b.matmul(x, w1);
        break;
    case 1:
        b.pointwise({b.pointwise({b.matmul(x, w1), b.tensor(1000, 2048)})});
        break;
    case 2:
        b.matmul(b.matmul(x, w1), w2);
        break;
    case 3: {
        const TensorId gate = b.pointwise({b.pointwise({b.matmul(x, w1)})});
        b.pointwise({b.pointwise({gate, b.matmul(x, b.tensor(1024, 2048))})});
        break;
    }
    default:
        for (int i = 0; i < 3; ++i)
            b.matmul(x, b.tensor(1024, 2048));
    }
    return b.build();
}

void BM_EvaluateCachedPlan(benchmark::State& state)
{
    const ProblemPtr p = shape(state.range(0));
    const SubgraphPlan plan(*p, allOps(*p), Rules::final());
    const auto kind = static_cast<TraversalKind>(state.range(1));
    Granularity g{64, 64, 16};
    for (auto _ : state) {
        g.k = g.k == 16 ? 32 : 16;
        benchmark::DoNotOptimize(evaluate(plan, g, kind, {}, {}));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EvaluateCachedPlan)->ArgsProduct({{0, 1, 2, 3, 4}, {0, 1, 4}});

void BM_EvaluateFresh(benchmark::State& state)
{
    const ProblemPtr p = shape(state.range(0));
    const std::vector<OpId> ops = allOps(*p);
    PlanCompiler compiler(*p, Rules::final());
    SubgraphPlan plan;
    for (auto _ : state) {
        compiler.compile(ops, plan);
        benchmark::DoNotOptimize(evaluate(plan, {64, 64, 16}, TraversalKind::Snake, {}, {}));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EvaluateFresh)->DenseRange(0, 4);

void BM_CompileChain(benchmark::State& state)
{
    Builder b;
    TensorId x = b.tensor(1000, 1024);
    for (int i = 0; i < state.range(0); ++i)
        x = i % 3 == 0 ? b.matmul(x, b.tensor(1024, 1024)) : b.pointwise({x});
    const ProblemPtr p = b.build();
    const std::vector<OpId> ops = allOps(*p);
    PlanCompiler compiler(*p, Rules::seed());
    SubgraphPlan plan;
    for (auto _ : state) {
        compiler.compile(ops, plan);
        benchmark::DoNotOptimize(plan.check({64, 64, 16}));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_CompileChain)->Arg(6)->Arg(20);

/// 0: a convolution, 3x3 over an image of 56 x 56 x 64; 1: a bottleneck of three convolutions and a skip.
ProblemPtr convolutions(std::int64_t which)
{
    Builder b;
    const auto windows = [&](TensorId base) {
        WindowsMap map;
        map.h = map.w = 56;
        map.channels = {0, b.data.tensors[base].width};
        map.window = {3, 3};
        map.pad = {1, 1, 1, 1};
        const TensorId view = b.tensor(b.data.tensors[base].height, 9 * b.data.tensors[base].width);
        b.data.views.push_back({view, {base}, map});
        return view;
    };
    if (which == 0) {
        b.matmul(windows(b.tensor(56 * 56, 64)), b.tensor(9 * 64, 64));
        return b.build();
    }
    const TensorId x = b.tensor(56 * 56, 256);
    const TensorId narrow = b.pointwise({b.matmul(x, b.tensor(256, 64))});
    const TensorId middle = b.pointwise({b.matmul(windows(narrow), b.tensor(9 * 64, 64))});
    b.pointwise({b.matmul(middle, b.tensor(64, 256)), x});
    return b.build();
}

/// Tiles of one to eight rows of the image, k steps of a tap and of half a tap in turn.
void BM_EvaluateThroughMap(benchmark::State& state)
{
    const ProblemPtr p = convolutions(state.range(0));
    const SubgraphPlan plan(*p, allOps(*p), Rules::machine());
    FastEvaluator evaluator;
    evaluator.prepare(plan, {}, {});
    Granularity g{256, 56 * state.range(1), 64};
    for (auto _ : state) {
        g.k = g.k == 64 ? 32 : 64;
        benchmark::DoNotOptimize(evaluator.evaluate(g, TraversalKind::Raster));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_EvaluateThroughMap)->ArgsProduct({{0, 1}, {1, 2, 8}});

void BM_FirstTileFits(benchmark::State& state)
{
    const ProblemPtr p = shape(state.range(0));
    const SubgraphPlan plan(*p, allOps(*p), Rules::final());
    FastEvaluator evaluator;
    evaluator.prepare(plan, {}, {});
    Granularity g{64, 64, 16};
    for (auto _ : state) {
        g.k = g.k == 16 ? 32 : 16;
        benchmark::DoNotOptimize(evaluator.firstTileFits(g));
    }
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_FirstTileFits)->DenseRange(0, 4);

/// 150 ops: 30 blocks of matmul, bias, activation, matmul, residual.
ProblemPtr model150()
{
    Builder b;
    TensorId x = b.tensor(512, 1024);
    for (int i = 0; i < 30; ++i) {
        const TensorId h =
            b.pointwise({b.pointwise({b.matmul(x, b.tensor(1024, 2048)), b.tensor(512, 2048)})});
        x = b.pointwise({b.matmul(h, b.tensor(2048, 1024)), x});
    }
    return b.build();
}

Schedule blocks(const Problem& p, std::size_t size)
{
    Schedule out;
    for (std::size_t i = 0; i < p.opCount(); i += size) {
        Subgraph s;
        for (std::size_t j = i; j < std::min(i + size, p.opCount()); ++j)
            s.ops.emplace_back(j);
        s.granularity = {128, 128, 32};
        s.traversal = TraversalKind::Snake;
        out.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return out;
}

void BM_Evaluate150(benchmark::State& state)
{
    const ProblemPtr p = model150();
    const Schedule s = blocks(*p, static_cast<std::size_t>(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluate(*p, s, Rules::seed()));
}
BENCHMARK(BM_Evaluate150)->Arg(1)->Arg(3)->Arg(150)->Unit(benchmark::kMicrosecond);

void BM_Trace150(benchmark::State& state)
{
    const ProblemPtr p = model150();
    const Schedule s = blocks(*p, 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(evaluateByTrace(*p, s, Rules::seed()));
}
BENCHMARK(BM_Trace150)->Unit(benchmark::kMillisecond);

/// Live editing: one subgraph of 150 changes, then the whole schedule is evaluated.
void BM_EvaluateAfterEdit150(benchmark::State& state)
{
    const ProblemPtr p = model150();
    Schedule s = blocks(*p, 1);
    Evaluator evaluator(p, Rules::final());
    std::size_t i = 0;
    for (auto _ : state) {
        auto changed = std::make_shared<Subgraph>(*s.subgraphs[i]);
        changed->granularity.h = changed->granularity.h == 128 ? 64 : 128;
        s.subgraphs[i] = changed;
        i = (i + 1) % s.size();
        benchmark::DoNotOptimize(evaluator.evaluate(s));
    }
}
BENCHMARK(BM_EvaluateAfterEdit150)->Unit(benchmark::kMicrosecond);

void BM_LowerBound150(benchmark::State& state)
{
    const ProblemPtr p = model150();
    for (auto _ : state)
        benchmark::DoNotOptimize(lowerBound(*p, Rules::final()));
}
BENCHMARK(BM_LowerBound150)->Unit(benchmark::kMicrosecond);

void BM_Occupancy150(benchmark::State& state)
{
    const ProblemPtr p = model150();
    const Schedule s = blocks(*p, 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(occupancy(*p, s, Rules::final()));
}
BENCHMARK(BM_Occupancy150)->Unit(benchmark::kMillisecond);

void BM_Explain150(benchmark::State& state)
{
    const ProblemPtr p = model150();
    const Schedule s = blocks(*p, 1);
    const Evaluation e = evaluate(*p, s, Rules::final());
    for (auto _ : state)
        benchmark::DoNotOptimize(suggestions(*p, s, e, SubgraphId(75)));
}
BENCHMARK(BM_Explain150)->Unit(benchmark::kMillisecond);

void BM_BestGranularity(benchmark::State& state)
{
    const ProblemPtr p = shape(state.range(0));
    const SubgraphPlan plan(*p, allOps(*p), Rules::final());
    for (auto _ : state)
        benchmark::DoNotOptimize(bestGranularity(plan, {}, {}));
}
BENCHMARK(BM_BestGranularity)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

} // namespace
