// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/systolic.h"

#include "lower/array_work.h"

#include <algorithm>

namespace tilewright::verbs {

namespace {

/// Number of banks of L2, at least two.
std::int64_t banksOf(const systolic::Hierarchy& h)
{
    return std::max<std::int64_t>(2, h.at(systolic::Level::L2).buffers);
}

Result<SystolicRequest> readCall(const SystolicCall& o)
{
    const auto gemm = productOf(o.workload, o.gemm, o.layer);
    if (!gemm)
        return gemm.error();
    SystolicRequest r;
    r.hierarchy = o.hierarchy.value_or(systolic::kpuHierarchy());
    const auto array = systolic::parseArrayShape(o.array.value_or("16x16"));
    if (!array)
        return array.error();
    const auto dataflow = systolic::parseDataflow(o.dataflow.value_or("os"));
    if (!dataflow)
        return dataflow.error();
    const auto readout = systolic::parseReadout(o.readout);
    if (!readout)
        return readout.error();
    r.layout = o.bankLayout == "seed" ? systolic::BankLayout::Seed : systolic::BankLayout::Split;
    r.supply = o.supply;
    r.gemm = *gemm;
    r.timing = {*dataflow, *readout, o.weightBuffers};
    if (!o.tile.empty() && o.tile != "search") {
        const auto tile = systolic::parseTileShape(o.tile);
        if (!tile)
            return tile.error();
        if (const auto ok = systolic::checkTile(r.gemm, *tile); !ok)
            return ok.error();
        r.tile = *tile;
    }
    // If no array is named, it is that of the machine or of the hierarchy's file.
    if (o.workload.machine || (o.workload.workload && !o.array && !o.hierarchy)) {
        const Machine machine = o.workload.machineOrEdge();
        r.hierarchy = lower::hierarchyOf(machine);
        r.energy = machine.energy;
        if (!o.workload.workload || !o.layer.empty()) { // a network has notes of its own
            noticeOf(o.workload.file, leftOutText(machine, MachineLens::Systolic));
            noticeOf(o.workload.file, oneArrayText(machine));
        }
        if (!o.dataflow)
            r.timing.dataflow = lower::dataflowOf(machine);
    } else if (o.array) {
        r.hierarchy.array = *array;
    }
    if (o.dramGbPerSecond > 0)
        r.hierarchy.at(systolic::Level::External).gbPerSecond = o.dramGbPerSecond;
    if (o.tile == "search") {
        systolic::Settings settings;
        settings.gemm = r.gemm;
        settings.hierarchy = r.hierarchy;
        settings.searchedTile = true;
        r.tile = settings.programTile();
        if (!r.tile)
            return Error{ErrorCode::Problem,
                         "no tile fits one buffer of L2; " +
                             systolic::nothingFits(settings.tileQuery(), settings.footprint).message,
                         "--tile",
                         {}};
    }
    r.depth = o.depth;
    if (!o.schedule.empty()) {
        const auto schedule = systolic::parseL2Schedule(o.schedule);
        if (!schedule)
            return schedule.error();
        r.schedule = *schedule;
    }
    r.passes = o.passes;
    const bool namesRates = o.hierarchy || o.workload.machine || o.dramGbPerSecond > 0;
    r.unlimitedBandwidth = o.bandwidth.empty() ? !namesRates : o.bandwidth != "hierarchy";
    return r;
}

/// Plans and runs a program if it has at most `most` commands.
Result<systolic::ProgramRun> runWithin(const systolic::ProgramOptions& options, const SystolicRequest& r,
                                       std::int64_t most, const Progress& progress)
{
    if (const Status ok = systolic::checkLength(options, 0); !ok)
        return ok.error();
    if (const Status ok = systolic::checkLength(options, most); !ok) {
        Error error = ok.error();
        error.message += "; --max-commands 0 runs it";
        return error;
    }
    return systolic::runProgram(options, pipelineMachine(r), systolic::kMaxWholeCommands, progress);
}

std::vector<ProgramOfDataflow> runEachDataflow(const SystolicRequest& r, systolic::ProgramStyle style,
                                               std::int64_t most, const Progress& progress)
{
    std::vector<ProgramOfDataflow> out;
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        ProgramOfDataflow& one = out.emplace_back();
        one.dataflow = d;
        systolic::ProgramOptions options = programOptions(r, d);
        options.style = style;
        const auto ran = runWithin(options, r, most, progress);
        if (!ran) {
            one.refusal = ran.error().text();
            continue;
        }
        one.schedule = systolic::programScheduleText(ran->program);
        one.cycles = ran->run.cycles;
        one.arrayBusy = ran->run.arrayBusy;
        one.dramBytes = dramBytesOf(ran->program);
    }
    return out;
}

Result<SystolicPipeline> runProgram(const SystolicCall& o, const SystolicRequest& r, const Progress& progress)
{
    const auto style = systolic::parseProgramStyle(o.pipeline);
    if (!style)
        return style.error();
    systolic::ProgramOptions options = programOptions(r, r.timing.dataflow);
    options.style = *style;
    options.schedule = r.schedule; // refused for a dataflow without L2 schedules
    auto ran = runWithin(options, r, o.maxCommands, progress);
    if (!ran)
        return ran.error();
    return SystolicPipeline{std::move(ran->program), std::move(ran->run), pipelineMachine(r)};
}

Result<SystolicFigures> systolicFigures(const SystolicRequest& r)
{
    const systolic::Hierarchy& h = r.hierarchy;
    SystolicFigures f;
    const systolic::FoldPlan plan(r.gemm, h.array, r.timing);
    if (const auto ok = systolic::checkClockWork(plan, r.supply); !ok)
        return ok.error();
    f.timing = systolic::arrayTiming(r.gemm, h.array, r.timing);
    f.padding = lower::paddingOf({r.gemm, 1, {}, {}}, h.array, r.timing.dataflow, f.timing);
    const systolic::EdgeClock clock(plan, r.supply);
    f.stalled = clock.stalledCycles();
    f.cycles = f.timing.cycles + f.stalled;
    if (std::max(h.array.rows, h.array.cols) <= kMaxPhasesSide)
        f.phases = systolic::stalledPhases(plan.phases(), clock);
    f.edges = systolic::edgeSizes(plan, r.supply, h.elementBytes);
    const auto l2 = checkedMul(f.timing.l2Elements, h.elementBytes);
    if (!l2)
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "--gemm", {}};
    f.l2Bytes = *l2;
    f.dramQuery = dramQueryOf(r);
    if (const auto ok = systolic::checkDramQuery(f.dramQuery); !ok)
        return ok.error();
    f.dram = systolic::dramClosedForm(f.dramQuery);
    auto l2Parts = l2Figures(r);
    if (!l2Parts)
        return l2Parts.error();
    f.l2 = std::move(*l2Parts);
    auto conflicts = f.l2.conflicts(r.layout, 0);
    if (!conflicts)
        return conflicts.error();
    f.conflicts = std::move(*conflicts);
    const auto roofline = rooflineOf(r);
    if (!roofline)
        return roofline.error();
    f.roofline = *roofline;
    const auto dataflows = dataflowsOf(r);
    if (!dataflows)
        return dataflows.error();
    f.dataflows = *dataflows;
    f.energy = energyOf(r, f.roofline);
    return f;
}

} // namespace

