// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::npu {

/// What a run did for one operator of the model (docs/rules/npu.md 6.2). Cycles are summed over the cores.
struct OpReport
{
    std::string name;
    OpType type = OpType::MatMul;
    std::size_t nodes = 0;
    Cycle start = 0, end = 0; ///< from the first node taken up to the last result stored
    Cycle tensor = 0, vector = 0;
    std::array<Cycle, kCoreStates> stalls{}; ///< cores that waited for a node of it, per CoreState
    std::int64_t loaded = 0, stored = 0;     ///< bytes
    std::vector<std::uint16_t> cores;        ///< that ran nodes of it, ascending
    TileSizes tile;                          ///< in use
    double macPj = 0, spmPj = 0, nocPj = 0, dramPj = 0;

    [[nodiscard]] double energyPj() const noexcept { return macPj + spmPj + nocPj + dramPj; }
    [[nodiscard]] Cycle stallsOf(CoreState state) const noexcept
    {
        return stalls[static_cast<std::size_t>(state)];
    }
};

/// One an operator, in the model's order.
[[nodiscard]] std::vector<OpReport> opReports(const NpuGraph& graph, const NpuRun& run);

/// The file of `npu --csv`: one line an operator.
[[nodiscard]] std::string opReportsToCsv(const std::vector<OpReport>& reports);
/// "m 384 n 384 k 64"
[[nodiscard]] std::string tileText(OpType type, const TileSizes& tile);

} // namespace tilewright::npu
