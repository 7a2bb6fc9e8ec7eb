// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "chart/plot_canvas.h"
#include "views/sweep/sweep_form.h"
#include "views/sweep/sweep_run.h"

class QMenu;
class QProgressBar;
class QTableView;
class QToolButton;

namespace tilewright::ui {

/// The open workload on many machines (docs/rules/sweep.md 6): curves with lower bound and sufficient value,
/// a heat map, a Pareto front, a table. A click on a point opens it.
class SweepView : public PlotCanvas
{
    Q_OBJECT
public:
    explicit SweepView(const ViewContext& context, QWidget* parent = nullptr);
    ~SweepView() override;

    [[nodiscard]] QSize exportSize() const override { return {1000, 520}; }
    void settle() override;
    void paintExport(QPainter& painter, const QSize& size, const Theme& theme) override;
    [[nodiscard]] QString copyText() const override;
    [[nodiscard]] QJsonObject settings() const override { return sweepSetupJson(m_form->setup()); }
    void restoreSettings(const QJsonObject& settings) override;

    /// Computes the sweep that the controls define. A stopped sweep is continued.
    void run();
    [[nodiscard]] bool isRunning() const { return m_run.isRunning(); }
    [[nodiscard]] const SweepModel& model() const { return m_model; }
    [[nodiscard]] SweepForm& form() { return *m_form; }
    /// Position of a row in the chart, in widget coordinates.
    [[nodiscard]] QPointF pointOf(std::size_t row) const;
    /// Opens the machine and the schedule of a row, as one undo step. `compare`: shows them beside the
    /// schedule that is open now.
    void openPoint(std::size_t row, bool compare);
    [[nodiscard]] Status exportTable(const QString& path) const;
    [[nodiscard]] Status exportPlan(const QString& path);

Q_SIGNALS:
    void compareRequested();

protected:
    [[nodiscard]] std::vector<PlotModel> buildPlots(const Theme& theme) const override;
    [[nodiscard]] QString hint() const override;
    void paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting) override;
    [[nodiscard]] QString tooltipAt(QPointF position) const override;
    [[nodiscard]] QString markTooltip(const PlotMark& mark) const override;
    [[nodiscard]] std::optional<int> hoveredMark() const override;
    [[nodiscard]] QPointF focusPoint() const override;
    void markHovered(QPointF at, const PlotMark* mark) override;
    void markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers) override;
    void contentResized() override;

private:
    void addCommands();
    void addOwnKeys();
    void followDocument(Parts parts);
    void refresh(); ///< shows the present results
    void updateProgress();
    void requestChanges();
    /// Moves the current results to the earlier sweeps, and clears the chart.
    void putAway();
    /// Shows an earlier sweep again, with its choices. `earlier`: its number in m_earlier.
    void takeUp(std::size_t earlier);
    void fillEarlier();
    [[nodiscard]] bool isOfThisWorkload(const SweepSetup& setup, const SweepResults& results) const;
    void moveCursor(QPoint arrow);
    [[nodiscard]] bool isGrid() const;
    /// Returns the row of a cell of the heat map at a position.
    [[nodiscard]] std::optional<std::size_t> rowAt(QPointF position) const;
    [[nodiscard]] QString folder() const;
    void save(const QString& title, const QString& name, const QString& filter,
              const std::function<Status(const QString&)>& write);
    void say(const QString& text) { m_message = text; }

    SweepForm* m_form;
    QAction* m_start = nullptr;
    QProgressBar* m_progress;
    TableModel* m_points;
    QTableView* m_table; ///< table of the points; its rows are m_points
    SweepRun m_run;
    SweepModel m_model;
    SweepSetup m_swept; ///< the setup with which the sweep in m_run was started
    struct Earlier
    {
        SweepSetup setup;
        std::vector<SweepResults> results;
    };
    /// Earlier sweeps, whose choices were changed after them; the latest first.
    std::vector<Earlier> m_earlier;
    QMenu* m_earlierMenu = nullptr;
    QToolButton* m_earlierButton = nullptr;
    bool m_besideIsOpen = true;
    std::optional<std::size_t> m_cursor;
    QString m_error, m_message;
    std::unique_ptr<LatestJob<std::vector<SweepChange>>> m_changes;
};

/// Finds the main differences between schedules at the points where a curve falls.
[[nodiscard]] std::vector<SweepChange> findSweepChanges(const SweepResults& results, const SweepModel& model,
                                                        const std::stop_token& stop);

} // namespace tilewright::ui
