// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::npu {

enum class Opcode : std::uint8_t { Sync, TLoad, TMatmul, TConv, TSoftmax, TVec, TStore };
/// "SYNC", "TLOAD", "TMATMUL", ...
[[nodiscard]] std::string_view toString(Opcode opcode) noexcept;

/// One instruction of a core. SYNC waits until the unit that `node` starts is ready; TLOAD and TSTORE move
/// `tile` for `node`; the others compute `node`. KV_LOAD and KV_STORE nodes consist of their TLOADs or
/// TSTOREs.
struct Instruction
{
    Opcode opcode = Opcode::Sync;
    std::uint32_t node = kNone;
    std::uint32_t tile = kNone;
    Cycle issued = 0; ///< when it began in the run it was taken from
    bool operator==(const Instruction&) const = default;
};

/// The programs of a run, one per core: nodes in the order chosen, each with its loads, its computation and
/// its stores.
[[nodiscard]] std::vector<std::vector<Instruction>> instructionsOf(const NpuGraph& graph, const NpuRun& run);

/// "TMATMUL  q: MATMUL 17"
[[nodiscard]] std::string describe(const NpuGraph& graph, const Instruction& instruction);

/// Executes the programs on the machine without a scheduler. Errors when a core's loads differ from its
/// TLOADs.
[[nodiscard]] Result<NpuRun> replay(const NpuGraph& graph, const NpuHardware& hardware,
                                    const std::vector<std::vector<Instruction>>& programs,
                                    const RunOptions& options);
/// The same with the memory's answers of the run they are of, which needs no simulation of DRAM and NoC.
[[nodiscard]] Result<NpuRun> retrace(const NpuGraph& graph, const NpuRun& run,
                                     const std::vector<std::vector<Instruction>>& programs);

} // namespace tilewright::npu
