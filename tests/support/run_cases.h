// SPDX-License-Identifier: GPL-3.0-or-later
// Drawn schedules for tests of their run (R20).
#pragma once

#include "eval/evaluation.h"
#include "eval_rules.h"
#include "random_cases.h"
#include "run/run.h"
#include "run_simulator.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::run_cases {

/// Equal up to rounding.
inline bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

struct Drawn
{
    std::uint64_t seed = 0;
    ProblemPtr problem;
    Schedule schedule;
    Evaluation evaluation; ///< under rule set `machine`
};

/// A sum of products with different reductions in one subgraph: some drivers end before the others (R5.4).
inline Drawn sumOfProducts(random_cases::Source& rnd)
{
    test::Graph g;
    const std::int64_t height = rnd.between(1, 9), width = rnd.between(1, 9);
    Granularity tile{rnd.between(1, width), rnd.between(1, height), 9};
    test::Ids terms;
    for (std::int64_t n = rnd.between(2, 3); n > 0; --n) {
        const std::int64_t depth = rnd.between(2, 9);
        tile.k = std::min(tile.k, rnd.between(1, depth));
        const std::size_t left = g.tensor(height, depth);
        const std::size_t right = g.tensor(depth, width);
        terms.push_back(g.mm(left, right, rnd.between(1, 40)));
    }
    const std::size_t sum = g.pw(terms, rnd.between(0, 10));
    if (rnd.chance(50))
        g.pw({sum, g.tensor(height, width)}, rnd.between(0, 10));
    g.data.hardware.slowMemoryBandwidth = rnd.between(1, 6);
    test::Ids ops(g.data.ops.size());
    std::iota(ops.begin(), ops.end(), 0);
    Drawn out;
    out.problem = g.build();
    out.schedule.subgraphs.push_back(std::make_shared<const Subgraph>(test::sub(ops, tile)));
    return out;
}

/// A valid schedule under rule set `machine` with few steps, in a fast memory that it mostly fills; empty if
/// this draw is none.
inline std::optional<Drawn> drawn(random_cases::Source& rnd)
{
    Drawn out;
    if (rnd.chance(10)) {
        out = sumOfProducts(rnd);
    } else {
        out.problem = rnd.chance(75) ? random_cases::realProblem(rnd, 5, {.most = 12})
                                     : random_cases::problem(rnd, 5, 20);
        out.schedule = random_cases::schedule(rnd, *out.problem);
    }
    const Evaluation e = evaluate(*out.problem, out.schedule, Rules::machine());
    std::int64_t steps = 0;
    double peak = 0;
    for (const SubgraphEvaluation& s : e.subgraphs) {
        steps += s.steps;
        peak = std::max(peak, s.peakWorkingSet);
    }
    if (steps > 60 || !std::all_of(e.issues.begin(), e.issues.end(),
                                   [](const Issue& i) { return i.code == IssueCode::OutOfMemory; }))
        return {};
    Problem::Data data = out.problem->data();
    constexpr double kRoom[] = {1, 1, 1.2, 1.5, 2.5};
    data.hardware.fastMemoryCapacity = static_cast<std::int64_t>(std::ceil(peak * rnd.pick(kRoom)));
    auto built = Problem::build(std::move(data));
    if (!built)
        return {};
    out.problem = *built;
    out.evaluation = evaluate(*out.problem, out.schedule, Rules::machine());
    return out.evaluation.valid() ? std::optional(std::move(out)) : std::nullopt;
}

/// Such schedules.
inline std::vector<Drawn> drawnCases(std::size_t count)
{
    std::vector<Drawn> out;
    for (std::uint64_t seed = 1; out.size() < count; ++seed) {
        random_cases::Source rnd(seed);
        if (auto d = drawn(rnd)) {
            d->seed = seed;
            out.push_back(std::move(*d));
        }
    }
    return out;
}

/// Its run under rule set `machine`; ends the test if there is none.
inline ScheduleRun runOf(const Drawn& d, std::int64_t prefetch, std::int64_t cores = 1,
                         const RunNetwork& network = {})
{
    RunOptions options;
    options.prefetch = prefetch;
    options.cores = cores;
    options.network = network;
    auto run = runSchedule(*d.problem, d.schedule, Rules::machine(), options);
    if (!run)
        qFatal("%s", run.error().text().c_str());
    return *run;
}

/// What differs from the run of the second simulator; empty if both runs are the same.
inline std::string differs(const ScheduleRun& run, const second_run::Outcome& second)
{
    const auto time = [&](Int128 ticks) {
        return static_cast<double>(static_cast<long double>(ticks) /
                                   static_cast<long double>(second.perUnit));
    };
    if (!close(run.end, time(second.end)))
        return "end " + std::to_string(run.end) + ", expected " + std::to_string(time(second.end));
    if (run.peakUnits != second.peak)
        return "peak " + std::to_string(run.peakUnits) + ", expected " + std::to_string(second.peak);
    if (run.networkUnits != second.network)
        return "units over the network";
    // the same steps in both, by core and place on it
    std::vector<std::vector<std::size_t>> mine(run.cores.size()), others(run.cores.size());
    std::vector<std::size_t> placeOfMine, placeOfOther;
    for (const RunStep& s : run.steps) {
        placeOfMine.push_back(mine[s.core].size());
        mine[s.core].push_back(placeOfMine.size() - 1);
    }
    for (const std::size_t core : second.core) {
        placeOfOther.push_back(others[core].size());
        others[core].push_back(placeOfOther.size() - 1);
    }
    for (std::size_t core = 0; core < mine.size(); ++core) {
        if (mine[core].size() != others[core].size())
            return "number of steps of core " + std::to_string(core);
        for (std::size_t i = 0; i < mine[core].size(); ++i)
            if (const RunStep& s = run.steps[mine[core][i]];
                !close(s.admitted, time(second.admitted[others[core][i]])) ||
                !close(s.ended, time(second.ended[others[core][i]])))
                return "step " + std::to_string(i) + " of core " + std::to_string(core);
    }
    for (std::size_t at = 0; at < kRunUnits * mine.size(); ++at) {
        const std::size_t u = at % kRunUnits, core = at / kRunUnits;
        std::vector<RunCommand> commands;
        std::vector<second_run::Command> expected;
        std::ranges::copy_if(run.commands, std::back_inserter(commands), [&](const RunCommand& c) {
            return static_cast<std::size_t>(c.unit) == u && c.core == core;
        });
        std::ranges::copy_if(second.commands, std::back_inserter(expected),
                             [&](const second_run::Command& c) {
                                 return static_cast<std::size_t>(c.unit) == u && c.core == core;
                             });
        const std::string where = " of unit " + std::to_string(u) + " of core " + std::to_string(core);
        if (commands.size() != expected.size())
            return "number of commands" + where;
        for (std::size_t i = 0; i < commands.size(); ++i)
            if (placeOfMine[static_cast<std::size_t>(commands[i].step)] != placeOfOther[expected[i].step] ||
                !close(commands[i].begin, time(expected[i].begin)) ||
                !close(commands[i].end, time(expected[i].end)))
                return "command " + std::to_string(i) + where;
    }
    return {};
}

} // namespace tilewright::run_cases