SystolicRequest requestOf(const systolic::Settings& s)
{
    const std::optional<systolic::TileShape> tile = s.programTile();
    return {s.gemm,   s.timing,           s.hierarchy,          s.supply,   tile,
            s.layout, tile ? 0 : s.depth, s.unlimitedBandwidth, s.schedule, s.passes,
            {}};
}

systolic::ProgramOptions programOptions(const SystolicRequest& r, systolic::Dataflow dataflow)
{
    systolic::ProgramOptions options = systolic::programOptionsOf(
        r.hierarchy, r.gemm, {dataflow, r.timing.readout, r.timing.weightBuffers}, r.tile);
    options.layout = r.layout;
    if (dataflow == systolic::Dataflow::Os) {
        options.schedule = r.schedule;
        options.passes = r.passes;
    }
    if (r.depth > 0)
        options.depth = r.depth;
    else if (r.tile)
        options.depth = systolic::deepestStep(r.hierarchy, *r.tile, dataflow);
    return options;
}

systolic::PipelineMachine pipelineMachine(const SystolicRequest& r)
{
    return r.unlimitedBandwidth ? systolic::PipelineMachine{} : systolic::machineOf(r.hierarchy);
}

Result<std::optional<systolic::BankConflicts>> L2Figures::conflicts(systolic::BankLayout layout,
                                                                    std::size_t listed) const
{
    if (saturatingMul(saturatingMul(nM, nN), nK) > kMaxCountedSteps)
        return std::optional<systolic::BankConflicts>();
    auto counted = systolic::bankConflicts(bankMap(layout), nM, listed);
    if (!counted)
        return counted.error();
    return std::optional(std::move(*counted));
}

