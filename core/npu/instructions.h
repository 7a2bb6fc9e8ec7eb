// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::npu {

enum class Opcode : std::uint8_t { Sync, TLoad, TRecv, TMatmul, TConv, TSoftmax, TVec, TStore };
/// "SYNC", "TLOAD", "TRECV", "TMATMUL", ...
[[nodiscard]] std::string_view toString(Opcode opcode) noexcept;

/// One instruction of a core. SYNC waits until the unit that starts with `node` is ready. TLOAD and TSTORE
/// move `tile` for `node`; TRECV receives the part of `tile` that another core sends. All other instructions
/// compute `node`. KV_LOAD and KV_STORE nodes consist of TLOADs or TSTOREs only.
struct Instruction
{
    Opcode opcode = Opcode::Sync;
    std::uint32_t node = kNone;
    std::uint32_t tile = kNone;
    Cycle issued = 0; ///< start time in the recorded run, in cycles
    bool operator==(const Instruction&) const = default;
};

/// The instruction programs of a run, one per core. Each program lists the nodes in the order chosen by the
/// core; a node has its loads, then its computation, then its stores.
[[nodiscard]] std::vector<std::vector<Instruction>> instructionsOf(const NpuGraph& graph, const NpuRun& run);

/// Text of an instruction: "TMATMUL  q: MATMUL 17".
[[nodiscard]] std::string describe(const NpuGraph& graph, const Instruction& instruction);

/// Executes the programs on the machine without a scheduler. Returns an Error if the loads of a core differ
/// from its TLOADs.
[[nodiscard]] Result<NpuRun> replay(const NpuGraph& graph, const NpuHardware& hardware,
                                    const std::vector<std::vector<Instruction>>& programs,
                                    const RunOptions& options);
/// Executes the programs with the transfer times recorded in `run`. DRAM and NoC are not simulated.
[[nodiscard]] Result<NpuRun> retrace(const NpuGraph& graph, const NpuRun& run,
                                     const std::vector<std::vector<Instruction>>& programs);

} // namespace tilewright::npu
