// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/evaluation.h"

#include "base/text.h"
#include "eval/cost.h"
#include "eval/fast_evaluator.h"
#include "eval/trace.h"
#include "rules/check.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

namespace tilewright {

std::string_view boundName(Bound bound)
{
    switch (bound) {
    case Bound::Compute:
        return "compute";
    case Bound::Memory:
        return "memory";
    case Bound::Balanced:
        return "balanced";
    }
    return "";
}

SubgraphEvaluation evaluateSubgraphByTrace(const Problem& problem, const Subgraph& subgraph,
                                           std::span<const TensorId> residentBefore, const Rules& rules)
{
    SubgraphEvaluation out;
    if (!checkFormat(problem, subgraph, {}).empty() ||
        !checkStructure(problem, subgraph, {}, rules, residentBefore).empty())
        return out;
    // Counts of equal steps. They are multiplied (R10.3) so that the rounding error does not grow with the
    // number of steps.
    std::map<std::tuple<double, double, std::int64_t, std::int64_t>, Tally> kinds;
    std::int64_t peak = 0;
    const MemoryCosts costs(problem);
    traceSubgraph(problem, subgraph, residentBefore, rules, [&](const Step& step) {
        Tally& kind = kinds[{step.compute, step.energy, step.loadElements, step.storeElements}];
        if (kind.steps == 0) {
            kind.step(step.compute, step.loadElements, step.storeElements, 0, costs);
            kind.steps = 0;
            kind.energy = step.energy;
        }
        ++kind.steps;
        peak = std::max(peak, step.workingSet);
        return true;
    });
    Tally tally{};
    for (auto& [key, kind] : kinds) {
        const std::int64_t count = std::exchange(kind.steps, 1);
        tally.add(kind, count);
    }
    tally.peak = peak;
    tally.finish(out, problem);
    const TileGrid grid = tileGrid(problem, subgraph.ops, subgraph.granularity);
    out.rows = grid.rows;
    out.cols = grid.cols;
    out.reserved = problem.elementsOf(reservedUnits(problem, residentBefore, subgraph.retain));
    return out;
}

Evaluation evaluateByTrace(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    return walkSchedule(problem, schedule, rules, [&](SubgraphId id, std::span<const TensorId> resident) {
        return evaluateSubgraphByTrace(problem, schedule[id], resident, rules);
    });
}

Evaluation evaluate(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    PlanCompiler compiler(problem, rules);
    SubgraphPlan plan;
    return walkSchedule(problem, schedule, rules, [&](SubgraphId id, std::span<const TensorId> resident) {
        const Subgraph& s = schedule[id];
        compiler.compile(s.ops, plan);
        return evaluate(plan, s.granularity, s.traversal, resident, s.retain);
    });
}

namespace {

Issue outOfMemory(const SubgraphEvaluation& e, SubgraphId id, const Hardware& hw)
{
    Issue issue;
    issue.code = IssueCode::OutOfMemory;
    issue.subgraph = id;
    issue.need = static_cast<std::int64_t>(std::ceil(e.peakWorkingSet));
    issue.have = hw.fastMemoryCapacity;
    issue.text = "the working set needs up to " + formatGrouped(e.peakWorkingSet) + " elements, " +
                 formatGrouped(e.peakWorkingSet - static_cast<double>(issue.have)) +
                 " more than the fast memory of " + formatGrouped(issue.have);
    if (e.reserved > 0)
        issue.text += " (" + formatGrouped(e.reserved) + " of them for resident and retained tensors)";
    return issue;
}

/// Appends only the first issue of each code; further ones mostly have the same cause.
void appendFirstOfEachCode(std::vector<Issue> found, std::vector<Issue>& issues)
{
    const auto before = static_cast<std::ptrdiff_t>(issues.size());
    for (Issue& issue : found)
        if (std::none_of(issues.begin() + before, issues.end(),
                         [&](const Issue& known) { return known.code == issue.code; }))
            issues.push_back(std::move(issue));
}

} // namespace

Evaluation walkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                        const EvaluateSubgraph& evaluateSubgraph)
{
    Evaluation out;
    out.rules = rules;
    const std::size_t n = schedule.size();
    out.subgraphs.resize(n);
    std::vector<bool> wellFormed(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto issues = checkFormat(problem, *schedule.subgraphs[i], SubgraphId(i));
        wellFormed[i] = issues.empty();
        std::move(issues.begin(), issues.end(), std::back_inserter(out.issues));
    }
    MemoryState memory(problem, schedule, rules);
    for (std::size_t i = 0; i < n; ++i) {
        const SubgraphId id(i);
        SubgraphEvaluation& e = out.subgraphs[i];
        if (wellFormed[i]) {
            e = evaluateSubgraph(id, memory.resident());
            if (!e.structurallyValid)
                appendFirstOfEachCode(checkStructure(problem, schedule[id], id, rules, memory.resident()),
                                      out.issues);
        }
        memory.execute(out.issues);
        if (!e.structurallyValid)
            continue;
        out.total += e.latency;
        out.energy += e.energy;
        if (!e.fits)
            out.issues.push_back(outOfMemory(e, id, problem.hardware()));
    }
    memory.finish(out.issues);
    return out;
}

std::int64_t reservedUnits(const Problem& problem, std::span<const TensorId> resident,
                           std::span<const TensorId> retain)
{
    std::int64_t sum = 0;
    for (const TensorId t : resident)
        sum += problem.sizeUnits(t);
    for (const TensorId t : retain)
        if (std::find(resident.begin(), resident.end(), t) == resident.end())
            sum += problem.sizeUnits(t);
    return sum;
}

} // namespace tilewright
