// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/mapping/breakdown.h"

#include "chart/keys.h"
#include "mapping/edits.h"
#include "theme/text.h"
#include "theme/theme.h"
#include "views/mapping/breakdown_parts.h"
#include "views/mapping/nest_model.h"
#include "views/mapping/nest_paint.h"

#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

using namespace mapping;
using mapping::MappingCost; // the schedule has a type of the same name

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

} // namespace

void finishSection(BreakdownSection& section)
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

void addOperandLegend(BreakdownSection& section, const LoopNest& nest)
{
    for (std::size_t op = 0; op <= kOperands; ++op) {
        const PartKind kind = op < kOperands ? static_cast<PartKind>(op) : PartKind::Other;
        double total = 0;
        for (const BreakdownBar& bar : section.bars)
            for (const BarPart& part : bar.parts)
                total += part.kind == kind ? part.value : 0;
        section.legend.push_back({kind, op < kOperands ? operandName(nest, op) : tr("none"), total});
    }
}

namespace {

BreakdownModel fourLevels(const MappingDocument& state, const MappingBaseline* ghost)
{
    const MappingSetup& setup = state.setup();
    const LoopNest& nest = state.nest();
    const MappingCost& e = state.evaluation();
    BreakdownModel out;

    BreakdownSection memory{tr("Memory fill"), {}, {}, 1, true, {}};
    const auto fills = memoryFill(setup.architecture, e);
    for (std::size_t i = 0; i < fills.size(); ++i) {
        BreakdownBar bar;
        bar.label = levelText(fills[i].level);
        bar.parts = fillParts(nest, fills[i]);
        bar.capacity = static_cast<double>(fills[i].capacity);
        if (ghost)
            bar.before = fillParts(nest, memoryFill(ghost->setup.architecture, ghost->evaluation.cost)[i]);
        bar.unit = fills[i].level == Level::Spm  ? tr("banks")
                   : fills[i].level == Level::Rf ? tr("elements")
                                                 : tr("PEs");
        bar.value = fills[i].level == Level::Spatial
                        ? tr("%1 / %2").arg(number(fills[i].total), number(fills[i].capacity))
                        : tr("%1 / %2 %3").arg(number(fills[i].total), number(fills[i].capacity), bar.unit);
        memory.bars.push_back(std::move(bar));
    }
    finishSection(memory);
    out.sections.push_back(std::move(memory));

    BreakdownSection energy{tr("Energy"), tr("pJ"), {}, 1, false, {}};
    const EnergyMatrix matrix = energyMatrix(e);
    const EnergyMatrix before = ghost ? energyMatrix(ghost->evaluation.cost) : EnergyMatrix{};
    for (std::size_t c = 0; c < kEnergyComponents; ++c) {
        const auto component = static_cast<EnergyComponent>(c);
        if (component == EnergyComponent::Leakage && matrix[c][kOperands] + before[c][kOperands] <= 0)
            continue;
        const std::string_view name = componentName(component);
        BreakdownBar bar;
        bar.label = word(name);
        bar.unit = energy.unit;
        bar.parts = energyParts(nest, matrix, c);
        if (ghost)
            bar.before = energyParts(nest, before, c);
        bar.value = tr("%1 · %2").arg(shortNumber(sum(bar.parts)),
                                      percent(e.energy > 0 ? sum(bar.parts) / e.energy : 0));
        energy.bars.push_back(std::move(bar));
    }
    finishSection(energy);
    addOperandLegend(energy, nest);
    out.sections.push_back(std::move(energy));

    // docs/rules/mapping.md 4
    BreakdownSection cycles{tr("Cycles"), tr("1 element per cycle per network"), {}, 1, false, {}};
    cycles.note =
        tr("Every operand has its own network from the scratchpad to the PEs, which sends one element per "
           "cycle, whatever the bandwidth of the machine is. The Schedule lens counts bandwidth and no "
           "network. Compare methods here; do not compare these cycles with its latency.");
    BreakdownBar bar;
    bar.unit = tr("cycles");
    bar.parts = cycleParts(e);
    if (ghost)
        bar.before = cycleParts(ghost->evaluation.cost);
    bar.value = shortNumber(static_cast<double>(e.cycles));
    cycles.legend = bar.parts;
    cycles.bars.push_back(std::move(bar));
    finishSection(cycles);
    out.sections.push_back(std::move(cycles));
    return out;
}

} // namespace

BreakdownModel buildBreakdown(const MappingDocument& state)
{
    if (!state.figures().hasNumbers)
        return {};
    const auto& baseline = state.baseline();
    const bool comparable = baseline && baseline->evaluation.figures.hasNumbers &&
                            baseline->setup.layer.kind == state.setup().layer.kind &&
                            baseline->setup.levels.has_value() == state.setup().levels.has_value();
    const MappingBaseline* ghost = comparable ? &*baseline : nullptr;
    return state.setup().levels ? breakdownOfLevels(state, ghost) : fourLevels(state, ghost);
}

