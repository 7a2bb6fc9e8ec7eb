// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/map.h"

#include "base/file.h"
#include "mapping/files.h"
#include "mapping/method.h"
#include "timeloop/timeloop.h"

#include <chrono>

namespace tilewright::verbs {

namespace {

/// Adds the options of the command line to those of the architecture file.
Status addOptions(const MapCall& call, mapping::Architecture& architecture)
{
    mapping::ModelOptions& options = architecture.options;
    options.imperfect = options.imperfect || call.options.imperfect;
    options.reductionTree = options.reductionTree || call.options.reductionTree;
    options.overlapped = options.overlapped || call.options.overlapped;
    for (const std::string& asked : call.bypass) {
        const auto bad = [&](const std::string& why) {
            std::string text = "\"";
            text.append(asked).append("\": ").append(why);
            return Error{ErrorCode::Refused, text, {}, "--bypass"};
        };
        const std::size_t dot = asked.find('.');
        const std::string level = dot == std::string::npos ? "SPM" : asked.substr(0, dot);
        const std::string name = dot == std::string::npos ? asked : asked.substr(dot + 1);
        if (level == "RF")
            return bad("the register file cannot be skipped: a MAC reads its operands there");
        if (level == "DRAM")
            return bad("DRAM cannot be skipped: operands are stored there");
        constexpr std::string_view kNames = "IWOABC";
        const std::size_t at = kNames.find(name);
        if (level != "SPM" || name.size() != 1 || at == std::string_view::npos)
            return bad("expected I, W or O (A, B or C), or SPM.W");
        options.bypassSpm[at % mapping::kOperands] = true;
    }
    Status checked = mapping::checkArchitecture(architecture);
    if (!checked && !call.architecture && !call.workload.machines.empty()) {
        Error error = checked.error();
        // The file of the machine, from which the values of the architecture come.
        error.file = call.workload.machines.front();
        return error;
    }
    return checked;
}

} // namespace

mapping::Objective objectiveOf(const std::string& name)
{
    return name == "energy"   ? mapping::Objective::Energy
           : name == "cycles" ? mapping::Objective::Cycles
                              : mapping::Objective::Edp;
}

Result<std::vector<std::string>> addConstraints(std::string_view text, const std::string& file,
                                                const mapping::LoopNest& nest,
                                                mapping::Architecture& architecture,
                                                std::vector<std::string>& factors)
{
    auto read = timeloop::readConstraints(text, file, nest);
    if (!read)
        return read.error();
    factors.insert(factors.end(), read->factors.begin(), read->factors.end());
    for (std::size_t op = 0; op < read->bypassSpm.size(); ++op)
        architecture.options.bypassSpm[op] = architecture.options.bypassSpm[op] || read->bypassSpm[op];
    if (const Status s = mapping::checkArchitecture(architecture); !s)
        return s.error();
    return std::move(read->notes);
}

Result<std::variant<MapSubject, MapModel>> readMapCall(const MapCall& call)
{
    const std::string& file = call.workload.file;
    const lower::Workload& workload = *call.workload.workload;
    mapping::Architecture architecture;
    std::optional<mapping::Model> lowered;
    std::vector<lower::NamedLayer> named;
    std::vector<std::string> notes;
    if (!workload.layers || call.workload.machine) {
        const auto model = putOnMachine(call.workload);
        if (!model)
            return model.error();
        if (!workload.layers) {
            lowered = lower::layerModel(workload.model, (*model)->lowered);
            if (!call.layer.empty())
                named = lower::layersOf(workload.model, (*model)->lowered);
        }
        if (const auto nodes = lower::lensNodes(**model, MachineLens::Mapping); nodes && lowered)
            notes = !call.levelsOfMachine() ? lensNotes(*nodes, (*model)->machine, MachineLens::Mapping)
                                            : lensNotes(*nodes, call.levelNotes);
        else if (!call.levelsOfMachine())
            noticeOf(file, leftOutText((*model)->machine, MachineLens::Mapping));
        if (call.workload.machine || !call.architecture)
            architecture = lower::architectureOf((*model)->machine);
    }
    const mapping::Model& layers = lowered ? *lowered : *workload.layers;
    if (layers.layers.empty())
        return Error{ErrorCode::Problem, "has no convolution and no product", {}, file};
    if (call.architecture)
        architecture = *call.architecture;
    if (workload.setup) {
        if (!call.hierarchy && !call.architecture && !call.workload.machine)
            architecture = workload.setup->architecture;
        if (call.hierarchy || !(architecture == workload.setup->architecture))
            noticeOf(file, kOtherArchitecture);
    }
    mapping::Layer layer = layers.layers.front();
    if (!call.layer.empty()) {
        if (!lowered)
            for (const mapping::Layer& l : layers.layers)
                named.push_back({l, {l.name}});
        auto found = layerNamed(named, call.layer);
        if (!found) {
            Error error = found.error();
            error.file = file;
            return error;
        }
        layer = std::move(found->layer);
    } else if (workload.isModel() && layers.layers.size() > 1 && !call.oneLayerFor().empty())
        return Error{ErrorCode::Refused,
                     call.oneLayerFor() + " needs one layer, this model has " +
                         std::to_string(layers.layers.size()) + "; --layer selects one",
                     {},
                     file};
    if (!call.hierarchy)
        if (Status s = addOptions(call, architecture); !s)
            return s.error();
    if (call.ofModel()) {
        if (!lowered)
            notes = call.levelNotes;
        return std::variant<MapSubject, MapModel>(MapModel{layers, architecture, std::move(notes)});
    }
    const auto nest = mapping::makeNest(layer);
    if (!nest)
        return nest.error();
    std::vector<std::string> factors = call.factors, orders = call.orders;
    if (const auto& own = workload.levels; own && call.hierarchy && factors.empty() && orders.empty() &&
                                           call.constraintsFile.empty() && call.keepsLevelsOfDocument()) {
        factors = own->asked.factors; // factors that the document states
        orders = own->asked.orders;
    }
    if (!call.constraintsFile.empty() && call.hierarchy) {
        auto read = timeloop::readConstraints(call.constraints, call.constraintsFile, *nest, *call.hierarchy);
        if (!read)
            return read.error();
        factors.insert(factors.end(), read->factors.begin(), read->factors.end());
        orders.insert(orders.end(), read->orders.begin(), read->orders.end());
    } else if (!call.constraintsFile.empty()) {
        const auto notes =
            addConstraints(call.constraints, call.constraintsFile, *nest, architecture, factors);
        if (!notes)
            return notes.error();
        for (const std::string& note : *notes)
            noticeOf(call.constraintsFile, note);
    }
    if (Status s =
            call.hierarchy ? hierarchy::checkCountable(*nest) : mapping::checkCountable(*nest, architecture);
        !s) {
        Error error = s.error();
        error.file = file;
        return error;
    }
    MapSubject subject{std::move(layer), *nest, architecture, std::move(factors)};
    if (call.hierarchy) {
        auto constraints = hierarchy::parseConstraints(*nest, *call.hierarchy, subject.factors, orders);
        if (!constraints)
            return constraints.error();
        subject.constraints = std::move(*constraints);
    }
    return std::variant<MapSubject, MapModel>(std::move(subject));
}

Result<MethodAnswer> evaluateMethod(const MapSubject& subject, const std::string& file)
{
    const auto text = readFile(file);
    if (!text)
        return text.error();
    MethodAnswer out;
    if (timeloop::isYamlName(file)) {
        const auto read = timeloop::readMapping(*text, file, subject.nest, subject.architecture);
        if (!read)
            return read.error();
        out.method = read->method;
        out.notes = read->notes;
    } else {
        const auto read = mapping::readMethod(*text, file, subject.nest);
        if (!read)
            return read.error();
        out.method = *read;
        if (const auto setup = mapping::readSetup(*text, file);
            setup && !(setup->architecture == subject.architecture))
            out.notes.emplace_back(kOtherArchitecture);
    }
    const auto start = std::chrono::steady_clock::now();
    out.cost = mapping::evaluate(subject.nest, subject.architecture, out.method);
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return out;
}

mapping::SearchResult searchLayer(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
                                  const LayerSearch& search, const std::stop_token& stop,
                                  const MapStatus& status)
{
    mapping::SearchOptions options;
    options.threads = search.threads;
    options.seconds = search.seconds;
    options.reductions = search.reductions;
    options.stop = stop;
    options.status = status;
    return search.quick ? mapping::quickSearch(nest, architecture, options)
                        : mapping::search(nest, architecture, options);
}

Result<MapAnswer> mapLayer(const MapSubject& subject, const MapCall& call, const std::stop_token& stop,
                           const MapStatus& status)
{
    const auto& setup = call.workload.workload->setup;
    const auto constraints = mapping::parseConstraints(
        subject.nest, subject.factors.empty() && setup ? setup->factors : subject.factors);
    if (!constraints)
        return constraints.error();
    MapAnswer out;
    out.result = searchLayer(subject.nest, subject.architecture,
                             {.quick = call.quick,
                              .seconds = call.seconds > 0 ? call.seconds : kLayerSeconds,
                              .threads = call.threads,
                              .reductions = {.constraints = *constraints}},
                             stop, status);
    const mapping::Objective objective = objectiveOf(call.objective);
    out.notes = {subject.layer.runs(),
                 mapping::paddingHint(subject.nest, subject.architecture, out.result, objective, stop),
                 mapping::imperfectHint(subject.nest, subject.architecture, out.result, objective, stop)};
    return out;
}

Result<mapping::ModelResult> mapModel(const MapModel& model, const MapCall& call, const std::stop_token& stop,
                                      const MapStatus& status,
                                      const std::function<void(std::size_t)>& onLayer,
                                      const std::function<void(const mapping::LayerResult&)>& onFound)
{
    mapping::SearchOptions options;
    options.threads = call.threads;
    options.seconds = call.seconds > 0 ? call.seconds : kModelSeconds;
    options.stop = stop;
    options.status = status;
    return mapping::searchModel(model.layers, model.architecture, options, call.quick, onLayer, onFound);
}

} // namespace tilewright::verbs
