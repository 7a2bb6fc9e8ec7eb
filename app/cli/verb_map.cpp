// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "interrupt.h"
#include "mapping/files.h"
#include "mapping/report.h"
#include "table.h"
#include "verbs.h"
#include "workload_input.h"

#include <CLI/CLI.hpp>

#include <chrono>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct MapArguments
{
    std::string layer;
    std::string architecture;
    WorkloadArguments machine;
    std::string objective = "edp";
    std::string method;
    std::string output;
    std::string csv;
    double seconds = 0;
    int threads = 0;
    bool quick = false;
    bool json = false;
    bool progress = false;
};

/// Long enough for every sample many times over, short enough that a monster comes back.
constexpr double kLayerSeconds = 60;
constexpr double kModelSeconds = 600;

mapping::Objective objectiveOf(const std::string& name)
{
    return name == "energy"   ? mapping::Objective::Energy
           : name == "cycles" ? mapping::Objective::Cycles
                              : mapping::Objective::Edp;
}

int evaluateOne(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
                const MapArguments& args)
{
    auto text = readFile(args.method);
    if (!text)
        return fail(text.error());
    auto method = mapping::readMethod(*text, args.method, nest);
    if (!method)
        return fail(method.error());
    const auto start = std::chrono::steady_clock::now();
    const mapping::MappingCost e = mapping::evaluate(nest, architecture, *method);
    const double spent = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (args.json)
        std::cout << mapping::evaluationReport(nest, *method, e, objectiveOf(args.objective), spent);
    else if (e.hasNumbers)
        std::cout << "cycles  " << formatGrouped(e.cycles) << "\nenergy  " << formatGrouped(e.energy)
                  << " pJ\nedp     " << scientific(e.edp) << "\n        mac "
                  << formatGrouped(e.energyParts.mac) << ", rf " << formatGrouped(e.energyParts.rf)
                  << ", noc " << formatGrouped(e.energyParts.noc) << ", spm "
                  << formatGrouped(e.energyParts.spm) << ", dram " << formatGrouped(e.energyParts.dram)
                  << "\n        compute " << formatGrouped(e.cycleParts.compute) << ", distribution "
                  << formatGrouped(e.cycleParts.distribution) << ", reduction "
                  << formatGrouped(e.cycleParts.reduction) << ", dma " << formatGrouped(e.cycleParts.dma)
                  << '\n';
    if (!e.violation)
        return Exit::Success;
    std::cerr << "tilewright-cli: " << args.method << ": invalid ("
              << mapping::violationName(e.violation->code) << "): " << e.violation->message << '\n';
    return Exit::No;
}

void printStatus(const mapping::SearchStatus& s)
{
    std::cerr << "settled " << percent(s.settled, 2) << ", best edp "
              << (s.best[2] ? scientific(s.best[2]->energy * static_cast<double>(s.best[2]->cycles)) : "-")
              << ", " << secondsText(s.seconds) << '\n';
}

void printSearch(const mapping::LoopNest& nest, const mapping::SearchResult& r, mapping::Objective objective)
{
    std::cout << padded("best for", 8, false) << padded("energy pJ", 20) << padded("cycles", 20)
              << padded("edp", 16) << '\n';
    for (int o = 0; o < mapping::kObjectives; ++o)
        if (const auto& best = r.best[static_cast<std::size_t>(o)])
            std::cout << padded(std::string(mapping::objectiveName(static_cast<mapping::Objective>(o))), 8,
                                false)
                      << padded(formatGrouped(best->energy), 20) << padded(formatGrouped(best->cycles), 20)
                      << padded(scientific(best->edp), 16) << '\n';
    const mapping::SearchCounts& c = r.counts;
    std::cout << (r.proven ? r.reductions.any() ? "proven within the reduced space" : "proven"
                           : "not proven: at most " + percent(r.gap(objective), 2) + " above the optimum")
              << "; " << (c.space ? formatGrouped(*c.space) : "more than 2^63") << " tilings, "
              << formatGrouped(c.visited) << " visited, " << formatGrouped(c.cut) << " cut, "
              << formatGrouped(c.invalid) << " do not fit; " << r.front.size() << " on the Pareto front; "
              << secondsText(r.seconds) << '\n';
    if (const auto& best = r.of(objective))
        std::cout << mapping::printMethod(nest, best->method);
}

int searchOne(const mapping::LoopNest& nest, const mapping::Architecture& architecture,
              const MapArguments& args, mapping::SearchOptions options)
{
    if (options.seconds <= 0)
        options.seconds = kLayerSeconds;
    const mapping::SearchResult r = args.quick ? mapping::quickSearch(nest, architecture, options)
                                               : mapping::search(nest, architecture, options);
    const mapping::Objective objective = objectiveOf(args.objective);
    if (args.json)
        std::cout << mapping::searchReport(nest, architecture, r, objective);
    else
        printSearch(nest, r, objective);
    if (!args.output.empty() && r.of(objective))
        if (auto s = writeFileAtomically(args.output, mapping::writeMethod(nest, r.of(objective)->method));
            !s)
            return fail(s.error());
    if (r.interrupted)
        return Exit::Interrupted;
    if (!r.of(objective)) {
        std::cerr << "tilewright-cli: no valid method " << (r.proven ? "exists" : "was found") << '\n';
        return Exit::No;
    }
    return Exit::Success;
}

