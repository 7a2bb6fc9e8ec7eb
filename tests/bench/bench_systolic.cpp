// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/learned_tile.h"
#include "systolic/pe_simulator.h"
#include "systolic/pipeline.h"

#include <benchmark/benchmark.h>

using namespace tilewright;
using namespace tilewright::systolic;

namespace {

/// Budget: under 1 us a GEMM.
void systolicClosedForm(benchmark::State& state)
{
    const auto dataflow = static_cast<Dataflow>(state.range(0));
    std::int64_t m = 1;
    for (auto _ : state) {
        m = m % 4000 + 37;
        benchmark::DoNotOptimize(arrayTiming({m, 506, 361}, {16, 64}, {dataflow}));
    }
}
BENCHMARK(systolicClosedForm)->Arg(0)->Arg(1)->Arg(2);

/// Budget: at least 1e8 PE-cycles a second. Arguments: array side, dataflow.
void systolicRegisterLevel(benchmark::State& state)
{
    const std::int64_t side = state.range(0);
    const TimingOptions options{static_cast<Dataflow>(state.range(1))};
    const Gemm gemm{2 * side, 2 * side, 512};
    std::int64_t peCycles = 0;
    for (auto _ : state) {
        auto sim = PeSimulator::createRandom(gemm, {side, side}, options, 1);
        sim->run();
        benchmark::DoNotOptimize(sim->product().data());
        peCycles += sim->measuredCycles() * side * side;
    }
    state.counters["PE_cycles/s"] =
        benchmark::Counter(static_cast<double>(peCycles), benchmark::Counter::kIsRate);
}
BENCHMARK(systolicRegisterLevel)->ArgsProduct({{16, 64, 128}, {0, 1, 2}})->Unit(benchmark::kMillisecond);

/// Random jump of the player in a 128x128 array.
void systolicSeek(benchmark::State& state)
{
    auto sim = PeSimulator::createRandom({256, 256, 512}, {128, 128}, {}, 1);
    sim->run();
    std::uint64_t x = 1;
    for (auto _ : state) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        sim->seek(static_cast<std::int64_t>((x >> 33) % static_cast<std::uint64_t>(sim->cycles())));
        benchmark::DoNotOptimize(sim->activePes());
    }
}
BENCHMARK(systolicSeek)->Unit(benchmark::kMillisecond);

/// Budget: learned under 1 ms.
void systolicTile(benchmark::State& state)
{
    const auto method = static_cast<TileMethod>(state.range(0));
    TileQuery q{{1000, 777, 1234}, {16, 16}};
    for (auto _ : state) {
        q.gemm.m = q.gemm.m % 5000 + 37;
        benchmark::DoNotOptimize(chooseTile(q, method));
    }
    state.SetLabel(std::string(tileMethodName(method)));
}
BENCHMARK(systolicTile)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

void systolicPipeline(benchmark::State& state)
{
    ProgramOptions o;
    o.gemm = {256, 256, 256};
    const auto program = buildProgram(o);
    const PipelineMachine machine = machineOf(kpuHierarchy());
    for (auto _ : state)
        benchmark::DoNotOptimize(runPipeline(*program, machine));
    state.counters["commands"] = static_cast<double>(program->commands.size());
}
BENCHMARK(systolicPipeline)->Unit(benchmark::kMillisecond);

} // namespace
