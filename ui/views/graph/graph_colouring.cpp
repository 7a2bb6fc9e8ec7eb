// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_colouring.h"

#include "canvas/bound_mark.h"
#include "theme/text.h"

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

using Fills = std::vector<GraphFill>;

/// Returns the evaluations of the subgraphs with a known latency; null for the other subgraphs.
std::vector<const SubgraphEvaluation*> evaluations(const Snapshot& snapshot)
{
    std::vector<const SubgraphEvaluation*> out(snapshot.schedule.size());
    const auto& all = snapshot.evaluation.subgraphs;
    for (std::size_t s = 0; s < std::min(out.size(), all.size()); ++s)
        out[s] = all[s].structurallyValid ? &all[s] : nullptr;
    return out;
}

GraphLegend boundLegend()
{
    GraphLegend legend;
    legend.title = tr("Bound by");
    for (const Bound bound : {Bound::Compute, Bound::Memory, Bound::Balanced})
        legend.entries.emplace_back(GraphFill{GraphFill::Role::Bound, static_cast<double>(bound)},
                                    boundSign(bound) + QLatin1Char(' ') + boundText(bound));
    return legend;
}

/// Colours the subgraphs by a logarithmic ramp over their values. The legend shows the numbers at both ends
/// and in the middle.
template <typename Value> GraphLegend colourByRamp(const Snapshot& snapshot, Fills& fills, Value value)
{
    const auto known = evaluations(snapshot);
    double low = 0, high = 0;
    for (const SubgraphEvaluation* e : known)
        if (e && value(*e) > 0) {
            low = low > 0 ? std::min(low, value(*e)) : value(*e);
            high = std::max(high, value(*e));
        }
    GraphLegend legend;
    if (high <= 0)
        return legend;
    for (std::size_t s = 0; s < fills.size(); ++s)
        if (known[s])
            fills[s] = {GraphFill::Role::Ramp,
                        high > low ? std::log(std::max(value(*known[s]), low) / low) / std::log(high / low)
                                   : 0.5};
    if (high > low)
        for (int i = 0; i <= 2; ++i)
            legend.scale.push_back(shortNumber(low * std::pow(high / low, i / 2.0)));
    else
        legend.scale = {shortNumber(low)};
    return legend;
}

} // namespace

GraphColouring usedColouring(GraphColouring chosen, const Schedule& schedule)
{
    if (chosen != GraphColouring::Automatic)
        return chosen;
    return std::ranges::all_of(schedule.subgraphs, [](const auto& s) { return s->ops.size() == 1; })
               ? GraphColouring::OpType
               : GraphColouring::Subgraph;
}

QString colourMark(const SubgraphEvaluation& e, GraphColouring colouring)
{
    if (colouring == GraphColouring::Bound)
        return e.bound == Bound::Compute  ? QStringLiteral("△")
               : e.bound == Bound::Memory ? QStringLiteral("▽")
                                          : QStringLiteral("◇");
    if (colouring == GraphColouring::Intensity && e.memory > 0)
        return significantNumber(e.compute / e.memory);
    return {};
}

std::pair<std::vector<GraphFill>, GraphLegend> colourOps(const OpValues& values, std::size_t ops)
{
    using Scale = OpValues::Scale;
    const bool byLogarithm = values.scale == Scale::Logarithm || values.scale == Scale::AroundOne;
    Fills fills(ops);
    GraphLegend legend;
    legend.title = values.title;
    const auto has = [&](const std::optional<double>& value) {
        return value && (!byLogarithm || *value > 0);
    };
    const auto place = [&](double value) { return byLogarithm ? std::log(value) : value; };
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (const std::optional<double>& value : values.values)
        if (has(value)) {
            low = std::min(low, place(*value));
            high = std::max(high, place(*value));
        }
    if (low > high)
        return {std::move(fills), std::move(legend)};
    if (values.scale == Scale::AroundZero || values.scale == Scale::AroundOne) {
        high = std::max(std::abs(low), std::abs(high));
        low = -high;
    }
    for (std::size_t i = 0; i < std::min(ops, values.values.size()); ++i)
        if (const std::optional<double>& value = values.values[i]; has(value))
            fills[i] = {GraphFill::Role::Ramp, high > low ? (place(*value) - low) / (high - low) : 0.5};
    const auto text = [&](double at) { return values.text(byLogarithm ? std::exp(at) : at); };
    if (high > low)
        legend.scale = {text(low), text((low + high) / 2), text(high)};
    else
        legend.scale = {text(low)};
    return {std::move(fills), std::move(legend)};
}

OpId leadingOp(const OpValues& values, std::span<const OpId> ops)
{
    const auto of = [&](OpId op) {
        // std::nullopt is less than any value
        return op.index() < values.values.size() ? values.values[op.index()] : std::nullopt;
    };
    return *std::ranges::max_element(ops, {}, of);
}

GraphFill opTypeFill(OpType type)
{
    return {GraphFill::Role::Category, type == OpType::MatMul ? 0.0 : 7.0};
}

model::OperatorChange changeOf(const std::vector<model::OperatorChange>& changes, std::span<const OpId> ops)
{
    const auto of = [&](OpId op) {
        return op.index() < changes.size() ? changes[op.index()] : model::OperatorChange::Same;
    };
    if (ops.empty())
        return model::OperatorChange::Same;
    const model::OperatorChange first = of(ops.front());
    return std::ranges::all_of(ops, [&](OpId op) { return of(op) == first; })
               ? first
               : model::OperatorChange::Changed;
}

