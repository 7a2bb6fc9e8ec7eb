// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "eval/lower_bound.h"
#include "model/compare_models.h"
#include "report/problem_summary.h"
#include "table.h"
#include "verbs.h"
#include "workload/problem_json.h"
#include "workload_input.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

void printText(const Problem& problem, const ProblemSummary& s, double bound)
{
    const auto line = [](const char* name, const std::string& value) {
        std::cout << name << std::string(15 - std::string_view(name).size(), ' ') << value << '\n';
    };
    if (!problem.name().empty())
        line("name", problem.name());
    line("ops", formatGrouped(problem.opCount()) + " (" + formatGrouped(s.matMuls) + " MatMul, " +
                    formatGrouped(s.pointwise) + " Pointwise), longest chain " + formatGrouped(s.depth));
    line("tensors", formatGrouped(problem.tensorCount()) + " (" +
                        formatGrouped(problem.graphInputs().size()) + " inputs, " +
                        formatGrouped(problem.graphOutputs().size()) + " outputs" +
                        (s.views > 0 ? ", " + formatGrouped(s.views) + " views" : "") +
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
}

/// Any workload but a problem: what its lowering makes of it.
int describeModel(const std::string& file, const WorkloadArguments& machine, bool json)
{
    const auto read = lowerFile(file, machine);
    if (!read)
        return fail(read.error());
    const lower::LoweringReport report = lower::reportOf(read->workload, read->lowered.report);
    if (json)
        std::cout << lower::reportJson(report);
    else
        printLowering(report);
    return Exit::Success;
}

/// What a second model has otherwise than the first.
int compare(const std::string& before, const std::string& after, const WorkloadArguments& machine, bool json)
{
    const auto a = machine.read(before), b = machine.read(after);
    for (const auto* read : {&a, &b})
        if (!*read || (*read)->noModel)
            return fail(*read ? *(*read)->noModel : read->error());
    const model::Model &first = a->model, &second = b->model;
    const model::ModelComparison c = model::compareModels(first, second);
    if (json) {
        std::cout << model::comparisonJson(first, second, c);
        return Exit::Success;
    }
    const auto change = [](const std::array<std::int64_t, 2>& v) {
        return signedNumber(static_cast<double>(v[1]) - static_cast<double>(v[0]));
    };
    Table totals({"", "before", "after", "change"});
    totals.add({"operators", formatGrouped(first.operators.size()), formatGrouped(second.operators.size()),
                signedNumber(static_cast<double>(second.operators.size()) -
                             static_cast<double>(first.operators.size()))});
    totals.add({"MACs", formatGrouped(c.macs[0]), formatGrouped(c.macs[1]), change(c.macs)});
    totals.add({"bytes", formatGrouped(c.bytes[0]), formatGrouped(c.bytes[1]), change(c.bytes)});
    totals.print(std::cout);
    std::cout << '\n'
              << formatGrouped(c.same) << " the same, " << formatGrouped(c.changed) << " changed, "
              << formatGrouped(c.added) << " new, " << formatGrouped(c.gone) << " gone\n";
    if (c.changed + c.added + c.gone == 0)
        return Exit::Success;
    Table rows({"operator", "type", "change", "MACs before", "MACs after", "bytes before", "bytes after"});
    for (const model::OperatorPair& p : c.operators) {
        if (p.change == model::OperatorChange::Same)
            continue;
        const model::Operator& op = p.after ? second.operators[*p.after] : first.operators[*p.before];
        std::string name = op.name;
        if (p.before && p.after && first.operators[*p.before].name != name)
            name.insert(0, first.operators[*p.before].name + " -> ");
        rows.add({std::move(name), std::string(op.typeName()), std::string(toString(p.change)),
                  formatGrouped(p.macs[0]), formatGrouped(p.macs[1]), formatGrouped(p.bytes[0]),
                  formatGrouped(p.bytes[1])});
    }
    std::cout << '\n';
    rows.print(std::cout);
    return Exit::Success;
}

int info(const std::string& file, const std::string& other, const WorkloadArguments& machine, bool json)
{
    if (!other.empty())
        return compare(file, other, machine, json);
    if (machine.given() || !machine.dims.empty() || !isProblemFile(file))
        return describeModel(file, machine, json);
    const auto problem = loadProblem(file);
    if (!problem)
        return fail(problem.error());
    const ProblemSummary summary = summarise(**problem);
    const double bound = lowerBound(**problem, Rules::final()).value;
    if (json)
        std::cout << summaryJson(**problem, summary, bound);
    else
        printText(**problem, summary, bound);
    return Exit::Success;
}

} // namespace

void addInfoVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand("info", "Sizes and lower bound of a problem, or what a model is made of");
    auto file = std::make_shared<std::string>();
    auto json = std::make_shared<bool>(false);
    verb->add_option("problem", *file, "Problem, ONNX or other model, layer list or topology")->required();
    auto other = std::make_shared<std::string>();
    verb->add_option("--compare", *other, "Another model: what it has otherwise, operator by operator")
        ->type_name("FILE");
    auto machine = std::make_shared<WorkloadArguments>();
    machine->addTo(*verb);
    verb->add_flag("--json", *json, "One JSON document on stdout");
    verb->callback(
        [file, other, machine, json, &exitCode] { exitCode = info(*file, *other, *machine, *json); });
}

} // namespace tilewright::cli
