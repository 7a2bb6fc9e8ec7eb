// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of the tables: what an evaluated schedule, a run, a search and a sweep have as values.
#pragma once

#include "base/progress.h"
#include "base/table.h"
#include "mapping/model_search.h"
#include "npu/output.h"
#include "place/step_items.h"
#include "snapshot/snapshot.h"
#include "sweep/folder.h"
#include "tables/schema.h"
#include "verbs/schedule.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright::tables {

/// A run of the NPU lens, from the verb npu or the window.
struct NpuPart
{
    std::shared_ptr<const npu::NpuGraph> graph;
    std::shared_ptr<const npu::NpuRun> run;
};

/// Best methods of layers, from the verb map.
struct MappingPart
{
    mapping::Architecture architecture;
    std::vector<mapping::LayerResult> layers;
};

/// The data from which tables are made. Tables of missing parts have no rows.
struct Subject
{
    SnapshotPtr snapshot;
    lower::ModelOnMachinePtr model = {}; ///< null for a problem on its own hardware
    std::string rulesReason = {};
    std::string hardware = {}; ///< text of the hardware, as `evaluate` prints it
    std::string workload = {}; ///< file of the workload; may be empty
    std::string schedule = {}; ///< file of the schedule; empty: the start schedule or an unsaved one
    std::shared_ptr<const PlacedSchedule> placed = {};
    std::optional<NpuPart> npu = {};
    std::shared_ptr<const MappingPart> mapping = {};
    std::shared_ptr<const sweep::SweepTable> sweep = {};
};

/// Maximum number of steps of a subgraph that are listed. The table left_out names the subgraphs that have
/// more.
inline constexpr std::int64_t kMostStepsOfSubgraph = 10'000;
/// Maximum number of rows in each of the tables of steps, runs, buffers and stalls.
inline constexpr std::int64_t kMostRows = 200'000;
/// Maximum number of steps of a schedule that are visited to compute its traffic and its buffers.
inline constexpr std::int64_t kMostWalked = 1'000'000;

/// Receives a row of a table, in the order of its columns.
using RowSink = std::function<void(const Schema&, std::span<const TableValue>)>;

/// Writes the rows of all tables of schemas(). Returns false if stopped.
[[nodiscard]] bool writeTables(const Subject& subject, const RowSink& sink, const Progress& progress = {});

} // namespace tilewright::tables
