// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "canvas/viewport.h"
#include "views/compare/compare_data.h"
#include "views/graph/graph_hit.h"

#include <array>
#include <set>

namespace tilewright::ui {

/// The two graphs side by side. They pan and zoom together, and share the selection.
class ComparePanes : public Canvas
{
    Q_OBJECT
public:
    explicit ComparePanes(const ViewContext& context, QWidget* parent = nullptr);
    void setData(CompareDataPtr data);
    /// Sets the ops of the current difference in A and in B. `zoom`: both panes zoom to them.
    void setHighlight(std::array<std::set<OpId>, 2> ops, bool zoom);
    [[nodiscard]] const std::set<OpId>& highlight(std::size_t pane = 1) const { return m_highlight[pane]; }
    /// If false, only the pane under the mouse pans and zooms.
    void setLinked(bool linked) { m_linked = linked; }

    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void actualSize() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    void fitSelection() override; ///< fits the selected ops, or else the ops of the current difference

    /// Centre of an op's node in pane 0 (A) or 1 (B).
    [[nodiscard]] QPointF positionOf(std::size_t pane, OpId op) const;
    [[nodiscard]] QRectF paneRect(std::size_t pane) const;
    [[nodiscard]] double scale(std::size_t pane) const { return m_viewports[pane].scale; }

Q_SIGNALS:
    /// emitted when the user has selected these ops in the graph of a pane
    void opsChosen(std::size_t pane, const std::set<tilewright::OpId>& ops);

protected:
    QString tooltipAt(QPointF position) const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    using Viewports = std::array<Viewport, 2>;
    struct Hit
    {
        std::size_t pane = 0;
        const GraphModel* model = nullptr;
        GraphHit what;
    };
    [[nodiscard]] const GraphModel& graph(std::size_t pane) const { return m_data->graphs[pane]; }
    /// Map ops between the open problem (B) and a pane: inPane() from the problem to the pane, the other
    /// function back.
    [[nodiscard]] std::set<OpId> inPane(std::size_t pane, const std::set<OpId>& ops) const;
    [[nodiscard]] std::set<OpId> inB(std::size_t pane, const std::set<OpId>& ops) const;
    [[nodiscard]] Hit hit(QPointF position) const;
    /// Returns viewports in which each pane is centred on its rectangle; both have the largest scale at which
    /// both rectangles fit.
    [[nodiscard]] static Viewports fitted(const std::array<QRectF, 2>& scenes,
                                          const std::array<QRectF, 2>& panes, double largest);
    [[nodiscard]] Viewports wholeIn(const QRectF& area) const;
    void zoomTo(const std::array<std::set<OpId>, 2>& ops);
    void paintHeading(QPainter& painter, const QRectF& area, std::size_t pane, const Theme& theme) const;

    CompareDataPtr m_data;
    std::array<std::set<OpId>, 2> m_highlight;
    Viewports m_viewports;
    bool m_fit = true; ///< true until the user pans or zooms: until then a resize fits the graphs again
    bool m_linked = true;
    std::size_t m_active = 0; ///< index of the pane under the mouse
    std::optional<QPointF> m_pressed;
    bool m_dragged = false;
};

} // namespace tilewright::ui