GraphFill changeFill(model::OperatorChange change)
{
    if (change == model::OperatorChange::Same)
        return {};
    return {GraphFill::Role::Change, static_cast<double>(change)};
}

QString changeText(model::OperatorChange change)
{
    switch (change) {
    case model::OperatorChange::Same:
        return tr("unchanged");
    case model::OperatorChange::Changed:
        return tr("changed");
    case model::OperatorChange::New:
        return tr("new");
    case model::OperatorChange::Gone:
        break;
    }
    return tr("gone");
}

std::pair<std::vector<GraphFill>, GraphLegend> colourSubgraphs(const Snapshot& snapshot,
                                                               const std::vector<std::size_t>& categories,
                                                               GraphColouring colouring)
{
    Fills fills(snapshot.schedule.size());
    GraphLegend legend;
    switch (colouring) {
    case GraphColouring::Subgraph:
        for (std::size_t s = 0; s < fills.size(); ++s)
            fills[s] = {GraphFill::Role::Category,
                        static_cast<double>(s < categories.size() ? categories[s] : s % 8)};
        break;
    case GraphColouring::Bound: {
        const auto known = evaluations(snapshot);
        for (std::size_t s = 0; s < fills.size(); ++s)
            if (known[s])
                fills[s] = {GraphFill::Role::Bound, static_cast<double>(known[s]->bound)};
        legend = boundLegend();
        break;
    }
    case GraphColouring::Latency:
        legend = colourByRamp(snapshot, fills, [](const SubgraphEvaluation& e) { return e.latency; });
        legend.title = tr("Latency of the subgraph");
        break;
    case GraphColouring::Intensity:
        legend = colourByRamp(snapshot, fills, [](const SubgraphEvaluation& e) {
            return e.memory > 0 ? e.compute / e.memory : 0.0;
        });
        legend.title = tr("Compute time ÷ memory time");
        break;
    case GraphColouring::OpType:
        legend.title = tr("Op type");
        legend.entries = {{opTypeFill(OpType::MatMul), tr("MatMul")},
                          {opTypeFill(OpType::Pointwise), tr("Pointwise")}};
        break;
    case GraphColouring::Automatic: // unreachable: usedColouring() has replaced it
    case GraphColouring::Change:    // not here: the colour belongs to the op, not to the subgraph
    case GraphColouring::Measured:  // not here: see colourOps()
    case GraphColouring::None:
        break;
    }
    return {std::move(fills), std::move(legend)};
}

GraphRoles graphRoles(const Theme& theme)
{
    GraphRoles roles;
    roles.line = Theme::mix(theme.canvas, theme.muted, theme.dark ? 1.0 : 0.9);
    roles.farLine = Theme::mix(theme.canvas, theme.muted, 0.75);
    roles.densestLine = Theme::mix(theme.canvas, theme.muted, 0.35);
    roles.lineBehind = Theme::mix(theme.canvas, theme.muted, 0.3);
    roles.tensorFill = Theme::mix(theme.canvas, theme.muted, theme.dark ? 0.28 : 0.12);
    roles.tensorBorder = theme.muted;
    roles.tensorBlock = theme.outline;
    roles.figure = theme.muted;
    return roles;
}

QColor changeColour(model::OperatorChange change, const Theme& theme)
{
    switch (change) {
    case model::OperatorChange::New:
        return theme.ok;
    case model::OperatorChange::Changed:
        return theme.warning;
    case model::OperatorChange::Gone:
        return theme.error;
    case model::OperatorChange::Same:
        break;
    }
    return theme.muted;
}

Qt::PenStyle changeLine(model::OperatorChange change)
{
    return change == model::OperatorChange::New    ? Qt::SolidLine
           : change == model::OperatorChange::Gone ? Qt::DotLine
                                                   : Qt::DashLine;
}

QColor fillColour(const GraphFill& fill, const Theme& theme)
{
    switch (fill.role) {
    case GraphFill::Role::Category:
        return theme.category(static_cast<std::size_t>(fill.value));
    case GraphFill::Role::Ramp:
        return theme.ramp(fill.value);
    case GraphFill::Role::Bound:
        return boundColour(static_cast<Bound>(static_cast<int>(fill.value)), theme);
    case GraphFill::Role::Change:
        return Theme::mix(theme.raised, changeColour(static_cast<model::OperatorChange>(fill.value), theme),
                          0.45);
    case GraphFill::Role::Neutral:
        break;
    }
    return theme.raised;
}

QColor borderColour(const GraphFill& fill, const Theme& theme)
{
    return fill.role == GraphFill::Role::Category ? theme.categoryBorder(static_cast<std::size_t>(fill.value))
                                                  : theme.outline;
}

QColor hullColour(const GraphFill& fill, const Theme& theme, bool hot)
{
    const bool neutral = fill.role == GraphFill::Role::Neutral;
    const double strength = (neutral ? 0.10 : theme.dark ? 0.20 : 0.26) + (hot ? 0.08 : 0);
    return Theme::mix(theme.canvas, neutral ? theme.muted : fillColour(fill, theme), strength);
}

QColor hullBorder(const GraphFill& fill, const Theme& theme)
{
    return fill.role == GraphFill::Role::Neutral ? theme.outline
                                                 : Theme::mix(theme.canvas, borderColour(fill, theme), 0.8);
}

} // namespace tilewright::ui
