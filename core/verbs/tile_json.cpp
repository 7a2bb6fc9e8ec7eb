// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/tile.h"

#include "base/json_reader.h"
#include "systolic/roofline.h"

namespace tilewright::verbs {

std::string tileJson(const TileAnswer& a)
{
    const systolic::TileQuery& q = a.query;
    const systolic::TileChoice& c = a.choice;
    const systolic::Hierarchy& h = a.hierarchy;
    Json out = {{"method", a.given ? "given" : systolic::tileMethodName(c.method)},
                {"Ti", c.tile.ti},
                {"Tj", c.tile.tj},
                {"Tk", c.tile.tk},
                {"fits", c.fits},
                {"footprint_elements", c.footprintElements},
                {"dram_bytes", a.bytes},
                {"points_visited", c.pointsVisited},
                {"space_reduction", c.spaceReduction}};
    out["rows"] = q.array.rows;
    out["cols"] = q.array.cols;
    out["capacity_elements"] = q.cap();
    out["footprint"] = systolic::footprintName(q.footprint);
    out["elements"] = c.elements;
    if (const auto best = systolic::exhaustiveTile(q))
        out["above_optimum"] = static_cast<double>(c.elements) / static_cast<double>(best->elements) - 1;
    const systolic::ReuseFactors f = a.reuse();
    out["reuse"] = {{"A", f.a}, {"B", f.b}, {"C", f.c}};
    out["constraints"] = Json::array();
    for (const systolic::Constraint& k : a.constraints())
        out["constraints"].push_back({{"name", k.name},
                                      {"used", k.used},
                                      {"available", k.available},
                                      {"unit", k.unit},
                                      {"limit", k.limit},
                                      {"fits", k.fits()}});
    if (const auto levels = a.threeLevels()) {
        out["levels"] = Json::array();
        for (const systolic::LevelTile& t : levels->level)
            out["levels"].push_back({{"level", systolic::levelName(t.level)},
                                     {"Ti", t.tile.ti},
                                     {"Tj", t.tile.tj},
                                     {"Tk", t.tile.tk},
                                     {"used_bytes", t.usedBytes},
                                     {"capacity_bytes", t.capacityBytes},
                                     {"traffic_bytes", t.trafficBytes}});
    }
    out["dram_by_dataflow"] = Json::array();
    for (const systolic::Dataflow d :
         {systolic::Dataflow::Os, systolic::Dataflow::Ws, systolic::Dataflow::Is}) {
        const systolic::DramQuery dram = systolic::dramQueryOf(h, q.gemm, d, c.tile);
        if (systolic::checkDramQuery(dram))
            out["dram_by_dataflow"].push_back({{"dataflow", systolic::dataflowName(d)},
                                               {"bytes", systolic::dramClosedForm(dram).bytes()},
                                               {"assumes", systolic::dramAssumption(dram)}});
    }
    if (a.adaptive)
        out["adaptive"] = {
            {"bytes", a.adaptive->bytes},
            {"row_by_row", a.adaptive->perRow},
            {"best_fixed", systolic::dataflowName(a.adaptive->bestFixed)},
            {"saving",
             {{"os", a.adaptive->saving[0]}, {"ws", a.adaptive->saving[1]}, {"is", a.adaptive->saving[2]}}}};
    return jsonText(out, 2) + "\n";
}

std::string tileJson(const std::vector<LayerTile>& tiles)
{
    Json rows = Json::array();
    for (const LayerTile& t : tiles)
        rows.push_back({{"operators", t.layer.operators},
                        {"m", t.layer.gemm.m},
                        {"n", t.layer.gemm.n},
                        {"k", t.layer.gemm.k},
                        {"count", t.layer.count},
                        {"Ti", t.choice.tile.ti},
                        {"Tj", t.choice.tile.tj},
                        {"Tk", t.choice.tile.tk},
                        {"fits", t.choice.fits},
                        {"footprint_elements", t.choice.footprintElements},
                        {"dram_bytes", t.bytes}});
    return jsonText(rows, 2) + "\n";
}

} // namespace tilewright::verbs
