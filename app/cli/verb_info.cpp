// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "eval/energy_bound.h"
#include "eval/lower_bound.h"
#include "lower/on_machine.h"
#include "manual/program.h"
#include "model/machine_text.h"
#include "report/summary.h"
#include "table.h"
#include "verbs.h"
#include "verbs/workload.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct InfoArguments
{
    verbs::WorkloadCall workload;
    std::string other, csv;
    bool json = false;
};

void bindOptions(verbs::OptionList& o, InfoArguments& a)
{
    o.add("problem", a.workload.file, "FILE",
          "Problem, ONNX or other model, layer list or topology; or a machine", o.required());
    o.add("--compare", a.other, "FILE", "Another model: its differences, operator by operator");
    o.add("--csv", a.csv, "FILE", "Write the differences, a row an operator, to this file",
          o.needs(!a.other.empty(), "--compare"), o.writes());
    bindOptions(o, a.workload);
    o.flag("--json", a.json, kJsonHelp);
}

void printText(const Problem& problem, const ProblemSummary& s, double bound)
{
    const auto line = [](const char* name, const std::string& value) {
        std::cout << name << std::string(15 - std::string_view(name).size(), ' ') << value << '\n';
    };
    if (!problem.name().empty())
        line("name", problem.name());
    line("ops", formatGrouped(problem.opCount()) + " (" + formatGrouped(s.matMuls) + " MatMul, " +
                    formatGrouped(s.pointwise) + " Pointwise), longest chain " + formatGrouped(s.depth));
    line("tensors",
         formatGrouped(problem.tensorCount()) + " (" + formatGrouped(problem.graphInputs().size()) +
             " inputs, " + formatGrouped(problem.graphOutputs().size()) + " outputs" +
             (s.views > 0 ? ", " + formatGrouped(s.views) + " views" : "") +
             (s.mappedViews > 0 ? ", " + formatGrouped(s.mappedViews) + " of them with an index map" : "") +
             (s.unusedTensors > 0 ? ", " + formatGrouped(s.unusedTensors) + " unused" : "") + ")");
    line("elements", formatGrouped(s.inputElements) + " in inputs, " + formatGrouped(s.outputElements) +
                         " in outputs, " + formatGrouped(s.intermediateElements) + " in between" +
                         (s.views > 0 ? ", " + formatGrouped(s.viewElements) + " read through views" : "") +
                         "; largest tensor " + formatGrouped(s.largestTensor));
    const Hardware& hw = problem.hardware();
    line("fast memory", formatGrouped(hw.fastMemoryCapacity) + " elements");
    line("bandwidth", formatGrouped(hw.slowMemoryBandwidth) + " elements per unit of time");
    line("native", formatGrouped(hw.nativeWidth) + " x " + formatGrouped(hw.nativeHeight) +
                       (hw.nativeDepth ? " x " + formatGrouped(*hw.nativeDepth) : std::string()));
    line("lower bound", formatGrouped(bound));
    if (!problem.hasEnergy())
        return;
    const double energy = energyBound(problem, problem.rules()).value;
    line("least energy", formatGrouped(energy) + " pJ");
    line("least EDP", formatGrouped(energy * bound) + " (energy times latency)");
}

/// Describes a workload that is not a problem by the result of its lowering.
int describeModel(const verbs::WorkloadCall& call, bool json)
{
    const auto model = verbs::putOnMachine(call);
    if (!model)
        return fail(model.error());
    const lower::LoweringReport report = lower::reportOf(*call.workload, (*model)->lowered.report);
    if (json)
        std::cout << lower::reportJson(report, lower::lensCoverage(**model));
    else
        printLowering(report, lower::lensCoverage(**model));
    return Exit::Success;
}

