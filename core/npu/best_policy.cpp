// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/best_policy.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright::npu {

std::string policyText(Scheduler scheduler, Assignment assignment)
{
    const bool isTold = scheduler == Scheduler::Static || assignment == Assignment::HeadParallel;
    return std::string(toString(scheduler)) +
           (isTold ? " " + std::string(toString(assignment)) : std::string());
}

std::vector<RunOptions> offeredPolicies(const NpuGraph& graph, const RunOptions& options)
{
    const bool hasHeads = std::ranges::any_of(graph.nodes, [](const TileNode& n) { return n.head >= 0; });
    std::vector<RunOptions> out{options};
    for (const Scheduler scheduler : {Scheduler::Dynamic, Scheduler::Static})
        for (const Assignment assignment :
             {Assignment::CostAware, Assignment::RoundRobin, Assignment::HeadParallel}) {
            const bool headParallel = assignment == Assignment::HeadParallel;
            if ((options.assignment == Assignment::HeadParallel && !headParallel) ||
                (headParallel && !hasHeads))
                continue;
            if (std::ranges::any_of(out, [&](const RunOptions& o) {
                    return policyText(o.scheduler, o.assignment) == policyText(scheduler, assignment);
                }))
                continue;
            RunOptions& more = out.emplace_back(options);
            more.scheduler = scheduler;
            more.assignment = assignment;
        }
    return out;
}

Result<BestRun> simulateBest(const NpuGraph& graph, const NpuHardware& hardware, const RunOptions& options,
                             const Progress& progress)
{
    if (graph.nodes.size() > kMostComparedNodes) {
        auto run = simulate(graph, hardware, options, progress);
        if (!run)
            return run.error();
        return BestRun{std::move(*run), {}};
    }
    const std::vector<RunOptions> offered = offeredPolicies(graph, options);
    BestRun out;
    for (const RunOptions& policy : offered) {
        const auto before = static_cast<double>(out.compared.size());
        const Progress part{progress.stop, [&](double fraction, std::string_view phase) {
                                progress.tell((before + fraction) / static_cast<double>(offered.size()),
                                              phase);
                            }};
        auto run = simulate(graph, hardware, policy, part);
        if (!run)
            return run.error();
        out.compared.push_back({policy.scheduler, policy.assignment, run->makespan});
        if (out.compared.size() == 1 || run->makespan < out.run.makespan)
            out.run = std::move(*run);
    }
    return out;
}

BothSchedulers bestOfBoth(const RunOptions& options, const std::vector<PolicyRun>& compared)
{
    BothSchedulers out(options);
    for (RunOptions* const policy : {&out.fixed, &out.dynamic}) {
        const PolicyRun* best = nullptr;
        for (const PolicyRun& run : compared)
            if (run.scheduler == policy->scheduler && (best == nullptr || run.makespan < best->makespan))
                best = &run;
        if (best != nullptr)
            policy->assignment = best->assignment;
    }
    return out;
}

std::string policySentence(const RunOptions& ran, std::vector<PolicyRun> compared)
{
    const std::string name = policyText(ran.scheduler, ran.assignment);
    if (compared.empty())
        return name + ", not compared: the graph has more than " + formatGrouped(kMostComparedNodes) +
               " nodes";
    std::ranges::stable_sort(compared, {}, &PolicyRun::makespan);
    std::string runs;
    for (const PolicyRun& r : compared)
        runs += (runs.empty() ? "" : ", ") + policyText(r.scheduler, r.assignment) + " " +
                formatGrouped(r.makespan);
    return name + ", the fastest of " + formatGrouped(compared.size()) + ": " + runs;
}

} // namespace tilewright::npu
