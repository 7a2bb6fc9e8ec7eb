// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "eval/lower_bound.h"
#include "report/problem_summary.h"
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

int info(const std::string& file, const WorkloadArguments& machine, bool json)
{
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
    auto machine = std::make_shared<WorkloadArguments>();
    machine->addTo(*verb);
    verb->add_flag("--json", *json, "One JSON document on stdout");
    verb->callback([file, machine, json, &exitCode] { exitCode = info(*file, *machine, *json); });
}

} // namespace tilewright::cli
