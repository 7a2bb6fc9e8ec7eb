// SPDX-License-Identifier: GPL-3.0-or-later
#include "verb_map.h"
#include "base/text.h"
#include "explained.h"
#include "figures/mapping_figures.h"
#include "manual/program.h"
#include "mapping/files.h"
#include "mapping/no_method.h"
#include "rescue.h"
#include "table.h"
#include "timeloop/timeloop.h"

#include <algorithm>
#include <iostream>

namespace tilewright::cli {

namespace {

using Subject = verbs::MapSubject;
using verbs::objectiveOf;

/// Writes the files that --output, --csv and --export name.
Status writeOutputs(const Subject& subject, const MapArguments& args, const mapping::Method& method,
                    const std::string& csv)
{
    if (!args.output.empty())
        if (Status s = writeFound(args.output, mapping::writeMethod(subject.nest, method)); !s)
            return s;
    if (!args.csv.empty())
        if (Status s = writeFound(args.csv, csv); !s)
            return s;
    if (args.exported.empty())
        return Unit{};
    return writeExport(args, timeloop::writeFiles(subject.layer, subject.nest, subject.architecture, method));
}

int evaluateOne(const Subject& subject, const MapArguments& args)
{
    const mapping::LoopNest& nest = subject.nest;
    const auto answer = verbs::evaluateMethod(subject, args.method);
    if (!answer)
        return fail(answer.error());
    for (const std::string& note : answer->notes)
        tell(args.method + ": " + note);
    const mapping::MappingCost& e = answer->cost;
    const auto figure = explained(e.hasNumbers ? args.explain : std::string(), "edp", [&] {
        return figures::mappingFigures({nest, e, subject.architecture.energyPj.mac});
    });
    if (!figure)
        return fail(figure.error());
    if (args.json)
        std::cout << withExplanation(
            mapping::evaluationReport(nest, answer->method, e, objectiveOf(args.objective), answer->seconds),
            *figure);
    else if (e.hasNumbers)
        std::cout << "cycles  " << formatGrouped(e.cycles) << "\nenergy  " << formatGrouped(e.energy)
                  << " pJ\nedp     " << scientific(e.edp) << "\n        mac "
                  << formatGrouped(e.energyParts.mac) << ", rf " << formatGrouped(e.energyParts.rf)
                  << ", noc " << formatGrouped(e.energyParts.noc) << ", spm "
                  << formatGrouped(e.energyParts.spm) << ", dram " << formatGrouped(e.energyParts.dram)
                  << "\n        compute " << formatGrouped(e.cycleParts.compute) << ", distribution "
                  << formatGrouped(e.cycleParts.distribution) << ", reduction "
                  << formatGrouped(e.cycleParts.reduction) << ", drain " << formatGrouped(e.cycleParts.drain)
                  << ", dma " << formatGrouped(e.cycleParts.dma) << '\n';
    if (e.hasNumbers && !args.json)
        printCostModel(mapping::kCostModel, "docs/rules/mapping.md");
    if (!args.json)
        printExplanation(*figure);
    if (e.hasNumbers)
        if (auto s = writeOutputs(subject, args, answer->method, mapping::methodCsv(subject.layer, nest, e));
            !s)
            return fail(s.error());
    if (!e.violation)
        return Exit::Success;
    tell(args.method + ": invalid (" + std::string(mapping::violationName(e.violation->code)) +
         "): " + e.violation->message);
    return Exit::No;
}

void printStatus(const mapping::SearchStatus& s)
{
    std::cerr << "settled " << percent(s.settled, 2) << ", best edp "
              << (s.best[2] ? scientific(s.best[2]->energy * static_cast<double>(s.best[2]->cycles)) : "-")
              << ", " << secondsText(s.seconds) << '\n';
}

void printSearch(const mapping::LoopNest& nest, const mapping::SearchResult& r, mapping::Objective objective,
                 bool imperfect)
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
    const std::string objectiveText(mapping::objectiveName(objective));
    std::cout << (r.proven ? r.reductions.any() ? "proven within the reduced space" : "proven"
                  : r.isOptimal(objective)
                      ? "least " + objectiveText + " proven, not all of the Pareto front"
                      : "not proven: at most " + percent(r.gap(objective), 2) + " above the optimum")
              << "; " << (c.space ? formatGrouped(*c.space) : "more than 2^63") << " tilings, "
              << formatGrouped(c.visited) << " visited, " << formatGrouped(c.cut)
              << (imperfect ? " cut or too large; " : " cut, ")
              << (imperfect ? "" : formatGrouped(c.invalid) + " do not fit; ") << r.front.size()
              << " on the Pareto front; cost model of " << mapping::kCostModel << "; "
              << secondsText(r.seconds) << '\n';
    if (const auto& best = r.of(objective))
        std::cout << mapping::printMethod(nest, best->method);
}

void printNotes(const mapping::LoopNest& nest, const mapping::SearchNotes& notes,
                const std::optional<mapping::MethodCost>& best, mapping::Objective objective)
{
    if (notes.runs > 1 && best)
        std::cout << formatGrouped(notes.runs)
                  << " times in its model: " << formatGrouped(static_cast<double>(notes.runs) * best->energy)
                  << " pJ, " << formatGrouped(notes.runs * best->cycles) << " cycles\n";
    if (!best)
        return;
    const auto wouldGive = [&](const std::string& what, const mapping::MethodCost& other) {
        std::cout << what << " would give " << formatGrouped(other.energy) << " pJ, "
                  << formatGrouped(other.cycles) << " cycles, edp " << scientific(other.edp) << " ("
                  << percent(1 - other.value(objective) / best->value(objective), 1) << " less "
                  << mapping::objectiveName(objective) << ")\n";
    };
    if (notes.imperfect)
        wouldGive("imperfect factors (--imperfect)", *notes.imperfect);
    if (!notes.padding)
        return;
    std::string trips;
    for (int l = 0; l < nest.loopCount; ++l)
        if (const auto i = static_cast<std::size_t>(l); notes.padding->trips[i] != nest.trips[i])
            trips += (trips.empty() ? "" : ", ") + std::string(nest.loopNames[i]) + " " +
                     std::to_string(nest.trips[i]) + " to " + std::to_string(notes.padding->trips[i]);
    wouldGive("padding " + trips, notes.padding->best);
}

int searchOne(const Subject& subject, const MapArguments& args, const InterruptGuard& interrupt)
{
    const mapping::LoopNest& nest = subject.nest;
    const auto answer =
        verbs::mapLayer(subject, args, interrupt.token(), args.progress ? printStatus : verbs::MapStatus());
    if (!answer)
        return fail(answer.error());
    const mapping::SearchResult& r = answer->result;
    const mapping::Objective objective = objectiveOf(args.objective);
    const auto figure = explained(r.of(objective) ? args.explain : std::string(), "edp", [&] {
        return figures::mappingFigures(
            {nest, mapping::evaluate(nest, subject.architecture, r.of(objective)->method),
             subject.architecture.energyPj.mac});
    });
    if (!figure)
        return fail(figure.error());
    if (args.json) {
        std::cout << withExplanation(
            mapping::searchReport(nest, subject.architecture, r, objective, answer->notes), *figure);
    } else {
        printSearch(nest, r, objective, subject.architecture.options.imperfect);
        printNotes(nest, answer->notes, r.of(objective), objective);
        printExplanation(*figure);
    }
    rescueOutput(args.workload.file, [&] {
        return mapping::searchReport(nest, subject.architecture, r, objective, answer->notes);
    });
    if (const auto& best = r.of(objective))
        if (auto s = writeOutputs(subject, args, best->method,
                                  mapping::layerCsv(subject.layer, nest, subject.architecture, r));
            !s)
            return fail(s.error());
    if (r.interrupted)
        return Exit::Interrupted;
    if (!r.of(objective)) {
        tell(mapping::noMethodText(nest, subject.architecture, r));
        return Exit::No;
    }
    return Exit::Success;
}

/// Prints the values of all objectives, not only of the one that --objective names.
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
            line(l.layer.name, formatGrouped(l.layer.count), "-", "-", "-",
                 mapping::noMethodText(l.nest, r.architecture, l.search));
            continue;
        }
        line(l.layer.name, formatGrouped(l.layer.count), formatGrouped(best[0]->energy),
             formatGrouped(best[1]->cycles), scientific(best[2]->edp),
             (!l.search.proven            ? "no  "
              : l.search.reductions.any() ? "in the reduced space "
                                          : "yes ") +
                 (l.repeated ? "(same shape)" : secondsText(l.search.seconds)));
    }
    std::cout << "totals by the cost model of " << mapping::kCostModel
              << " (edp: sum over all runs), each layer at its own optimum for\n";
    for (std::size_t o = 0; o < mapping::kObjectives; ++o)
        line(std::string(mapping::objectiveName(static_cast<mapping::Objective>(o))), "",
             formatGrouped(r.totals[o].energy), formatGrouped(r.totals[o].cycles),
             scientific(r.totals[o].edp), o == 0 ? secondsText(r.seconds) : "");
}

