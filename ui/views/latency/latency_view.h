// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/control_bar.h"
#include "chart/time_axis.h"
#include "views/latency/latency_paint.h"

class QComboBox;

namespace tilewright::ui {

/// How long each subgraph takes and of what its time is made, beside the baseline. Click selects.
class LatencyView : public ToolCanvas
{
    Q_OBJECT
public:
    explicit LatencyView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override { document().waitForSnapshot(); }
    [[nodiscard]] QString copyText() const override { return latencyAsText(m_model); }
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const LatencyModel& model() const { return m_model; }
    [[nodiscard]] QPointF barFoot(SubgraphId id) const; ///< in widget coordinates, inside the bar
    [[nodiscard]] std::pair<double, double> visibleBars() const { return m_range.pair(); }

protected:
    void bringUpToDate() override { rebuild(); }
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    void move(int by);
    [[nodiscard]] Axis slotAxis() const;
    [[nodiscard]] const LatencyBar* barAt(QPointF position) const;
    void reveal(SubgraphId id);

    LatencyModel m_model;
    TimeAxis m_range; ///< in bars
    QComboBox* m_sort = nullptr;
    QComboBox* m_colour = nullptr;
};

} // namespace tilewright::ui
