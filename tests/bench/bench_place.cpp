// SPDX-License-Identifier: GPL-3.0-or-later
#include "place/step_items.h"
#include "place_cases.h"
#include "schedule/schedule_json.h"
#include "workload/problem_json.h"

#include <benchmark/benchmark.h>

using namespace tilewright;

namespace {

constexpr std::int64_t kMebi = std::int64_t{1} << 20;

/// Buffers that fill 1 MiB to the last byte at every moment. Arguments: 0 a rectangle cut up at KiB, 1 a
/// memory that is refilled; buffers.
void placeFullMemory(benchmark::State& state)
{
    std::uint64_t seed = 1;
    std::int64_t solved = 0;
    std::int64_t nodes = 0;
    for (auto _ : state) {
        place_cases::Engine rnd(seed++);
        const auto n = static_cast<std::size_t>(state.range(1));
        const auto items = state.range(0) == 0 ? place_cases::cutUp(rnd, n, kMebi, kMebi, 1024)
                                               : place_cases::refilled(rnd, n, kMebi, 1024);
        PlacementOptions options;
        options.maxNodes = 5'000'000;
        const Placement p = findPlacement(items, kMebi, {}, options);
        solved += p.height == kMebi ? 1 : 0;
        nodes += p.nodes;
    }
    state.counters["solved"] = static_cast<double>(solved) / static_cast<double>(state.iterations());
    state.counters["nodes/s"] = benchmark::Counter(static_cast<double>(nodes), benchmark::Counter::kIsRate);
}
BENCHMARK(placeFullMemory)
    ->Args({0, 200})
    ->Args({0, 400})
    ->Args({1, 200})
    ->Args({1, 400})
    ->Iterations(20)
    ->Unit(benchmark::kMillisecond);

/// The items of a schedule of 150 ops and their addresses.
void placeWholeSchedule(benchmark::State& state)
{
    const std::string folder = TILEWRIGHT_SOURCE_DIR "/samples/schedule/model-150-ops";
    const auto problem = loadProblem(folder + ".json");
    const auto loaded = loadSchedule(**problem, folder + ".fused.schedule.json");
    std::int64_t items = 0;
    for (auto _ : state) {
        const auto p = placeSchedule(**problem, loaded->schedule, Rules::final());
        items = static_cast<std::int64_t>(p->items.items.size());
        benchmark::DoNotOptimize(p->placement.height);
    }
    state.counters["items"] = static_cast<double>(items);
}
BENCHMARK(placeWholeSchedule)->Unit(benchmark::kMillisecond);

} // namespace
