// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/map_hierarchy.h"

#include "base/file.h"
#include "base/progress.h"
#include "hierarchy/files.h"
#include "timeloop/timeloop.h"

namespace tilewright::verbs {

namespace {

hierarchy::SearchOptions optionsOf(const MapCall& call, const std::stop_token& stop,
                                   const HierarchyStatus& status, double seconds)
{
    hierarchy::SearchOptions out;
    out.objective = objectiveOf(call.objective);
    out.threads = call.threads;
    out.quick = call.quick;
    out.seconds = call.seconds > 0 ? call.seconds : seconds;
    out.stop = stop;
    out.status = status;
    return out;
}

} // namespace

Result<MappingAnswer> evaluateMapping(const MapSubject& subject, const MapCall& call)
{
    const auto text = readFile(call.method);
    if (!text)
        return text.error();
    auto read = timeloop::isYamlName(call.method)
                    ? timeloop::readLevelMapping(*text, call.method, subject.nest, *call.hierarchy)
                    : hierarchy::readMapping(*text, call.method, subject.nest, *call.hierarchy);
    if (!read)
        return read.error();
    MappingAnswer out;
    out.mapping = std::move(*read);
    const double start = wallClock();
    out.cost = hierarchy::evaluate(subject.nest, *call.hierarchy, out.mapping);
    out.seconds = wallClock() - start;
    return out;
}

hierarchy::SearchResult mapLayerOnHierarchy(const MapSubject& subject, const MapCall& call,
                                            const std::stop_token& stop, const HierarchyStatus& status)
{
    hierarchy::SearchOptions options = optionsOf(call, stop, status, kLayerSeconds);
    options.constraints = subject.constraints;
    return hierarchy::search(subject.nest, *call.hierarchy, options);
}

Result<hierarchy::ModelResult>
mapModelOnHierarchy(const MapModel& model, const MapCall& call, const std::stop_token& stop,
                    const HierarchyStatus& status, const std::function<void(std::size_t)>& onLayer,
                    const std::function<void(const hierarchy::LayerResult&)>& onFound)
{
    return hierarchy::searchModel(model.layers, *call.hierarchy, optionsOf(call, stop, status, kModelSeconds),
                                  onLayer, onFound);
}

Result<std::string> hierarchyDocument(const std::variant<MapSubject, MapModel>& subject, const MapCall& call,
                                      const std::stop_token& stop)
{
    if (const auto* model = std::get_if<MapModel>(&subject)) {
        const auto result = mapModelOnHierarchy(*model, call, stop);
        return result ? Result<std::string>(withNotes(hierarchy::modelReport(*result), model->notes))
                      : result.error();
    }
    const auto& layer = std::get<MapSubject>(subject);
    const mapping::Objective objective = objectiveOf(call.objective);
    if (call.method.empty())
        return withNotes(hierarchy::searchReport(layer.nest, *call.hierarchy,
                                                 mapLayerOnHierarchy(layer, call, stop), objective,
                                                 layer.layer.runs()),
                         call.levelNotes);
    const auto answer = evaluateMapping(layer, call);
    if (!answer)
        return answer.error();
    return withNotes(
        hierarchy::evaluationReport(layer.nest, *call.hierarchy, answer->mapping, objective, answer->seconds),
        call.levelNotes);
}

} // namespace tilewright::verbs
