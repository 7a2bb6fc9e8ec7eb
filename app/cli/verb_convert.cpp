// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"
#include "verbs.h"
#include "workload_input.h"

#include "base/file.h"
#include "base/text.h"
#include "edit/fit.h"
#include "lower/npu_model.h"
#include "mapping/files.h"
#include "model/model_json.h"
#include "report/evaluation_json.h"
#include "report/format_issue.h"
#include "systolic/gemm.h"
#include "verbs/evaluate.h"
#include "workload/problem_json.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct ConvertArguments
{
    std::string file, output, to;
    WorkloadArguments machine;
    bool json = false;
};

/// The GEMMs as a topology table, which every reader of workloads takes.
std::string gemmTable(const lower::LoweredProblem& lowered)
{
    std::string out = "Layer, M, N, K,\n";
    for (const lower::GemmLayer& layer : lower::gemmsOf(lowered))
        for (std::int64_t i = 0; i < layer.count; ++i) {
            std::string name = layer.operators.front();
            std::replace(name.begin(), name.end(), ',', ';');
            out += name + (layer.count > 1 ? "#" + std::to_string(i) : std::string()) + ", " +
                   std::to_string(layer.gemm.m) + ", " + std::to_string(layer.gemm.n) + ", " +
                   std::to_string(layer.gemm.k) + ",\n";
        }
    return out;
}

/// Each op alone: what the window starts with, to begin from and to compare with.
int writeEachAlone(const ConvertArguments& a)
{
    auto on = problemOf(a.file, a.machine);
    if (!on)
        return fail(on.error());
    const Problem& problem = *on->problem;
    verbs::EvaluatedSchedule alone = verbs::evaluateLoaded(on->problem, {oneOpPerSubgraph(problem), {}},
                                                           {Rules::final(), "each operation alone"});
    alone.loaded.schedule.extra = lower::withTarget({}, on->target);
    const Evaluation& e = alone.evaluation;
    std::vector<double> latencies;
    for (const SubgraphEvaluation& s : e.subgraphs)
        latencies.push_back(s.latency);
    if (const Issue* issue = e.verdict()) {
        std::cerr << "tilewright-cli: " << a.file << ": not every operation fits alone: " << sentence(*issue)
                  << '\n';
        latencies.clear();
    }
    const auto text = writeSchedule(problem, alone.loaded.schedule, latencies);
    if (!text)
        return fail(text.error());
    if (auto s = writeFileAtomically(a.output, *text); !s)
        return fail(s.error());
    if (a.json)
        std::cout << evaluationJson(verbs::snapshotOf(alone), alone.rules.reason);
    else
        std::cout << "subgraphs    " << formatGrouped(static_cast<std::int64_t>(e.subgraphs.size()))
                  << ", each of one operation\n"
                  << "machine      " << on->text << '\n'
                  << "total        " << (e.valid() ? formatGrouped(e.total) : std::string("none")) << '\n';
    return e.valid() ? Exit::Success : Exit::No;
}

int convert(const ConvertArguments& a)
{
    if (a.to == "schedule")
        return writeEachAlone(a);
    const auto call = a.machine.read(a.file);
    if (!call)
        return fail(call.error());
    const auto put = verbs::putOnMachine(*call);
    if (!put)
        return fail(put.error());
    const lower::ModelOnMachine& on = **put;
    std::string text;
    lower::LoweringReport report = on.lowered.report;
    if (a.to == "model") {
        text = model::writeModel(on.model());
    } else if (a.to == "problem") {
        text = writeProblem(*on.problem);
    } else if (a.to == "layers") {
        text = mapping::writeModel(lower::layerModel(on.model(), on.lowered));
    } else if (a.to == "gemms") {
        text = gemmTable(on.lowered);
    } else {
        const auto npu = lower::lowerToNpu(on.model(), on.machine);
        if (!npu)
            return fail(npu.error());
        text = npu::modelToJson(npu->model);
        report.nodes = npu->nodes;
    }
    if (auto s = writeFileAtomically(a.output, text); !s)
        return fail(s.error());
    report = lower::reportOf(*on.workload, std::move(report));
    if (a.json)
        std::cout << lower::reportJson(report);
    else
        printLowering(report);
    return Exit::Success;
}

} // namespace

void addConvertVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand("convert", "Lower a workload to a lens and write that lens' file");
    auto a = std::make_shared<ConvertArguments>();
    verb->add_option("file", a->file, "ONNX or other model, layer list, topology or problem")->required();
    verb->add_option("-o,--output", a->output, "File to write")->required();
    verb->add_option("--to", a->to, "model, problem, layers, gemms, npu, or schedule: each operation alone")
        ->required()
        ->check(CLI::IsMember({"model", "problem", "layers", "gemms", "npu", "schedule"}));
    a->machine.addTo(*verb);
    verb->add_flag("--json", a->json, "The report of the lowering as one JSON document on stdout");
    verb->callback([a, &exitCode] { exitCode = convert(*a); });
}

} // namespace tilewright::cli
