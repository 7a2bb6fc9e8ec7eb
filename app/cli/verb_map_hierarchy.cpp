// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "explained.h"
#include "figures/hierarchy_figures.h"
#include "hierarchy/excluding.h"
#include "hierarchy/files.h"
#include "rescue.h"
#include "table.h"
#include "verb_map.h"
#include "verbs/map_hierarchy.h"

#include <algorithm>
#include <cmath>
#include <iostream>

namespace tilewright::cli {

namespace {

using verbs::MapModel;
using verbs::MapSubject;

Status writeMappingOutputs(const MapSubject& subject, const MapArguments& args,
                           const hierarchy::Mapping& mapping, const hierarchy::Cost& cost)
{
    if (!args.output.empty())
        if (Status s = writeFound(args.output, writeMapping(subject.nest, *args.hierarchy, mapping)); !s)
            return s;
    if (!args.csv.empty())
        if (Status s = writeFound(args.csv, mappingCsv(subject.layer, subject.nest, *args.hierarchy, cost));
            !s)
            return s;
    if (args.exported.empty())
        return Unit{};
    const auto files = timeloop::writeFiles(subject.layer, subject.nest, *args.hierarchy, mapping);
    return files ? writeExport(args, *files) : Status(files.error());
}

void printMappingCost(const MapSubject& subject, const MapArguments& args, const hierarchy::Cost& cost)
{
    std::cout << "cycles  " << formatGrouped(cost.cycles) << "\nenergy  " << formatGrouped(cost.energy)
              << " pJ, of the MACs " << formatGrouped(cost.macEnergy) << "\nedp     " << scientific(cost.edp)
              << "\nlimit   " << limitText(*args.hierarchy, cost) << ", " << formatGrouped(cost.busy)
              << " cycles; the MACs take " << formatGrouped(cost.compute) << "; waiting "
              << formatGrouped(cost.waiting) << '\n';
    print(levelTable(subject.nest, *args.hierarchy, cost));
    printLensNotes(args.levelNotes);
    printCostModel(hierarchy::kCostModel, "docs/rules/hierarchy.md");
}

/// What --explain asks for; nothing of a mapping without figures.
Result<std::optional<figures::Figure>> explainedMapping(const MapSubject& subject, const MapArguments& args,
                                                        const hierarchy::Cost& cost)
{
    return explained(cost.hasNumbers ? args.explain : std::string(), "edp", [&] {
        return figures::hierarchyFigures({subject.nest, *args.hierarchy, cost});
    });
}

int evaluateMappingFile(const MapSubject& subject, const MapArguments& args)
{
    const auto answer = verbs::evaluateMapping(subject, args);
    if (!answer)
        return fail(answer.error());
    const auto figure = explainedMapping(subject, args, answer->cost);
    if (!figure)
        return fail(figure.error());
    if (args.json)
        std::cout << withExplanation(
            verbs::withNotes(hierarchy::evaluationReport(subject.nest, *args.hierarchy, answer->mapping,
                                                         verbs::objectiveOf(args.objective), answer->seconds),
                             args.levelNotes),
            *figure);
    else if (answer->cost.hasNumbers)
        printMappingCost(subject, args, answer->cost);
    if (!args.json)
        printExplanation(*figure);
    if (answer->cost.hasNumbers)
        if (Status s = writeMappingOutputs(subject, args, answer->mapping, answer->cost); !s)
            return fail(s.error());
    const auto& violation = answer->cost.violation;
    if (!violation)
        return Exit::Success;
    tell(args.method + ": invalid (" + std::string(violationName(violation->code)) +
         "): " + violation->message);
    return Exit::No;
}

void printHierarchyStatus(const hierarchy::SearchStatus& s)
{
    std::cerr << formatGrouped(s.evaluations) << " costs, best";
    for (std::size_t o = 0; o < hierarchy::kObjectives; ++o)
        std::cerr << ' ' << objectiveName(static_cast<hierarchy::Objective>(o)) << ' '
                  << (s.best[o] ? scientific(*s.best[o]) : "-");
    std::cerr << ", " << secondsText(s.seconds) << '\n';
}

/// Text of the optimality proof: "proven", "at most 3 % above the optimum" or "not proven".
std::string proofText(const hierarchy::SearchResult& r, hierarchy::Objective objective)
{
    if (r.proven)
        return r.constraints.any() ? "proven within the constraints" : "proven";
    const double gap = r.gap(objective);
    return std::isfinite(gap) ? "not proven: at most " + percent(gap, 2) + " above the optimum"
                              : "not proven";
}

void printMappingSearch(const MapSubject& subject, const MapArguments& args, const hierarchy::SearchResult& r)
{
    const hierarchy::Objective objective = verbs::objectiveOf(args.objective);
    if (r.none)
        return; // no mapping exists: the reason is printed elsewhere
    std::cout << "least " << objectiveName(objective) << ' ' << proofText(r, objective) << "; "
              << formatGrouped(r.tilings) << " tilings looked at, " << formatGrouped(r.evaluations)
              << " costs and bounds; " << secondsText(r.seconds) << '\n';
    const auto& best = r.of(objective);
    if (!best)
        return;
    std::cout << printMapping(subject.nest, *args.hierarchy, best->mapping);
    printMappingCost(subject, args, evaluate(subject.nest, *args.hierarchy, best->mapping));
    if (const auto runs = subject.layer.runs(); runs > 1)
        std::cout << formatGrouped(runs)
                  << " times in its model: " << formatGrouped(static_cast<double>(runs) * best->energy)
                  << " pJ, " << formatGrouped(static_cast<double>(runs) * best->cycles) << " cycles\n";
    if (!r.constraintCosts.empty())
        print(constraintCostTable(r.constraintCosts, std::string(objectiveName(objective))));
}

int searchLayerOnHierarchy(const MapSubject& subject, const MapArguments& args,
                           const InterruptGuard& interrupt)
{
    const hierarchy::Objective objective = verbs::objectiveOf(args.objective);
    const hierarchy::SearchResult r = verbs::mapLayerOnHierarchy(
        subject, args, interrupt.token(), args.progress ? printHierarchyStatus : verbs::HierarchyStatus());
    const auto document = [&] {
        return verbs::withNotes(
            hierarchy::searchReport(subject.nest, *args.hierarchy, r, objective, subject.layer.runs()),
            args.levelNotes);
    };
    const auto& best = r.of(objective);
    const auto figure = explainedMapping(
        subject, args, best ? evaluate(subject.nest, *args.hierarchy, best->mapping) : hierarchy::Cost());
    if (!figure)
        return fail(figure.error());
    if (args.json) {
        std::cout << withExplanation(document(), *figure);
    } else {
        printMappingSearch(subject, args, r);
        printExplanation(*figure);
    }
    rescueOutput(args.workload.file, document);
    if (best)
        if (Status s = writeMappingOutputs(subject, args, best->mapping,
                                           evaluate(subject.nest, *args.hierarchy, best->mapping));
            !s)
            return fail(s.error());
    if (r.interrupted)
        return Exit::Interrupted;
    if (!best) {
        tell(noMappingText(r) +
             wouldDoText(hierarchy::excludingLimits(subject.nest, *args.hierarchy, r.constraints)));
        return Exit::No;
    }
    return Exit::Success;
}

void printHierarchyModel(const hierarchy::ModelResult& r)
{
    Table out(
        std::vector<TableText>{"layer", "count", "energy pJ", "cycles", "edp", "above optimum", "time"});
    for (std::size_t i : {1, 2, 3, 4})
        out.columns[i].kind = ColumnKind::Number;
    for (const hierarchy::LayerResult& l : r.layers) {
        const auto& best = l.search.of(r.objective);
        if (!best) {
            out.add(l.layer.name, l.layer.count, "-", "-", "-", noMappingText(l.search), "");
            continue;
        }
        const double gap = l.search.gap(r.objective);
        const std::string above = l.search.proven      ? "proven"
                                  : std::isfinite(gap) ? "at most " + percent(gap, 2)
                                                       : "not proven";
        out.add(l.layer.name, l.layer.count, best->energy, best->cycles,
                TableCell(best->edp(), scientific(best->edp())), above,
                l.repeated ? "(same shape)" : secondsText(l.search.seconds));
    }
    print(out);
    std::cout << "total, each layer at its least " << objectiveName(r.objective) << ": "
              << formatGrouped(r.energy) << " pJ, " << formatGrouped(r.cycles) << " cycles, edp "
              << scientific(r.edp) << " (sum over all runs)"
              << "; " << secondsText(r.seconds) << '\n';
    printCostModel(hierarchy::kCostModel, "docs/rules/hierarchy.md");
}

int searchModelOnHierarchy(const MapModel& model, const MapArguments& args, const InterruptGuard& interrupt)
{
    const std::vector<mapping::Layer>& layers = model.layers.layers;
    const auto onLayer = [&](std::size_t i) {
        if (args.progress)
            std::cerr << "layer " << i + 1 << " of " << layers.size() << ": " << layers[i].name << '\n';
    };
    const auto r =
        verbs::mapModelOnHierarchy(model, args, interrupt.token(),
                                   args.progress ? printHierarchyStatus : verbs::HierarchyStatus(), onLayer);
    if (!r)
        return fail(r.error());
    if (args.json) {
        std::cout << verbs::withNotes(hierarchy::modelReport(*r), model.notes);
    } else {
        printLensNotes(model.notes);
        printHierarchyModel(*r);
    }
    rescueOutput(args.workload.file, [&] { return hierarchy::modelReport(*r); });
    int code = r->interrupted ? Exit::Interrupted : r->complete ? Exit::Success : Exit::No;
    if (!args.csv.empty())
        if (Status s = writeFound(args.csv, hierarchy::modelCsv(*r)); !s)
            code = fail(s.error());
    if (!args.output.empty())
        if (Status s = writeFound(args.output, hierarchy::modelMappings(*r)); !s)
            code = fail(s.error());
    return code;
}

} // namespace

int runMapOnHierarchy(const std::variant<MapSubject, MapModel>& subject, const MapArguments& args)
{
    const auto* layer = std::get_if<MapSubject>(&subject);
    if (layer && !args.method.empty())
        return evaluateMappingFile(*layer, args);
    const InterruptGuard interrupt;
    return layer ? searchLayerOnHierarchy(*layer, args, interrupt)
                 : searchModelOnHierarchy(std::get<MapModel>(subject), args, interrupt);
}

} // namespace tilewright::cli
