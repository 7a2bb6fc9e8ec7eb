// SPDX-License-Identifier: GPL-3.0-or-later
// The loop nest on an architecture with levels (docs/rules/hierarchy.md).
#include "hierarchy/edits.h"
#include "hierarchy/figures.h"
#include "theme/text.h"
#include "views/mapping/nest_parts.h"

#include <algorithm>

namespace tilewright::ui {

namespace {

using Levels = hierarchy::Architecture;
using hierarchy::Place;

/// Returns the constraints of the search.
hierarchy::Constraints constraintsOf(const MappingDocument& state)
{
    auto out = hierarchy::constraintsOf(state.nest(), *state.setup().levels, state.setup().asked);
    return out ? std::move(*out) : hierarchy::Constraints();
}

void addLoops(NestColumn& column, const MappingDocument& state, const Place& place)
{
    const MappingSetup& setup = state.setup();
    const hierarchy::Constraints constraints = constraintsOf(state);
    const std::vector<hierarchy::TiledLoop>& loops = loopsAt(setup.mapping, place);
    for (std::size_t i = 0; i < loops.size(); ++i) {
        if (loops[i].factor == 1)
            continue;
        NestBar bar = nestBar(state.nest(), column, loops[i].loop, loops[i].factor);
        bar.index = i;
        if (const auto at = limitAt(*setup.levels, place, loops[i].loop)) {
            const hierarchy::FactorLimit* const limit = constraints.at(at->level, at->axis, at->loop);
            bar.fixed = limit && limit->least == limit->most;
        }
        if (!place.axis)
            bar.reuseOf = reusedAlong(state.nest(), *setup.levels, setup.mapping, place.level, i);
        column.bars.push_back(std::move(bar));
    }
}

/// Text on the memories of a level. `memory` describes one of them; a memory of a single operand is preceded
/// by the name of the operand.
template <typename Memory>
QString memoriesText(const MappingDocument& state, const std::vector<hierarchy::MemoryFill>& fills,
                     std::size_t level, const Memory& memory)
{
    QStringList out;
    for (const hierarchy::MemoryFill& fill : fills)
        if (fill.level == level)
            out << (fill.operand < 0
                        ? memory(fill)
                        : tr("%1 %2").arg(
                              word(state.nest().operands[static_cast<std::size_t>(fill.operand)].name),
                              memory(fill)));
    return out.join(QStringLiteral(", "));
}

void describeLevel(NestColumn& column, const MappingDocument& state,
                   const std::vector<hierarchy::MemoryFill>& fills, std::size_t level)
{
    const Levels& architecture = *state.setup().levels;
    column.about = QString::fromStdString(levelText(state.nest(), architecture, level));
    for (std::size_t op = 0; op < mapping::kOperands; ++op)
        if (architecture.levels[level].holds[op])
            column.holds.push_back(static_cast<int>(op));
    if (!state.figures().hasNumbers) {
        column.detail = column.detailShort = QStringLiteral("–");
        return;
    }
    for (const hierarchy::MemoryFill& fill : fills)
        column.over = column.over || (fill.level == level && !fill.fits());
    const std::int64_t instances = state.levelsCost().levels[level].instances;
    const QString times = instances > 1 ? number(instances) + QStringLiteral(" × ") : QString();
    column.detail = times + memoriesText(state, fills, level, [](const hierarchy::MemoryFill& fill) {
                        return fill.capacity
                                   ? tr("%1 of %2").arg(bytesText(fill.total), bytesText(*fill.capacity))
                                   : tr("%1, unlimited").arg(bytesText(fill.total));
                    });
    column.detailShort = times + memoriesText(state, fills, level, [](const hierarchy::MemoryFill& fill) {
                             return bytesText(fill.total);
                         });
}

void describeAxis(NestColumn& column, const MappingDocument& state, const Place& place)
{
    const hierarchy::AxisUse use = axisUse(state.nest(), *state.setup().levels, state.setup().mapping, place);
    column.isAxis = true;
    column.isOrdered = false;
    column.over = !use.fits();
    column.note = tr("in parallel");
    column.detail = column.detailShort =
        use.size > 0 ? tr("%1 of %2").arg(number(use.used), number(use.size)) : tr("no such axis");
}

NestOperand operandOf(const MappingDocument& state, std::size_t op)
{
    const Levels& architecture = *state.setup().levels;
    NestOperand out;
    out.name = word(state.nest().operands[op].name);
    out.written = op == mapping::kWritten;
    QStringList levels, exact, brief, rows;
    for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
        if (!architecture.levels[i].holds[op])
            continue;
        const QString name = QString::fromStdString(architecture.levels[i].name);
        levels << name;
        if (!state.figures().hasNumbers)
            continue;
        const hierarchy::OperandCost& cost = state.levelsCost().levels[i].operands[op];
        exact << number(cost.tile);
        brief << shortNumber(static_cast<double>(cost.tile));
        rows << tr("%1: tile of %2 elements, %3 reads, %4 writes, %5 pJ")
                    .arg(name.toHtmlEscaped(), number(cost.tile), number(cost.traffic.reads),
                         number(cost.traffic.writes), number(cost.energy));
    }
    out.reuse = {tr("in %1").arg(levels.join(QStringLiteral(", "))), tr("in %1 levels").arg(levels.size())};
    const auto joined = [](const QStringList& sizes) { return sizes.join(QStringLiteral(" · ")); };
    out.data = {tr("tiles of %1").arg(joined(exact)), tr("tiles of %1").arg(joined(brief)), joined(brief)};
    if (exact.isEmpty())
        out.data = {QStringLiteral("–")};
    out.tip = rows.join(QStringLiteral("<br>"));
    return out;
}

/// Short text of a fault: "SRAM 300 KiB of 256 KiB", or the whole sentence for other faults.
QString shortFault(const MappingDocument& state, const hierarchy::Mapping& mapping,
                   const hierarchy::Violation& violation)
{
    const Levels& architecture = *state.setup().levels;
    const auto level = static_cast<std::size_t>(std::max(violation.level, 0));
    if (violation.code == hierarchy::ViolationCode::Capacity)
        for (const hierarchy::MemoryFill& fill : memoryFills(state.nest(), architecture, mapping))
            if (fill.level == level && !fill.fits())
                return tr("%1 %2 of %3")
                    .arg(QString::fromStdString(architecture.levels[level].name), bytesText(fill.total),
                         bytesText(*fill.capacity));
    if (violation.code == hierarchy::ViolationCode::Spatial)
        for (const Place& place : placesOf(architecture, mapping)) {
            if (place.level != level || !place.axis)
                continue;
            const hierarchy::AxisUse use = axisUse(state.nest(), architecture, mapping, place);
            if (!use.fits() && use.isAllowed)
                return tr("%1 %2 of %3")
                    .arg(QString::fromStdString(*place.axis), number(use.used), number(use.size));
            if (!use.fits())
                return tr("not allowed on %1").arg(QString::fromStdString(*place.axis));
        }
    return QString::fromStdString(violation.message);
}

NestDrop makeDrop(const MappingDocument& state, const hierarchy::Mapping& mapping, QString what)
{
    const hierarchy::MovePreview preview =
        previewMove(state.nest(), *state.setup().levels, state.levelsCost(), mapping);
    NestDrop out;
    out.what = std::move(what);
    out.preview = {preview.mapping, figuresOf(preview.after), preview.energyChange, preview.cyclesChange,
                   preview.edpChange};
    if (const auto& violation = preview.after.violation) {
        out.broken = QString::fromStdString(violation->message);
        out.brokenShort = shortFault(state, mapping, *violation);
    }
    out.allowed = preview.after.valid() || !state.figures().valid();
    return out;
}

/// Returns the column of a place. Only its bars are filled.
NestColumn columnAt(const MappingDocument& state, const Place& place)
{
    NestColumn column;
    column.place = QString::fromStdString(placeName(*state.setup().levels, place));
    addLoops(column, state, place);
    return column;
}

} // namespace

