// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/list_scroll.h"
#include "workspace/latest_job.h"
#include "views/memory/memory_paint.h"

#include <memory>

namespace tilewright::ui {

/// The memory timeline: what occupies fast memory over the whole schedule, exactly, against the capacity and
/// the baseline, with everything that is resident at the pinned time, the selected tensor followed through
/// all subgraphs, and sums over a measured range.
class MemoryView : public TimeCanvas
{
    Q_OBJECT
public:
    explicit MemoryView(const ViewContext& context, QWidget* parent = nullptr);
    ~MemoryView() override;

    void settle() override;
    /// The residents at the pinned time; the sums while a range is measured.
    [[nodiscard]] QString copyText() const override;
    void paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    void fitSelection() override; ///< the current subgraph
    [[nodiscard]] QRectF selectedPart() const override;

    [[nodiscard]] const MemoryModel& model() const { return m_model; }
    [[nodiscard]] QPointF pointAt(double time) const; ///< in the middle of the plot
    [[nodiscard]] QPointF rowCentre(std::size_t item) const;
    [[nodiscard]] MemoryPlaces places() const { return placesIn(rect()); }
    void pin(double time);

protected:
    void bringUpToDate() override { requestTimelines(); }
    [[nodiscard]] Places timePlaces() const override;
    [[nodiscard]] double snapped(double time) const override;
    [[nodiscard]] std::optional<double> pinnedTime() const override;
    void clicked(QPointF position, double time) override;
    void hovered(QPointF position) override;
    void measuredChanged() override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] MemoryPlaces placesIn(const QRectF& area) const;
    void requestTimelines();
    void rebuild();
    void placeScroll();
    void addOwnKeys();
    void moveStep(int by);
    void moveRow(int by);
    void extendMeasured(int by);

    struct Timelines
    {
        SnapshotPtr currentOf, baselineOf;
        std::shared_ptr<const Timeline> current, baseline;
    };
    Timelines m_timelines;
    std::unique_ptr<LatestJob<Timelines>> m_job;
    MemoryModel m_model;
    ListScroll* m_scroll;
    std::optional<std::size_t> m_hoveredRow;
    double m_measureAnchor = 0; ///< where measuring by keys began

    struct Cache // columns of the visible range and of the whole
    {
        std::shared_ptr<const Timeline> timeline, baseline;
        std::shared_ptr<const TensorTrack> track;
        double from = 0, to = 0;
        int width = 0;
        MemoryColumns visible, whole;
    };
    Cache m_cache;

    struct KnownPlaces
    {
        QRectF area;
        QString title;
        bool baseline = false;
        QFont font;
        MemoryPlaces places;
    };
    mutable std::optional<KnownPlaces> m_places; ///< asked for several times an edit; they measure texts
};

} // namespace tilewright::ui