Result<L2Figures> l2Figures(const SystolicRequest& r)
{
    L2Figures out;
    out.tile = r.tile.value_or(systolic::arrayTile(r.gemm, r.hierarchy.array, systolic::Dataflow::Os));
    out.nM = ceilDiv(r.gemm.m, out.tile.ti);
    out.nN = ceilDiv(r.gemm.n, out.tile.tj);
    out.nK = ceilDiv(r.gemm.k, out.tile.tk);
    out.banks = banksOf(r.hierarchy);
    auto plans = systolic::l2Schedules(r.gemm, out.tile, r.hierarchy.elementBytes,
                                       r.hierarchy.at(systolic::Level::L2).totalBytes());
    if (!plans)
        return plans.error();
    out.plans = std::move(*plans);
    return out;
}

Result<systolic::Roofline> rooflineOf(const SystolicRequest& r)
{
    return systolic::multiLevelRoofline(r.hierarchy, r.gemm, r.timing, r.tile);
}

Result<DataflowFigures> dataflowsOf(const SystolicRequest& r)
{
    const auto compared = systolic::compareDataflows(r.hierarchy, r.gemm, r.tile, r.timing, r.supply);
    if (!compared)
        return compared.error();
    DataflowFigures out{*compared, {}, true, {}};
    std::int64_t commands = 0;
    for (const systolic::DataflowTime& t : out.of)
        commands = saturatingAdd(commands, systolic::commandsOf(programOptions(r, t.dataflow)).value_or(0));
    out.ran = commands <= kMaxComparedCommands;
    SystolicRequest rated = r;
    rated.unlimitedBandwidth = false;
    if (out.ran)
        out.programs = runEachDataflow(rated, systolic::ProgramStyle::Pipelined, 0, {});
    for (std::size_t d = 0; d < out.of.size(); ++d) {
        if (out.ran && out.programs[d].refusal.empty())
            out.programCycles[d] = out.programs[d].cycles;
        else if (!out.ran)
            out.programCycles[d] = systolic::leastCycles(r.hierarchy, programOptions(r, out.of[d].dataflow));
    }
    return out;
}

std::optional<double> DataflowFigures::osFewer() const noexcept
{
    if (!ofPrograms())
        return osFewerThanWs;
    if (!ran)
        return std::nullopt;
    return 1 - static_cast<double>(*programCycles[0]) / static_cast<double>(*programCycles[1]);
}

std::string_view DataflowFigures::comparedBy() const noexcept
{
    return ofPrograms() ? "by their programs" : "by the longer of array and DRAM";
}

systolic::DramQuery dramQueryOf(const SystolicRequest& r)
{
    return systolic::dramQueryOf(r.hierarchy, r.gemm, r.timing.dataflow, r.tile);
}

lower::ArrayEnergy energyOf(const SystolicRequest& r, const systolic::Roofline& roofline)
{
    return lower::arrayEnergy(r.gemm, roofline, r.hierarchy.elementBytes, r.energy);
}

double SystolicFigures::utilization(const SystolicRequest& r) const
{
    return static_cast<double>(systolic::macs(r.gemm)) / static_cast<double>(r.hierarchy.array.rows) /
           static_cast<double>(r.hierarchy.array.cols) / static_cast<double>(cycles);
}

