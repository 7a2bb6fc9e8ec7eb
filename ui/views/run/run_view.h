// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "chart/lane_chart.h"
#include "views/run/run_lanes.h"

class QComboBox;
class QToolButton;

namespace tilewright::ui {

class NumberBox;
class RunSide;

/// The run of the open schedule over time: the activity of load queue, array, vector unit and store queue,
/// and the contents of fast memory. The cursor selects the step that runs at its time, and selecting a step
/// moves the cursor.
class RunView : public LaneChart
{
    Q_OBJECT
public:
    explicit RunView(const ViewContext& context, QWidget* parent = nullptr);

    void settle() override;
    [[nodiscard]] QSize exportSize() const override { return {1280, 560}; }
    /// The tables of waits and of subgraphs as text.
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QString tableText() const override { return copyText(); }
    [[nodiscard]] QJsonObject settings() const override;
    void restoreSettings(const QJsonObject& settings) override;

    [[nodiscard]] const RunChartModel& model() const { return *m_model; }
    /// Time of the cursor, if it is set.
    [[nodiscard]] std::optional<double> cursor() const;
    /// Moves the cursor to a time and selects the step that runs at that time.
    void pin(double time);

protected:
    void bringUpToDate() override;
    [[nodiscard]] QRectF chartArea(const QRectF& area, bool exporting) const override;
    [[nodiscard]] std::optional<double> pinnedTime() const override { return cursor(); }
    [[nodiscard]] QString restingReadout() const override;
    [[nodiscard]] std::optional<std::uint32_t> selectedMark() const override;
    [[nodiscard]] std::optional<Range> selectedRange() const override;
    [[nodiscard]] QPointF focusPoint() const override;
    [[nodiscard]] QStringList keysOf(const LaneHit& hit) const override;
    [[nodiscard]] QList<QAction*> viewCommands() const override;
    [[nodiscard]] OurTrace ourTrace() const override;
    void moveCursorTo(double time) override { pin(time); }
    void clicked(QPointF position, double time) override;
    void cursorDragged(double time) override;
    void hovered(QPointF position) override;
    void resizeEvent(QResizeEvent* event) override;
    void contentResized() override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void leaveEvent(QEvent* event) override;

private:
    void rebuild();
    void showOptions();
    [[nodiscard]] std::size_t core() const; ///< m_core, limited to the number of cores of the run
    void place();
    void addOwnKeys();
    void select(std::size_t step, double time);
    void followSelection();
    void movePiece(int by, bool waits);
    void moveUnit(int by);
    void openInSystolic();
    [[nodiscard]] int sideWidth() const;
    [[nodiscard]] std::optional<std::size_t> selectedStep() const;
    /// True if the chart shows a run that has steps.
    [[nodiscard]] bool hasChart() const { return m_model->hint.isEmpty() && m_model->result(); }

    LiveRun& m_run;
    RunSide* m_side = nullptr;
    QToolButton* m_toggleSide = nullptr;
    NumberBox* m_prefetch = nullptr;
    NumberBox* m_cores = nullptr;
    QComboBox* m_colour = nullptr;
    /// Whether the user wants to see the lists; if not set, the width decides.
    std::optional<bool> m_wantsSide;
    std::shared_ptr<const RunChartModel> m_model = std::make_shared<const RunChartModel>();
    /// A time that the user has chosen, and the step that runs at that time.
    struct Pin
    {
        double time = 0;
        SubgraphId subgraph;
        std::int64_t step = 0;
    };
    std::optional<Pin> m_pin;
    RunUnit m_unit = RunUnit::Array; ///< the unit whose commands the keys select
    std::size_t m_core = 0;          ///< number of the core of m_unit
};

} // namespace tilewright::ui
