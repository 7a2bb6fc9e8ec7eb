// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_paint.h"

#include "views/graph/graph_painting.h"

#include <QFontMetricsF>

namespace tilewright::ui {

namespace {
constexpr double kSmallestText = 6.5; // smallest readable text, in pixels
constexpr double kOverhang = 40;      // width of what extends beyond the border of a node or area
} // namespace

GraphPainting::GraphPainting(QPainter& painter, const GraphModel& model, const Viewport& viewport,
                             const QRectF& area, const Theme& theme, const GraphMarks& marks)
    : m_p(painter), m_model(model), m_viewport(viewport), m_theme(theme), m_roles(graphRoles(theme)),
      m_marks(marks), m_seen(viewport.toScene(area)),
      m_visible(m_seen.adjusted(-kOverhang, -kOverhang, kOverhang, kOverhang)), m_scale(viewport.scale),
      m_deviceScale(m_scale * painter.device()->devicePixelRatioF()), m_titleFont(uiFont(1.0, QFont::Medium)),
      m_detailFont(uiFont(0.85)), m_tagFont(uiFont(0.85, QFont::DemiBold)),
      m_farFont(uiFont(0.8, QFont::Medium))
{
    // Text is painted in scene size where it is readable, otherwise in screen size in nodes that are high
    // enough.
    const double title = QFontMetricsF(m_titleFont).height() * 0.75;
    if (model.geometry && title * m_scale < kSmallestText) {
        const GraphMetrics& metrics = model.geometry->metrics;
        const double highest = model.hasStacks              ? metrics.stackHeight()
                               : model.geometry->hasCards() ? metrics.sectionHeight()
                                                            : metrics.nodeHeight();
        m_farText = highest * m_scale >= std::max(kGraphFarTextFrom, 0.8 * QFontMetricsF(m_farFont).height());
    }
    m_titleVisible = !m_farText && title * m_deviceScale >= kSmallestText;
    m_detailVisible =
        m_titleVisible && QFontMetricsF(m_detailFont).height() * 0.75 * m_deviceScale >= kSmallestText;
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
    painting.paintSlabs();
    painting.paintNodes();
    painting.paintRings();
    painting.paintLabels();
    painting.paintTabs();
    painter.restore();
}

} // namespace tilewright::ui
