// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/canvas.h"
#include "document/latest_job.h"
#include "views/memory/memory_paint.h"

#include <memory>

namespace tilewright::ui {

/// The memory timeline: what occupies fast memory over the whole schedule, exactly, against the capacity and
/// the baseline, with everything that is resident at the pinned time.
class MemoryView : public Canvas
{
    Q_OBJECT
public:
    explicit MemoryView(const ViewContext& context, QWidget* parent = nullptr);
    ~MemoryView() override;

    void settle() override;
    [[nodiscard]] QString copyText() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void zoomBy(double factor, QPointF anchor) override;
    void panBy(QPointF pixels) override;
    void fitAll() override;
    void fitSelection() override; ///< the current subgraph
    [[nodiscard]] std::optional<QRectF> shownPart() const override;
    void showPart(const QRectF& part) override;
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const MemoryModel& model() const { return m_model; }
    [[nodiscard]] QPointF pointAt(double time) const; ///< in the middle of the plot
    [[nodiscard]] std::pair<double, double> visibleRange() const { return {m_from, m_to}; }
    [[nodiscard]] const std::optional<std::pair<double, double>>& measured() const { return m_overlay.range; }
    [[nodiscard]] MemoryPlaces places() const { return memoryPlaces(rect(), m_model); }
    void pin(double time);

protected:
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    enum class Drag { None, Plot, Range, Left, Right };
    void requestTimelines();
    void rebuild();
    [[nodiscard]] Axis timeAxis(const QRectF& plot) const;
    void setRange(double from, double to);
    void moveStep(int by);
    void hoverAt(QPointF position);

    struct Timelines
    {
        SnapshotPtr currentOf, baselineOf;
        std::shared_ptr<const Timeline> current, baseline;
    };
    Timelines m_timelines;
    std::unique_ptr<LatestJob<Timelines>> m_job;
    MemoryModel m_model;
    double m_from = 0, m_to = 1;
    bool m_fitted = true;
    QRectF m_wantedPart; ///< asked for before the timeline was there
    MemoryOverlay m_overlay;

    struct Cache // columns of the visible range and of the whole
    {
        const Timeline* timeline = nullptr;
        const Timeline* baseline = nullptr;
        double from = 0, to = 0;
        int width = 0;
        MemoryColumns visible, whole;
    };
    Cache m_cache;

    Drag m_drag = Drag::None;
    QPointF m_pressed;
    double m_pressedTime = 0;
    double m_grabOffset = 0;
};

} // namespace tilewright::ui
