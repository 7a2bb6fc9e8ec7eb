// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/breakdown_model.h"

#include "mapping/edits.h"
#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"
#include "views/mapping/nest_model.h"

#include <algorithm>

namespace tilewright::ui {

using namespace mapping;
using mapping::MappingCost; // not the schedule's MappingCost

namespace {

QString operandName(const LoopNest& nest, std::size_t op)
{
    const std::string_view s = nest.operands[op].name;
    return word(s);
}

double sum(const std::vector<BarPart>& parts)
{
    double out = 0;
    for (const BarPart& p : parts)
        out += p.value;
    return out;
}

std::vector<BarPart> fillParts(const LoopNest& nest, const MemoryFill& fill)
{
    std::vector<BarPart> out;
    if (fill.level == Level::Spatial)
        return {{PartKind::Other, tr("used"), static_cast<double>(fill.total)}};
    for (std::size_t op = 0; op < kOperands; ++op)
        out.push_back({static_cast<PartKind>(op), operandName(nest, op), static_cast<double>(fill.used[op])});
    return out;
}

std::vector<BarPart> energyParts(const LoopNest& nest, const EnergyMatrix& matrix, std::size_t component)
{
    std::vector<BarPart> out;
    for (std::size_t op = 0; op < kOperands; ++op)
        out.push_back({static_cast<PartKind>(op), operandName(nest, op), matrix[component][op]});
    if (matrix[component][kOperands] > 0)
        out.push_back({PartKind::Other,
                       component == static_cast<std::size_t>(EnergyComponent::Leakage)
                           ? tr("whole machine")
                           : tr("multiplications"),
                       matrix[component][kOperands]});
    return out;
}

std::vector<BarPart> cycleParts(const MappingCost& e)
{
    return {{PartKind::Compute, tr("compute"), static_cast<double>(e.cycleParts.compute)},
            {PartKind::Distribution, tr("distribution"), static_cast<double>(e.cycleParts.distribution)},
            {PartKind::Reduction, tr("reduction"), static_cast<double>(e.cycleParts.reduction)},
            {PartKind::Drain, tr("drain"), static_cast<double>(e.cycleParts.drain)},
            {PartKind::Dma, tr("DMA"), static_cast<double>(e.cycleParts.dma)}};
}

void finish(BreakdownSection& section)
{
    section.scale = 0;
    for (BreakdownBar& bar : section.bars) {
        bar.total = sum(bar.parts);
        if (!bar.before.empty())
            bar.beforeTotal = sum(bar.before);
        section.scale = std::max({section.scale, bar.total, bar.beforeTotal.value_or(0)});
    }
    if (section.scale <= 0)
        section.scale = 1;
}

} // namespace

BreakdownModel buildBreakdown(const MappingSetup& setup, const LoopNest& nest, const MappingCost& e,
                              const std::optional<MappingBaseline>& baseline)
{
    BreakdownModel out;
    if (!e.hasNumbers)
        return out;
    const MappingBaseline* ghost =
        baseline && baseline->evaluation.hasNumbers && baseline->setup.layer.kind == setup.layer.kind
            ? &*baseline
            : nullptr;

    BreakdownSection memory{tr("Memory fill"), {}, {}, 1, true, {}};
    const auto fills = memoryFill(setup.architecture, e);
    for (std::size_t i = 0; i < fills.size(); ++i) {
        BreakdownBar bar;
        bar.label = levelText(fills[i].level);
        bar.parts = fillParts(nest, fills[i]);
        bar.capacity = static_cast<double>(fills[i].capacity);
        if (ghost)
            bar.before = fillParts(nest, memoryFill(ghost->setup.architecture, ghost->evaluation)[i]);
        const QString unit = fills[i].level == Level::Spm  ? tr("banks")
                             : fills[i].level == Level::Rf ? tr("elements")
                                                           : QString();
        bar.value = tr("%1 / %2 %3").arg(number(fills[i].total), number(fills[i].capacity), unit).trimmed();
        memory.bars.push_back(std::move(bar));
    }
    finish(memory);
    out.sections.push_back(std::move(memory));

    BreakdownSection energy{tr("Energy"), tr("pJ"), {}, 1, false, {}};
    const EnergyMatrix matrix = energyMatrix(e);
    const EnergyMatrix before = ghost ? energyMatrix(ghost->evaluation) : EnergyMatrix{};
    for (std::size_t c = 0; c < kEnergyComponents; ++c) {
        const auto component = static_cast<EnergyComponent>(c);
        if (component == EnergyComponent::Leakage && matrix[c][kOperands] + before[c][kOperands] <= 0)
            continue;
        const std::string_view name = componentName(component);
        BreakdownBar bar;
        bar.label = word(name);
        bar.parts = energyParts(nest, matrix, c);
        if (ghost)
            bar.before = energyParts(nest, before, c);
        bar.value = tr("%1 · %2").arg(shortNumber(sum(bar.parts)),
                                      percent(e.energy > 0 ? sum(bar.parts) / e.energy : 0));
        energy.bars.push_back(std::move(bar));
    }
    finish(energy);
    for (std::size_t op = 0; op < kOperands; ++op) {
        double total = 0;
        for (std::size_t c = 0; c < kEnergyComponents; ++c)
            total += matrix[c][op];
        energy.legend.push_back({static_cast<PartKind>(op), operandName(nest, op), total});
    }
    double none = 0;
    for (const auto& row : matrix)
        none += row[kOperands];
    energy.legend.push_back({PartKind::Other, tr("none"), none});
    out.sections.push_back(std::move(energy));

    // docs/rules/mapping.md 4
    BreakdownSection cycles{tr("Cycles"), tr("1 element per cycle per network"), {}, 1, false, {}};
    cycles.note =
        tr("Every operand has its own network from the scratchpad to the PEs, which sends one element per "
           "cycle, whatever the bandwidth of the machine is. The Schedule lens counts bandwidth and no "
           "network. Compare methods here; do not compare these cycles with its latency.");
    BreakdownBar bar;
    bar.parts = cycleParts(e);
    if (ghost)
        bar.before = cycleParts(ghost->evaluation);
    bar.value = shortNumber(static_cast<double>(e.cycles));
    cycles.legend = bar.parts;
    cycles.bars.push_back(std::move(bar));
    finish(cycles);
    out.sections.push_back(std::move(cycles));
    return out;
}

QString breakdownAsText(const BreakdownModel& model)
{
    QString out = tr("what\tbar\tpart\tvalue\tbaseline\n");
    for (const BreakdownSection& s : model.sections)
        for (const BreakdownBar& bar : s.bars)
            for (std::size_t i = 0; i < bar.parts.size(); ++i)
                out += textRow(s.title, bar.label, bar.parts[i].name, bar.parts[i].value,
                               i < bar.before.size() ? std::optional(bar.before[i].value) : std::nullopt);
    return out;
}

} // namespace tilewright::ui
