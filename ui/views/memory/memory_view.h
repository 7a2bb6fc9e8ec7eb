// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/viewport.h"
#include "chart/lane_chart.h"
#include "views/memory/memory_panel.h"
#include "workspace/latest_job.h"

#include <memory>

class QToolButton;

namespace tilewright::ui {

class AddressMode;
class MemoryCache;

/// The memory timeline: exact use of fast memory over the whole schedule, with capacity and baseline; the
/// items in memory at the pinned time; the selected tensor in all subgraphs; sums over a measured range.
class MemoryView : public LaneChart
{
    Q_OBJECT
public:
    explicit MemoryView(const ViewContext& context, QWidget* parent = nullptr);
    ~MemoryView() override;

    void settle() override;
    /// Returns the items at the pinned time, or the sums of the measured range.
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override { return copyText(); }

    [[nodiscard]] const MemoryModel& model() const { return m_model; }
    [[nodiscard]] QPointF pointAt(double time) const
    {
        return pointIn(1, time);
    } ///< point at half the height of the plot
    [[nodiscard]] QPointF rowCentre(std::size_t item) const;
    [[nodiscard]] MemoryPanel panel() const { return panelIn(contentArea()); }
    void pin(double time);
    void pinPeak();
    /// The mode that shows addresses instead of uses (docs/rules/place.md 5).
    [[nodiscard]] AddressMode& addresses() { return *m_addresses; }

protected:
    void bringUpToDate() override { requestTimelines(); }
    [[nodiscard]] QRectF chartArea(const QRectF& area, bool exporting) const override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString measuredText() const override;
    [[nodiscard]] std::optional<Range> selectedRange() const override; ///< time range of the current subgraph
    [[nodiscard]] double snapped(double time) const override;
    [[nodiscard]] std::optional<double> pinnedTime() const override;
    void moveCursorTo(double time) override { pin(time); }
    void clicked(QPointF position, double time) override;
    void hovered(QPointF position) override;
    void measuredChanged() override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QList<QAction*> viewCommands() const override;
    [[nodiscard]] QStringList keysOf(const LaneHit& hit) const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void mousePressEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contentResized() override;

private:
    /// Geometry of the panel; empty if there is no room for it.
    [[nodiscard]] MemoryPanel panelIn(const QRectF& area) const;
    void requestTimelines();
    void rebuild();
    void placeList();
    void addOwnKeys();
    void addButtons();
    void placeButtons();
    [[nodiscard]] double spaceOfButtons() const;
    [[nodiscard]] std::optional<TensorId> addressedAt(QPointF position) const;
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
    std::unique_ptr<AddressMode> m_addresses;
    MemoryModel m_model;
    std::shared_ptr<MemoryCache> m_columns;
    ListScroll* m_scroll;
    std::optional<std::size_t> m_hoveredRow;
    QToolButton* m_addressSwitch = nullptr;
    QToolButton* m_toPeak = nullptr; ///< button that goes to the peak, beside the switch for addresses
    double m_measureAnchor = 0;      ///< time at which the range measured by keys starts
};

} // namespace tilewright::ui
