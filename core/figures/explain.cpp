// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/explain.h"

#include "figures/mapping_figures.h"
#include "figures/npu_figures.h"
#include "figures/schedule_figures.h"
#include "figures/systolic_figures.h"
#include "mapping/no_method.h"
#include "report/evaluation_json.h"
#include "verbs/map.h"

#include <filesystem>
#include <utility>

namespace tilewright::figures {

namespace {

Result<Figures> ofNpu(const ExplainCall& call)
{
    verbs::NpuCall npu;
    npu.workload = call.workload;
    if (const Status s = verbs::readFiles(npu); !s)
        return s.error();
    const auto answer = verbs::runNpu(npu, {}, {});
    if (!answer)
        return answer.error();
    return npuFigures(subjectOf(*answer));
}

Result<Figures> ofSystolic(const ExplainCall& call)
{
    verbs::SystolicCall systolic;
    systolic.workload = call.workload;
    if (const Status s = verbs::readFiles(systolic); !s)
        return s.error();
    auto answer = verbs::systolicNetwork(systolic);
    if (!answer)
        return answer.error();
    return systolicFigures(std::make_shared<const verbs::NetworkAnswer>(*std::move(answer)));
}

/// Figures of the method with the least energy-delay product of a layer.
Result<Figures> ofMapping(const ExplainCall& call)
{
    verbs::MapCall map;
    map.workload = call.workload;
    if (const Status s = verbs::readFiles(map); !s)
        return s.error();
    const auto read = verbs::readMapCall(map);
    if (!read)
        return read.error();
    const auto* const layer = std::get_if<verbs::MapSubject>(&*read);
    if (layer == nullptr)
        return Error{
            ErrorCode::Refused, "the figures of this lens are those of one layer", {}, call.workload.file};
    const auto answer = verbs::mapLayer(*layer, map, {});
    if (!answer)
        return answer.error();
    const auto& best = answer->result.of(verbs::objectiveOf(map.objective));
    if (!best)
        return Error{ErrorCode::Refused,
                     mapping::noMethodText(layer->nest, layer->architecture, answer->result),
                     {},
                     call.workload.file};
    return mappingFigures({layer->nest, mapping::evaluate(layer->nest, layer->architecture, best->method),
                           layer->architecture.energyPj.mac});
}

/// Takes the lens from an address such as "npu:makespan", which figures of the window have. The Error says
/// that `--lens` or `--what-if` contradicts it.
Status takeLens(ExplainCall& call)
{
    if (call.asked.empty())
        return Unit{};
    std::string& figure = call.asked.back();
    for (const std::string_view lens : {"schedule", "npu", "systolic", "mapping"}) {
        if (!figure.starts_with(std::string(lens) + ":"))
            continue;
        if (call.lens != "schedule" && call.lens != lens)
            return Error{ErrorCode::Field,
                         "is " + call.lens + ", and the figure is of " + std::string(lens),
                         "--lens",
                         {}};
        if (call.whatIf && lens != "schedule")
            return Error{ErrorCode::Field, "needs a figure of the lens schedule", "--what-if", {}};
        call.lens = lens;
        figure.erase(0, lens.size() + 1);
        break;
    }
    return Unit{};
}

/// Makes the answer of the call. `address`: that of the figure, or empty. `file`: the file that an Error
/// names.
Result<ExplainAnswer> answerOf(Figures figures, const std::string& address, const std::string& file)
{
    ExplainAnswer out{std::move(figures), {}, {}};
    if (!address.empty()) {
        auto figure = out.figures.find(address);
        if (!figure) {
            Error error = figure.error();
            error.file = file;
            return error;
        }
        out.figure = *std::move(figure);
    }
    return out;
}

} // namespace

void bindOptions(verbs::OptionList& o, ExplainCall& call)
{
    o.add("workload", call.workload.file, "FILE", "Problem, model or workload", o.required());
    o.add("asked", call.asked, "SCHEDULE|FIGURE",
          "File of a schedule, and the figure: subgraph.3.latency, op.NAME.utilisation, floor, …",
          o.otherwise("one op a subgraph, and the list of all figures"));
    verbs::bindOptions(o, call.workload);
    verbs::bindOptions(o, call.rules);
    o.add("--lens", call.lens, "schedule|npu|systolic|mapping",
          "The lens whose figures are asked, as its verb computes them by default");
    o.flag("--what-if", call.whatIf, "What 10 % more of each value of the machine changes",
           o.needs(!call.asked.empty() && call.lens == "schedule", "a figure of the lens schedule"));
}

Result<ExplainAnswer> explain(ExplainCall& call)
{
    if (const Status taken = takeLens(call); !taken)
        return taken.error();
    const bool ofSchedule = call.lens == "schedule";
    if (call.asked.size() > (ofSchedule ? 2U : 1U))
        return Error{ErrorCode::Field,
                     ofSchedule ? "expected a schedule and a figure" : "expected one figure of this lens",
                     "asked",
                     {}};
    if (!ofSchedule) {
        auto figures = call.lens == "npu"       ? ofNpu(call)
                       : call.lens == "mapping" ? ofMapping(call)
                                                : ofSystolic(call);
        if (!figures)
            return figures.error();
        return answerOf(*std::move(figures), call.asked.empty() ? std::string() : call.asked.front(),
                        call.workload.file);
    }
    std::error_code failed;
    const bool named = call.asked.size() == 2 ||
                       (call.asked.size() == 1 && std::filesystem::exists(call.asked.front(), failed));
    verbs::ScheduleCall read{call.workload, named ? call.asked.front() : std::string(), call.rules};
    auto files = verbs::evaluateFilesOrStart(read);
    if (!files)
        return files.error();
    if (!files->loaded.formatIssues.empty())
        return Error{
            ErrorCode::Refused, sentence(files->loaded.formatIssues.front()), {}, call.asked.front()};
    const auto snapshot = std::make_shared<const Snapshot>(verbs::snapshotOf(*files));
    auto out = answerOf(scheduleFigures(snapshot, files->model),
                        call.asked.size() == (named ? 2U : 1U) ? call.asked.back() : std::string(),
                        named ? call.asked.front() : call.workload.file);
    if (!out) {
        Error error = out.error();
        if (const Issue* const broken = snapshot->evaluation.verdict())
            error.message += "; " + sentence(*broken);
        return error;
    }
    if (out->figure && call.whatIf)
        out->whatIf = whatIf(*snapshot, files->model, out->figure->address);
    return out;
}

} // namespace tilewright::figures
