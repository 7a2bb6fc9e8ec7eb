// SPDX-License-Identifier: GPL-3.0-or-later
#include "hierarchy/figures.h"

#include "base/integer.h"
#include "base/table.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace tilewright::hierarchy {

namespace {

std::int64_t bytesOf(double bits)
{
    return static_cast<std::int64_t>(std::ceil(bits / 8));
}

/// Text of a port: "reads 32 bytes per cycle at 0.125 pJ a bit".
std::string portText(const char* verb, const std::optional<double>& bytesPerCycle, double pj)
{
    std::string out = verb;
    if (bytesPerCycle)
        out.append(" ").append(formatGrouped(*bytesPerCycle)).append(" bytes per cycle");
    else
        out += " any number of bytes per cycle";
    return out.append(" at ").append(TableValue(pj).exact()).append(" pJ a bit");
}

} // namespace

std::vector<EnergyRow> energyRows(const Architecture& architecture, const Cost& cost)
{
    std::vector<EnergyRow> out;
    out.reserve(cost.levels.size() + 1);
    for (std::size_t i = 0; i < cost.levels.size(); ++i) {
        EnergyRow& row = out.emplace_back();
        row.name = architecture.levels[i].name;
        for (std::size_t op = 0; op < kOperands; ++op)
            row.operands[op] = cost.levels[i].operands[op].energy;
    }
    EnergyRow& macs = out.emplace_back();
    macs.name = "MACs";
    macs.multiplications = cost.macEnergy;
    return out;
}

std::vector<ResourceTime> resourceTimes(const Architecture& architecture, const Cost& cost)
{
    std::vector<ResourceTime> out{
        {Limit::Compute, -1, static_cast<double>(cost.compute), cost.limit == Limit::Compute}};
    for (std::size_t i = 0; i < cost.levels.size(); ++i) {
        const Level& level = architecture.levels[i];
        const auto add = [&](Limit kind, double cycles) {
            const auto index = static_cast<int>(i);
            out.push_back({kind, index, cycles, cost.limitLevel == index && cost.limit == kind});
        };
        if (level.readBytesPerCycle)
            add(Limit::Reads, cost.levels[i].readCycles);
        if (level.writeBytesPerCycle)
            add(Limit::Writes, cost.levels[i].writeCycles);
    }
    return out;
}

std::vector<WaitingRow> waitingRows(const Architecture& architecture, const Cost& cost)
{
    std::vector<WaitingRow> out;
    for (std::size_t i = 0; i < cost.levels.size(); ++i) {
        const LevelCost& level = cost.levels[i];
        if (level.waiting() <= 0)
            continue;
        WaitingRow& row = out.emplace_back();
        row.name = architecture.levels[i].name;
        row.total = level.waiting();
        for (std::size_t op = 0; op < kOperands; ++op) {
            row.fill[op] = level.operands[op].fill;
            row.drain[op] = level.operands[op].drain;
        }
    }
    return out;
}

std::vector<MemoryFill> memoryFills(const LoopNest& nest, const Architecture& architecture,
                                    const Mapping& mapping)
{
    const TiledNest tiled = tiledNest(nest, mapping);
    std::vector<MemoryFill> out;
    for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
        const Level& level = architecture.levels[i];
        const auto bits = storedBits(nest, architecture, i, tiled.extents[i]);
        if (!level.memories) {
            MemoryFill& fill = out.emplace_back();
            fill.level = i;
            for (std::size_t op = 0; op < kOperands; ++op)
                fill.used[op] = bytesOf(bits[op]);
            fill.total = bytesOf(bits[0] + bits[1] + bits[2]);
            fill.capacity = level.bytes;
            continue;
        }
        for (std::size_t op = 0; op < kOperands; ++op) {
            if (!level.holds[op])
                continue;
            MemoryFill& fill = out.emplace_back();
            fill.level = i;
            fill.operand = static_cast<int>(op);
            fill.used[op] = fill.total = bytesOf(bits[op]);
            fill.capacity = (*level.memories)[op];
        }
    }
    return out;
}

AxisUse axisUse(const LoopNest& nest, const Architecture& architecture, const Mapping& mapping,
                const Place& place)
{
    AxisUse out;
    const std::vector<Axis>& axes = architecture.levels[place.level].axes;
    const auto axis = std::ranges::find(axes, place.axis.value_or(std::string()), &Axis::name);
    if (axis != axes.end())
        out.size = axis->size;
    for (const TiledLoop& tiled : loopsAt(mapping, place)) {
        out.used = saturatingMul(out.used, tiled.factor);
        if (tiled.factor > 1)
            out.isAllowed = out.isAllowed && axis != axes.end() && axis->allows(nest.kind, tiled.loop);
    }
    return out;
}

MovePreview previewMove(const LoopNest& nest, const Architecture& architecture, const Cost& before,
                        const Mapping& candidate)
{
    MovePreview out;
    out.mapping = candidate;
    out.after = evaluate(nest, architecture, candidate);
    out.energyChange = out.after.energy - before.energy;
    out.cyclesChange = out.after.cycles - before.cycles;
    out.edpChange = out.after.edp - before.edp;
    return out;
}

std::string heldText(const LoopNest& nest, const Level& level)
{
    std::string out;
    for (std::size_t op = 0; op < kOperands; ++op)
        if (level.holds[op])
            out.append(out.empty() ? "" : ", ").append(nest.operands[op].name);
    return out;
}

std::string levelText(const LoopNest& nest, const Architecture& architecture, std::size_t level)
{
    const Level& l = architecture.levels[level];
    std::string out = "holds " + heldText(nest, l) + "; ";
    if (l.memories) {
        std::string sizes;
        for (std::size_t op = 0; op < kOperands; ++op)
            if (l.holds[op])
                sizes.append(sizes.empty() ? "" : ", ")
                    .append(bytesText((*l.memories)[op]))
                    .append(" for ")
                    .append(nest.operands[op].name);
        out += sizes;
    } else {
        out += l.bytes ? bytesText(*l.bytes) : "unlimited";
    }
    if (architecture.isDoubleBuffered(level))
        out += ", double-buffered";
    out.append("; ").append(portText("reads", l.readBytesPerCycle, l.readPj));
    out.append(", ").append(portText("writes", l.writeBytesPerCycle, l.writePj));
    if (!l.axes.empty() && !l.multicast)
        out += "; no multicast";
    if (!l.axes.empty() && l.reductionTree)
        out += "; adds what its instances send";
    return out;
}

} // namespace tilewright::hierarchy
