// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/scrubber.h"
#include "chart/time_axis.h"
#include "views/systolic/systolic_pane.h"
#include "views/systolic/wavefront_paint.h"

class QComboBox;

namespace tilewright::ui {

/// The wavefront player: the array cycle by cycle.
class WavefrontCanvas : public SystolicPane
{
    Q_OBJECT
public:
    explicit WavefrontCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QSize exportSize() const override { return {1180, 820}; }
    void zoomBy(double factor, QPointF anchor) override; ///< the chart's time axis
    void panBy(QPointF pixels) override;
    void fitAll() override;
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;

    [[nodiscard]] const WavefrontModel& model() const { return m_model; }
    [[nodiscard]] QPointF peCentre(const PePosition& pe) const; ///< in widget coordinates
    [[nodiscard]] QPointF chartPoint(std::int64_t cycle) const;
    [[nodiscard]] const std::optional<PePosition>& pinned() const { return m_overlay.pinned; }
    [[nodiscard]] Playback& playback() const { return *m_playback; }

protected:
    void rebuild() override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    [[nodiscard]] QPointF keyAnchor() const override { return chartPoint(state().cycle()); }
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void createControls();
    void refreshCycle();
    void refreshFacts();
    void movePinned(std::int64_t rows, std::int64_t cols);
    void addOwnKeys();
    [[nodiscard]] WavefrontPlaces places() const { return wavefrontPlaces(contentArea(), m_model); }
    [[nodiscard]] Axis axisOf(const WavefrontPlaces& places) const;
    [[nodiscard]] std::optional<PePosition> peUnder(QPointF position) const;

    WavefrontModel m_model;
    WavefrontOverlay m_overlay;
    TimeAxis m_range; ///< cycles of the chart
    bool m_scrubbing = false;
    QComboBox* m_colour = nullptr;
    Playback* m_playback = nullptr;
    Scrubber* m_scrubber = nullptr;

    struct Cache
    {
        double from = 0, to = -1;
        int width = 0;
        UtilisationColumns columns;
    };
    Cache m_cache;
};

} // namespace tilewright::ui
