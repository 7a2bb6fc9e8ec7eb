// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/dram_traffic.h"
#include "systolic/edge_fifo.h"
#include "systolic/hierarchy.h"
#include "systolic/program.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Operating point at one level of the multi-level roofline (docs/rules/systolic.md 8).
struct RooflinePoint
{
    Level level = Level::L1; ///< Level::External is DRAM
    std::int64_t bytes = 0;  ///< bytes moved at this level
    /// Part of `bytes` that limits a program: bytes of the busiest port, in the program that moves the least.
    std::int64_t portBytes = 0;
    double gbPerSecond = 0;
    double intensity = 0;  ///< FLOP per byte of the port
    double roofGflops = 0; ///< bandwidth * intensity, in GFLOP/s
};

struct Roofline
{
    double peakGflops = 0;               ///< 2 * R * C * f, for an array of R x C at frequency f
    double arrayGflops = 0;              ///< throughput limit of the array alone, for the blocks of the tile
    double attainableGflops = 0;         ///< minimum of arrayGflops and all roofs
    std::array<RooflinePoint, 4> points; ///< one point for each level: L1, L2, L3, DRAM
    RooflinePoint naive; ///< without any reuse: every FLOP moves two operands and a result to or from DRAM,
                         ///< 1/12 FLOP/byte
    std::string binding; ///< lowest limit: "array", "dram", "l3", "l2" or "l1"
};

/// Query for the default DRAM traffic of a dataflow (docs/rules/systolic.md 7): with the loop order of the
/// dataflow, all of L3, and arrayTile() if no tile is given.
[[nodiscard]] DramQuery dramQueryOf(const Hierarchy& hierarchy, const Gemm& gemm, Dataflow dataflow,
                                    const std::optional<TileShape>& tile = {}) noexcept;

/// Options of the program of a product on a hierarchy, with the memories and banks of the hierarchy.
[[nodiscard]] ProgramOptions programOptionsOf(const Hierarchy& hierarchy, const Gemm& gemm,
                                              const TimingOptions& timing,
                                              const std::optional<TileShape>& tile = {});

/// Multi-level roofline. Bytes at L1 and L2: operands and results of the array (docs/rules/systolic.md 3.4).
/// At L3: traffic to L2 of `tile` (or the array's tile) under the best schedule that fits into L2
/// (docs/rules/systolic.md 3.2), or without reuse if none fits; for WS and IS, the same bytes as at L1 and
/// L2. At DRAM: traffic of dramQueryOf(). The roofs use the bytes of leastProgram(), so that no program of
/// the tile exceeds them.
[[nodiscard]] Result<Roofline> multiLevelRoofline(const Hierarchy& hierarchy, const Gemm& gemm,
                                                  const TimingOptions& timing,
                                                  const std::optional<TileShape>& tile = {});

/// Time of one dataflow including DRAM stalls. Transfers overlap the computation, so the total is the longer
/// of both.
struct DataflowTime
{
    Dataflow dataflow = Dataflow::Os;
    std::int64_t arrayCycles = 0; ///< includes the stalls of the edge FIFOs
    std::int64_t dramBytes = 0;
    std::int64_t dramCycles = 0;
    std::int64_t totalCycles = 0; ///< max(arrayCycles, dramCycles)
    [[nodiscard]] std::int64_t stallCycles() const noexcept { return totalCycles - arrayCycles; }
};

struct DataflowComparison
{
    std::array<DataflowTime, 3> of; ///< times of the dataflows OS, WS, IS
    double osFewerThanWs = 0;       ///< 1 - OS total / WS total; negative if OS is slower
};
[[nodiscard]] Result<DataflowComparison> compareDataflows(const Hierarchy& hierarchy, const Gemm& gemm,
                                                          const std::optional<TileShape>& tile = {},
                                                          const TimingOptions& timing = {},
                                                          const EdgeSupply& supply = {});

/// One line of docs/rules/systolic.md 9: the value printed in a source document and the correct value, both
/// computed by the program.
struct Correction
{
    std::string place;
    std::string seed;
    std::string correct;
    bool agrees = false;
};
[[nodiscard]] std::vector<Correction> seedCorrections();

} // namespace tilewright::systolic
