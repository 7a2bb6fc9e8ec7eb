// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/dram_traffic.h"
#include "systolic/edge_fifo.h"
#include "systolic/hierarchy.h"
#include "systolic/l2_schedule.h"

#include <array>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// A run at one level of the multi-level roofline (docs/rules/systolic.md 8).
struct RooflinePoint
{
    Level level = Level::L1; ///< External stands for DRAM
    std::int64_t bytes = 0;  ///< moved across the level
    double gbPerSecond = 0;
    double intensity = 0;  ///< FLOP / byte
    double roofGflops = 0; ///< bandwidth * intensity
};

struct Roofline
{
    double peakGflops = 0;               ///< 2 * R * C * f
    double arrayGflops = 0;              ///< what the array alone reaches (its utilisation of the peak)
    double attainableGflops = 0;         ///< least of the array and all roofs
    std::array<RooflinePoint, 4> points; ///< L1, L2, L3, DRAM
    RooflinePoint naive; ///< every FLOP moves its two operands and its result to or from DRAM: 1/12 FLOP/byte
    std::string binding; ///< "array" or the level whose roof is lowest ("dram", "l3", "l2", "l1")
};

/// The DRAM traffic of a figure for a dataflow: docs/rules/systolic.md 7 in its own loop order with all of
/// L3; without a tile with arrayTile().
[[nodiscard]] DramQuery dramQueryOf(const Hierarchy& hierarchy, const Gemm& gemm, Dataflow dataflow,
                                    const std::optional<TileShape>& tile = {}) noexcept;

/// What moves: L1 and L2 the operands and results of the array (docs/rules/systolic.md 3.4); L3 what goes on
/// to L2 under the best schedule that fits L2 (docs/rules/systolic.md 3.2; WS, IS and OS without a fit as L1
/// and L2); DRAM dramQueryOf().
[[nodiscard]] Result<Roofline> multiLevelRoofline(const Hierarchy& hierarchy, const Gemm& gemm,
                                                  const TimingOptions& timing,
                                                  const std::optional<TileShape>& tile = {});

/// One dataflow with its DRAM stalls: transfers overlap the array completely, so the longer one counts.
struct DataflowTime
{
    Dataflow dataflow = Dataflow::Os;
    std::int64_t arrayCycles = 0; ///< with the stalls of the edge FIFOs
    std::int64_t dramBytes = 0;
    std::int64_t dramCycles = 0;
    std::int64_t totalCycles = 0; ///< max of both
    [[nodiscard]] std::int64_t stallCycles() const noexcept { return totalCycles - arrayCycles; }
};

struct DataflowComparison
{
    std::array<DataflowTime, 3> of; ///< OS, WS, IS
    double osFewerThanWs = 0;       ///< 1 - OS total / WS total; negative when OS is slower
};
[[nodiscard]] Result<DataflowComparison> compareDataflows(const Hierarchy& hierarchy, const Gemm& gemm,
                                                          const std::optional<TileShape>& tile = {},
                                                          const TimingOptions& timing = {},
                                                          const EdgeSupply& supply = {});

/// One line of docs/rules/systolic.md 9: what a source document prints and what is right, both computed.
struct Correction
{
    std::string place;
    std::string seed;
    std::string correct;
    bool agrees = false;
};
[[nodiscard]] std::vector<Correction> seedCorrections();

} // namespace tilewright::systolic
