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

/// The banks of L2 that the COMPUTE at the cursor reads.
struct BankCursor
{
    systolic::BankMap map;
    std::optional<std::int64_t> bankA, bankB;
    QString tileA, tileB; ///< "A[0,1]"
    [[nodiscard]] bool conflict() const { return bankA && bankA == bankB; }
};

/// One program in the chart.
struct GanttProgram
{
    systolic::ProgramStyle style = systolic::ProgramStyle::Pipelined;
    const systolic::Program* program = nullptr; ///< owned by GanttModel::result
    const systolic::PipelineRun* run = nullptr;
    const std::vector<PipelineLane>* lanes = nullptr;
    QString title;
};

/// Barriered and pipelined programs over one time axis, and the state at the cursor.
struct GanttModel
{
    QString hint; ///< shown instead of the chart
    std::shared_ptr<const PipelineResult> result;
    std::vector<GanttProgram> programs;           ///< the shown programs, top to bottom
    std::shared_ptr<const PipelineResult> pinned; ///< may be null
    std::vector<GanttProgram> pinnedPrograms;     ///< those of the styles of `programs`, in their order
    QString title;
    QString headline;   ///< schedule and L2 traffic of the pipelined program, cycles of both, cycles saved
    QString bottleneck; ///< name of the limiting resource
    std::int64_t cycles = 1;
    std::int64_t time = 0;
    PaintedTable stalls;
    std::vector<std::string>
        stallReasons;      ///< reason of each row of `stalls`; empty for the first and the last
    PaintedTable compared; ///< main() beside the pinned program of its style; without rows if there is none
    PaintedTable now;      ///< table of instructions at the cursor
    BankCursor banks;
    std::array<std::int64_t, 3> held{};     ///< bytes in L3, L2, L1 at the cursor
    std::array<std::int64_t, 3> capacity{}; ///< capacities of the hierarchy

    /// Returns the last of `programs`, whose details are shown.
    [[nodiscard]] const GanttProgram& main() const { return programs.back(); }
    /// The pinned program of a style; null if there is none.
    [[nodiscard]] const GanttProgram* pinnedOf(systolic::ProgramStyle style) const;
};

[[nodiscard]] GanttModel buildGantt(const SystolicDocument& state, GanttShow show);
/// Updates only what depends on the cursor.
void moveGanttCursor(GanttModel& model, std::int64_t time);

/// Text of a reason of ArrayBubble: "waits for the block mover", "barrier: DMA", …
[[nodiscard]] QString reasonText(const std::string& reason);
/// "output-stationary" ...
[[nodiscard]] QString dataflowText(systolic::Dataflow dataflow);
/// The choices of a schedule of L2: the preferred one, "A", "A + row reuse", ...
[[nodiscard]] QStringList scheduleChoices();
[[nodiscard]] int scheduleChoice(const SystolicSettings& settings); ///< index in scheduleChoices()
void chooseSchedule(SystolicSettings& settings, int choice);
/// Why a comparison has no program of a style.
[[nodiscard]] QString missingText(const systolic::PipelineComparison& comparison,
                                  systolic::ProgramStyle style);
/// "DMA", "block mover" ...
[[nodiscard]] QString resourceText(systolic::Resource resource);

/// Start of the first bubble of the array after (1) or before (-1) `time`.
[[nodiscard]] std::optional<std::int64_t> nextBubble(const systolic::PipelineRun& run, std::int64_t time,
                                                     int by);
[[nodiscard]] QString barTooltip(const GanttProgram& program, const PipelineLane::Bar& bar);

/// The lanes of the programs, with the occupancy of the memory levels below.
[[nodiscard]] LaneModel ganttLanes(const GanttModel& model);
/// Index of the first of the three lanes of memory levels.
[[nodiscard]] std::size_t firstLevelLane(const LaneModel& lanes);

/// "peak 9 KiB, 1.8 % of 512 KiB": of the main program in L3, L2 or L1.
[[nodiscard]] QString levelFact(const GanttModel& model, std::size_t level);

/// Fills a box with the colour or pattern of a reason of a stall.
void fillReason(QPainter& painter, const QRectF& box, const std::string& reason, const Theme& theme);

/// Paints the tables and the bank map at the cursor, beside the lanes.
void paintGanttPanel(QPainter& painter, const GanttModel& model, const QRectF& area, const Theme& theme);

} // namespace tilewright::ui
