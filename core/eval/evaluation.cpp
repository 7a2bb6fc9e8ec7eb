// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/evaluation.h"

#include "eval/schedule_walk.h"
#include "eval/tally.h"
#include "eval/trace.h"
#include "eval/validate.h"

namespace tilewright {

std::string_view issueCodeName(IssueCode code)
{
    switch (code) {
    case IssueCode::Format:
        return "FORMAT";
    case IssueCode::Granularity:
        return "GRANULARITY";
    case IssueCode::Retain:
        return "RETAIN";
    case IssueCode::SuperNative:
        return "SUPERNATIVE";
    case IssueCode::KTooLarge:
        return "K_TOO_LARGE";
    case IssueCode::OpOrder:
        return "OP_ORDER";
    case IssueCode::Disconnected:
        return "DISCONNECTED";
    case IssueCode::Prologue:
        return "PROLOGUE";
    case IssueCode::Traversal:
        return "TRAVERSAL";
    case IssueCode::Dependency:
        return "DEPENDENCY";
    case IssueCode::OutOfMemory:
        return "OOM";
    case IssueCode::Coverage:
        return "COVERAGE";
    case IssueCode::Output:
        return "OUTPUT";
    }
    return "";
}

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

Evaluation evaluateByTrace(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    return walkSchedule(problem, schedule, rules, [&](SubgraphId id, std::span<const TensorId> resident) {
        const Subgraph& s = schedule[id];
        SubgraphEvaluation out;
        if (!checkStructure(problem, s, id, rules).empty())
            return out;
        Tally tally;
        const auto bandwidth = static_cast<double>(problem.hardware().slowMemoryBandwidth);
        traceSubgraph(problem, s, resident, rules, [&](const Step& step) {
            tally.step(step.compute, step.loadElements, step.storeElements, step.workingSet, bandwidth);
            return true;
        });
        tally.finish(out, problem.hardware());
        const TileGrid grid = tileGrid(problem, s.ops, s.granularity);
        out.rows = grid.rows;
        out.cols = grid.cols;
        out.reserved = reservedElements(problem, resident, s.retain);
        return out;
    });
}

Evaluation evaluate(const Problem& problem, const Schedule& schedule, const Rules& rules)
{
    return evaluateByTrace(problem, schedule, rules);
}

} // namespace tilewright