void printModel(const mapping::ModelResult& r)
{
    std::size_t width = 5;
    for (const mapping::LayerResult& l : r.layers)
        width = std::max(width, l.layer.name.size());
    const auto line = [&](const std::string& name, const std::string& count, const std::string& energy,
                          const std::string& cycles, const std::string& edp, const std::string& rest) {
        std::cout << padded(name, width, false) << padded(count, 6) << padded(energy, 20)
                  << padded(cycles, 18) << padded(edp, 15) << "  " << rest << '\n';
    };
    line("layer", "count", "min energy pJ", "min cycles", "min edp", "proven");
    for (const mapping::LayerResult& l : r.layers) {
        const auto& best = l.search.best;
        if (!best[0]) {
            line(l.layer.name, formatGrouped(l.layer.count), "-", "-", "-", "no valid method");
            continue;
        }
        line(l.layer.name, formatGrouped(l.layer.count), formatGrouped(best[0]->energy),
             formatGrouped(best[1]->cycles), scientific(best[2]->edp),
             (l.search.proven ? "yes " : "no  ") +
                 (l.repeated ? "(same shape)" : secondsText(l.search.seconds)));
    }
    std::cout << "totals, each layer at its own optimum for\n";
    for (std::size_t o = 0; o < mapping::kObjectives; ++o)
        line(std::string(mapping::objectiveName(static_cast<mapping::Objective>(o))), "",
             formatGrouped(r.totals[o].energy), formatGrouped(r.totals[o].cycles),
             scientific(r.totals[o].edp), o == 0 ? secondsText(r.seconds) : "");
}

int searchWhole(const mapping::Model& model, const mapping::Architecture& architecture,
                const MapArguments& args, mapping::SearchOptions options)
{
    if (options.seconds <= 0)
        options.seconds = kModelSeconds;
    const auto onLayer = [&](std::size_t i) {
        if (args.progress)
            std::cerr << "layer " << i + 1 << " of " << model.layers.size() << ": " << model.layers[i].name
                      << '\n';
    };
    const auto r = mapping::searchModel(model, architecture, options, args.quick, onLayer);
    if (!r)
        return fail(r.error());
    if (args.json)
        std::cout << mapping::modelReport(*r, objectiveOf(args.objective));
    else
        printModel(*r);
    if (!args.csv.empty())
        if (auto s = writeFileAtomically(args.csv, mapping::modelCsv(*r)); !s)
            return fail(s.error());
    if (r->interrupted)
        return Exit::Interrupted;
    return r->complete ? Exit::Success : Exit::No;
}

int runMap(const MapArguments& args)
{
    auto read = args.machine.read(args.layer);
    if (!read)
        return fail(read.error());
    mapping::Architecture architecture;
    if (!read->layers || args.machine.given()) {
        const auto lowered = lowerFile(args.layer, args.machine);
        if (!lowered)
            return fail(lowered.error());
        if (!read->layers)
            read->layers = lower::layerModel(lowered->workload.model, lowered->lowered);
        if (args.machine.given() || args.architecture.empty())
            architecture = lower::architectureOf(lowered->machine);
    }
    const mapping::Model& layers = *read->layers;
    if (layers.layers.empty())
        return fail({ErrorCode::Problem, "has no convolution and no product", {}, args.layer});
    if (!args.architecture.empty()) {
        auto architectureText = readFile(args.architecture);
        if (!architectureText)
            return fail(architectureText.error());
        auto given = mapping::readArchitecture(*architectureText, args.architecture);
        if (!given)
            return fail(given.error());
        architecture = *given;
    }
    const bool whole = read->isModel() && layers.layers.size() > 1;
    if (whole && !args.method.empty())
        return fail(
            {ErrorCode::Refused,
             "--method needs a file of one layer, this model has " + std::to_string(layers.layers.size()),
             {},
             args.layer});
    const InterruptGuard interrupt;
    mapping::SearchOptions options;
    options.threads = args.threads;
    options.seconds = args.seconds;
    options.stop = interrupt.token();
    if (args.progress)
        options.status = printStatus;
    if (read->isModel() && args.method.empty())
        return searchWhole(layers, architecture, args, options);
    const auto nest = mapping::makeNest(layers.layers.front());
    if (!nest)
        return fail(nest.error());
    if (auto s = mapping::checkCountable(*nest, architecture); !s) {
        Error error = s.error();
        error.file = args.layer;
        return fail(error);
    }
    return args.method.empty() ? searchOne(*nest, architecture, args, options)
                               : evaluateOne(*nest, architecture, args);
}

} // namespace

void addMapVerb(CLI::App& app, int& exitCode)
{
    auto args = std::make_shared<MapArguments>();
    CLI::App* verb =
        app.add_subcommand("map", "Tile and order a layer's loops for energy, cycles or their product");
    verb->add_option("layer", args->layer, "Layer, layer list, or any workload to lower")->required();
    auto* machine = args->machine.addTo(*verb);
    verb->add_option("architecture", args->architecture, "Architecture file; without it the default one")
        ->excludes(machine);
    verb->add_option("--objective", args->objective, "edp, energy or cycles")
        ->check(CLI::IsMember({"edp", "energy", "cycles"}))
        ->capture_default_str();
    verb->add_option("--method", args->method, "Evaluate this method instead of searching");
    verb->add_flag("--quick", args->quick, "Search only methods of high utilisation");
    verb->add_option("--seconds", args->seconds, "Time limit (default 60 for a layer, 600 for a model)")
        ->check(CLI::PositiveNumber);
    verb->add_option("--threads", args->threads, "Threads (default: all)")->check(CLI::Range(1, 1024));
    verb->add_option("-o,--output", args->output, "Write the best method to this file");
    verb->add_option("--csv", args->csv, "Write a model's table to this file");
    verb->add_flag("--progress", args->progress, "Tell progress on stderr");
    verb->add_flag("--json", args->json, "One JSON document on stdout");
    verb->callback([args, &exitCode] { exitCode = runMap(*args); });
}

} // namespace tilewright::cli
