// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "hierarchy/report.h"

#include <algorithm>

namespace tilewright::hierarchy {

namespace {

Table tableOfOperands()
{
    return tableOf("layer,shape,count,macs,proven,energy_pj,cycles,edp,level,operand,tile,reads,writes,"
                   "operand_pj,fill_cycles,drain_cycles");
}

void addRows(Table& table, const mapping::Layer& layer, const LoopNest& nest,
             const Architecture& architecture, const Cost& cost, const char* proven)
{
    for (std::size_t i = 0; i < cost.levels.size(); ++i)
        for (std::size_t op = 0; op < kOperands; ++op) {
            if (!architecture.levels[i].holds[op])
                continue;
            const OperandCost& o = cost.levels[i].operands[op];
            table.add(layer.name, describe(layer), layer.count, nest.macs, proven, cost.energy, cost.cycles,
                      cost.edp, architecture.levels[i].name, nest.operands[op].name, o.tile, o.traffic.reads,
                      o.traffic.writes, o.energy, o.fill, o.drain);
        }
}

std::string loopsText(const LoopNest& nest, const std::vector<TiledLoop>& loops)
{
    std::string out;
    for (const TiledLoop& tiled : loops)
        if (tiled.factor > 1) {
            out += out.empty() ? "" : ", ";
            out += nest.loopNames[static_cast<std::size_t>(tiled.loop)];
            out += " " + std::to_string(tiled.factor);
        }
    return out;
}

} // namespace

Table levelTable(const LoopNest& nest, const Architecture& architecture, const Cost& cost)
{
    Table out(
        std::vector<TableText>{"level", "instances", "energy pJ", "read cycles", "write cycles", "waiting"});
    for (TableColumn& column : out.columns)
        column.kind = &column == &out.columns.front() ? ColumnKind::Text : ColumnKind::Number;
    for (const char* what : {" reads", " writes"})
        for (const mapping::Operand& operand : nest.operands)
            out.columns.push_back({std::string(operand.name) + what, ColumnKind::Number});
    for (std::size_t i = 0; i < cost.levels.size(); ++i) {
        const LevelCost& level = cost.levels[i];
        std::vector<TableCell> row{
            architecture.levels[i].name, level.instances, level.energy(), level.readCycles,
            level.writeCycles,           level.waiting()};
        for (const auto count : {&Traffic::reads, &Traffic::writes})
            for (std::size_t op = 0; op < kOperands; ++op) {
                if (architecture.levels[i].holds[op])
                    row.emplace_back(level.operands[op].traffic.*count);
                else
                    row.emplace_back("");
            }
        out.add(std::move(row));
    }
    return out;
}

std::string modelCsv(const ModelResult& result)
{
    Table out = tableOfOperands();
    for (const LayerResult& l : result.layers)
        if (const auto& best = l.search.of(result.objective))
            addRows(out, l.layer, l.nest, result.architecture,
                    evaluate(l.nest, result.architecture, best->mapping), l.search.proven ? "yes" : "no");
    return csvOf(out);
}

std::string mappingCsv(const mapping::Layer& layer, const LoopNest& nest, const Architecture& architecture,
                       const Cost& cost)
{
    Table out = tableOfOperands();
    addRows(out, layer, nest, architecture, cost, "");
    return csvOf(out);
}

std::string limitText(const Architecture& architecture, const Cost& cost)
{
    if (cost.limitLevel < 0)
        return "the MACs";
    return (cost.limit == Limit::Reads ? "the reads of " : "the writes of ") +
           architecture.levels[static_cast<std::size_t>(cost.limitLevel)].name;
}

std::string noMappingText(const SearchResult& result)
{
    std::string out = result.proven ? "no valid mapping exists" : "no valid mapping was found";
    return result.none ? out + ": " + result.none->message : out;
}

std::string printMapping(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping)
{
    std::size_t width = 0;
    for (const Level& level : architecture.levels)
        width = std::max(width, level.name.size());
    std::string out;
    for (std::size_t i = 0; i < mapping.levels.size(); ++i) {
        std::string line = architecture.levels[i].name;
        line.append(width - line.size() + 2, ' ');
        std::string loops = loopsText(nest, mapping.levels[i].temporal);
        line += loops.empty() ? "-" : loops;
        for (const AxisLoops& axis : mapping.levels[i].spatial)
            if (loops = loopsText(nest, axis.loops); !loops.empty())
                line += " | " + axis.axis + ": " + loops;
        out += line + "\n";
    }
    return out;
}

} // namespace tilewright::hierarchy
