// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/pipeline.h"

#include <string>

namespace tilewright::systolic {

// Address traces. Addresses count elements (SRAM) or bytes (DRAM) of row-major matrices: A starts at 0, B
// follows A, C follows B.

/// Traces of the transfers between L2 and the edges of the array in the format of SCALE-Sim: one line "cycle,
/// address of lane 0, lane 1 ..." per cycle with a transfer; -1 for an idle lane.
struct SramTraces
{
    std::string a, b;    ///< reads of A (B)
    std::string partial; ///< reads of partial sums (WS and IS)
    std::string c;       ///< writes of C
};
/// Largest number of cells (one address of one lane) of all traces together.
inline constexpr std::int64_t kMaxTraceCells = 40'000'000;
/// Traces of an array without edge stalls. A stationary block is read row by row, last row first, as soon as
/// its registers are free. With OS, results leave row by row after the last MAC of their fold. With WS and
/// IS, results leave at the last row of the array. Returns an Error above kMaxTraceCells.
[[nodiscard]] Result<SramTraces> sramTraces(const Gemm& gemm, const ArrayShape& array,
                                            const TimingOptions& timing);

/// Trace of the DMA transfers of a program: "start,end,access,matrix,address,bytes", one line per run of
/// adjacent bytes.
[[nodiscard]] std::string dramTrace(const Program& program, const PipelineRun& run);

} // namespace tilewright::systolic
