// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane_chart.h"
#include "chart/playback.h"
#include "views/systolic/systolic_view.h"
#include "views/systolic/wavefront_paint.h"

class QComboBox;

namespace tilewright::ui {

/// The wavefront player: shows the array cycle by cycle.
class WavefrontCanvas : public SystolicPaneOf<LaneChart>
{
    Q_OBJECT
public:
    explicit WavefrontCanvas(const ViewContext& context, QWidget* parent = nullptr);

    [[nodiscard]] QString copyText() const override;  ///< the PEs at the cursor
    [[nodiscard]] QString tableText() const override; ///< the product, and the figures above the array
    [[nodiscard]] QSize exportSize() const override { return {1180, 820}; }

    [[nodiscard]] const WavefrontModel& model() const { return m_model; }
    [[nodiscard]] QPointF peCentre(const PePosition& pe) const; ///< centre of a PE in widget coordinates
    [[nodiscard]] QPointF chartPoint(std::int64_t cycle) const
    {
        return pointIn(1, static_cast<double>(cycle) + 0.5);
    }
    [[nodiscard]] const std::optional<PePosition>& pinned() const { return m_overlay.pinned; }
    [[nodiscard]] Playback& playback() const { return *m_playback; }

protected:
    void rebuild() override;
    void paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    /// Returns the parts of the array and those of the lanes.
    [[nodiscard]] std::vector<PicturePart> partsIn(const QSize& size) override { return partsByPlace(size); }
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    [[nodiscard]] QRectF chartArea(const QRectF& area, bool exporting) const override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] std::optional<double> pinnedTime() const override;
    /// No text at the cursor, because the header shows the cycle.
    [[nodiscard]] QString cursorText() const override { return {}; }
    void cursorDragged(double time) override;
    void clicked(QPointF, double) override {}
    void hovered(QPointF position) override;
    [[nodiscard]] QPointF keyAnchor() const override { return chartPoint(state().cycle()); }
    void leaveEvent(QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void createControls();
    void refreshCycle();
    void refreshFacts();
    void movePinned(std::int64_t rows, std::int64_t cols);
    void addOwnKeys();
    [[nodiscard]] WavefrontPlaces arrayPlaces() const { return wavefrontPlaces(contentArea(), m_model); }
    [[nodiscard]] std::optional<PePosition> peUnder(QPointF position) const;

    WavefrontModel m_model;
    WavefrontOverlay m_overlay;
    std::int64_t m_cycles = 0; ///< length in cycles of the run in which the range was measured
    QComboBox* m_colour = nullptr;
    Playback* m_playback = nullptr;
    Scrubber* m_scrubber = nullptr;
};

} // namespace tilewright::ui
