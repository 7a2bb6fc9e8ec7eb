// SPDX-License-Identifier: GPL-3.0-or-later
// A comparison as data: both sides, and the table of their differences.
#pragma once

#include "base/table.h"
#include "lower/on_machine.h"
#include "report/compare.h"
#include "views/graph/graph_model.h"
#include "workspace/subgraph_colours.h"

#include <QList>

#include <array>
#include <memory>
#include <set>
#include <stop_token>
#include <vector>

namespace tilewright::ui {

/// The ops and the bar of a row of differences.
struct DifferenceRow
{
    double amount = 0;                 ///< length of the bar in barColumn: -1 (better) .. 1 (worse)
    std::array<std::set<OpId>, 2> ops; ///< the ops in A and in B
    bool differs = true;
};
/// The contents of a list of differences, as plain data.
struct DifferenceTable
{
    Table cells;
    std::vector<DifferenceRow> rows;
    QList<int> stretched; ///< columns that take the remaining width
    int barColumn = 0;
};

/// Returns the differences of two schedules in the order in which they are applied. `prefix`: the
/// commonPrefix() of all names, which is omitted.
[[nodiscard]] DifferenceTable differencesOf(const Comparison& comparison, const QString& prefix);
/// Returns the differences of the operators of two models, in the order of the model after the change.
[[nodiscard]] DifferenceTable differencesOf(const lower::ModelsOnMachine& models);

/// A comparison of A with B: differences and both graphs. A and B are either the baseline and the current
/// schedule of the open problem, or another model and the open one.
struct CompareData
{
    std::array<SnapshotPtr, 2> snapshots;
    std::array<QString, 2> names;
    /// Total latencies, in time units of the problem or in cycles of the models.
    std::array<double, 2> totals{};
    double unitOfA = 1; ///< unit of time of A, measured in units of B (Document::unitOfBaseline())
    std::array<GraphModel, 2> graphs;
    DifferenceTable table;
    Comparison comparison;            ///< comparison of two schedules, evaluated on the hardware of B
    bool otherHardware = false;       ///< true if A is for other hardware
    lower::ModelsOnMachinePtr models; ///< the compared models; null for schedules
    /// For models: per op of A and of B, its counterparts in the other model.
    std::array<std::vector<std::set<OpId>>, 2> counterparts;

    /// False if the schedule of this side breaks a rule, so that its total has no meaning.
    [[nodiscard]] bool isValid(std::size_t side) const
    {
        return !snapshots[side] || snapshots[side]->evaluation.valid();
    }
    /// Maps ops of one side to their counterparts on the other side. For schedules these are the same ops.
    [[nodiscard]] std::set<OpId> across(std::size_t from, const std::set<OpId>& ops) const;
};
/// True if both are schedules of the same ops; the hardware may differ.
[[nodiscard]] bool isComparable(const Snapshot& a, const Snapshot& b);
using CompareDataPtr = std::shared_ptr<const CompareData>;

/// Compares two schedules. To be called in the background: contributions need exact evaluations, and graphs
/// need layouts. `colours`: the colours of B's subgraphs, as in the other views.
[[nodiscard]] CompareDataPtr compareData(const SnapshotPtr& a, const SnapshotPtr& b,
                                         const std::array<QString, 2>& names, const SubgraphColours& colours,
                                         const GraphMetrics& metrics, std::stop_token stop,
                                         double unitOfA = 1);
/// Compares two models, each with its start schedule.
[[nodiscard]] CompareDataPtr compareData(const lower::ModelsOnMachinePtr& models,
                                         const std::array<QString, 2>& names, const GraphMetrics& metrics,
                                         std::stop_token stop);

} // namespace tilewright::ui
