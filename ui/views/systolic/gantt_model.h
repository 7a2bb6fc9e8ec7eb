// SPDX-License-Identifier: GPL-3.0-or-later
// The Gantt chart of the pipeline as data, and its lanes.
#pragma once

#include "chart/lane.h"
#include "views/systolic/painted_table.h"
#include "workspace/systolic_document.h"

#include <memory>
#include <optional>

namespace tilewright::ui {

enum class GanttShow { Both, Pipelined, Barriered };

/// The L2 banks that the COMPUTE command at the cursor reads.
struct BankCursor
{
    systolic::BankMap map;
    std::optional<std::int64_t> bankA, bankB;
    QString tileA, tileB; ///< tiles that the command reads, e.g. "A[0,1]" (row and column of the tile)
    [[nodiscard]] bool conflict() const { return bankA && bankA == bankB; }
};

/// One program in the chart.
struct GanttProgram
{
    systolic::ProgramStyle style = systolic::ProgramStyle::Pipelined;
    const systolic::Program* program = nullptr; ///< the program; GanttModel::result owns it
    const systolic::PipelineRun* run = nullptr;
    const std::vector<PipelineLane>* lanes = nullptr;
    QString title;
};

/// Programs with barriers and pipelined programs over one time axis, and their state at the cursor.
struct GanttModel
{
    QString hint; ///< text shown instead of the chart; empty: show the chart
    std::shared_ptr<const PipelineResult> result;
    std::vector<GanttProgram> programs;           ///< the shown programs, from top to bottom
    std::shared_ptr<const PipelineResult> pinned; ///< the pinned result; may be null
    /// pinned programs with the styles of `programs`, in the same order
    std::vector<GanttProgram> pinnedPrograms;
    QString title;
    /// text: schedule and L2 traffic of the pipelined program, cycles of both programs, cycles saved
    QString headline;
    QString bottleneck; ///< name of the limiting resource
    std::int64_t cycles = 1;
    std::int64_t time = 0;
    PaintedTable stalls;
    std::vector<std::string>
        stallReasons; ///< reason that each row of `stalls` shows; empty for the first and the last row
    /// comparison of main() with the pinned program of its style; without rows if nothing is pinned
    PaintedTable compared;
    PaintedTable now; ///< table of instructions at the cursor
    BankCursor banks;
    std::array<std::int64_t, 3> held{};     ///< bytes in L3, L2 and L1 at the cursor
    std::array<std::int64_t, 3> capacity{}; ///< capacities of L3, L2 and L1 in bytes

    /// Returns the last of `programs`, whose details are shown.
    [[nodiscard]] const GanttProgram& main() const { return programs.back(); }
    /// Returns the pinned program of a style; null if there is none.
    [[nodiscard]] const GanttProgram* pinnedOf(systolic::ProgramStyle style) const;
};

[[nodiscard]] GanttModel buildGantt(const SystolicDocument& state, GanttShow show);
/// Moves the cursor and updates only the parts of the model that depend on it.
void moveGanttCursor(GanttModel& model, std::int64_t time);

/// Text on a reason of an ArrayBubble: "waits for the block mover", "barrier: DMA" and so on.
[[nodiscard]] QString reasonText(const std::string& reason);
/// Name of a dataflow: "output-stationary" and so on.
[[nodiscard]] QString dataflowText(systolic::Dataflow dataflow);
/// Names of the schedules of L2 that can be chosen: the preferred one, "A", "A + row reuse" and so on.
[[nodiscard]] QStringList scheduleChoices();
/// Index in scheduleChoices() of the schedule in the settings.
[[nodiscard]] int scheduleChoice(const SystolicSettings& settings);
void chooseSchedule(SystolicSettings& settings, int choice);
/// Explains why a comparison has no program of a style.
[[nodiscard]] QString missingText(const systolic::PipelineComparison& comparison,
                                  systolic::ProgramStyle style);
/// Name of a resource: "DMA", "block mover" and so on.
[[nodiscard]] QString resourceText(systolic::Resource resource);

/// Returns the start of the next bubble of the array after `time` (direction 1) or of the previous one before
/// it (-1).
[[nodiscard]] std::optional<std::int64_t> nextBubble(const systolic::PipelineRun& run, std::int64_t time,
                                                     int by);
[[nodiscard]] QString barTooltip(const GanttProgram& program, const PipelineLane::Bar& bar);

/// The lanes of the programs, with the occupancy of the memory levels below.
[[nodiscard]] LaneModel ganttLanes(const GanttModel& model);
/// Index of the first of the three lanes of memory levels.
[[nodiscard]] std::size_t firstLevelLane(const LaneModel& lanes);

/// Text on the peak in L3, L2 or L1, for the main program: "peak 9 KiB, 1.8 % of 512 KiB".
[[nodiscard]] QString levelFact(const GanttModel& model, std::size_t level);

/// Fills a box with the colour or pattern of a reason of a stall.
void fillReason(QPainter& painter, const QRectF& box, const std::string& reason, const Theme& theme);

/// Paints the panel beside the lanes: the tables, and the map of banks at the cursor.
void paintGanttPanel(QPainter& painter, const GanttModel& model, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
