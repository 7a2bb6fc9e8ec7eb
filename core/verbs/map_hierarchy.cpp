// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/map_hierarchy.h"

#include "base/file.h"
#include "base/progress.h"
#include "hierarchy/constraint_costs.h"
#include "hierarchy/files.h"
#include "timeloop/timeloop.h"

#include <utility>

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

/// Adds the architectures in which one --bypass or --axis is dropped and all others are kept. They show what
/// each of these constraints costs.
void addArchitectureReleases(const MapCall& call, const hierarchy::Constraints& constraints,
                             std::vector<hierarchy::Release>& out)
{
    const auto without = [&](const std::vector<std::string>& bypass, const std::vector<std::string>& axes) {
        hierarchy::Architecture architecture = *call.freeHierarchy;
        for (const std::string& text : bypass)
            (void)hierarchy::addBypass(architecture, text); // readFiles() has checked the text
        for (const std::string& text : axes)
            (void)hierarchy::limitAxis(architecture, text);
        return architecture;
    };
    const auto rest = [](std::vector<std::string> texts, std::size_t i) {
        texts.erase(texts.begin() + static_cast<std::ptrdiff_t>(i));
        return texts;
    };
    for (std::size_t i = 0; i < call.bypass.size(); ++i)
        out.push_back({"bypass " + call.bypass[i], without(rest(call.bypass, i), call.axes), constraints});
    for (std::size_t i = 0; i < call.axes.size(); ++i)
        out.push_back({"axis " + call.axes[i], without(call.bypass, rest(call.axes, i)), constraints});
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
    hierarchy::SearchResult out = hierarchy::search(subject.nest, *call.hierarchy, options);
    if (!call.constraintCosts)
        return out;
    std::vector<hierarchy::Release> releases =
        hierarchy::releasesOf(subject.nest, *call.hierarchy, subject.constraints);
    addArchitectureReleases(call, subject.constraints, releases);
    out.constraintCosts =
        hierarchy::constraintCosts(subject.nest, releases, out, objectiveOf(call.objective), options);
    return out;
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
