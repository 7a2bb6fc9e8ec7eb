// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/npu.h"

#include "lower/floor.h"
#include "lower/npu_model.h"
#include "npu/fit_tiles.h"

namespace tilewright::verbs {

namespace {

npu::RunOptions runOptions(const NpuCall& a)
{
    npu::RunOptions options;
    options.scheduler = a.scheduler == "static" ? npu::Scheduler::Static : npu::Scheduler::Dynamic;
    options.assignment = *npu::assignmentFromText(a.assignment);
    if (!a.weights.empty())
        options.weights = {a.weights[0], a.weights[1], a.weights[2]};
    options.memoryBoundFirst = a.memoryBoundFirst;
    options.recordDram = a.recordDram;
    return options;
}

/// Returns the workload unchanged if it is a model of the NPU lens and no machine is named; else lowered for
/// the machine. `notes` gets what the lens leaves out.
Result<npu::NpuModel> npuModel(const WorkloadCall& call, std::vector<std::string>& notes)
{
    if (call.workload->npu && !call.machine)
        return *call.workload->npu;
    if (call.workload->noModel)
        return *call.workload->noModel;
    const Machine machine = call.machineOrEdge();
    auto lowered = lower::npuOf(*call.workload, machine);
    if (!lowered) {
        Error error = lowered.error();
        error.file = call.file;
        return error;
    }
    notes = lensNotes(lower::nodesOfFile(*call.workload, lowered->nodes), machine, MachineLens::Npu);
    lowered->model.file = call.file;
    lowered->model.hardware = lower::npuHardwareOf(machine);
    return std::move(lowered->model);
}

Result<npu::NpuHardware> hardwareOf(const NpuCall& call, const npu::NpuModel& model)
{
    npu::NpuHardware out = model.hardware.value_or(npu::NpuHardware{});
    if (call.workload.machine)
        out = lower::npuHardwareOf(*call.workload.machine);
    if (call.hardware)
        out = *call.hardware;
    if (call.cores != 0)
        out.cores = call.cores;
    if (const Status s = npu::checkHardware(out); !s) {
        Error error = s.error();
        if (error.file.empty() && !call.workload.machines.empty())
            error.file = call.workload.machines.front();
        return error;
    }
    return out;
}

/// The floor of the workload in cycles on the cores of the run; empty if the hardware is not that of a
/// machine.
std::optional<double> floorCycles(const NpuCall& call, int cores)
{
    if (call.hardware || call.workload.workload->noModel ||
        (call.workload.workload->npu && !call.workload.machine))
        return std::nullopt;
    const auto model = putOnMachine(call.workload);
    return model ? std::optional(lower::floorOf(**model, cores).cycles.value) : std::nullopt;
}

/// Runs the graph for the answer, and fills in the schedulers of the answer.
Result<npu::NpuRun> runOf(NpuAnswer& out, const Progress& progress)
{
    if (!out.isBest)
        return npu::simulate(out.graph, out.hardware, out.options, progress);
    auto best = npu::simulateBest(out.graph, out.hardware, out.options, progress);
    if (!best)
        return best.error();
    out.schedulers = std::move(best->compared);
    return std::move(best->run);
}

/// Text of the machine. By default, a model of this lens without hardware runs on the NPU of
/// docs/rules/npu.md 8, a lowered model on the preset edge.
std::string machineText(const NpuCall& call, const npu::NpuModel& model, const npu::NpuHardware& hardware)
{
    const bool isNamed = call.hardware || call.workload.machine;
    if (call.workload.workload->npu)
        return isNamed || model.hardware ? hardware.name : "the default NPU, as none was named";
    return hardware.name + (isNamed ? "" : ", as none was named");
}

} // namespace

RunCall NpuCall::scheduleRun() const
{
    RunCall out;
    out.workload = workload;
    out.schedule = schedule;
    out.cores = cores;
    return out;
}

Result<npu::TileSearch> searchNpuTiles(const npu::NpuModel& model, const npu::NpuHardware& hardware,
                                       const npu::RunOptions& options, const Progress& progress,
                                       bool withLandscape)
{
    npu::TileSearchOptions limits;
    if (withLandscape)
        limits.patience = 2;
    limits.keepsBest = !withLandscape; // the window does not use the result of a stopped search
    return npu::searchTiles(model, hardware, options, limits, progress);
}

std::vector<npu::RuleCheck> verifyNpu(const npu::NpuGraph& graph, const npu::NpuRun& run)
{
    std::vector<npu::RuleCheck> out = npu::verifyGraph(graph);
    for (npu::RuleCheck& check : npu::verifyRun(graph, run))
        out.push_back(std::move(check));
    return out;
}

Result<NpuAnswer> runNpu(const NpuCall& call, const Progress& searching, const Progress& running,
                         const std::function<Status(const npu::NpuGraph&, const npu::NpuHardware&,
                                                    const npu::RunOptions&)>& onGraph)
{
    NpuAnswer out;
    auto model = npuModel(call.workload, out.notes);
    if (!model)
        return model.error();
    const auto hardware = hardwareOf(call, *model);
    if (!hardware)
        return hardware.error();
    out.hardware = *hardware;
    out.machine = machineText(call, *model, out.hardware);
    out.options = runOptions(call);
    for (npu::ModelOp& op : model->ops)
        for (const npu::TileField& field : npu::tileFields(op.type))
            if (op.tile.*field.size == 0)
                op.tile.*field.size = call.tile.*field.size;
    npu::FittedModel fitted = npu::fitTiles(std::move(*model), out.hardware);
    if (!fitted.changed.empty())
        out.notes.push_back(fitted.text(out.hardware));
    *model = std::move(fitted.model);
    if (call.tiles == "searched") {
        auto found = searchNpuTiles(*model, out.hardware, out.options, searching);
        out.searchInterrupted = searching.stopRequested();
        if (!found && !out.searchInterrupted)
            return found.error();
        if (found) {
            out.search = std::move(*found);
            *model = npu::withTiling(std::move(*model), out.search->tiling);
        }
    }
    auto graph = npu::buildGraph(*model, out.hardware);
    if (graph && graph->fewNodes)
        out.notes.push_back(
            "default tiles fit with one set of operands only, because others make too many nodes: "
            "loads wait for computations");
    if (!graph)
        return graph.error();
    out.graph = std::move(*graph);
    if (onGraph)
        if (const Status s = onGraph(out.graph, out.hardware, out.options); !s)
            return s.error();
    Progress progress = running;
    if (out.search && out.searchInterrupted)
        progress.stop = {}; // a second interrupt ends this run
    progress.report = [&out, &running](double fraction, std::string_view phase) {
        out.simulated = fraction;
        running.tell(fraction, phase);
    };
    out.bounds = npu::lowerBounds(out.graph, out.hardware);
    out.floor = floorCycles(call, out.hardware.cores);
    out.isBest = call.scheduler == "best";
    auto run = runOf(out, progress);
    if (!run && !progress.stopRequested())
        return run.error();
    if (!run) {
        out.estimatedMakespan =
            npu::makeStaticSchedule(out.graph, out.hardware, out.options.assignment).estimatedMakespan;
        return out;
    }
    out.checks = verifyNpu(out.graph, *run);
    out.run = std::move(*run);
    out.reports = npu::opReports(out.graph, *out.run);
    if (call.scaling.empty())
        return out;
    out.scaled = npu::bestOfBoth(out.options, out.schedulers);
    auto points = npu::scaling(out.graph, out.hardware, out.scaled, call.scaling, {running.stop, {}});
    // The run was completed, but the scaling was interrupted.
    out.scalingInterrupted = !points && running.stopRequested();
    if (!points && !out.scalingInterrupted)
        return points.error();
    if (points)
        out.scaling = std::move(*points);
    return out;
}

} // namespace tilewright::verbs
