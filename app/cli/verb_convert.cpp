// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/program.h"
#include "table.h"
#include "verbs.h"

#include "base/file.h"
#include "base/text.h"
#include "edit/fit.h"
#include "lower/npu_model.h"
#include "mapping/files.h"
#include "model/model_json.h"
#include "report/evaluation_json.h"
#include "systolic/gemm.h"
#include "verbs/schedule.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <iostream>
#include <set>

namespace tilewright::cli {

namespace {

struct ConvertArguments
{
    verbs::WorkloadCall workload;
    std::string output, to;
    bool inPlace = false, json = false;
};

void bindOptions(verbs::OptionList& o, ConvertArguments& a)
{
    o.add("file", a.workload.file, "FILE", "ONNX or other model, layer list, topology or problem",
          o.required());
    o.add("-o,--output", a.output, "FILE", "File to write", o.required(), o.writes());
    o.inPlace(a.inPlace);
    o.add("--to", a.to, "model|problem|layers|gemms|npu|schedule",
          "Kind of the file; schedule: each operation alone", o.required());
    bindOptions(o, a.workload);
    o.flag("--json", a.json,
           "Report of the lowering, or figures of the schedule, as one JSON document on stdout");
}

/// Returns the GEMMs as CSV topology table, a format that all verbs with a workload can read.
std::string gemmTable(const lower::LoweredProblem& lowered)
{
    std::string out = "Layer, M, N, K,\n";
    std::set<std::string> used;
    for (const lower::GemmLayer& layer : lower::gemmsOf(lowered))
        for (std::int64_t i = 0; i < layer.count; ++i) {
            std::string name = layer.operators.front();
            std::replace(name.begin(), name.end(), ',', ';');
            if (name.find_first_not_of(" \t\r\n") == std::string::npos)
                name = "layer";
            if (layer.count > 1)
                name += "#" + std::to_string(i);
            const std::string plain = name;
            // The names of layers in a table must be unique.
            for (int copy = 2; !used.insert(name).second; ++copy)
                name = plain + "#" + std::to_string(copy);
            out += name + ", " + std::to_string(layer.gemm.m) + ", " + std::to_string(layer.gemm.n) + ", " +
                   std::to_string(layer.gemm.k) + ",\n";
        }
    return out;
}

/// Writes the schedule with one op per subgraph, the start schedule of the window.
int writeEachAlone(ConvertArguments& a)
{
    auto on = verbs::readProblem(a.workload);
    if (!on)
        return fail(on.error());
    const Problem& problem = *on->problem;
    verbs::EvaluatedSchedule alone = verbs::evaluateLoaded(on->problem, {oneOpPerSubgraph(problem), {}},
                                                           {problem.rules(), "each operation alone"});
    alone.loaded.schedule.extra = lower::withTarget({}, on->target);
    const Evaluation& e = alone.evaluation;
    std::vector<double> latencies;
    for (const SubgraphEvaluation& s : e.subgraphs)
        latencies.push_back(s.latency);
    if (const Issue* issue = e.verdict()) {
        tell(a.workload.file + ": not every operation fits alone: " + sentence(*issue));
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

int convert(ConvertArguments& a)
{
    if (a.to == "schedule")
        return writeEachAlone(a);
    const auto read = verbs::readOnMachine(a.workload);
    if (!read)
        return fail(read.error());
    const lower::ModelOnMachine& on = **read;
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
        std::cout << lower::reportJson(report, lower::lensCoverage(on));
    else
        printLowering(report, lower::lensCoverage(on));
    return Exit::Success;
}

} // namespace

void addConvertVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<ConvertArguments>(app, "convert", "Lower a workload to a lens and write that lens' file",
                                      convert, exitCode);
}

} // namespace tilewright::cli
