// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/schedule_walk.h"

#include "base/text.h"
#include "rules/check.h"

#include <algorithm>
#include <iterator>

namespace tilewright {

namespace {

Issue outOfMemory(const SubgraphEvaluation& e, SubgraphId id, const Hardware& hw)
{
    Issue issue;
    issue.code = IssueCode::OutOfMemory;
    issue.subgraph = id;
    issue.need = e.peakWorkingSet;
    issue.have = hw.fastMemoryCapacity;
    issue.text = "the working set needs up to " + formatGrouped(issue.need) + " elements, " +
                 formatGrouped(issue.need - issue.have) + " more than the fast memory of " +
                 formatGrouped(issue.have);
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
                appendFirstOfEachCode(checkStructure(problem, schedule[id], id, rules), out.issues);
        }
        memory.execute(out.issues);
        if (!e.structurallyValid)
            continue;
        out.total += e.latency;
        if (!e.fits)
            out.issues.push_back(outOfMemory(e, id, problem.hardware()));
    }
    memory.finish(out.issues);
    return out;
}

std::int64_t reservedElements(const Problem& problem, std::span<const TensorId> resident,
                              std::span<const TensorId> retain)
{
    std::int64_t sum = 0;
    for (const TensorId t : resident)
        sum += problem.tensor(t).elements();
    for (const TensorId t : retain)
        if (std::find(resident.begin(), resident.end(), t) == resident.end())
            sum += problem.tensor(t).elements();
    return sum;
}

} // namespace tilewright
