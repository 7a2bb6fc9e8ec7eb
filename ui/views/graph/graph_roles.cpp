// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_roles.h"

#include "canvas/bound_mark.h"

namespace tilewright::ui {

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
