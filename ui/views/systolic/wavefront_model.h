// SPDX-License-Identifier: GPL-3.0-or-later
// The wavefront player as data, and its lanes.
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

/// The array in one cycle. Large arrays are thinned: PE (row * step, col * step) represents its block.
struct WavefrontModel
{
    QString title;
    QString origin;
    QString when;    ///< "cycle 37 of 1054 · fill"
    QString figures; ///< cycles, utilisation, folds
    QString warning; ///< read-out not hidden, simulation missing …

    std::int64_t rows = 0, cols = 0; ///< size of the array
    std::int64_t step = 1;
    std::int64_t shownRows = 0, shownCols = 0;
    std::int64_t lead = 0; ///< operands drawn outside of the array before they enter
    systolic::Dataflow dataflow = systolic::Dataflow::Os;
    std::int64_t stream = 1;

    std::int64_t cycle = 0, cycles = 1;
    std::int64_t tick = 0; ///< the cycle minus the stalls before it
    std::optional<systolic::EdgeStall> stall;
    std::int64_t stalledCycles = 0;
    std::int64_t active = 0;
    std::optional<systolic::ArrayPhases> phases;
    std::int64_t phaseStart = 0; ///< tick of the first activity

    std::vector<systolic::PeActivity> pes;        ///< shownRows x shownCols, row-major
    std::vector<systolic::PeRegisters> registers; ///< in the order of `pes`, if values are simulated
    /// shownRows x lead: operand [row][d] enters the array in d + 1 cycles
    std::vector<systolic::PeActivity> west;
    std::vector<systolic::PeActivity> north; ///< lead x shownCols: [d][col]; OS only
    std::vector<std::int64_t> westFifo;      ///< elements in the FIFO of every row; empty without a limit
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

/// The array at the document's cycle; moves the simulator there if there is one.
[[nodiscard]] WavefrontModel buildWavefront(const SystolicDocument& state,
                                            const WavefrontOptions& options = {});

/// All facts on one PE: label and value, one per line.
struct PeFacts
{
    QString title; ///< "PE (2, 3)"
    std::vector<std::pair<QString, QString>> lines;
};
[[nodiscard]] PeFacts peFacts(const SystolicDocument& state, const PePosition& pe);

/// "A[2,7]": the operand that reaches a PE from the west with this work.
[[nodiscard]] QString westOperand(systolic::Dataflow dataflow, const systolic::PeActivity& work);
[[nodiscard]] QString northOperand(systolic::Dataflow dataflow, const systolic::PeActivity& work);

/// Utilisation over time: the mean share of active PEs in each pixel column of cycles [from, to).
struct UtilisationColumns
{
    std::vector<double> mean;
    std::vector<bool> stalled; ///< an edge stall is in the column
    bool sampled = false;      ///< too many cycles: a column is computed from its first cycles
};
[[nodiscard]] UtilisationColumns utilisation(const SystolicDocument& state, std::int64_t from,
                                             std::int64_t to, int width);

/// "fill", "steady", "drain" or "idle" at the tick of the model.
[[nodiscard]] QString phaseName(const WavefrontModel& model);

/// First cycle of the phases: fill, steady, drain.
[[nodiscard]] std::array<std::int64_t, 3> phaseCycles(const SystolicDocument& state);

/// The active PEs over time with the phases, as one lane.
[[nodiscard]] LaneModel wavefrontLanes(const SystolicDocument& state);

} // namespace tilewright::ui