QString breakdownAsText(const BreakdownModel& model)
{
    const bool hasBaseline = std::ranges::any_of(model.sections, [](const BreakdownSection& s) {
        return std::ranges::any_of(s.bars, [](const BreakdownBar& bar) { return !bar.before.empty(); });
    });
    QString out = hasBaseline ? tr("figure\tresource\tpart\tvalue\tunit\tbaseline\n")
                              : tr("figure\tresource\tpart\tvalue\tunit\n");
    for (const BreakdownSection& s : model.sections)
        for (const BreakdownBar& bar : s.bars)
            for (std::size_t i = 0; i < bar.parts.size(); ++i) {
                const BarPart& part = bar.parts[i];
                const std::optional<double> before =
                    i < bar.before.size() ? std::optional(bar.before[i].value) : std::nullopt;
                if (part.value == 0 && before.value_or(0) == 0)
                    continue;
                out += hasBaseline ? textRow(s.title, bar.label, part.name, part.value, bar.unit, before)
                                   : textRow(s.title, bar.label, part.name, part.value, bar.unit);
            }
    return out;
}

namespace {
constexpr double kGhost = 6; // height in pixels of the baseline's bar

const QColor& partColour(const Theme& theme, PartKind kind)
{
    switch (kind) {
    case PartKind::Operand0:
    case PartKind::Operand1:
    case PartKind::Operand2:
        return operandColour(theme, static_cast<int>(kind));
    case PartKind::Other:
        return theme.balanced;
    case PartKind::Compute:
        return theme.computeTime;
    case PartKind::Distribution:
        return theme.loadTime;
    case PartKind::Reduction:
        return theme.resident;
    case PartKind::Drain:
        return theme.storeTime;
    case PartKind::Dma:
        return theme.output;
    }
    return theme.balanced;
}

double barScale(const BreakdownSection& section, const BreakdownBar& bar)
{
    if (!section.perBarScale)
        return section.scale;
    return std::max({1.0, bar.total, bar.capacity.value_or(0), bar.beforeTotal.value_or(0)});
}

void paintParts(QPainter& painter, const std::vector<BarPart>& parts, const QRectF& track, double scale,
                bool ghost, const Theme& theme)
{
    double x = track.left();
    for (const BarPart& part : parts) {
        const double w = part.value / scale * track.width();
        if (w <= 0)
            continue;
        const QRectF rect(x, track.top(), w, track.height());
        const QColor& colour = partColour(theme, part.kind);
        painter.setPen(Qt::NoPen);
        painter.setBrush(ghost ? Theme::mix(theme.canvas, colour, 0.45) : colour);
        painter.drawRect(rect);
        // The letter identifies the part without colour.
        if (!ghost) {
            painter.setFont(uiFont(0.85));
            const QFontMetricsF fm(painter.font());
            const QString letter = part.name.size() <= 2 ? part.name : QString();
            painter.setPen(theme.inkOn(colour));
            if (!letter.isEmpty() && fm.horizontalAdvance(letter) + 6 <= w &&
                fm.ascent() <= track.height() + 2)
                painter.drawText(rect, Qt::AlignCenter, letter);
            else if (part.name.size() > 2 && fm.horizontalAdvance(part.name) + 8 <= w)
                painter.drawText(rect, Qt::AlignCenter, part.name);
            painter.setPen(QPen(theme.canvas, 1));
            if (x > track.left())
                painter.drawLine(rect.topLeft(), rect.bottomLeft());
        }
        x += w;
    }
}

std::vector<ChartKey> keysOf(const BreakdownSection& section, bool shares, const Theme& theme)
{
    double total = 0;
    for (const BarPart& part : section.legend)
        total += part.value;
    std::vector<ChartKey> keys;
    for (const BarPart& part : section.legend)
        keys.push_back(patchKey(
            shares ? QStringLiteral("%1 %2").arg(part.name, percent(total > 0 ? part.value / total : 0))
                   : part.name,
            partColour(theme, part.kind), theme));
    return keys;
}

} // namespace

BreakdownPlaces breakdownPlaces(const QRectF& area, const BreakdownModel& model)
{
    BreakdownPlaces out;
    const QFontMetricsF fm(uiFont());
    const QFontMetricsF small(uiFont(0.85));
    double label = 0;
    double value = 0;
    std::size_t bars = 0;
    for (const BreakdownSection& s : model.sections)
        for (const BreakdownBar& b : s.bars) {
            label = std::max(label, small.horizontalAdvance(b.label));
            value = std::max(value, small.horizontalAdvance(b.value));
            ++bars;
        }
    const double left = area.left() + 12;
    const double right = area.right() - 12;
    const double head = fm.height() + 6;
    // Rows share the available height, between a minimum and a maximum height.
    const double least = small.height() + kGhost + 2;
    const double free = area.height() - 16 - static_cast<double>(model.sections.size()) * (head + 8) -
                        2 * (small.height() + 4);
    const double row =
        std::clamp(free / static_cast<double>(std::max<std::size_t>(1, bars)), least, std::max(least, 34.0));
    double y = area.top() + 8;
    for (std::size_t s = 0; s < model.sections.size(); ++s) {
        const BreakdownSection& section = model.sections[s];
        const double legend = section.legend.empty() ? 0 : small.height() + 4;
        out.heads.push_back({left, y, right - left, head + legend});
        y += head + legend;
        for (std::size_t b = 0; b < section.bars.size(); ++b) {
            const QRectF rowRect(left, y, right - left, row);
            const double trackLeft = left + (section.bars[b].label.isEmpty() ? 0 : label + 8);
            out.bars.push_back(
                {s,
                 b,
                 rowRect,
                 {trackLeft, y + 1, std::max(20.0, right - value - 10 - trackLeft), row - kGhost - 3}});
            y += row;
        }
        y += 8;
    }
    out.height = y - area.top();
    return out;
}

