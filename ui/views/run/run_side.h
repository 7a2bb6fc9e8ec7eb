// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/table_model.h"
#include "views/run/run_lanes.h"

#include <QTabWidget>

class QTableView;

namespace tilewright::ui {

/// The lists beside the chart: time of each unit by what it does or waits for, what all do at the cursor, and
/// each subgraph in R10 and in the run.
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

/// Time of each unit: busy, every wait, and the whole, a row for each unit.
[[nodiscard]] Table waitTable(const ScheduleRun& run);
/// Table of the subgraphs: R10's latency, the length in the run, and why they differ.
[[nodiscard]] Table subgraphTable(const LiveRunResult& result);
/// Both tables as tab-separated text with full precision.
[[nodiscard]] QString runAsText(const LiveRunResult& result);

} // namespace tilewright::ui
