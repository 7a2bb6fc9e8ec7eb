// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::npu {

/// Statistics of a run for one operator of the model (docs/rules/npu.md 6.2). Cycles are summed over the
/// cores.
struct OpReport
{
    std::string name;
    OpType type = OpType::MatMul;
    std::size_t nodes = 0;
    Cycle start = 0, end = 0; ///< start of its first node, end of its last store
    Cycle tensor = 0, vector = 0;
    std::array<Cycle, kCoreStates> stalls{}; ///< wait cycles of the cores for its nodes, by CoreState
    std::int64_t loaded = 0, stored = 0;     ///< bytes moved between DRAM and SPM
    std::vector<std::uint16_t> cores;        ///< ids of the cores that ran its nodes, ascending
    TileSizes tile;                          ///< tile sizes of the graph
    double macPj = 0, spmPj = 0, nocPj = 0, dramPj = 0;

    [[nodiscard]] double energyPj() const noexcept { return macPj + spmPj + nocPj + dramPj; }
    [[nodiscard]] Cycle stallsOf(CoreState state) const noexcept
    {
        return stalls[static_cast<std::size_t>(state)];
    }
};

/// Reports of all operators, in the order of the model.
[[nodiscard]] std::vector<OpReport> opReports(const NpuGraph& graph, const NpuRun& run);

/// The CSV file of `npu --csv`: one line per operator.
[[nodiscard]] std::string opReportsToCsv(const std::vector<OpReport>& reports);
/// Text of tile sizes: "m 384 n 384 k 64".
[[nodiscard]] std::string tileText(OpType type, const TileSizes& tile);

} // namespace tilewright::npu
