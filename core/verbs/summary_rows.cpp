// SPDX-License-Identifier: GPL-3.0-or-later
// One row of the Summary for each lens, from the call of that lens.
#include "verbs/summary_rows.h"
#include "base/text.h"
#include "lower/launch.h"
#include "mapping/no_method.h"
#include "verbs/map.h"
#include "verbs/systolic.h"

#include <algorithm>

namespace tilewright::verbs {

namespace {

using lower::Floor;

ExplainedValue number(std::string name, double value)
{
    return leaf(std::move(name), "", value, {});
}

/// Adds the figures that follow from cycles and DRAM bytes.
void addDerived(SummaryFigures& figures, const Machine& machine, const Floor& floor,
                const ExplainedValue& launch, std::string coresSource)
{
    const auto at = [&](SummaryFigure f) -> auto&
    {
        return figures[static_cast<std::size_t>(f)];
    };
    const ExplainedValue clock = lower::machineValue(machine, "clock_ghz", "clock", "GHz", machine.clockGhz);
    at(SummaryFigure::Cores) = leaf("cores", "", static_cast<double>(floor.cores), std::move(coresSource));
    if (const auto& cycles = at(SummaryFigure::Cycles)) {
        const auto perSecond = [&](const std::string& unit, double factor) {
            return combined(Operation::Product, "cycles a " + unit, "",
                            {clock, number("cycles a " + unit + " at 1 GHz", factor)});
        };
        ExplainedValue time =
            combined(Operation::Quotient, "time", "ms", {*cycles, perSecond("millisecond", 1e6)});
        at(SummaryFigure::Milliseconds) = launch.value > 0 ? combined(Operation::Sum, "time with launches",
                                                                      "ms", {std::move(time), launch}, "R19")
                                                           : std::move(time);
        if (floor.cycles.value > 0)
            at(SummaryFigure::OfFloor) =
                combined(Operation::Quotient, "multiple of the floor", "", {*cycles, floor.cycles}, "R19");
        if (cycles->value > 0) {
            at(SummaryFigure::Tops) =
                combined(Operation::Quotient, "rate", "TOPS",
                         {combined(Operation::Product, "operations", "",
                                   {number("operations of a multiply-accumulate", 2), floor.macs}),
                          combined(Operation::Quotient, "time", "s", {*cycles, perSecond("second", 1e9)}),
                          number("operations of a tera-operation", 1e12)});
            at(SummaryFigure::OfPeak) =
                combined(Operation::Quotient, "share of the peak", "", {floor.compute, *cycles});
        }
    }
    if (const auto& bytes = at(SummaryFigure::DramBytes); bytes && floor.leastBytes.value > 0)
        at(SummaryFigure::OfLeastBytes) =
            combined(Operation::Quotient, "multiple of the bytes that must move", "",
                     {*bytes, floor.leastBytes}, "R19");
}

void addDerived(SummaryRow& row, const SummarySubject& subject)
{
    const Machine& machine = subject.model->machine;
    const bool several =
        lensOf(row.kind) == MachineLens::Npu || (row.kind == SummaryKind::ScheduleRun && subject.cores > 0);
    addDerived(row.figures, machine, lower::floorOf(*subject.model, subject.coresOf(row.kind)),
               lower::launchOf(*subject.model),
               !several             ? "this lens models one core"
               : subject.cores == 0 ? "machine " + machine.name + ", cores"
                                    : "asked for");
}

void addLeftOut(SummaryRow& row, const SummarySubject& subject)
{
    const MachineLens lens = lensOf(row.kind);
    std::vector<lower::NodeReport> nodes;
    if (auto known = lower::lensNodes(*subject.model, lens))
        nodes = std::move(*known);
    // Without launches, because the time of a row already contains them.
    Machine machine = subject.model->machine;
    std::erase_if(machine.given, [](const std::string& path) { return path.starts_with("launch_us"); });
    row.leftOut = lensNotes(nodes, machine, lens);
    if (lens == MachineLens::Systolic)
        if (std::string text = oneWidthText(*subject.model); !text.empty())
            row.leftOut.push_back(std::move(text));
    if (lens == MachineLens::Systolic || lens == MachineLens::Mapping)
        row.leftOut.emplace_back("each layer is by itself: nothing stays on chip from one layer to the next");
    if (lens == MachineLens::Mapping)
        row.leftOut.emplace_back(
            "the bandwidth of the machine: the network of each operand brings one element a "
            "cycle, so that these cycles do not compare with those of the other lenses");
}

// Functions for rows of the NPU lens:

SummaryRow npuRow(SummaryRow row, const SummarySubject& subject, const Progress& progress)
{
    NpuCall call;
    call.workload = subject.workload;
    call.cores = subject.cores;
    call.tile = subject.tile;
    const bool searched = row.kind == SummaryKind::NpuSearched;
    if (searched)
        call.tiles = "searched";
    const Progress running{progress.stop, searched ? decltype(progress.report)() : progress.report};
    const auto answer = runNpu(call, progress, running);
    if (!answer)
        return failedRow(std::move(row), answer.error().text());
    row.interrupted = answer->searchInterrupted;
    if (!answer->run)
        return failedRow(std::move(row), "the run was stopped");
    const npu::NpuRun& run = *answer->run;
    row.how = "scheduler " + npu::policySentence(run.options, answer->schedulers) + "; " +
              (answer->search ? "tiles searched in " + formatGrouped(answer->search->runs) + " runs"
                              : std::string("tiles of the file or of the rule of docs/rules/npu.md 2.6"));
    // The states of a core cover the whole run, so their cycles add up to the makespan.
    const auto tensorCycles = [](const npu::CoreRun& core) { return core.of(npu::CoreState::Tensor); };
    const auto core = std::ranges::max_element(run.cores, {}, tensorCycles);
    std::vector<ExplainedValue> states;
    for (std::size_t s = 0; core != run.cores.end() && s < npu::kCoreStates; ++s)
        states.push_back(leaf(std::string(npu::toString(static_cast<npu::CoreState>(s))), "cycles",
                              static_cast<double>(core->cycles[s]), "simulation of the tile graph",
                              "docs/rules/npu.md 5.5"));
    setFigure(row, SummaryFigure::Cycles,
              combined(Operation::Sum,
                       "cycles, by the states of core " + std::to_string(core - run.cores.begin()), "cycles",
                       std::move(states), "docs/rules/npu.md 5"));
    std::vector<ExplainedValue> bytes, energies;
    const auto lowered = lower::npuOf(*subject.model);
    std::vector<std::pair<double, double>> spans;
    for (const npu::OpReport& r : answer->reports)
        spans.emplace_back(static_cast<double>(r.start), static_cast<double>(r.end));
    const std::vector<double> shared = lower::sharedCycles(spans);
    for (std::size_t i = 0; i < answer->reports.size(); ++i) {
        const npu::OpReport& r = answer->reports[i];
        const auto part = [&](const char* name, double pj) {
            return leaf(name, "pJ", pj, "simulation of the tile graph", "docs/rules/npu.md 6.2");
        };
        const auto moved = static_cast<double>(r.dramBytes());
        bytes.push_back(leaf(r.name, "bytes", moved, "simulation of the tile graph"));
        energies.push_back(combined(Operation::Sum, r.name, "pJ",
                                    {part("multiply-accumulates", r.macPj), part("scratchpad", r.spmPj),
                                     part("network", r.nocPj), part("DRAM", r.dramPj)}));
        if (!lowered || i >= lowered->source.size())
            continue;
        row.operators.push_back(
            {lowered->source[i],
             leaf(r.name + ", first start to last store", "cycles", static_cast<double>(r.end - r.start),
                  "simulation of the tile graph", "docs/rules/npu.md 6.2"),
             moved, r.energyPj(),
             formatGrouped(r.nodes) + " nodes on " + formatGrouped(r.cores.size()) + " cores" +
                 (npu::tileText(r.type, r.tile).empty() ? std::string()
                                                        : ", tile " + npu::tileText(r.type, r.tile)) +
                 ", tensor " + formatGrouped(r.tensor) + ", vector " + formatGrouped(r.vector),
             shared[i]});
    }
    setFigure(row, SummaryFigure::DramBytes,
              combined(Operation::Sum, "DRAM bytes", "bytes", std::move(bytes), "docs/rules/npu.md 2.5"));
    setFigure(row, SummaryFigure::Energy, combined(Operation::Sum, "energy", "pJ", std::move(energies)));
    row.binds = npu::explainRun(answer->graph, run, answer->bounds);
    return row;
}

// Functions for rows of the Systolic lens:

/// The operators of the model to which the report gives these names.
std::vector<OperatorId> operatorsNamed(const lower::ModelOnMachine& model,
                                       const std::vector<std::string>& names)
{
    std::vector<OperatorId> out;
    const auto& nodes = model.lowered.report.nodes;
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (std::ranges::find(names, nodes[i].name) != names.end())
            out.emplace_back(i);
    return out;
}

SummaryRow systolicRow(SummaryRow row, const SummarySubject& subject)
{
    SystolicCall call;
    call.workload = subject.workload;
    const auto answer = systolicNetwork(call);
    if (!answer)
        return failedRow(std::move(row), answer.error().text());
    const Machine& machine = subject.model->machine;
    const ExplainedValue rate =
        combined(Operation::Quotient, "bandwidth of the external memory", "bytes a cycle",
                 {lower::machineValue(machine, "levels.external.gb_per_s", "bandwidth of the external memory",
                                      "GB/s", machine.at(MachineLevel::External).gbPerSecond),
                  lower::machineValue(machine, "clock_ghz", "clock", "GHz", machine.clockGhz)});
    std::vector<ExplainedValue> cycles, bytes, energies;
    double byDram = 0;
    for (const lower::NetworkRow& r : answer->table.rows) {
        const systolic::Gemm& g = r.layer.gemm;
        std::string name = r.layer.operators.empty() ? std::string("product") : r.layer.operators.front();
        name += " (" + std::to_string(g.m) + " x " + std::to_string(g.n) + " x " + std::to_string(g.k) + ")";
        const ExplainedValue count =
            leaf("occurrences", "", static_cast<double>(r.layer.count), "lowered problem");
        const auto times = [&](ExplainedValue one) {
            std::string unit = one.unit;
            return combined(Operation::Product, name, std::move(unit), {count, std::move(one)});
        };
        const ExplainedValue moved = leaf("DRAM bytes of one", "bytes", static_cast<double>(r.bytes[3]),
                                          "tile of " + std::to_string(machine.rows) + " x " +
                                              std::to_string(machine.cols) + ", closed form",
                                          "docs/rules/systolic.md 7");
        ExplainedValue one = combined(Operation::Largest, "one product", "cycles",
                                      {leaf("array", "cycles", static_cast<double>(r.timing.cycles),
                                            "closed form of the array", "docs/rules/systolic.md 1"),
                                       combined(Operation::Ceil, "DRAM", "cycles", {moved, rate})},
                                      "R19");
        if (r.dramCycles > r.timing.cycles)
            byDram += static_cast<double>(r.layer.count) * static_cast<double>(r.boundCycles);
        ExplainedValue energy =
            leaf("energy of one", "pJ", r.energyPj, "traffic of every level", "docs/rules/systolic.md 10");
        for (const OperatorId op : operatorsNamed(*subject.model, r.layer.operators))
            row.operators.push_back({op, one, static_cast<double>(r.bytes[3]), r.energyPj,
                                     "product of " + std::to_string(g.m) + " x " + std::to_string(g.n) +
                                         " x " + std::to_string(g.k) + ", binds " + r.binding});
        cycles.push_back(times(std::move(one)));
        bytes.push_back(times(moved));
        energies.push_back(times(std::move(energy)));
    }
    std::ranges::stable_sort(row.operators, {}, [](const OperatorFigures& f) { return f.op; });
    setFigure(row, SummaryFigure::Cycles,
              combined(Operation::Sum, "cycles, layer by layer", "cycles", std::move(cycles), "R19"));
    setFigure(row, SummaryFigure::DramBytes,
              combined(Operation::Sum, "DRAM bytes", "bytes", std::move(bytes), "docs/rules/systolic.md 7"));
    setFigure(row, SummaryFigure::Energy,
              combined(Operation::Sum, "energy", "pJ", std::move(energies), "docs/rules/systolic.md 10"));
    const double all = row.of(SummaryFigure::Cycles)->value;
    const double share = all > 0 ? byDram / all : 0;
    row.binds = share >= 0.5 ? "DRAM: " + percent(share) + " of the time"
                             : "array: " + percent(1 - share) + " of the time";
    row.how = std::string(toString(machine.dataflow)) + ", tiles of the array, " +
              formatGrouped(answer->table.total.layer.count) + " products";
    return row;
}

// Functions for rows of the Mapping lens:

SummaryRow mappingRow(SummaryRow row, const SummarySubject& subject, const Progress& progress)
{
    MapCall call;
    call.workload = subject.workload;
    const auto read = readMapCall(call);
    if (!read)
        return failedRow(std::move(row), read.error().text());
    MapModel model;
    if (const auto* one = std::get_if<MapSubject>(&*read)) {
        model.layers.layers = {one->layer};
        model.architecture = one->architecture;
    } else {
        model = std::get<MapModel>(*read);
    }
    std::size_t layer = 0;
    const auto count = static_cast<double>(model.layers.layers.size());
    const MapStatus status = [&](const mapping::SearchStatus& s) {
        progress.tell((static_cast<double>(layer) + s.settled) / count);
    };
    const auto result = mapModel(model, call, progress.stop, status, [&layer](std::size_t i) { layer = i; });
    if (!result)
        return failedRow(std::move(row), result.error().text());
    row.interrupted = result->interrupted;
    const mapping::Objective objective = objectiveOf(call.objective);
    std::vector<ExplainedValue> cycles, bytes, energies;
    mapping::CycleParts total;
    const auto named = lower::layersOf(subject.model->model(), subject.model->lowered);
    for (std::size_t i = 0; i < result->layers.size(); ++i) {
        const mapping::LayerResult& l = result->layers[i];
        const auto& best = l.search.of(objective);
        if (!best) {
            std::string why =
                row.interrupted
                    ? "the search was stopped before every layer had a method"
                    : l.layer.name + ": " + mapping::noMethodText(l.nest, result->architecture, l.search);
            return failedRow(std::move(row), std::move(why));
        }
        const mapping::MappingCost cost = mapping::evaluate(l.nest, model.architecture, best->method);
        total.add(cost.cycleParts, l.layer.runs());
        const std::string engine = "evaluation of the method";
        const ExplainedValue runs =
            leaf("occurrences", "", static_cast<double>(l.layer.runs()), "lowered problem");
        const auto times = [&](ExplainedValue one) {
            std::string unit = one.unit;
            return combined(Operation::Product, l.layer.name, std::move(unit), {runs, std::move(one)});
        };
        const auto part = [&](const char* name, std::int64_t value) {
            return leaf(name, "cycles", static_cast<double>(value), engine, "docs/rules/mapping.md 4");
        };
        const mapping::CycleParts& p = cost.cycleParts;
        ExplainedValue one =
            combined(Operation::Sum, "one layer", "cycles",
                     {part("compute", p.compute), part("distribution", p.distribution),
                      part("reduction", p.reduction), part("drain", p.drain), part("DMA", p.dma)});
        std::vector<ExplainedValue> operands;
        for (std::size_t o = 0; o < cost.operands.size(); ++o)
            operands.push_back(leaf(std::string(l.nest.operands[o].name), "elements",
                                    cost.operands[o].dramElements, engine, "docs/rules/mapping.md 5"));
        ExplainedValue moved = combined(
            Operation::Product, "DRAM bytes of one", "bytes",
            {combined(Operation::Sum, "elements", "elements", std::move(operands)),
             leaf("bytes of an element", "bytes", static_cast<double>(model.architecture.elementBytes),
                  "architecture " + model.architecture.name)});
        const mapping::EnergyParts& e = cost.energyParts;
        const auto pj = [&](const char* name, double value) {
            return leaf(name, "pJ", value, engine, "docs/rules/mapping.md 5");
        };
        ExplainedValue energy =
            combined(Operation::Sum, "energy of one", "pJ",
                     {pj("multiply-accumulates", e.mac), pj("register files", e.rf), pj("network", e.noc),
                      pj("scratchpad", e.spm), pj("DRAM", e.dram), pj("leakage", e.leakage)});
        const std::vector<std::string> names = i < named.size() && named.size() == result->layers.size()
                                                   ? named[i].operators
                                                   : std::vector{l.layer.name};
        for (const OperatorId op : operatorsNamed(*subject.model, names))
            row.operators.push_back({op, one, moved.value, energy.value,
                                     formatGrouped(cost.pesUsed) + " processing elements, best method for " +
                                         std::string(mapping::objectiveName(objective))});
        cycles.push_back(times(std::move(one)));
        bytes.push_back(times(std::move(moved)));
        energies.push_back(times(std::move(energy)));
    }
    std::ranges::stable_sort(row.operators, {}, [](const OperatorFigures& f) { return f.op; });
    setFigure(row, SummaryFigure::Cycles,
              combined(Operation::Sum, "cycles, layer by layer", "cycles", std::move(cycles)));
    setFigure(row, SummaryFigure::DramBytes,
              combined(Operation::Sum, "DRAM bytes", "bytes", std::move(bytes)));
    setFigure(row, SummaryFigure::Energy, combined(Operation::Sum, "energy", "pJ", std::move(energies)));
    const std::array parts{std::pair{"compute", total.compute}, std::pair{"distribution", total.distribution},
                           std::pair{"reduction", total.reduction}, std::pair{"drain", total.drain},
                           std::pair{"DMA", total.dma}};
    const auto largest = *std::ranges::max_element(parts, {}, [](const auto& p) { return p.second; });
    row.binds = std::string(largest.first) + ": " +
                percent(static_cast<double>(largest.second) /
                        static_cast<double>(std::max<std::int64_t>(1, total.total()))) +
                " of the cycles";
    row.how = "best method of each layer for " + std::string(mapping::objectiveName(objective)) +
              (result->proven ? ", proven" : ", the best found in " + secondsText(result->seconds));
    return row;
}

} // namespace

SummaryFigures floorFigures(const lower::Floor& floor, const lower::ModelOnMachine& model)
{
    SummaryFigures out;
    out[static_cast<std::size_t>(SummaryFigure::Cycles)] = floor.cycles;
    out[static_cast<std::size_t>(SummaryFigure::DramBytes)] = floor.leastBytes;
    addDerived(out, model.machine, floor, lower::launchOf(model), "cores of a row");
    return out;
}

SummaryRow rowNotRun(SummaryKind kind)
{
    SummaryRow row;
    row.kind = kind;
    return row;
}

SummaryRow summaryRow(const SummarySubject& subject, SummaryKind kind, const Progress& progress)
{
    SummaryRow row = rowNotRun(kind);
    row.state = SummaryRow::State::Done;
    addLeftOut(row, subject);
    switch (kind) {
    case SummaryKind::Schedule:
        row = scheduleRow(std::move(row), subject);
        break;
    case SummaryKind::ScheduleRun:
        row = runRow(std::move(row), subject, progress);
        break;
    case SummaryKind::ScheduleSolved:
        row = solvedRow(std::move(row), subject, progress);
        break;
    case SummaryKind::Npu:
    case SummaryKind::NpuSearched:
        row = npuRow(std::move(row), subject, progress);
        break;
    case SummaryKind::Systolic:
        row = systolicRow(std::move(row), subject);
        break;
    case SummaryKind::Mapping:
        row = mappingRow(std::move(row), subject, progress);
        break;
    }
    if (row.state == SummaryRow::State::Done) {
        addDerived(row, subject);
        addWhole(row, subject);
    } else
        row.interrupted = progress.stopRequested();
    return row;
}

} // namespace tilewright::verbs
