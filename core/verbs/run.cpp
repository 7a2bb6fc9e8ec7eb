// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/run.h"

#include "base/integer.h"
#include "base/text.h"
#include "npu/hardware.h"

#include <algorithm>
#include <cmath>

namespace tilewright::verbs {

Result<RunOptions> RunCall::options(const lower::ModelOnMachine* model) const
{
    const RunCores on = runCoresOf(model);
    if (cores > on.most)
        return Error{ErrorCode::Refused,
                     (model ? "the machine " + model->machine.name + " has "
                            : std::string("a problem without a machine has ")) +
                         formatGrouped(on.most) + (on.most == 1 ? " core" : " cores") +
                         ", so a schedule does not run on " + formatGrouped(cores),
                     "--cores",
                     {}};
    RunOptions out;
    out.prefetch = prefetch;
    out.cores = cores == 0 ? on.most : cores;
    out.network = on.network;
    return out;
}

RunCores runCoresOf(const lower::ModelOnMachine* model)
{
    RunCores out;
    if (!model) {
        out.most = npu::NpuHardware().cores;
        return out;
    }
    const Machine& machine = model->machine;
    out.most = std::min<std::int64_t>(machine.cores, RunOptions::kMostCores);
    const std::int64_t link = std::min(machine.noc.linkBytesPerCycle, machine.noc.trunkBytesPerCycle);
    // The bits that a link moves in a unit of time, and the bits of a unit, are whole numbers after
    // multiplication by this factor (R1.9).
    constexpr std::int64_t kParts = std::int64_t{1} << 20;
    const Int128 rate = static_cast<Int128>(link) * 8 * model->lowered.timeUnit * kParts;
    const Problem& problem = *model->problem;
    const double elementBits = problem.data().elementBits
                                   ? problem.bitsPerUnit()
                                   : 8.0 * static_cast<double>(machine.elementBytes) /
                                         static_cast<double>(problem.unitsPerElement());
    const auto bits = static_cast<Int128>(std::llround(elementBits * static_cast<double>(kParts)));
    const Int128 common = commonDivisor(rate, bits);
    out.network.linkUnits = static_cast<std::int64_t>(rate / common);
    out.network.linkTime = static_cast<std::int64_t>(bits / common);
    out.network.links = std::max<std::int64_t>(1, machine.noc.trunkBytesPerCycle / link);
    return out;
}

std::vector<std::string> runNotes(const lower::ModelOnMachine* model, const Schedule& schedule,
                                  std::int64_t cores)
{
    if (!model || cores == 1)
        return {};
    std::vector<std::string> names;
    for (const SubgraphPtr& s : schedule.subgraphs)
        for (const OpId o : s->ops) {
            const model::Operator& op = model->model().operators[model->operatorOf(o)];
            const bool needsRow = op.kind == model::OperatorKind::Softmax ||
                                  op.kind == model::OperatorKind::LayerNorm ||
                                  op.kind == model::OperatorKind::RmsNorm;
            const Problem& problem = *model->problem;
            if (needsRow && s->granularity.w < problem.tensor(problem.op(o).output).width)
                names.push_back(problem.opName(o));
        }
    if (names.empty())
        return {};
    return {"the rows of " + names.front() +
            (names.size() > 1 ? " and " + formatGrouped(names.size() - 1) + " more" : std::string()) +
            " are cut into several tiles: what cores would exchange to see whole rows is not modelled"};
}

std::string whyNotRun(const EvaluatedSchedule& evaluated)
{
    const Issue* issue = evaluated.evaluation.verdict();
    return issue ? "only a valid schedule runs; " + sentence(*issue) : std::string();
}

std::string runTitle(const ScheduleRun& run)
{
    const auto counted = [](auto count, const char* what) {
        return formatGrouped(count) + " " + what + (count == 1 ? "" : "s");
    };
    return "this schedule, " + counted(run.subgraphs.size(), "subgraph") + ", " +
           counted(run.options.cores, "core");
}

Result<ScheduleRun> run(const EvaluatedSchedule& evaluated, const RunCall& call,
                        const lower::ModelOnMachine* model, const Progress& progress)
{
    const auto options = call.options(model);
    if (!options)
        return options.error();
    return runSchedule(*evaluated.problem, evaluated.loaded.schedule, evaluated.evaluation, *options,
                       progress);
}

} // namespace tilewright::verbs
