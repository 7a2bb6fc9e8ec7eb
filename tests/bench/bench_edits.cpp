// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/edits.h"
#include "edit/fit.h"
#include "report/compare.h"
#include "report/html_report.h"
#include "schedule/schedule_json.h"
#include "snapshot/snapshot.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <benchmark/benchmark.h>

using namespace tilewright;

namespace {

/// Transformer blocks of 31 ops: 5 blocks are 155 ops, 97 are 3,007.
ProblemPtr problem(std::int64_t layers)
{
    GenerateOptions o;
    o.layers = layers;
    o.capacity = 300'000;
    return *generateWorkload(o);
}

void moveOneOp(benchmark::State& state)
{
    const ProblemPtr p = problem(state.range(0));
    const Schedule s = edit::coverMissing(*p, Schedule{});
    const SubgraphId middle(s.size() / 2);
    const std::array op{s[SubgraphId(s.size() / 2 + 1)].ops.front()};
    for (auto _ : state)
        benchmark::DoNotOptimize(edit::moveOps(*p, s, op, std::nullopt, middle, {{}, true}));
    state.counters["ops"] = static_cast<double>(p->opCount());
}
BENCHMARK(moveOneOp)->Arg(5)->Arg(97)->Unit(benchmark::kMicrosecond);

/// What a drop costs on top of the edit: the search for tiles.
void retileAfterMove(benchmark::State& state)
{
    const ProblemPtr p = problem(state.range(0));
    const Schedule s = edit::coverMissing(*p, Schedule{});
    const SubgraphId middle(s.size() / 2);
    const std::array op{s[SubgraphId(s.size() / 2 + 1)].ops.front()};
    const Schedule moved = *edit::moveOps(*p, s, op, std::nullopt, middle, {{}, true});
    for (auto _ : state)
        benchmark::DoNotOptimize(retiled(*p, s, moved, Rules::final()));
}
BENCHMARK(retileAfterMove)->Arg(5)->Arg(97)->Unit(benchmark::kMicrosecond);

void changeGranularity(benchmark::State& state)
{
    const ProblemPtr p = problem(state.range(0));
    const Schedule s = edit::coverMissing(*p, Schedule{});
    const std::array one{SubgraphId(s.size() / 2)};
    for (auto _ : state)
        benchmark::DoNotOptimize(edit::setGranularity(*p, s, one, {32, 32, 1}));
    state.counters["ops"] = static_cast<double>(p->opCount());
}
BENCHMARK(changeGranularity)->Arg(5)->Arg(97)->Unit(benchmark::kMicrosecond);

void compare(benchmark::State& state)
{
    const ProblemPtr p = problem(state.range(0));
    const Schedule a = edit::coverMissing(*p, Schedule{});
    Schedule b = a;
    for (std::size_t i = 0; i < b.size(); i += 3)
        if (auto next = edit::mergeWithNext(*p, b, SubgraphId(i)))
            b = *next;
    std::size_t differences = 0;
    for (auto _ : state)
        differences = compareSchedules(p, a, b, Rules::final()).contributions.size();
    state.counters["differences"] = static_cast<double>(differences);
}
BENCHMARK(compare)->Arg(5)->Arg(97)->Unit(benchmark::kMillisecond);

void readProblemFile(benchmark::State& state)
{
    const std::string text = writeProblem(*problem(state.range(0)));
    for (auto _ : state)
        benchmark::DoNotOptimize(readProblem(text, "bench"));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(readProblemFile)->Arg(5)->Arg(97)->Unit(benchmark::kMicrosecond);

void readScheduleFile(benchmark::State& state)
{
    const ProblemPtr p = problem(state.range(0));
    const std::string text = *writeSchedule(*p, edit::coverMissing(*p, Schedule{}));
    for (auto _ : state)
        benchmark::DoNotOptimize(readSchedule(*p, text, "bench"));
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(readScheduleFile)->Arg(5)->Arg(97)->Unit(benchmark::kMicrosecond);

void writeHtmlReport(benchmark::State& state)
{
    const ProblemPtr p = problem(state.range(0));
    const SnapshotPtr s = takeSnapshot(p, edit::coverMissing(*p, Schedule{}), Rules::final(), 1, 1);
    for (auto _ : state)
        benchmark::DoNotOptimize(htmlReport(*s));
}
BENCHMARK(writeHtmlReport)->Arg(5)->Unit(benchmark::kMillisecond);

} // namespace
