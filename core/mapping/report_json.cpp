// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/report.h"

#include "base/exclusion_json.h"
#include "base/text.h"
#include "mapping/method_json.h"
#include "mapping/no_method.h"

namespace tilewright::mapping {

namespace {

template <typename Get> Json perOperand(const LoopNest& nest, const MappingCost& e, Get&& get)
{
    Json out = Json::object();
    for (std::size_t op = 0; op < kOperands; ++op)
        out[std::string(nest.operands[op].name)] = get(e.operands[op]);
    return out;
}

Json partsJson(const EnergyParts& p)
{
    Json out{{"mac", p.mac}, {"rf", p.rf}, {"noc", p.noc}, {"spm", p.spm}, {"dram", p.dram}};
    if (p.leakage > 0)
        out["leakage"] = p.leakage;
    return out;
}

void addComponents(Json& out, const LoopNest& nest, const MappingCost& e)
{
    if (!e.hasNumbers) {
        for (const char* key : {"data", "reuse", "kept", "spm_pass_cycles", "spm_passes", "rf_passes",
                                "rf_pass_cycles", "reduction_cycles", "dma", "energy_parts",
                                "energy_by_operand", "cycle_parts", "network_cycles", "dma_cycles", "tiles"})
            out[key] = nullptr;
        return;
    }
    const auto field = [&](std::int64_t OperandReport::*member) {
        return perOperand(nest, e, [member](const OperandReport& o) { return o.*member; });
    };
    out["data"]["rf"] = field(&OperandReport::dataRf);
    out["data"]["array"] = field(&OperandReport::dataArray);
    out["data"]["spm"] = field(&OperandReport::dataSpm);
    out["reuse"]["spm"] = field(&OperandReport::reuseSpm);
    out["reuse"]["dram"] = field(&OperandReport::reuseDram);
    out["kept"] = Json::array();
    for (std::size_t op = 0; op < kOperands; ++op)
        if (e.operands[op].kept)
            out["kept"].push_back(nest.operands[op].name);
    out["spm_pass_cycles"] = e.spmPassCycles;
    out["spm_passes"] = e.spmPasses;
    out["rf_passes"] = e.rfPasses;
    out["rf_pass_cycles"] = e.rfPassCycles;
    out["reduction_cycles"] = e.reductionCycles;
    out["dma"] = perOperand(nest, e, [](const OperandReport& o) {
        return Json{{"bursts", o.bursts}, {"burst_elements", o.burstElements}, {"cycles", o.dmaCycles}};
    });
    out["energy_parts"] = partsJson(e.energyParts);
    out["energy_by_operand"] =
        perOperand(nest, e, [](const OperandReport& o) { return partsJson(o.energy); });
    out["cycle_parts"] = {{"compute", e.cycleParts.compute},
                          {"distribution", e.cycleParts.distribution},
                          {"reduction", e.cycleParts.reduction},
                          {"drain", e.cycleParts.drain},
                          {"dma", e.cycleParts.dma}};
    out["network_cycles"] = field(&OperandReport::networkCycles);
    out["dma_cycles"] = field(&OperandReport::dmaBusyCycles);
    out["tiles"] = {{"spm", e.spmTiles}, {"array", e.arrayPasses}, {"pe", e.peTiles}};
    out["fill"] = {{"pes", e.pesUsed}, {"rf_elements", e.rfElementsUsed}, {"spm_banks", e.spmBanksUsed}};
}

void addEvaluation(Json& out, const LoopNest& nest, const Method& method, const MappingCost& e)
{
    out["valid"] = e.valid();
    out["error"] = e.violation ? Json(violationName(e.violation->code)) : Json(nullptr);
    if (e.violation)
        out["message"] = e.violation->message;
    out["method"] = methodJson(nest, method);
    out["cycles"] = e.hasNumbers ? Json(e.cycles) : Json(nullptr);
    out["energy"] = e.hasNumbers ? Json(e.energy) : Json(nullptr);
    out["edp"] = e.hasNumbers ? Json(e.edp) : Json(nullptr);
}

Json costJson(const LoopNest& nest, const MethodCost& m)
{
    return {
        {"cycles", m.cycles}, {"energy", m.energy}, {"edp", m.edp}, {"method", methodJson(nest, m.method)}};
}

Json countJson(const SearchResult& r)
{
    return r.counts.space ? Json(*r.counts.space) : Json(nullptr);
}

} // namespace

std::string evaluationReport(const LoopNest& nest, const Method& method, const MappingCost& evaluation,
                             Objective objective, double seconds)
{
    Json out = Json::object();
    out["cost_model"] = kCostModel;
    out["objective"] = objectiveName(objective);
    addEvaluation(out, nest, method, evaluation);
    out["evaluated"] = 1;
    out["seconds"] = seconds;
    addComponents(out, nest, evaluation);
    return jsonText(out, 2) + "\n";
}

std::string searchReport(const LoopNest& nest, const Architecture& architecture, const SearchResult& result,
                         Objective objective, const SearchNotes& notes)
{
    Json out = Json::object();
    out["cost_model"] = kCostModel;
    out["objective"] = objectiveName(objective);
    if (const auto& best = result.of(objective)) {
        const MappingCost e = evaluate(nest, architecture, best->method);
        addEvaluation(out, nest, best->method, e);
        out["evaluated"] = result.counts.evaluations;
        out["seconds"] = result.seconds;
        addComponents(out, nest, e);
    } else {
        out["valid"] = false;
        out["error"] = "NONE";
        out["message"] = noMethodText(nest, architecture, result);
        if (const auto why = whyNoMethod(nest, architecture, result.reductions))
            out.update(exclusionJson(*why));
        for (const char* key : {"method", "cycles", "energy", "edp"})
            out[key] = nullptr;
        out["evaluated"] = result.counts.evaluations;
        out["seconds"] = result.seconds;
    }
    if (const auto& best = result.of(objective); best && notes.runs > 1) {
        const auto runs = static_cast<double>(notes.runs);
        out["count"] = notes.runs;
        out["total"] = {{"energy", runs * best->energy},
                        {"cycles", runs * static_cast<double>(best->cycles)}};
    }
    if (const auto& padding = notes.padding) {
        for (int l = 0; l < nest.loopCount; ++l)
            if (const auto i = static_cast<std::size_t>(l); padding->trips[i] != nest.trips[i])
                out["padding"]["trips"][std::string(nest.loopNames[i])] = padding->trips[i];
        out["padding"]["cycles"] = padding->best.cycles;
        out["padding"]["energy"] = padding->best.energy;
        out["padding"]["edp"] = padding->best.edp;
    }
    if (const auto& imperfect = notes.imperfect)
        out["imperfect"] = {
            {"cycles", imperfect->cycles}, {"energy", imperfect->energy}, {"edp", imperfect->edp}};
    out["proven"] = result.proven;
    out["space"] = countJson(result);
    out["visited"] = result.counts.visited;
    out["cut"] = result.counts.cut;
    out["invalid"] = result.counts.invalid;
    out["settled"] = result.settled;
    out["interrupted"] = result.interrupted;
    if (result.reductions.any()) {
        const Reductions& r = result.reductions;
        out["reductions"] = {{"min_pe_use", r.minPeUse},
                             {"min_rf_use", r.minRfUse},
                             {"min_spm_use", r.minSpmUse},
                             {"no_spatial_reduction", r.noSpatialReduction},
                             {"no_filter_loops_at_dram", r.noFilterLoopsAtDram}};
    }
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto objectiveKey = std::string(objectiveName(static_cast<Objective>(o)));
        out["lower_bound"][objectiveKey] = result.lowerBound[o];
        out["gap"][objectiveKey] = result.gap(static_cast<Objective>(o));
        out["optimal"][objectiveKey] = result.isOptimal(static_cast<Objective>(o));
        out["best"][objectiveKey] = result.best[o] ? costJson(nest, *result.best[o]) : Json(nullptr);
    }
    out["pareto"] = Json::array();
    for (const MethodCost& m : result.front)
        out["pareto"].push_back(costJson(nest, m));
    return jsonText(out, 2) + "\n";
}

