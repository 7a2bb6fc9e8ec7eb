// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "views/run/run_lanes.h"

#include <QTabWidget>

class QTableView;

namespace tilewright::ui {

/// Lists beside the chart: the time of each unit by activity and wait, the activity of all units at the
/// cursor, and the latency (R10) and length in the run of each subgraph.
class RunSide : public QTabWidget
{
    Q_OBJECT
public:
    RunSide(const ViewContext& context, QWidget* parent);
    void show(const std::shared_ptr<const RunChartModel>& model);
    void showCursor(std::optional<double> time);

private:
    void selectRow();
    void followSelection();

    ViewContext m_context;
    std::shared_ptr<const RunChartModel> m_model;
    TableModel* m_waits = nullptr;
    TableModel* m_now = nullptr;
    TableModel* m_subgraphs = nullptr;
    SortedRows* m_sorted = nullptr;
    QTableView* m_waitTable = nullptr;
    QTableView* m_nowTable = nullptr;
    QTableView* m_subgraphTable = nullptr;
    bool m_following = false;
};

/// Returns a table with one row per unit: its busy time, the time of each kind of wait, and the sum.
[[nodiscard]] Table waitTable(const ScheduleRun& run);
/// Returns a table of the subgraphs: latency (R10), length in the run, and the reason of the difference.
[[nodiscard]] Table subgraphTable(const LiveRunResult& result);
/// Returns the tables of waits and of subgraphs as tab-separated text with full precision.
[[nodiscard]] QString runAsText(const LiveRunResult& result);

} // namespace tilewright::ui
