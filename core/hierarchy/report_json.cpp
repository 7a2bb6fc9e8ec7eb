// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/report.h"

#include "base/constraint_cost_json.h"
#include "base/exclusion_json.h"
#include "hierarchy/excluding.h"
#include "hierarchy/mapping_json.h"

#include <cmath>

namespace tilewright::hierarchy {

namespace {

Json countsJson(const LoopNest& nest, const Architecture& architecture, const Cost& cost)
{
    Json out = Json::object();
    for (std::size_t i = 0; i < cost.levels.size(); ++i)
        for (std::size_t op = 0; op < kOperands; ++op) {
            const OperandCost& o = cost.levels[i].operands[op];
            out[architecture.levels[i].name][std::string(nest.operands[op].name)] = {
                {"reads", o.traffic.reads}, {"writes", o.traffic.writes}};
        }
    return out;
}

Json levelsJson(const LoopNest& nest, const Architecture& architecture, const Cost& cost)
{
    Json out = Json::array();
    for (std::size_t i = 0; i < cost.levels.size(); ++i) {
        const LevelCost& level = cost.levels[i];
        Json row{{"name", architecture.levels[i].name},
                 {"instances", level.instances},
                 {"energy", level.energy()},
                 {"read_cycles", level.readCycles},
                 {"write_cycles", level.writeCycles}};
        for (std::size_t op = 0; op < kOperands; ++op) {
            const OperandCost& o = level.operands[op];
            if (architecture.levels[i].holds[op])
                row["operands"][std::string(nest.operands[op].name)] = {
                    {"tile", o.tile}, {"energy", o.energy}, {"fill", o.fill}, {"drain", o.drain}};
        }
        out.push_back(std::move(row));
    }
    return out;
}

Json errorJson(const LoopNest& nest, const Architecture& architecture, const Violation& violation)
{
    Json out{{"code", violationName(violation.code)}, {"message", violation.message}};
    if (violation.loop >= 0)
        out["loop"] = nest.loopNames[static_cast<std::size_t>(violation.loop)];
    if (violation.level >= 0)
        out["level"] = architecture.levels[static_cast<std::size_t>(violation.level)].name;
    return out;
}

void addCost(Json& out, const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    const Cost cost = evaluate(nest, architecture, mapping);
    out["valid"] = cost.valid();
    out["error"] = cost.violation ? errorJson(nest, architecture, *cost.violation) : Json();
    out["mapping"] = mappingJson(nest, architecture, mapping);
    if (!cost.hasNumbers) {
        for (const char* key :
             {"energy", "cycles", "edp", "compute", "limit", "waiting", "mac_energy", "counts", "levels"})
            out[key] = nullptr;
        return;
    }
    out["energy"] = cost.energy;
    out["cycles"] = cost.cycles;
    out["edp"] = cost.edp;
    out["compute"] = cost.compute;
    out["limit"] = limitText(architecture, cost);
    out["waiting"] = cost.waiting;
    out["mac_energy"] = cost.macEnergy;
    out["counts"] = countsJson(nest, architecture, cost);
    out["levels"] = levelsJson(nest, architecture, cost);
}

Json pointJson(const LoopNest& nest, const Architecture& architecture, const MappingCost& point)
{
    return {{"cycles", point.cycles},
            {"energy", point.energy},
            {"edp", point.edp()},
            {"mapping", mappingJson(nest, architecture, point.mapping)}};
}

/// The reason why a search has no mapping.
Json noneJson(const LoopNest& nest, const Architecture& architecture, const SearchResult& result)
{
    Json out{{"code", "NONE"}, {"message", noMappingText(result)}};
    if (result.none && result.none->loop >= 0)
        out["loop"] = nest.loopNames[static_cast<std::size_t>(result.none->loop)];
    if (result.none && result.none->level >= 0)
        out["level"] = architecture.levels[static_cast<std::size_t>(result.none->level)].name;
    if (result.none)
        out["limits"] = limitsJson(excludingLimits(nest, architecture, result.constraints));
    return out;
}

/// The gap as a JSON number; null if it is not known.
Json gapJson(double gap)
{
    return std::isfinite(gap) ? Json(gap) : Json();
}

} // namespace

std::string evaluationReport(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                             Objective objective, double seconds)
{
    Json out = Json::object();
    out["cost_model"] = kCostModel;
    out["objective"] = objectiveName(objective);
    addCost(out, nest, architecture, mapping);
    out["evaluated"] = 1;
    out["seconds"] = seconds;
    return jsonText(out, 2) + "\n";
}

std::string searchReport(const LoopNest& nest, const Architecture& architecture, const SearchResult& result,
                         Objective objective, std::int64_t runs)
{
    Json out = Json::object();
    out["cost_model"] = kCostModel;
    out["objective"] = objectiveName(objective);
    const auto& best = result.of(objective);
    if (best) {
        addCost(out, nest, architecture, best->mapping);
    } else {
        out["valid"] = false;
        out["error"] = noneJson(nest, architecture, result);
        for (const char* key : {"mapping", "energy", "cycles", "edp"})
            out[key] = nullptr;
    }
    if (best && runs > 1) {
        const auto times = static_cast<double>(runs);
        out["count"] = runs;
        out["total"] = {{"energy", times * best->energy}, {"cycles", times * best->cycles}};
    }
    if (result.constraints.any())
        out["constraints"] = constraintTexts(nest, architecture, result.constraints);
    if (!result.constraintCosts.empty())
        out["constraint_costs"] = constraintCostsJson(result.constraintCosts);
    out["evaluated"] = result.evaluations;
    out["seconds"] = result.seconds;
    out["proven"] = result.proven;
    out["tilings"] = result.tilings;
    out["cut"] = result.cut;
    out["interrupted"] = result.interrupted;
    for (std::size_t o = 0; o < kObjectives; ++o) {
        const auto each = static_cast<Objective>(o);
        const std::string key(objectiveName(each));
        out["lower_bound"][key] = result.lowerBound[o];
        out["gap"][key] = gapJson(result.gap(each));
        out["optimal"][key] = result.isOptimal(each);
        out["best"][key] = result.best[o] ? pointJson(nest, architecture, *result.best[o]) : Json();
    }
    out["pareto"] = Json::array();
    for (const MappingCost& point : result.front)
        out["pareto"].push_back(pointJson(nest, architecture, point));
    return jsonText(out, 2) + "\n";
}

std::string modelReport(const ModelResult& result)
{
    Json out = Json::object();
    out["model"] = result.name;
    out["cost_model"] = kCostModel;
    out["objective"] = objectiveName(result.objective);
    out["valid"] = result.complete;
    out["proven"] = result.proven;
    out["interrupted"] = result.interrupted;
    out["seconds"] = result.seconds;
    out["layers"] = Json::array();
    for (const LayerResult& l : result.layers) {
        const auto& best = l.search.of(result.objective);
        out["layers"].push_back({{"name", l.layer.name},
                                 {"kind", kindName(l.layer.kind)},
                                 {"shape", describe(l.layer)},
                                 {"count", l.layer.count},
                                 {"macs", l.nest.macs},
                                 {"proven", l.search.proven},
                                 {"gap", gapJson(l.search.gap(result.objective))},
                                 {"evaluated", l.search.evaluations},
                                 {"seconds", l.repeated ? 0 : l.search.seconds},
                                 {"best", best ? pointJson(l.nest, result.architecture, *best) : Json()}});
        if (!best)
            out["layers"].back()["error"] = noneJson(l.nest, result.architecture, l.search);
    }
    out["energy"] = result.energy;
    out["cycles"] = result.cycles;
    out["edp"] = result.edp;
    return jsonText(out, 2) + "\n";
}

std::string modelMappings(const ModelResult& result)
{
    Json out = Json::object();
    out["name"] = result.name;
    out["objective"] = objectiveName(result.objective);
    out["layers"] = Json::array();
    for (const LayerResult& l : result.layers) {
        const auto& best = l.search.of(result.objective);
        out["layers"].push_back(
            {{"name", l.layer.name},
             {"mapping", best ? mappingJson(l.nest, result.architecture, best->mapping) : Json()}});
    }
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::hierarchy