std::string modelReport(const ModelResult& result, Objective objective)
{
    Json out = Json::object();
    out["model"] = result.name;
    out["cost_model"] = kCostModel;
    out["objective"] = objectiveName(objective);
    out["valid"] = result.complete;
    out["proven"] = result.proven;
    out["interrupted"] = result.interrupted;
    out["seconds"] = result.seconds;
    out["layers"] = Json::array();
    for (const LayerResult& l : result.layers) {
        Json row = Json::object();
        row["name"] = l.layer.name;
        row["kind"] = kindName(l.layer.kind);
        row["shape"] = describe(l.layer);
        row["count"] = l.layer.count;
        row["macs"] = l.nest.macs;
        row["proven"] = l.search.proven;
        if (l.search.reductions.any())
            row["reduced"] = true; // the result is proven within the reduced space of --quick
        row["space"] = countJson(l.search);
        row["visited"] = l.search.counts.visited;
        row["seconds"] = l.repeated ? 0 : l.search.seconds;
        for (std::size_t o = 0; o < kObjectives; ++o)
            row["best"][std::string(objectiveName(static_cast<Objective>(o)))] =
                l.search.best[o] ? costJson(l.nest, *l.search.best[o]) : Json(nullptr);
        out["layers"].push_back(std::move(row));
    }
    for (std::size_t o = 0; o < kObjectives; ++o)
        out["totals"][std::string(objectiveName(static_cast<Objective>(o)))] = {
            {"energy", result.totals[o].energy},
            {"cycles", result.totals[o].cycles},
            {"edp", result.totals[o].edp}};
    const ModelTotals& chosen = result.totals[static_cast<std::size_t>(objective)];
    out["energy"] = chosen.energy;
    out["cycles"] = chosen.cycles;
    out["edp"] = chosen.edp;
    return jsonText(out, 2) + "\n";
}

std::string modelMethods(const ModelResult& result, Objective objective)
{
    Json out = Json::object();
    out["name"] = result.name;
    out["objective"] = objectiveName(objective);
    out["layers"] = Json::array();
    for (const LayerResult& l : result.layers) {
        const auto& best = l.search.of(objective);
        out["layers"].push_back(
            {{"name", l.layer.name}, {"method", best ? methodJson(l.nest, best->method) : Json(nullptr)}});
    }
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::mapping
