// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables/call.h"

#include "verbs/map.h"
#include "verbs/npu.h"

#include <utility>

namespace tilewright::tables {

namespace {

Result<NpuPart> npuOf(const verbs::WorkloadCall& workload, const std::stop_token& stop)
{
    verbs::NpuCall call;
    call.workload = workload;
    if (const Status s = verbs::readFiles(call); !s)
        return s.error();
    auto answer = verbs::runNpu(call, {stop, {}}, {stop, {}});
    if (!answer)
        return answer.error();
    if (!answer->run)
        return Error{ErrorCode::Refused, "stopped", {}, workload.file};
    return NpuPart{std::make_shared<const npu::NpuGraph>(std::move(answer->graph)),
                   std::make_shared<const npu::NpuRun>(*std::move(answer->run))};
}

Result<std::shared_ptr<const MappingPart>> mappingOf(const verbs::WorkloadCall& workload,
                                                     const std::stop_token& stop)
{
    verbs::MapCall call;
    call.workload = workload;
    if (const Status s = verbs::readFiles(call); !s)
        return s.error();
    const auto read = verbs::readMapCall(call);
    if (!read)
        return read.error();
    if (const auto* const layer = std::get_if<verbs::MapSubject>(&*read)) {
        auto answer = verbs::mapLayer(*layer, call, stop);
        if (!answer)
            return answer.error();
        mapping::LayerResult result{layer->layer, layer->nest, std::move(answer->result)};
        return std::make_shared<const MappingPart>(MappingPart{layer->architecture, {std::move(result)}});
    }
    const auto& model = std::get<verbs::MapModel>(*read);
    auto answer = verbs::mapModel(model, call, stop);
    if (!answer)
        return answer.error();
    return std::make_shared<const MappingPart>(MappingPart{model.architecture, std::move(answer->layers)});
}

Result<std::shared_ptr<const sweep::SweepTable>> sweepOf(const std::string& folder,
                                                         const std::stop_token& stop)
{
    const auto opened = sweep::ResultsFolder::open(folder);
    if (!opened)
        return opened.error();
    auto table = sweep::collect(*opened, {stop, {}});
    if (!table)
        return table.error();
    return std::make_shared<const sweep::SweepTable>(*std::move(table));
}

} // namespace

void bindOptions(verbs::OptionList& o, TablesCall& call)
{
    bindOptions(o, static_cast<verbs::ScheduleCall&>(call));
    o["schedule"].required = false;
    o.otherwise("one op a subgraph")(o["schedule"]);
    o.flag("--npu", call.npu, "Fill npu_ops and stalls with the run that the verb npu makes");
    o.flag("--map", call.map, "Fill mappings with the search that the verb map makes");
    o.flag("--place", call.place, "Fill the addresses of buffers, as the verb place finds them");
    o.add("--sweep", call.sweep, "FOLDER", "Fill sweep_points and sweep_values from a folder of results");
}

Result<Subject> subjectOf(TablesCall& call, const std::stop_token& stop)
{
    auto files = verbs::evaluateFilesOrStart(call);
    if (!files)
        return files.error();
    if (!files->loaded.formatIssues.empty())
        return Error{ErrorCode::Refused, sentence(files->loaded.formatIssues.front()), {}, call.schedule};
    Subject out;
    out.snapshot = std::make_shared<const Snapshot>(verbs::snapshotOf(*files));
    out.model = files->model;
    out.rulesReason = files->rules.reason;
    out.hardware = files->hardware;
    out.workload = call.workload.file;
    out.schedule = call.schedule;
    if (call.place) {
        if (const std::string why = verbs::whyNotPlaced(*files); !why.empty())
            return Error{
                ErrorCode::Refused, why, {}, call.schedule.empty() ? call.workload.file : call.schedule};
        const verbs::Deadline deadline(verbs::PlaceCall().seconds, stop);
        auto placed = verbs::placeItems(*files, deadline.progress());
        if (!placed)
            return placed.error();
        out.placed = std::make_shared<const PlacedSchedule>(*std::move(placed->schedule));
    }
    if (call.npu) {
        auto npu = npuOf(call.workload, stop);
        if (!npu)
            return npu.error();
        out.npu = *std::move(npu);
    }
    if (call.map) {
        auto mapping = mappingOf(call.workload, stop);
        if (!mapping)
            return mapping.error();
        out.mapping = *std::move(mapping);
    }
    if (!call.sweep.empty()) {
        auto sweep = sweepOf(call.sweep, stop);
        if (!sweep)
            return sweep.error();
        out.sweep = *std::move(sweep);
    }
    return out;
}

} // namespace tilewright::tables