int searchWhole(const verbs::MapModel& model, const MapArguments& args, const InterruptGuard& interrupt)
{
    const std::vector<mapping::Layer>& layers = model.layers.layers;
    const auto onLayer = [&](std::size_t i) {
        if (args.progress)
            std::cerr << "layer " << i + 1 << " of " << layers.size() << ": " << layers[i].name << '\n';
    };
    const auto r = verbs::mapModel(model, args, interrupt.token(),
                                   args.progress ? printStatus : verbs::MapStatus(), onLayer);
    if (!r)
        return fail(r.error());
    if (args.json)
        std::cout << verbs::withNotes(mapping::modelReport(*r, objectiveOf(args.objective)), model.notes);
    else {
        printLensNotes(model.notes);
        printModel(*r);
    }
    rescueOutput(args.workload.file, [&] { return mapping::modelReport(*r, objectiveOf(args.objective)); });
    int code = r->interrupted ? Exit::Interrupted : r->complete ? Exit::Success : Exit::No;
    if (!args.csv.empty())
        if (auto s = writeFound(args.csv, mapping::modelCsv(*r)); !s)
            code = fail(s.error());
    if (!args.output.empty())
        if (auto s = writeFound(args.output, mapping::modelMethods(*r, objectiveOf(args.objective))); !s)
            code = fail(s.error());
    return code;
}

