// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "views/compare/difference_table.h"
#include "views/graph/graph_model.h"
#include "workspace/subgraph_colours.h"

#include <array>
#include <memory>
#include <stop_token>

namespace tilewright::ui {

/// A against B: what differs and both pictures. Either two schedules of the open problem, the pinned one and
/// the current one, or two models, the other one and the open one.
struct CompareData
{
    std::array<SnapshotPtr, 2> snapshots;
    std::array<QString, 2> names;
    std::array<double, 2> totals{}; ///< time units of the problem, or cycles of the models
    std::array<GraphModel, 2> graphs;
    DifferenceTable table;
    Comparison comparison;            ///< of schedules, on the hardware of B
    bool otherHardware = false;       ///< A is on another
    lower::ModelsOnMachinePtr models; ///< null for schedules
    /// Of models, per op of A and of B: its counterparts in the other.
    std::array<std::vector<std::set<OpId>>, 2> counterparts;

    /// Ops of one side as those of the other: the same ops for schedules.
    [[nodiscard]] std::set<OpId> across(std::size_t from, const std::set<OpId>& ops) const;
};
/// Whether schedules of one are schedules of the other, be it on other hardware.
[[nodiscard]] bool isComparable(const Snapshot& a, const Snapshot& b);
using CompareDataPtr = std::shared_ptr<const CompareData>;

/// Both are found in the background: the contributions are exact evaluations, the pictures need layouts.
/// `colours`: of B, as the other views have them.
[[nodiscard]] CompareDataPtr compareData(const SnapshotPtr& a, const SnapshotPtr& b,
                                         const std::array<QString, 2>& names, const SubgraphColours& colours,
                                         const GraphMetrics& metrics, std::stop_token stop);
/// Each model in its start schedule.
[[nodiscard]] CompareDataPtr compareData(const lower::ModelsOnMachinePtr& models,
                                         const std::array<QString, 2>& names, const GraphMetrics& metrics,
                                         std::stop_token stop);

} // namespace tilewright::ui
