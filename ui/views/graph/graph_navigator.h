// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "views/graph/graph_bars.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_layouter.h"

#include <optional>
#include <set>

namespace tilewright::ui {

/// The visible part of the graph: viewport, targets of scrolling, and the overview. After a new layout the
/// visible part stays in place.
class GraphNavigator : public QObject
{
    Q_OBJECT
public:
    GraphNavigator(const ViewContext& context, GraphLayouter& layouter, GraphBars& bars, QWidget& view);

    [[nodiscard]] const Viewport& viewport() const { return m_viewport; }
    void setViewport(const Viewport& viewport, bool byHand);
    void zoomBy(double factor, QPointF anchor);
    void panBy(QPointF pixels) { setViewport(m_viewport.panned(pixels), true); }
    void fitAll();
    void fitIfPending(); ///< fits the graph if this was requested before the widget had a size
    void fitUnlessMoved();
    void fitSelection();
    void actualSize();
    [[nodiscard]] std::optional<QRectF> shownPart() const;
    void showPart(const QRectF& part);
    void ensureVisible(const QRectF& scene);
    /// Makes the next layout be shown as a whole, because it is another picture.
    void fitNextLayout() { m_movedByHand = false; }
    [[nodiscard]] bool isMovedByHand() const { return m_movedByHand; }
    /// Makes these ops visible after the next layout.
    void showAfterLayout(const std::vector<OpId>& ops) { m_opened.insert(ops.begin(), ops.end()); }
    /// To be called when an edit begins: after that, the end of a preview does not restore the previous view.
    void forgetHome() { m_home.reset(); }
    void startAnew();
    /// Sets the point that a new layout keeps fixed: the mouse position if the mouse `holds` a node, or else
    /// the centre.
    void setMouse(QPointF mouse, bool holds);

    [[nodiscard]] GraphHit hitAt(QPointF position) const;
    [[nodiscard]] QRectF sceneOfSelection() const;
    [[nodiscard]] QPointF positionOf(OpId op) const;
    [[nodiscard]] QPointF handleOf(SubgraphId subgraph) const;

    void setOverview(bool on) { m_overview = on; }
    [[nodiscard]] bool overview() const { return m_overview; }
    /// Sets the corner of the overview: 0 = bottom right, then clockwise.
    void setOverviewCorner(int corner) { m_overviewCorner = corner; }
    [[nodiscard]] int overviewCorner() const { return m_overviewCorner; }
    void setOverviewAside(bool aside)
    {
        m_overviewAside = aside;
    }                                          ///< moves the overview out of the way during a drag of ops
    [[nodiscard]] QRectF overviewRect() const; ///< rectangle of the overview; empty while it is hidden
    /// Viewport that maps the graph into the overview.
    [[nodiscard]] Viewport small() const
    {
        return Viewport::fit(m_layouter.model()->bounds, overviewRect(), 4, 1);
    }
    void panToOverview(QPointF position);

private:
    /// The view that the end of a preview restores; nullopt after the user has moved the view.
    struct Home
    {
        Viewport viewport;
        bool movedByHand = false;
    };
    void keepAnchor(const GraphGeometry& next);
    void arranged(bool sameShape);

    ViewContext m_context;
    GraphLayouter& m_layouter;
    GraphBars& m_bars;
    QWidget& m_view;
    Viewport m_viewport;
    bool m_fitPending = true;
    bool m_movedByHand = false;
    QRectF m_wantedPart; ///< part that was requested before there was a picture
    std::set<OpId> m_opened;
    /// Node whose position a new layout keeps fixed, and that position.
    std::optional<std::pair<GraphKey, QPointF>> m_anchor;
    std::optional<Home> m_home;
    QPointF m_mouse;
    bool m_mouseHolds = false;
    bool m_overview = true;
    int m_overviewCorner = 0;
    bool m_overviewAside = false;
};

} // namespace tilewright::ui
