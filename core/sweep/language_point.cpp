// SPDX-License-Identifier: GPL-3.0-or-later
#include "edit/fit.h"
#include "eval/evaluator.h"
#include "lower/collectives.h"
#include "lower/group_step.h"
#include "lower/machine_lenses.h"
#include "lower/npu_model.h"
#include "lower/on_machine.h"
#include "npu/fit_tiles.h"
#include "npu/output.h"
#include "npu/run.h"
#include "report/evaluation_json.h"
#include "sweep/points.h"

#include <algorithm>

namespace tilewright::sweep {

namespace {

using OperatorCycles = std::vector<std::pair<OperatorId, double>>;

/// Cycles of the operators in the start schedule, with one op per subgraph (R10).
Result<OperatorCycles> startSchedule(const lower::ModelOnMachine& model, const Plan& plan)
{
    const Problem& problem = *model.problem;
    const Schedule schedule = oneOpPerSubgraph(problem);
    const Evaluation e = evaluate(problem, schedule, plan.rulesOf(problem));
    if (!e.valid())
        return Error{
            ErrorCode::Refused, "the start schedule is not valid here: " + sentence(*e.verdict()), {}, {}};
    OperatorCycles out;
    out.reserve(schedule.size());
    for (std::size_t i = 0; i < schedule.size(); ++i)
        out.emplace_back(model.operatorOf(schedule.subgraphs[i]->ops.front()),
                         e.subgraphs[i].latency * static_cast<double>(model.lowered.timeUnit));
    return out;
}

/// Cycles of the operators in a dynamic simulation with default tiles; nullopt if stopped.
Result<std::optional<OperatorCycles>> simulated(const lower::ModelOnMachine& model,
                                                const std::stop_token& stop)
{
    const auto lowered = lower::npuOf(model);
    if (!lowered)
        return lowered.error();
    const npu::NpuHardware hardware = lower::npuHardwareOf(model.machine);
    if (const Status legal = npu::checkHardware(hardware); !legal)
        return legal.error();
    const auto graph = npu::buildGraph(npu::fitTiles(lowered->model, hardware).model, hardware);
    if (!graph)
        return graph.error();
    const auto run = npu::simulate(*graph, hardware, {}, {stop, {}});
    if (stop.stop_requested())
        return std::optional<OperatorCycles>();
    if (!run)
        return run.error();
    std::vector<std::pair<double, double>> spans;
    for (const npu::OpReport& r : npu::opReports(*graph, *run))
        spans.emplace_back(static_cast<double>(r.start), static_cast<double>(r.end));
    const std::vector<double> shared = lower::sharedCycles(spans);
    OperatorCycles out;
    for (std::size_t i = 0; i < shared.size() && i < lowered->source.size(); ++i)
        out.emplace_back(lowered->source[i], shared[i]);
    return std::optional(std::move(out));
}

} // namespace

MaybeResult languagePoint(const Sweep& sweep, const Point& point, const std::stop_token& stop)
{
    const auto machine = machineAt(sweep, point);
    if (!machine)
        return failedPoint(machine.error());
    if (machine->clockGhz <= 0)
        return failedPoint("the machine has no clock, so that its cycles are no times");
    const auto workload = workloadAt(sweep, point);
    if (!workload)
        return failedPoint(workload.error());
    const llm::LlmScope& scope = *(*workload)->language;
    const What what = sweep.plan().what;
    if (const Status linked = lower::checkLinks(scope.options, *machine); !linked)
        return failedPoint(linked.error());
    const std::int64_t cores = what == What::Evaluate ? 1 : machine->cores; // a schedule runs on one core
    const auto milliseconds = [&](double cycles) {
        constexpr double kCyclesOfMs = 1e6; // cycles per ms at 1 GHz
        return cycles / machine->clockGhz / kCyclesOfMs;
    };
    const auto timeOf = [&](const lower::StageFloor& stage, double cycles) {
        return milliseconds(cycles) + stage.collectives.value;
    };
    const lower::GroupFloor group = lower::groupFloor(scope, scope.options, *machine, cores);
    const lower::StageFloor& last = group.stages.back(); // the stage that a lens computes
    // Floor of all stages one after another, and of the slowest stage.
    double floor = 0, pace = 0;
    for (const lower::StageFloor& stage : group.stages) {
        const double time = timeOf(stage, stage.chip.cycles.value);
        floor += time * static_cast<double>(stage.count);
        pace = std::max(pace, time);
    }
    double step = floor, ofFloor = floor > 0 ? 1 : 0;
    if (what != What::Bound) {
        const auto model = lower::putOnMachine(*workload, *machine);
        if (!model)
            return failedPoint(model.error());
        OperatorCycles operators;
        if (what == What::Evaluate) {
            auto evaluated = startSchedule(**model, sweep.plan());
            if (!evaluated)
                return failedPoint(evaluated.error());
            operators = std::move(*evaluated);
        } else {
            auto run = simulated(**model, stop);
            if (!run)
                return failedPoint(run.error());
            if (!*run)
                return std::nullopt;
            operators = std::move(**run);
        }
        const double cycles = lower::ofAllLayers(scope, operators).whole;
        pace = timeOf(last, cycles);
        // The pace of a full pipeline is that of its slowest stage.
        step = pace * static_cast<double>(scope.options.stages);
        const double least = last.chip.cycles.value;
        if (least > 0)
            ofFloor = scope.options.isGroup() ? pace / timeOf(last, least) : cycles / least;
    }
    const auto tokens = static_cast<double>(scope.options.batch * scope.options.computed());
    const lower::ChipBytes bytes = lower::chipBytes(scope, *machine);
    const double used = bytes.weights.value + bytes.cache.value;
    PointResult out;
    out.metrics = {step,
                   pace / tokens,
                   pace > 0 ? 1000 * tokens / pace : 0,
                   floor,
                   ofFloor,
                   used,
                   used / static_cast<double>(machine->at(MachineLevel::External).totalBytes())};
    return out;
}

} // namespace tilewright::sweep