void addLevels(NestModel& out, const MappingDocument& state)
{
    const Levels& architecture = *state.setup().levels;
    const hierarchy::Mapping& mapping = state.setup().mapping;
    out.fits = tr("fits all memories and axes");
    for (std::size_t op = 0; op < mapping::kOperands; ++op)
        out.operands[op] = operandOf(state, op);
    std::vector<hierarchy::MemoryFill> fills;
    if (state.figures().hasNumbers)
        fills = memoryFills(state.nest(), architecture, mapping);
    const std::vector<Place> places = placesOf(architecture, mapping);
    out.columns.reserve(places.size());
    for (const Place& place : places) {
        NestColumn column = columnAt(state, place);
        column.title =
            QString::fromStdString(place.axis ? *place.axis : architecture.levels[place.level].name);
        if (place.axis) {
            describeAxis(column, state, place);
        } else {
            column.note =
                constraintsOf(state).order(place.level).empty() ? tr("outermost first") : tr("order fixed");
            describeLevel(column, state, fills, place.level);
            std::vector<int> ones;
            for (int loop = 0; loop < state.nest().loopCount; ++loop)
                if (std::ranges::count(column.bars, loop, &NestBar::loop) == 0)
                    ones.push_back(loop);
            foldLoops(column, state.nest(), ones);
        }
        out.columns.push_back(std::move(column));
    }
}

std::optional<NestDrop> dropOnPlace(const MappingDocument& state, const NestItem& item, std::size_t to)
{
    const MappingSetup& setup = state.setup();
    const std::vector<Place> places = placesOf(*setup.levels, setup.mapping);
    if (item.column >= places.size() || to >= places.size())
        return std::nullopt;
    const NestColumn from = columnAt(state, places[item.column]);
    const NestBar* bar = barOf(from, item);
    if (!bar)
        return std::nullopt;
    const std::int64_t factor = item.factor > 0 ? item.factor : bar->factor;
    const auto moved = moveFactor(state.nest(), *setup.levels, setup.mapping, places[item.column], bar->index,
                                  factor, places[to]);
    if (!moved)
        return std::nullopt;
    return makeDrop(state, *moved,
                    moveText(state.nest(), item.loop, factor, from.place,
                             QString::fromStdString(placeName(*setup.levels, places[to]))));
}

std::optional<NestDrop> dropInOrderOfLevel(const MappingDocument& state, const NestItem& item,
                                           std::size_t slot)
{
    const MappingSetup& setup = state.setup();
    const std::vector<Place> places = placesOf(*setup.levels, setup.mapping);
    if (item.column >= places.size() || places[item.column].axis)
        return std::nullopt;
    const NestColumn column = columnAt(state, places[item.column]);
    const NestBar* bar = barOf(column, item);
    if (!bar)
        return std::nullopt;
    const auto from = static_cast<std::size_t>(bar - column.bars.data());
    if (slot == from || slot == from + 1 || slot > column.bars.size())
        return std::nullopt;
    const NestBar& neighbour = column.bars[slot > from ? slot - 1 : slot];
    const auto moved =
        reorderLoop(*setup.levels, setup.mapping, places[item.column].level, bar->index, neighbour.index);
    return moved ? std::optional(makeDrop(state, *moved, reorderText(column, from, slot))) : std::nullopt;
}

} // namespace tilewright::ui
