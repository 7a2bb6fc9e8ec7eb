// SPDX-License-Identifier: GPL-3.0-or-later
// Reports of lowerings and of compared models as JSON.
#include "base/json_document.h"
#include "lower/lens_coverage.h"

namespace tilewright::lower {

namespace {

/// Returns a JSON object with a count for each status.
template <typename T> Json countsJson(const std::array<T, 4>& counts)
{
    Json out = Json::object();
    for (std::size_t s = 0; s < counts.size(); ++s)
        out[std::string(lower::toString(static_cast<NodeStatus>(s)))] = counts[s];
    return out;
}

Json coverageJson(const Coverage& c)
{
    return {{"mapped", jsonNumber(c.mapped)},
            {"folded", jsonNumber(c.folded)},
            {"approximated", jsonNumber(c.approximated)},
            {"dropped", c.unknown > 0 ? Json() : jsonNumber(c.dropped)},
            {"operators", countsJson(c.operators)},
            {"macs", countsJson(c.macs)},
            {"unknown_macs", c.unknown},
            {"missing", c.missing}};
}

} // namespace

Result<ProblemPtr> problemOf(LoweredProblem lowered)
{
    return Problem::build(std::move(lowered.data));
}

std::string reportJson(const LoweringReport& r, const std::vector<LensCoverage>& lenses)
{
    Json out{{"kind", "model"}, {"name", r.name}};
    if (r.opset > 0)
        out["opset"] = r.opset;
    out["operators"] = r.operators;
    out["tensors"] = r.tensors;
    out["macs"] = r.macs;
    out["vector_macs"] = r.vectorMacs;
    out["by_type"] = Json::object();
    for (const auto& [type, macs] : r.byType)
        out["by_type"][type] = macs;
    out["nodes"] = Json::array();
    for (const NodeReport& n : r.nodes)
        out["nodes"].push_back({{"name", n.name},
                                {"type", n.type},
                                {"status", toString(n.status)},
                                {"macs", n.macsKnown ? Json(n.macs) : Json()},
                                {"bytes", n.bytes},
                                {"note", n.note}});
    out["left_out_bytes"] = r.leftOutBytes;
    out["coverage"] = coverageJson(r.coverage);
    out["lenses"] = Json::object();
    for (const LensCoverage& lens : lenses)
        out["lenses"][std::string(toString(lens.lens))] = coverageJson(lens.coverage);
    out["notes"] = r.notes;
    return jsonText(out, 2) + "\n";
}

std::string comparisonJson(const ModelsOnMachine& models)
{
    const model::ModelComparison& c = models.comparison;
    const auto side = [&](std::size_t i) {
        const model::Model& m = models.models[i]->model();
        return Json{{"name", m.name},
                    {"operators", m.operators.size()},
                    {"macs", c.macs[i]},
                    {"bytes", c.bytes[i]},
                    {"cycles", models.totalCycles[i]}};
    };
    Json out{{"kind", "comparison"},
             {"machine", models.models[0]->machine.name},
             {"before", side(0)},
             {"after", side(1)},
             {"same", c.same},
             {"changed", c.changed},
             {"new", c.added},
             {"gone", c.gone},
             {"operators", Json::array()}};
    for (std::size_t i = 0; i < c.operators.size(); ++i) {
        const model::OperatorPair& p = c.operators[i];
        Json row{{"change", toString(p.change)}};
        const auto tell = [&](const char* key, std::size_t of, std::optional<OperatorId> o) {
            if (o)
                row[key] = {{"name", models.operatorOf(of, *o).name},
                            {"type", models.operatorOf(of, *o).typeName()}};
        };
        tell("before", 0, p.before);
        tell("after", 1, p.after);
        row["macs"] = p.macs;
        row["bytes"] = p.bytes;
        row["cycles"] = models.cycles[i];
        out["operators"].push_back(std::move(row));
    }
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::lower
