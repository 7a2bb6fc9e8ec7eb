// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "views/graph/graph_bars.h"
#include "views/graph/graph_hit.h"
#include "views/graph/graph_layouter.h"

#include <optional>
#include <set>

namespace tilewright::ui {

/// The visible part of the graph: viewport, its targets and the overview. After a new layout, the visible
/// part stays where it was.
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
    void fitIfPending(); ///< fits the graph as soon as the widget has a size
    void fitUnlessMoved();
    void fitSelection();
    void actualSize();
    [[nodiscard]] std::optional<QRectF> shownPart() const;
    void showPart(const QRectF& part);
    void ensureVisible(const QRectF& scene);
    /// The next layout is another picture, which is shown whole.
    void fitNextLayout() { m_movedByHand = false; }
    [[nodiscard]] bool isMovedByHand() const { return m_movedByHand; }
    /// Shows these ops after the next layout.
    void showAfterLayout(const std::vector<OpId>& ops) { m_opened.insert(ops.begin(), ops.end()); }
    /// An edit begins: the picture from before the preview is not restored.
    void forgetHome() { m_home.reset(); }
    void startAnew();
    /// The point that stays fixed: the mouse position, or the centre.
    void setMouse(QPointF mouse, bool holds);

    [[nodiscard]] GraphHit hitAt(QPointF position) const;
    [[nodiscard]] QRectF sceneOfSelection() const;
    [[nodiscard]] QPointF positionOf(OpId op) const;
    [[nodiscard]] QPointF handleOf(SubgraphId subgraph) const;

    void setOverview(bool on) { m_overview = on; }
    [[nodiscard]] bool overview() const { return m_overview; }
    /// 0 = bottom right, then clockwise.
    void setOverviewCorner(int corner) { m_overviewCorner = corner; }
    [[nodiscard]] int overviewCorner() const { return m_overviewCorner; }
    void setOverviewAside(bool aside)
    {
        m_overviewAside = aside;
    }                                          ///< moves the overview away during a drag of ops
    [[nodiscard]] QRectF overviewRect() const; ///< empty while hidden
    /// Maps the graph into the overview.
    [[nodiscard]] Viewport small() const
    {
        return Viewport::fit(m_layouter.model()->bounds, overviewRect(), 4, 1);
    }
    void panToOverview(QPointF position);

private:
    /// The view to restore when a preview ends; nullopt after the user moved the view.
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
    QRectF m_wantedPart; ///< requested before there was a picture
    std::set<OpId> m_opened;
    std::optional<std::pair<GraphKey, QPointF>> m_anchor; ///< the node that stays fixed during a new layout
    std::optional<Home> m_home;
    QPointF m_mouse;
    bool m_mouseHolds = false;
    bool m_overview = true;
    int m_overviewCorner = 0;
    bool m_overviewAside = false;
};

} // namespace tilewright::ui
