// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/lowered.h"
#include "model/networks.h"

#include <benchmark/benchmark.h>

using namespace tilewright;

namespace {

/// Budget: the LLaMA-style model of 32 layers under 1 s.
void lowerNetwork(benchmark::State& state)
{
    model::NetworkOptions o;
    o.kind = static_cast<model::NetworkKind>(state.range(0));
    const auto m = model::generateNetwork(o);
    const Machine machine = *machinePreset("edge");
    for (auto _ : state)
        benchmark::DoNotOptimize(lower::lowerToProblem(*m, machine));
    state.SetLabel(std::string(model::networkKinds()[static_cast<std::size_t>(state.range(0))].name));
}
BENCHMARK(lowerNetwork)->DenseRange(0, 7)->Unit(benchmark::kMillisecond);

} // namespace
