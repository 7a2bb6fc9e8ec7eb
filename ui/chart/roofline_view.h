// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "chart/roofline_plot.h"

namespace tilewright::ui {

/// The roofline of the schedule: every subgraph as a dot between the roofs, the baseline hollow with arrows
/// to what became of it.
class RooflineView : public Canvas
{
    Q_OBJECT
public:
    explicit RooflineView(const ViewContext& context, QWidget* parent = nullptr);
    ~RooflineView() override;

    void settle() override { document().waitForSnapshot(); }
    [[nodiscard]] QString copyText() const override { return rooflineAsText(m_model); }
    [[nodiscard]] QSize exportSize() const override { return {960, 640}; }
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override; ///< in decades
    void showPart(const QRectF& part) override;
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const RooflineModel& model() const { return m_model; }
    [[nodiscard]] const RooflineRange& range() const { return m_range; }
    [[nodiscard]] QPointF dotCentre(SubgraphId id) const; ///< in widget coordinates

protected:
    void bringUpToDate() override { rebuild(); }
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    void move(int by);
    [[nodiscard]] QRectF chartArea(const QRectF& area) const;
    [[nodiscard]] RooflineRange whole() const;
    [[nodiscard]] const RooflineDot* dotAt(QPointF position, const std::vector<RooflineDot>& dots) const;
    void paintHeader(QPainter& painter, const QRectF& area, const Theme& theme) const;

    RooflineModel m_model;
    RooflinePlot m_plot;
    RooflineRange m_range;
    bool m_fitted = true;
};

} // namespace tilewright::ui
