// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/json_document.h"
#include "lower/lowered.h"

namespace tilewright::lower {

Result<ProblemPtr> problemOf(LoweredProblem lowered)
{
    return Problem::build(std::move(lowered.data));
}

std::string reportJson(const LoweringReport& r)
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
                                {"macs", n.macs},
                                {"bytes", n.bytes},
                                {"note", n.note}});
    out["left_out_bytes"] = r.leftOutBytes;
    out["coverage"] = {{"mapped", jsonNumber(r.coverage.mapped)},
                       {"folded", jsonNumber(r.coverage.folded)},
                       {"approximated", jsonNumber(r.coverage.approximated)},
                       {"dropped", jsonNumber(r.coverage.dropped)}};
    out["notes"] = r.notes;
    return jsonText(out, 2) + "\n";
}

} // namespace tilewright::lower
