// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/pipeline.h"

#include <string>

namespace tilewright::systolic {

// Addresses count elements (SRAM) or bytes (DRAM) of row-major matrices, A from 0, B behind A, C behind B.

/// What passes between L2 and the edges of the array, as SCALE-Sim writes it: a line a cycle in which
/// anything passes, "cycle, address of lane 0, lane 1 ...", -1 for a lane that rests.
struct SramTraces
{
    std::string a, b;    ///< reads
    std::string partial; ///< reads of partial sums (WS, IS)
    std::string c;       ///< writes
};
/// Cells of all traces together at most.
inline constexpr std::int64_t kMaxTraceCells = 40'000'000;
/// Of an array whose edges never stall. A block that stays in the array is read row by row, its last row
/// first, as soon as its registers are free; results leave OS row by row after the last MAC of their fold, WS
/// and IS at the last row of the array. Refuses more than kMaxTraceCells.
[[nodiscard]] Result<SramTraces> sramTraces(const Gemm& gemm, const ArrayShape& array,
                                            const TimingOptions& timing);

/// What a program's DMA moves: "start,end,access,matrix,address,bytes", a line for each run of adjacent
/// bytes.
[[nodiscard]] std::string dramTrace(const Program& program, const PipelineRun& run);

} // namespace tilewright::systolic