/// Prints the values of a machine with their origins, and the lenses that use them.
int describeMachine(const Machine& machine, bool json)
{
    if (json) {
        std::cout << machineFieldsJson(machine);
        return Exit::Success;
    }
    Table table({"value", "is", "used by", "origin"});
    for (const MachineField& f : machineFields(machine))
        if (!f.summary)
            table.add(f.path, f.value, usedBy(f), originText(f));
    print(table);
    printLensNotes(machine.notes);
    return Exit::Success;
}

/// Prints the differences between two models.
int compare(const InfoArguments& args)
{
    std::array<lower::ModelOnMachinePtr, 2> read;
    for (const std::size_t side : {0U, 1U}) {
        verbs::WorkloadCall call = args.workload;
        if (side == 1)
            call.file = args.other;
        auto model = verbs::readOnMachine(call);
        if (!model)
            return fail(model.error());
        read[side] = std::move(*model);
    }
    const lower::ModelsOnMachine models = lower::compareOnMachine(read[0], read[1]);
    if (!args.csv.empty())
        if (const auto written = writeFileAtomically(args.csv, lower::comparisonCsv(models)); !written)
            return fail(written.error());
    if (args.json) {
        std::cout << lower::comparisonJson(models);
        return Exit::Success;
    }
    const model::ModelComparison& c = models.comparison;
    Table totals({"", "before", "after", "change"});
    totals.columns.back().kind = ColumnKind::Change;
    const auto total = [&totals](const char* name, const auto& before, const auto& after) {
        totals.add(name, before, after, static_cast<double>(after) - static_cast<double>(before));
    };
    total("operators", read[0]->model().operators.size(), read[1]->model().operators.size());
    total("MACs", c.macs[0], c.macs[1]);
    total("bytes", c.bytes[0], c.bytes[1]);
    total("cycles", models.totalCycles[0], models.totalCycles[1]);
    print(totals);
    std::cout << "\nlatency on " << read[0]->machine.name << ", each op alone in a subgraph\n"
              << formatGrouped(c.same) << " the same, " << formatGrouped(c.changed) << " changed, "
              << formatGrouped(c.added) << " new, " << formatGrouped(c.gone) << " gone\n";
    if (c.changed + c.added + c.gone == 0)
        return Exit::Success;
    Table rows({"operator", "type", "change", "MACs before", "MACs after", "bytes before", "bytes after",
                "cycles before", "cycles after"});
    for (std::size_t i = 0; i < c.operators.size(); ++i) {
        const model::OperatorPair& p = c.operators[i];
        if (p.change == model::OperatorChange::Same)
            continue;
        const model::Operator& op =
            p.after ? models.operatorOf(1, *p.after) : models.operatorOf(0, *p.before);
        std::string name = op.name;
        if (p.before && p.after && models.operatorOf(0, *p.before).name != name)
            name.insert(0, models.operatorOf(0, *p.before).name + " -> ");
        rows.add(name, std::string(op.typeName()), std::string(toString(p.change)), p.macs[0], p.macs[1],
                 p.bytes[0], p.bytes[1], models.cycles[i][0], models.cycles[i][1]);
    }
    std::cout << '\n';
    print(rows);
    return Exit::Success;
}

int info(InfoArguments& args)
{
    if (!args.other.empty())
        return compare(args);
    verbs::WorkloadCall& call = args.workload;
    call.mayBeMachine = true;
    if (const Status s = readFiles(call); !s)
        return fail(s.error());
    if (call.described)
        return describeMachine(*call.described, args.json);
    if (!call.workload->problem || call.machine)
        return describeModel(call, args.json);
    const Problem& problem = *call.workload->problem;
    const ProblemSummary summary = summarise(problem);
    const double bound = lowerBound(problem, problem.rules()).value;
    if (args.json)
        std::cout << summaryJson(problem, summary, bound);
    else
        printText(problem, summary, bound);
    return Exit::Success;
}

} // namespace

void addInfoVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<InfoArguments>(
        app, "info", "Sizes and lower bound of a problem, or what a model is made of", info, exitCode);
}

} // namespace tilewright::cli
