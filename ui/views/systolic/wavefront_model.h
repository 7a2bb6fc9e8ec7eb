// SPDX-License-Identifier: GPL-3.0-or-later
// The wavefront player as data, and the lanes below the array.
#pragma once

#include "chart/lane.h"
#include "workspace/systolic_document.h"

#include <QString>
#include <QStringList>

#include <optional>
#include <utility>
#include <vector>

namespace tilewright::ui {

/// Quantity that the colour of a PE shows.
enum class PeColour { Activity, Fold, Accumulation };

struct PePosition
{
    std::int64_t row = 0;
    std::int64_t col = 0;
    bool operator==(const PePosition&) const = default;
};

/// The array in one cycle. Of a large array only every `step`-th row and column is shown: PE (row * step, col
/// * step) stands for its block.
struct WavefrontModel
{
    QString title;
    QString origin;
    QString when;    ///< "cycle 37 of 1054 · fill"
    QString figures; ///< text with cycles, utilisation and folds
    QString warning; ///< text on a restriction: read-out not hidden, simulation missing and so on

    std::int64_t rows = 0, cols = 0; ///< number of rows and columns of the array
    std::int64_t step = 1;
    std::int64_t shownRows = 0, shownCols = 0;
    std::int64_t lead = 0; ///< number of operands that are drawn outside of the array on their way into it
    systolic::Dataflow dataflow = systolic::Dataflow::Os;
    std::int64_t stream = 1;

    std::int64_t cycle = 0, cycles = 1;
    std::int64_t tick = 0; ///< number of the cycle minus the stalled cycles before it
    std::optional<systolic::EdgeStall> stall;
    std::int64_t stalledCycles = 0;
    std::int64_t active = 0;
    std::optional<systolic::ArrayPhases> phases;
    std::int64_t phaseStart = 0; ///< tick at which the activity begins

    std::vector<systolic::PeActivity> pes; ///< activity of the shown PEs: shownRows x shownCols, row-major
    /// registers in the order of `pes`, if values are simulated
    std::vector<systolic::PeRegisters> registers;
    /// shownRows x lead: operand [row][d] enters the array in d + 1 cycles
    std::vector<systolic::PeActivity> west;
    /// Lead x shownCols: operand [d][col] enters in d + 1 cycles; with OS only.
    std::vector<systolic::PeActivity> north;
    /// Number of elements in the FIFO of every row; empty if FIFOs are unlimited.
    std::vector<std::int64_t> westFifo;
    std::vector<std::int64_t> northFifo;
    std::int64_t fifoDepth = 32;

    [[nodiscard]] const systolic::PeActivity& at(std::int64_t r, std::int64_t c) const
    {
        return pes[static_cast<std::size_t>(r * shownCols + c)];
    }
};

struct WavefrontOptions
{
    std::int64_t mostCells = 1 << 16; ///< maximum number of shown PEs
    std::int64_t mostValues = 4096;   ///< maximum number of PEs whose registers are read
};

/// Builds the model for the document's cycle. Moves the simulator to this cycle, if there is a simulator.
[[nodiscard]] WavefrontModel buildWavefront(const SystolicDocument& state,
                                            const WavefrontOptions& options = {});

/// All facts on a PE as label and value, one pair per line.
struct PeFacts
{
    QString title; ///< "PE (2, 3)"
    std::vector<std::pair<QString, QString>> lines;
};
[[nodiscard]] PeFacts peFacts(const SystolicDocument& state, const PePosition& pe);

/// Name of the operand that reaches a PE from the west for this work: "A[2,7]".
[[nodiscard]] QString westOperand(systolic::Dataflow dataflow, const systolic::PeActivity& work);
[[nodiscard]] QString northOperand(systolic::Dataflow dataflow, const systolic::PeActivity& work);

/// Utilisation over time: the mean share of active PEs in each pixel column over the cycles [from, to).
struct UtilisationColumns
{
    std::vector<double> mean;
    std::vector<bool> stalled; ///< for each column, true if an edge stall is in it
    bool sampled = false; ///< true if a column has so many cycles that only the first of them are evaluated
};
[[nodiscard]] UtilisationColumns utilisation(const SystolicDocument& state, std::int64_t from,
                                             std::int64_t to, int width);

/// Name of the phase at the tick of the model: "fill", "steady", "drain" or "idle".
[[nodiscard]] QString phaseName(const WavefrontModel& model);

/// Returns the first cycles of the phases fill, steady and drain.
[[nodiscard]] std::array<std::int64_t, 3> phaseCycles(const SystolicDocument& state);

/// Returns a lane with the number of active PEs over time and the phases.
[[nodiscard]] LaneModel wavefrontLanes(const SystolicDocument& state);

} // namespace tilewright::ui