void paintBreakdown(QPainter& painter, const BreakdownModel& model, const BreakdownPlaces& places,
                    const Theme& theme)
{
    for (std::size_t s = 0; s < model.sections.size(); ++s) {
        const BreakdownSection& section = model.sections[s];
        const QRectF& head = places.heads[s];
        painter.setFont(uiFont(1, QFont::DemiBold));
        const QFontMetricsF fm(painter.font());
        painter.setPen(theme.text);
        painter.drawText(QPointF(head.left(), head.top() + fm.ascent()), section.title);
        const double titleWidth = fm.horizontalAdvance(section.title);
        painter.setFont(uiFont(0.85));
        const QFontMetricsF small(painter.font());
        painter.setPen(theme.muted);
        if (!section.unit.isEmpty())
            painter.drawText(
                QPointF(head.left() + titleWidth + 8, head.top() + fm.ascent()),
                small.elidedText(section.unit, Qt::ElideRight, std::max(0.0, head.width() - titleWidth - 8)));
        const QRectF room = head.adjusted(0, fm.height() + 4, 0, 0);
        const auto keys = keysOf(section, section.legendShares, theme);
        paintKeys(painter, keysWidth(keys) <= room.width() ? keys : keysOf(section, false, theme), room,
                  theme);
    }
    for (const BreakdownPlace& place : places.bars) {
        const BreakdownSection& section = model.sections[place.section];
        const BreakdownBar& bar = section.bars[place.bar];
        const double scale = barScale(section, bar);
        painter.setFont(uiFont(0.85));
        const QFontMetricsF small(painter.font());
        const double textY = place.track.center().y() + (small.ascent() - small.descent()) / 2;
        const bool over = bar.capacity && bar.total > *bar.capacity;
        painter.setPen(theme.muted);
        painter.drawText(QPointF(place.row.left(), textY), bar.label);
        painter.setPen(over ? theme.error : bar.limits ? theme.accent : theme.text);
        painter.drawText(QPointF(place.row.right() - small.horizontalAdvance(bar.value), textY), bar.value);
        painter.setPen(Qt::NoPen);
        painter.setBrush(Theme::mix(theme.canvas, theme.text, 0.06));
        painter.drawRect(place.track);
        paintParts(painter, bar.parts, place.track, scale, false, theme);
        if (over) {
            QRectF excess = place.track;
            excess.setLeft(place.track.left() + *bar.capacity / scale * place.track.width());
            fillHatch(painter, excess, theme);
            painter.setPen(QPen(theme.error, 2));
            painter.drawLine(excess.topLeft() - QPointF(0, 1), excess.bottomLeft() + QPointF(0, 2));
        }
        if (bar.beforeTotal) {
            const QRectF ghost(place.track.left(), place.track.bottom() + 1, place.track.width(), kGhost - 1);
            paintParts(painter, bar.before, ghost, scale, true, theme);
            const double end = ghost.left() + *bar.beforeTotal / scale * ghost.width();
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.outline, 1));
            painter.drawRect(
                QRectF(ghost.topLeft(), QPointF(std::max(ghost.left() + 1, end), ghost.bottom())));
        }
    }
}

QString breakdownTooltip(const BreakdownModel& model, const BreakdownPlace& place)
{
    const BreakdownSection& section = model.sections[place.section];
    const BreakdownBar& bar = section.bars[place.bar];
    QString out = QStringLiteral("<b>%1 %2</b><table>").arg(section.title, bar.label);
    const auto row = [&](const QString& name, double value, const std::optional<double>& before) {
        out += QStringLiteral(
                   "<tr><td>%1</td><td align='right'>&nbsp;%2</td><td align='right'>&nbsp;%3</td></tr>")
                   .arg(name.toHtmlEscaped(), exactNumber(value),
                        before ? tr("baseline %1").arg(exactNumber(*before)) : QString());
    };
    for (std::size_t i = 0; i < bar.parts.size(); ++i)
        row(bar.parts[i].name, bar.parts[i].value,
            i < bar.before.size() ? std::optional(bar.before[i].value) : std::nullopt);
    row(tr("total"), bar.total, bar.beforeTotal);
    if (bar.capacity)
        row(tr("capacity"), *bar.capacity, std::nullopt);
    out += QStringLiteral("</table>");
    return section.note.isEmpty() ? out : out + QStringLiteral("<p>%1</p>").arg(section.note.toHtmlEscaped());
}

} // namespace tilewright::ui
