// SPDX-License-Identifier: GPL-3.0-or-later
#include "run/run_lookup.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

RunIndex indexOf(const ScheduleRun& run)
{
    RunIndex out;
    out.cores.resize(run.cores.size());
    out.steps.resize(run.cores.size());
    std::vector<std::array<std::size_t, kRunUnits>> pieces(run.cores.size());
    for (const RunCommand& c : run.commands)
        ++pieces[c.core][static_cast<std::size_t>(c.unit)];
    for (const RunStall& s : run.stalls)
        ++pieces[s.core][static_cast<std::size_t>(s.unit)];
    for (std::size_t core = 0; core < out.cores.size(); ++core)
        for (std::size_t u = 0; u < kRunUnits; ++u)
            out.cores[core][u].reserve(pieces[core][u]);
    out.worksFrom.reserve(run.steps.size());
    for (const RunStep& step : run.steps) {
        out.steps[step.core].push_back(static_cast<std::uint32_t>(out.worksFrom.size()));
        out.worksFrom.push_back(step.begin);
    }
    std::vector<bool> worked(run.steps.size());
    for (std::size_t i = 0; i < run.commands.size(); ++i) {
        const RunCommand& c = run.commands[i];
        out.cores[c.core][static_cast<std::size_t>(c.unit)].push_back(
            {c.begin, c.end, static_cast<std::uint32_t>(i), false});
        const auto step = static_cast<std::size_t>(c.step);
        const bool runs = c.unit == RunUnit::Array || c.unit == RunUnit::Vector;
        if (runs && !worked[step]) { // commands are sorted by their begin
            worked[step] = true;
            out.worksFrom[step] = c.begin;
        }
    }
    for (std::size_t i = 0; i < run.stalls.size(); ++i) {
        const RunStall& s = run.stalls[i];
        out.cores[s.core][static_cast<std::size_t>(s.unit)].push_back(
            {s.begin, s.end, static_cast<std::uint32_t>(i), true});
    }
    for (auto& core : out.cores)
        for (std::vector<RunPiece>& unit : core)
            std::ranges::stable_sort(unit, [](const RunPiece& a, const RunPiece& b) {
                return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
            });
    return out;
}

std::optional<std::size_t> pieceAt(const RunIndex& index, RunUnit unit, double time, std::size_t core)
{
    const std::vector<RunPiece>& pieces = index.of(unit, core);
    const auto after =
        std::ranges::upper_bound(pieces, time, {}, [](const RunPiece& piece) { return piece.begin; });
    if (after == pieces.begin() || time >= std::prev(after)->end)
        return std::nullopt;
    return static_cast<std::size_t>(after - pieces.begin()) - 1;
}

std::optional<std::size_t> stepAt(const ScheduleRun& run, const RunIndex& index, double time,
                                  std::size_t core)
{
    for (const RunUnit unit : {RunUnit::Array, RunUnit::Vector})
        if (const auto piece = pieceAt(index, unit, time, core); piece && !index.of(unit, core)[*piece].waits)
            return static_cast<std::size_t>(run.commands[index.of(unit, core)[*piece].index].step);
    const std::vector<std::uint32_t>& steps = index.steps[core];
    const auto after = std::ranges::upper_bound(steps, time, {},
                                                [&](std::uint32_t step) { return run.steps[step].admitted; });
    if (after == steps.begin())
        return steps.empty() ? std::nullopt : std::optional<std::size_t>(steps.front());
    const auto last = static_cast<std::size_t>(after - steps.begin()) - 1;
    // A step is admitted only when all steps more than `prefetch` before it have ended. So only the last ones
    // can be open.
    const auto open = static_cast<std::size_t>(std::max<std::int64_t>(0, run.options.prefetch));
    for (std::size_t i = last - std::min(last, open); i < last; ++i)
        if (run.steps[steps[i]].ended > time)
            return steps[i];
    return steps[last];
}

std::optional<std::size_t> stepOf(const ScheduleRun& run, SubgraphId subgraph, std::int64_t step)
{
    if (subgraph.index() >= run.subgraphs.size())
        return std::nullopt;
    const RunSubgraph& in = run.subgraphs[subgraph.index()];
    if (step < 0 || step >= in.steps || static_cast<std::size_t>(in.firstStep) >= run.steps.size())
        return std::nullopt;
    if (run.cores.size() == 1)
        return static_cast<std::size_t>(in.firstStep + step);
    const auto found = std::find_if(run.steps.begin() + in.firstStep, run.steps.end(), [&](const RunStep& s) {
        return s.subgraph == subgraph && s.index == step;
    });
    return found == run.steps.end() ? std::nullopt
                                    : std::optional(static_cast<std::size_t>(found - run.steps.begin()));
}

std::optional<std::size_t> roomAt(const ScheduleRun& run, double time, std::size_t core)
{
    const auto isOfCore = [&](const RunRoom& room) { return room.core == core; };
    auto at = std::ranges::upper_bound(run.room, time, {}, &RunRoom::time);
    while (at != run.room.begin())
        if (isOfCore(*--at))
            return static_cast<std::size_t>(at - run.room.begin());
    at = std::ranges::find_if(run.room, isOfCore);
    return at == run.room.end() ? std::nullopt
                                : std::optional(static_cast<std::size_t>(at - run.room.begin()));
}

RunLimit limitOf(const ScheduleRun& run)
{
    if (run.end <= 0)
        return {};
    RunLimit out;
    const auto offer = [&](RunLimit::What what, double busy) {
        if (busy / run.end > out.share)
            out = {what, busy / run.end};
    };
    const auto cores = static_cast<double>(std::max<std::size_t>(1, run.cores.size()));
    offer(RunLimit::What::Channel, run.channelBusy);
    offer(RunLimit::What::Array, run.of(RunUnit::Array).busy / cores);
    offer(RunLimit::What::Vector, run.of(RunUnit::Vector).busy / cores);
    return out;
}

std::optional<RunWait> longestWait(const RunUnitSums& sums)
{
    std::optional<RunWait> out;
    for (std::size_t w = 0; w < kRunWaits; ++w) {
        const auto wait = static_cast<RunWait>(w);
        if (wait != RunWait::Nothing && sums.waited(wait) > (out ? sums.waited(*out) : 0))
            out = wait;
    }
    return out;
}

RunReason reasonOf(const RunDifference& d)
{
    if (std::abs(d.change()) <= 1e-9 * std::max(d.latency, d.length)) // the difference is a rounding error
        return RunReason::None;
    if (d.change() < 0)
        return RunReason::Overlap;
    const double stalls = -d.overlap;
    return d.startUp >= d.drain && d.startUp >= stalls ? RunReason::StartUp
           : d.drain >= stalls                         ? RunReason::Drain
                                                       : RunReason::Stalls;
}

RunDifference differenceOf(const RunSubgraph& s)
{
    return {s.latency, s.length, s.startUp, s.drain, s.overlap};
}

RunDifference differenceOf(const ScheduleRun& run)
{
    RunDifference out;
    for (const RunSubgraph& s : run.subgraphs) {
        out.latency += s.latency;
        out.length += s.length;
        out.startUp += s.startUp;
        out.drain += s.drain;
        out.overlap += s.overlap;
    }
    return out;
}

} // namespace tilewright