double NetworkAnswer::osFewerThanWs() const
{
    const auto cycles = [&](systolic::Dataflow d) {
        return static_cast<double>(dataflows[static_cast<std::size_t>(d)].total.boundCycles);
    };
    const double ws = cycles(systolic::Dataflow::Ws);
    return ws > 0 ? 1 - cycles(systolic::Dataflow::Os) / ws : 0;
}

std::int64_t movedBy(const systolic::Program& program, systolic::CommandKind kind)
{
    return program.moved[static_cast<std::size_t>(kind)];
}

std::int64_t l2BytesOf(const systolic::Program& p)
{
    return movedBy(p, systolic::CommandKind::BmMove) + movedBy(p, systolic::CommandKind::StrFeedPartial) +
           movedBy(p, systolic::CommandKind::StrDrain);
}

std::int64_t dramBytesOf(const systolic::Program& p)
{
    return movedBy(p, systolic::CommandKind::DmaLoad) + movedBy(p, systolic::CommandKind::DmaPrefetch) +
           movedBy(p, systolic::CommandKind::DmaStore);
}

Result<SystolicAnswer> systolicProduct(const SystolicCall& call, const Progress& progress)
{
    const auto request = readCall(call);
    if (!request)
        return request.error();
    const SystolicRequest& r = *request;
    const auto figures = systolicFigures(r);
    if (!figures)
        return namingMemories(figures.error(), call.workload, call.hierarchyFile);
    SystolicAnswer out{r, *figures, {}, {}, false};
    if (call.simulate) {
        auto sim =
            systolic::PeSimulator::createRandom(r.gemm, r.hierarchy.array, r.timing, call.seed, call.supply);
        if (!sim)
            return sim.error();
        out.interrupted = !sim->run(progress);
        if (!out.interrupted) {
            if (sim->product() != sim->referenceProduct())
                return Error{ErrorCode::Internal, "the simulated array computed a wrong product", {}, {}};
            out.figures.cycles = sim->measuredCycles();
            out.figures.stalled = sim->clock().stalledCycles();
        }
    }
    if (!call.pipeline.empty()) {
        auto ran = runProgram(call, r, progress);
        if (!ran)
            return namingMemories(ran.error(), call.workload, call.hierarchyFile);
        out.pipeline = std::move(*ran);
        out.figures.cycles = out.pipeline->run.cycles;
    }
    if (call.compare)
        out.programs = runEachDataflow(r, out.pipeline->program.options.style, call.maxCommands, progress);
    return out;
}

Result<NetworkAnswer> networkOf(const lower::ModelOnMachine& model, const SystolicRequest& request)
{
    NetworkAnswer out;
    out.name = model.model().name;
    out.request = request;
    if (const auto nodes = lower::lensNodes(model, MachineLens::Systolic))
        out.notes = lensNotes(*nodes, model.machine, MachineLens::Systolic);
    if (std::string text = oneWidthText(model); !text.empty())
        out.notes.push_back(std::move(text));
    // An array that differs from that of the machine stands for a single systolic array.
    const systolic::ArrayShape own{model.machine.rows, model.machine.cols};
    const auto layers =
        request.hierarchy.array == own ? lower::gemmsOnMachine(model) : lower::gemmsOf(model.lowered);
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        systolic::TimingOptions timing = request.timing;
        timing.dataflow = d;
        auto table = lower::networkTable(layers, request.hierarchy, timing, request.energy);
        if (!table)
            return table.error();
        out.dataflows[static_cast<std::size_t>(d)] = std::move(*table);
    }
    out.table = out.dataflows[static_cast<std::size_t>(request.timing.dataflow)];
    return out;
}

Result<NetworkAnswer> systolicNetwork(const SystolicCall& call)
{
    auto request = readCall(call);
    if (!request)
        return request.error();
    const auto model = putOnMachine(call.workload);
    if (!model)
        return model.error();
    request->energy = (*model)->machine.energy;
    auto out = networkOf(**model, *request);
    if (out)
        return out;
    Error error = out.error();
    error.file = call.workload.file;
    return error;
}

} // namespace tilewright::verbs
