// SPDX-License-Identifier: GPL-3.0-or-later
// The breakdown of energy and cycles on an architecture with levels (docs/rules/hierarchy.md).
#include "hierarchy/edits.h"
#include "hierarchy/figures.h"
#include "theme/text.h"
#include "views/mapping/breakdown_parts.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

using Levels = hierarchy::Architecture;

QString nameOf(const Levels& architecture, int level)
{
    return QString::fromStdString(architecture.levels[static_cast<std::size_t>(level)].name);
}

std::vector<BarPart> operandParts(const mapping::LoopNest& nest, const auto& values)
{
    std::vector<BarPart> out;
    for (std::size_t op = 0; op < mapping::kOperands; ++op)
        out.push_back(
            {static_cast<PartKind>(op), word(nest.operands[op].name), static_cast<double>(values[op])});
    return out;
}

/// Section that shows how full the memories and how used the axes are. Memories of unlimited size have no
/// bar.
BreakdownSection fillSection(const mapping::LoopNest& nest, const MappingSetup& setup)
{
    const Levels& architecture = *setup.levels;
    BreakdownSection out{tr("Memory fill"), tr("bytes; axes in instances"), {}, 1, true, {}};
    for (const hierarchy::MemoryFill& fill : memoryFills(nest, architecture, setup.mapping)) {
        if (!fill.capacity)
            continue;
        BreakdownBar bar;
        bar.label = nameOf(architecture, static_cast<int>(fill.level));
        if (fill.operand >= 0)
            bar.label += QLatin1Char(' ') + word(nest.operands[static_cast<std::size_t>(fill.operand)].name);
        bar.parts = operandParts(nest, fill.used);
        bar.capacity = static_cast<double>(*fill.capacity);
        bar.unit = tr("bytes");
        bar.value = tr("%1 / %2").arg(bytesText(fill.total), bytesText(*fill.capacity));
        out.bars.push_back(std::move(bar));
    }
    for (const hierarchy::Place& place : placesOf(architecture, setup.mapping)) {
        if (!place.axis)
            continue;
        const hierarchy::AxisUse use = axisUse(nest, architecture, setup.mapping, place);
        BreakdownBar bar;
        bar.label = QString::fromStdString(*place.axis);
        bar.parts = {{PartKind::Other, tr("used"), static_cast<double>(use.used)}};
        bar.capacity = static_cast<double>(use.size);
        bar.unit = tr("instances");
        bar.value = tr("%1 / %2").arg(number(use.used), number(use.size));
        out.bars.push_back(std::move(bar));
    }
    finishSection(out);
    return out;
}

BreakdownSection energySection(const mapping::LoopNest& nest, const Levels& architecture,
                               const hierarchy::Cost& cost)
{
    BreakdownSection out{tr("Energy"), tr("pJ"), {}, 1, false, {}};
    for (const hierarchy::EnergyRow& row : energyRows(architecture, cost)) {
        BreakdownBar bar;
        bar.label = QString::fromStdString(row.name);
        bar.unit = out.unit;
        bar.parts = operandParts(nest, row.operands);
        if (row.multiplications > 0)
            bar.parts.push_back({PartKind::Other, tr("multiplications"), row.multiplications});
        bar.value = tr("%1 · %2").arg(shortNumber(row.total()),
                                      percent(cost.energy > 0 ? row.total() / cost.energy : 0));
        out.bars.push_back(std::move(bar));
    }
    finishSection(out);
    addOperandLegend(out, nest);
    return out;
}

BreakdownSection cyclesSection(const mapping::LoopNest& nest, const Levels& architecture,
                               const hierarchy::Cost& cost)
{
    BreakdownSection out{tr("Cycles"), tr("the longest time, and waiting"), {}, 1, false, {}};
    out.note =
        tr("All resources work at the same time: the longest time limits the layer. A level without double "
           "buffer adds the cycles in which it waits for its tiles. These cycles cannot be compared with "
           "those of an architecture of four levels.");
    for (const hierarchy::ResourceTime& time : resourceTimes(architecture, cost)) {
        BreakdownBar bar;
        bar.unit = tr("cycles");
        const bool reads = time.kind == hierarchy::Limit::Reads;
        if (time.level < 0) {
            bar.label = tr("MACs");
            bar.parts = {{PartKind::Compute, tr("compute"), time.cycles}};
        } else {
            bar.label = (reads ? tr("%1 reads") : tr("%1 writes")).arg(nameOf(architecture, time.level));
            bar.parts = {{reads ? PartKind::Distribution : PartKind::Drain,
                          reads ? tr("reads") : tr("writes"), time.cycles}};
        }
        bar.limits = time.limits;
        bar.value = time.limits ? tr("limits: %1").arg(number(time.cycles)) : number(time.cycles);
        out.bars.push_back(std::move(bar));
    }
    for (const hierarchy::WaitingRow& row : waitingRows(architecture, cost)) {
        BreakdownBar bar;
        bar.unit = tr("cycles");
        bar.label = tr("%1 waits").arg(QString::fromStdString(row.name));
        for (std::size_t op = 0; op < mapping::kOperands; ++op) {
            const QString name = word(nest.operands[op].name);
            bar.parts.push_back({PartKind::Dma, tr("%1 fill").arg(name), row.fill[op]});
            if (op == mapping::kWritten)
                bar.parts.push_back({PartKind::Drain, tr("%1 drain").arg(name), row.drain[op]});
        }
        bar.value = tr("+ %1").arg(number(row.total));
        out.bars.push_back(std::move(bar));
    }
    finishSection(out);
    return out;
}

/// Adds to each bar the parts of the baseline's bar of the same name.
void addBaseline(BreakdownSection& section, const BreakdownSection& before)
{
    for (BreakdownBar& bar : section.bars) {
        const auto same = std::ranges::find(before.bars, bar.label, &BreakdownBar::label);
        if (same == before.bars.end())
            continue;
        bar.before = same->parts;
        bar.beforeTotal = same->total;
        section.scale = std::max(section.scale, same->total);
    }
}

BreakdownModel sectionsOf(const mapping::LoopNest& nest, const MappingSetup& setup,
                          const hierarchy::Cost& cost)
{
    return {{fillSection(nest, setup), energySection(nest, *setup.levels, cost),
             cyclesSection(nest, *setup.levels, cost)}};
}

} // namespace

BreakdownModel breakdownOfLevels(const MappingDocument& state, const MappingBaseline* baseline)
{
    BreakdownModel out = sectionsOf(state.nest(), state.setup(), state.levelsCost());
    if (!baseline)
        return out;
    const BreakdownModel before = sectionsOf(baseline->nest, baseline->setup, baseline->evaluation.levels);
    for (std::size_t i = 0; i < out.sections.size(); ++i)
        addBaseline(out.sections[i], before.sections[i]);
    return out;
}

} // namespace tilewright::ui
