// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/evaluation.h"
#include "run/run.h"
#include "schedule/schedule_json.h"
#include "workload/problem_json.h"

#include <benchmark/benchmark.h>

using namespace tilewright;

namespace {

/// The run of a schedule of 150 ops, recorded. Arguments: 0 fused, 1 one op per subgraph; cores.
void runSchedule150(benchmark::State& state)
{
    const std::string folder = TILEWRIGHT_SOURCE_DIR "/samples/schedule/model-150-ops";
    const auto problem = loadProblem(folder + ".json");
    const auto loaded = loadSchedule(
        **problem, folder + (state.range(0) == 0 ? ".fused.schedule.json" : ".one-by-one.schedule.json"));
    const Evaluation evaluation = evaluate(**problem, loaded->schedule, Rules::final());
    RunOptions options;
    options.cores = state.range(1);
    std::size_t commands = 0;
    for (auto _ : state) {
        const auto run = runSchedule(**problem, loaded->schedule, evaluation, options);
        commands = run->commands.size();
        benchmark::DoNotOptimize(run->end);
    }
    state.counters["commands/s"] =
        benchmark::Counter(static_cast<double>(commands), benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(runSchedule150)->Args({0, 1})->Args({1, 1})->Args({1, 4})->Unit(benchmark::kMillisecond);

} // namespace
