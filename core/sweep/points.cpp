// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/points.h"
#include "base/hash.h"
#include "base/text.h"
#include "eval/lower_bound.h"
#include "eval/rule_choice.h"
#include "lower/machine_lenses.h"
#include "lower/network_table.h"
#include "lower/on_machine.h"
#include "npu/bounds.h"
#include "npu/fit_tiles.h"
#include "npu/run.h"
#include "npu/tile_search.h"
#include "report/evaluation_json.h"
#include "run/run.h"
#include "schedule/schedule_json.h"
#include "solve/search/solver.h"

#include <algorithm>
#include <charconv>

namespace tilewright::sweep {

PointResult failedPoint(std::string sentence)
{
    PointResult out;
    out.error = std::move(sentence);
    return out;
}

PointResult failedPoint(const Error& error)
{
    return failedPoint(Error{error.code, error.message, error.path, {}}.text());
}

Result<Machine> machineAt(const Sweep& sweep, const Point& point)
{
    const std::vector<Axis>& axes = sweep.plan().axes;
    Machine machine = *sweep.machine;
    for (std::size_t a = 0; a < point.values.size(); ++a)
        if (axes[a].name == kMachineAxis)
            // CheckAxes() has verified that the preset exists.
            machine = machinePreset(point.values[a].text).value_or(machine);
    for (std::size_t a = 0; a < point.values.size(); ++a) {
        const std::string& name = axes[a].name;
        if (isProblemHardware(name) || !dimensionOf(name).empty() || name == kMachineAxis)
            continue;
        auto changed = withMachineField(machine, name, point.values[a].text);
        if (!changed)
            return changed.error();
        machine = std::move(*changed);
    }
    return machine;
}

Result<std::shared_ptr<const lower::Workload>> workloadAt(const Sweep& sweep, const Point& point)
{
    const SweepWorkload& workload = sweep.workloads[point.workload];
    if (!workload.content)
        return workload.workload;
    auto read = lower::readWorkload(workload.content->view(), sweep.plan().workload[point.workload],
                                    dimensionsAt(sweep.plan(), point));
    if (!read)
        return read.error();
    return std::make_shared<const lower::Workload>(std::move(*read));
}

namespace {

void setHardware(Hardware& hardware, std::string_view name, const AxisValue& value)
{
    std::int64_t number = 1; // checkAxes() has verified that the text is a number
    std::from_chars(value.text.data(), value.text.data() + value.text.size(), number);
    if (name == "fast_memory_capacity")
        hardware.fastMemoryCapacity = number;
    else if (name == "slow_memory_bandwidth")
        hardware.slowMemoryBandwidth = number;
    else if (name == "native_width")
        hardware.nativeWidth = number;
    else if (name == "native_height")
        hardware.nativeHeight = number;
    else
        hardware.nativeDepth = number;
}

Hardware hardwareAt(Hardware hardware, const Plan& plan, const Point& point)
{
    for (std::size_t a = 0; a < point.values.size(); ++a)
        if (isProblemHardware(plan.axes[a].name))
            setHardware(hardware, plan.axes[a].name, point.values[a]);
    return hardware;
}

/// The problem of a point, and the number of cycles per unit of time. Metrics are in cycles.
struct PointProblem
{
    ProblemPtr problem;
    double unit = 1;
    lower::ScheduleTarget target; ///< target recorded in kept schedules
};

Result<PointProblem> problemAt(const Sweep& sweep, const Point& point)
{
    const Plan& plan = sweep.plan();
    const SweepWorkload& workload = sweep.workloads[point.workload];
    PointProblem out;
    Problem::Data data;
    if (workload.standsAsItIs) {
        data = workload.workload->problem->data();
    } else {
        const auto machine = machineAt(sweep, point);
        if (!machine)
            return machine.error();
        const auto read = workloadAt(sweep, point);
        if (!read)
            return read.error();
        const auto model = lower::putOnMachine(*read, *machine);
        if (!model)
            return model.error();
        data = (*model)->problem->data();
        out.unit = static_cast<double>((*model)->lowered.timeUnit);
        out.target.machine = *machine;
        out.target.dimensions = dimensionsAt(plan, point);
    }
    if (const Hardware hardware = hardwareAt(data.hardware, plan, point); hardware != data.hardware) {
        out.target = {};
        if (workload.standsAsItIs) // the hardware belongs to the problem; otherwise the machine is recorded
            out.target.hardware = hardware;
        data.hardware = hardware;
    }
    if (plan.minimise == Minimise::Traffic) {
        // For the objective traffic, base costs are removed and the bandwidth is one element per unit of
        // time. The latency of a schedule is then its traffic.
        for (std::size_t i = 0; i < data.ops.size(); ++i)
            data.ops[OpId(i)].baseCost = 0;
        data.hardware.slowMemoryBandwidth = 1;
        out.unit = 1;
    }
    auto problem = Problem::build(std::move(data));
    if (!problem)
        return problem.error();
    out.problem = std::move(*problem);
    return out;
}

/// Key of a problem without its capacity and bandwidth. Costs are in cycles.
SameProblem sameProblem(const PointProblem& point, std::size_t workload)
{
    std::string text = std::to_string(workload);
    const auto add = [&text](double value) { text.append(" ").append(formatNumber(value)); };
    const auto addId = [&text](std::uint32_t value) { text.append(" ").append(std::to_string(value)); };
    const Problem& p = *point.problem;
    const Hardware& hw = p.hardware();
    for (const std::int64_t value : {hw.nativeWidth, hw.nativeHeight, hw.nativeK()})
        add(static_cast<double>(value));
    for (const Tensor& t : p.tensors()) {
        add(static_cast<double>(t.width));
        add(static_cast<double>(t.height));
    }
    for (const Op& op : p.ops()) {
        text.append(op.type == OpType::MatMul ? "\nm" : "\np");
        add(static_cast<double>(op.baseCost) * point.unit);
        addId(op.output.value);
        for (const TensorId input : op.inputs)
            addId(input.value);
    }
    for (const TensorView& view : p.data().views) {
        text.append("\nv");
        addId(view.tensor.value);
        for (const TensorId base : view.bases)
            addId(base.value);
    }
    constexpr std::size_t kDigits = 32;
    return {sha256(text).substr(0, kDigits), static_cast<double>(hw.fastMemoryCapacity),
            static_cast<double>(hw.slowMemoryBandwidth) / point.unit};
}

double trafficOf(const Evaluation& evaluation)
{
    double out = 0;
    for (const SubgraphEvaluation& s : evaluation.subgraphs)
        out += s.loadElements + s.storeElements;
    return out;
}

/// Runs a schedule at a point (R20).
MaybeResult runPoint(const Sweep& sweep, const PointProblem& point, const Schedule& schedule,
                     const std::stop_token& stop)
{
    const Problem& problem = *point.problem;
    const Evaluation e = evaluate(problem, schedule, sweep.plan().rulesOf(problem));
    if (!e.valid())
        return failedPoint("the schedule is not valid here: " + sentence(*e.verdict()));
    tilewright::RunOptions options;
    options.prefetch = sweep.plan().prefetch;
    options.mostCommands = 0;
    const auto run = runSchedule(problem, schedule, e, options, {stop, {}});
    if (stop.stop_requested())
        return std::nullopt;
    if (!run)
        return failedPoint(run.error());
    const auto share = [&](double busy) { return run->end > 0 ? busy / run->end : 0; };
    PointResult out;
    out.metrics = {run->end * point.unit,
                   run->latency * point.unit,
                   trafficOf(e),
                   problem.elementsOf(run->peakUnits),
                   share(run->of(RunUnit::Load).busy + run->of(RunUnit::Store).busy),
                   share(run->of(RunUnit::Array).busy),
                   share(run->of(RunUnit::Vector).busy),
                   static_cast<double>(schedule.size())};
    return out;
}

/// Error text of a solve that found no schedule. A locked subgraph is never dropped: if it does not fit, the
/// point fails and the text names it.
std::string unsolvedReason(const Problem& problem, const SolveOptions& options, const Error& error)
{
    if (options.start)
        for (const Issue& issue : evaluate(problem, *options.start, options.rules).issues)
            if (issue.subgraph && (*options.start)[*issue.subgraph].locked)
                return "a locked subgraph does not fit here: " + sentence(issue);
    return error.message;
}

MaybeResult solvePoint(const Sweep& sweep, const PointProblem& point, std::optional<Schedule> start,
                       const std::stop_token& stop)
{
    const Plan& plan = sweep.plan();
    SolveOptions options;
    options.rules = plan.rulesOf(*point.problem);
    options.objective = plan.minimise == Minimise::Energy ? SolveObjective::Energy
                        : plan.minimise == Minimise::Edp  ? SolveObjective::Edp
                                                          : SolveObjective::Latency;
    options.seconds = plan.budget.seconds;
    options.iterations = plan.iterations();
    options.threads = 1;
    options.seed = plan.seed;
    options.start = std::move(start);
    options.stop = stop;
    auto solved = solve(*point.problem, options);
    if (stop.stop_requested())
        return std::nullopt;
    if (!solved)
        return failedPoint(unsolvedReason(*point.problem, options, solved.error()));
    PointResult out;
    const double total = solved->total * point.unit;
    const double bound = solved->lowerBound * point.unit;
    const auto subgraphs = static_cast<double>(solved->schedule.size());
    const double proven = solved->provenOptimal ? 1 : 0;
    if (plan.lens == Lens::Run) {
        MaybeResult run = runPoint(sweep, point, solved->schedule, stop);
        if (!run || run->failed())
            return run;
        out = std::move(*run);
    } else if (plan.minimise == Minimise::Traffic)
        out.metrics = {total, bound, subgraphs, proven};
    else if (plan.minimise == Minimise::Energy)
        out.metrics = {solved->energy, solved->energyBound, total, solved->energy * total, subgraphs, proven};
    else if (plan.minimise == Minimise::Edp)
        out.metrics = {
            solved->energy * total, solved->bound() * point.unit, total, solved->energy, subgraphs, proven};
    else
        out.metrics = {total, bound, trafficOf(evaluate(*point.problem, solved->schedule, options.rules)),
                       subgraphs, proven};
    if (sweep.manifest.keepSchedules) {
        solved->schedule.extra = lower::withTarget(solved->schedule.extra, point.target);
        solved->schedule.rules = statedRules(*point.problem, options.rules);
        auto text = writeSchedule(*point.problem, solved->schedule, solved->latencies);
        if (!text)
            return failedPoint(text.error());
        out.schedule = std::move(*text);
    }
    return out;
}

PointResult evaluatePoint(const Sweep& sweep, const PointProblem& point, const Schedule& schedule)
{
    const Rules rules = sweep.plan().rulesOf(*point.problem);
    const Evaluation e = evaluate(*point.problem, schedule, rules);
    if (!e.valid())
        return failedPoint("the schedule is not valid here: " + sentence(*e.verdict()));
    double peak = 0;
    for (const SubgraphEvaluation& s : e.subgraphs)
        peak = std::max(peak, s.peakWorkingSet);
    const double bound = lowerBound(*point.problem, rules).value;
    PointResult out;
    out.metrics = {e.total * point.unit, bound * point.unit, trafficOf(e), peak};
    return out;
}

MaybeResult schedulePoint(const Sweep& sweep, const Point& point, const std::stop_token& stop)
{
    const Plan& plan = sweep.plan();
    const auto problem = problemAt(sweep, point);
    if (!problem)
        return failedPoint(problem.error());
    if (plan.what == What::Bound) {
        const LowerBound bound = lowerBound(*problem->problem, plan.rulesOf(*problem->problem));
        PointResult out;
        out.metrics = {bound.value * problem->unit, bound.compute * problem->unit,
                       bound.memory * problem->unit};
        return out;
    }
    std::optional<Schedule> schedule;
    if (!plan.schedule.empty()) {
        auto loaded = readSchedule(*problem->problem, sweep.scheduleText, plan.schedule);
        if (!loaded)
            return failedPoint(loaded.error());
        if (!loaded->formatIssues.empty())
            return failedPoint(sentence(loaded->formatIssues.front()));
        schedule = std::move(loaded->schedule);
    }
    if (plan.what == What::Evaluate)
        return plan.lens == Lens::Run ? runPoint(sweep, *problem, *schedule, stop)
                                      : evaluatePoint(sweep, *problem, *schedule);
    MaybeResult out = solvePoint(sweep, *problem, std::move(schedule), stop);
    // Only for the lens schedule: by R20, a run with more memory need not end earlier.
    if (out && plan.lens == Lens::Schedule)
        out->problem = sameProblem(*problem, point.workload);
    return out;
}

MaybeResult npuPoint(const Sweep& sweep, const Point& point, const std::stop_token& stop)
{
    const auto machine = machineAt(sweep, point);
    if (!machine)
        return failedPoint(machine.error());
    const auto workload = workloadAt(sweep, point);
    if (!workload)
        return failedPoint(workload.error());
    const auto model = lower::putOnMachine(*workload, *machine);
    if (!model)
        return failedPoint(model.error());
    auto lowered = lower::npuOf(**model);
    if (!lowered)
        return failedPoint(lowered.error());
    const npu::NpuHardware hardware = lower::npuHardwareOf(*machine);
    if (const Status legal = npu::checkHardware(hardware); !legal)
        return failedPoint(legal.error());
    lowered->model = npu::fitTiles(std::move(lowered->model), hardware).model;
    npu::RunOptions options;
    options.scheduler = sweep.plan().what == What::Static ? npu::Scheduler::Static : npu::Scheduler::Dynamic;
    if (sweep.plan().tiles == Tiles::Searched) {
        const auto found = npu::searchTiles(lowered->model, hardware, options, {}, {stop, {}});
        if (stop.stop_requested())
            return std::nullopt;
        if (!found)
            return failedPoint(found.error());
        lowered->model = npu::withTiling(std::move(lowered->model), found->tiling);
    }
    const auto graph = npu::buildGraph(lowered->model, hardware);
    if (!graph)
        return failedPoint(graph.error());
    const auto run = npu::simulate(*graph, hardware, options, {stop, {}});
    if (stop.stop_requested())
        return std::nullopt;
    if (!run)
        return failedPoint(run.error());
    PointResult out;
    out.metrics = {static_cast<double>(run->makespan),
                   static_cast<double>(npu::lowerBounds(*graph, hardware).lowerBound),
                   static_cast<double>(run->dramBytes)};
    return out;
}

PointResult systolicPoint(const Sweep& sweep, const Point& point)
{
    const auto machine = machineAt(sweep, point);
    if (!machine)
        return failedPoint(machine.error());
    const auto workload = workloadAt(sweep, point);
    if (!workload)
        return failedPoint(workload.error());
    const auto lowered = lower::lowerToProblem((*workload)->model, *machine);
    if (!lowered)
        return failedPoint(lowered.error());
    systolic::TimingOptions timing;
    timing.dataflow = lower::dataflowOf(*machine);
    const auto table = lower::networkTable(lower::gemmsOf(*lowered), lower::hierarchyOf(*machine), timing);
    if (!table)
        return failedPoint(table.error());
    const lower::NetworkRow& total = table->total;
    PointResult out;
    out.metrics = {static_cast<double>(total.timing.cycles),
                   static_cast<double>(total.boundCycles),
                   static_cast<double>(total.bytes[3]),
                   static_cast<double>(total.bytes[2]),
                   static_cast<double>(total.bytes[1]),
                   static_cast<double>(total.bytes[0]),
                   total.timing.utilization,
                   total.timing.mappingEfficiency};
    return out;
}

} // namespace

Result<PointHardware> hardwareOfPoint(const Sweep& sweep, std::size_t index)
{
    const Point point = pointAt(sweep.plan(), index);
    const SweepWorkload& workload = sweep.workloads[point.workload];
    PointHardware out;
    if (workload.standsAsItIs) {
        out.hardware = hardwareAt(workload.workload->problem->hardware(), sweep.plan(), point);
        return out;
    }
    auto machine = machineAt(sweep, point);
    if (!machine)
        return machine.error();
    out.machine = std::move(*machine);
    return out;
}

std::optional<PointResult> computePoint(const Sweep& sweep, std::size_t index, const std::stop_token& stop)
{
    if (stop.stop_requested())
        return std::nullopt;
    const Point point = pointAt(sweep.plan(), index);
    switch (sweep.plan().lens) {
    case Lens::Mapping:
        return mappingPoint(sweep, point, stop);
    case Lens::Npu:
        return npuPoint(sweep, point, stop);
    case Lens::Systolic:
        return systolicPoint(sweep, point);
    case Lens::Language:
        return languagePoint(sweep, point, stop);
    case Lens::Schedule:
    case Lens::Run:
        break;
    }
    return schedulePoint(sweep, point, stop);
}

} // namespace tilewright::sweep
