// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_paint.h"

#include "views/graph/graph_painting.h"

#include <QFontMetricsF>

namespace tilewright::ui {

namespace {
constexpr double kSmallestText = 6.5; // device pixels
constexpr double kMargin = 40;        // what hangs over the border of a node or area
} // namespace

GraphPainting::GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport,
                             const QRectF& area, const Theme& theme, const GraphMarks& marks)
    : m_p(painter), m_model(model), m_viewport(viewport), m_theme(theme), m_marks(marks),
      m_visible(viewport.toScene(area).adjusted(-kMargin, -kMargin, kMargin, kMargin)),
      m_scale(viewport.scale), m_deviceScale(m_scale * painter.device()->devicePixelRatioF()),
      m_titleFont(uiFont(1.0, QFont::Medium)), m_detailFont(uiFont(0.85)),
      m_tagFont(uiFont(0.85, QFont::DemiBold))
{
    m_titleVisible = QFontMetricsF(m_titleFont).height() * 0.75 * m_deviceScale >= kSmallestText;
    m_detailVisible = QFontMetricsF(m_detailFont).height() * 0.75 * m_deviceScale >= kSmallestText;
}

QColor fillColour(const GraphFill& fill, const Theme& theme)
{
    switch (fill.role) {
    case GraphFill::Role::Category:
        return theme.category(static_cast<std::size_t>(fill.value));
    case GraphFill::Role::Ramp:
        return theme.ramp(fill.value);
    case GraphFill::Role::Bound:
        switch (static_cast<Bound>(static_cast<int>(fill.value))) {
        case Bound::Compute:
            return theme.computeBound;
        case Bound::Memory:
            return theme.memoryBound;
        case Bound::Balanced:
            break;
        }
        return theme.balanced;
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

QColor verdictColour(GraphVerdict::Kind kind, const Theme& theme)
{
    switch (kind) {
    case GraphVerdict::Kind::Better:
        return theme.ok;
    case GraphVerdict::Kind::Worse:
        return theme.warning;
    case GraphVerdict::Kind::Invalid:
    case GraphVerdict::Kind::Refused:
        return theme.error;
    case GraphVerdict::Kind::Unknown:
    case GraphVerdict::Kind::Same:
        break;
    }
    return theme.muted;
}

void paintGraph(QPainter& painter, const GraphModel& model, const Viewport& viewport, const QRectF& area,
                const Theme& theme, const GraphMarks& marks)
{
    painter.save();
    painter.setClipRect(area, Qt::IntersectClip);
    painter.setRenderHint(QPainter::Antialiasing);
    GraphPainting painting(painter, model, viewport, area, theme, marks);
    painter.setTransform(viewport.transform(), true);
    painting.paintHulls();
    painting.paintLines();
    painting.paintHighlights();
    painting.paintNodes();
    painting.paintRings();
    painting.paintLabels();
    painting.paintTabs();
    painter.restore();
}

} // namespace tilewright::ui
