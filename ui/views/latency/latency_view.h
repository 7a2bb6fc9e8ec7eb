// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane_chart.h"
#include "views/latency/latency_model.h"

class QComboBox;

namespace tilewright::ui {

/// The latency of each subgraph and its parts, beside those of the baseline. A click selects a subgraph.
class LatencyView : public LaneChart
{
    Q_OBJECT
public:
    explicit LatencyView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QString copyText() const override { return latencyAsText(m_model); }
    [[nodiscard]] QString tableText() const override { return copyText(); }
    void fitSelection() override;

    [[nodiscard]] const LatencyModel& model() const { return m_model; }
    /// Centre of the lower end of a subgraph's bar, in widget coordinates.
    [[nodiscard]] QPointF barFoot(SubgraphId id) const;
    [[nodiscard]] std::pair<double, double> visibleBars() const { return visibleRange(); }

protected:
    void bringUpToDate() override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString measuredText() const override;
    [[nodiscard]] std::optional<Range> selectedRange() const override;
    [[nodiscard]] QPointF focusPoint() const override;
    [[nodiscard]] QStringList keysOf(const LaneHit& hit) const override;
    void clicked(QPointF position, double time) override;
    void hovered(QPointF position) override;
    void mousePressEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    [[nodiscard]] bool showsRun() const; ///< true if each bar is beside its length in the run
    void move(int by);
    [[nodiscard]] std::optional<std::size_t> indexOf(std::optional<SubgraphId> id) const;

    LatencyModel m_model;
    std::shared_ptr<LatencyOverlay> m_overlay;
    bool m_extends = false; ///< true if the click extends the selection
    QComboBox* m_sort = nullptr;
    QComboBox* m_colour = nullptr;
    QComboBox* m_beside = nullptr;
};

} // namespace tilewright::ui