int runMap(const MapArguments& args)
{
    const auto subject = verbs::readMapCall(args);
    if (!subject)
        return fail(subject.error());
    if (!args.exported.empty() && args.exported[0] != "timeloop")
        return fail({ErrorCode::Refused,
                     "expected timeloop and a folder, got \"" + args.exported[0] + "\"",
                     {},
                     "--export"});
    const auto* layer = std::get_if<Subject>(&*subject);
    if (!layer && !args.explain.empty())
        return fail({ErrorCode::Refused, "the figures of this lens are those of one layer", "--explain", {}});
    if (args.hierarchy)
        return runMapOnHierarchy(*subject, args);
    if (layer && !args.method.empty())
        return evaluateOne(*layer, args);
    const InterruptGuard interrupt;
    return layer ? searchOne(*layer, args, interrupt)
                 : searchWhole(std::get<verbs::MapModel>(*subject), args, interrupt);
}

} // namespace

void bindOptions(verbs::OptionList& o, MapArguments& a)
{
    a.exports = !a.exported.empty();
    bindOptions(o, static_cast<verbs::MapCall&>(a));
    o.needs(a.method.empty() || a.json, "--json with --method")(o["--objective"]);
    o.add("--export", a.exported, "FORMAT FOLDER",
          "timeloop FOLDER: write problem, architecture, energies and mapping as YAML",
          o.exactly(2, "timeloop and a folder"),
          o.writes({"problem.yaml", "arch.yaml", "ert.yaml", "mapping.yaml"}));
    o.add("-o,--output", a.output, "FILE",
          "Write the best method or mapping (of a model: of every layer) to this file", o.writes());
    o.add("--csv", a.csv, "FILE", "Write cycles and energy by level and operand to this file", o.writes());
    addExplain(o, a.explain, "edp");
    o.flag("--progress", a.progress, "Print progress on stderr", o.notWith(!a.method.empty(), "--method"));
    o.flag("--json", a.json, kJsonHelp);
}

Status writeExport(const MapArguments& args, const timeloop::Files& files)
{
    for (const auto& [name, text] : {std::pair{"problem.yaml", &files.problem},
                                     {"arch.yaml", &files.architecture},
                                     {"ert.yaml", &files.energies},
                                     {"mapping.yaml", &files.mapping}})
        if (Status s = writeInFolder(args.exported[1], name, *text); !s)
            return s;
    return Unit{};
}

void printCostModel(std::string_view name, std::string_view rules)
{
    std::cout << "cost model: " << name << " (" << rules << ")\n";
}

void addMapVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<MapArguments>(
        app, "map", "Tile and order a layer's loops for energy, cycles or their product", runMap, exitCode);
}

} // namespace tilewright::cli
