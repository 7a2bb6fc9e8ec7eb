// SPDX-License-Identifier: GPL-3.0-or-later
// Plan of weight-stationary (WS) and input-stationary (IS) programs: tiles, slots and place of partial sums.
// The comments describe WS, as in stationary.cpp.
#include "systolic/stationary.h"

#include "systolic/dram_traffic.h"
#include "systolic/program_plan.h"

namespace tilewright::systolic {

namespace {

constexpr double kOperandShare = 0.4; // share of L3 per operand (docs/rules/systolic.md 7)

/// Decides where partial sums are kept, and sets the numbers of slots of L2 and L3.
Status assignStationarySlots(Program& p)
{
    const ProgramOptions& o = p.options;
    const Stationary of(p);
    const TileBytes bytes(p.tile, o.elementBytes);
    const bool pipelined = o.style == ProgramStyle::Pipelined;
    const std::int64_t twice = pipelined ? 2 : 1;
    const std::int64_t lag = pipelined ? of.storeLag() : 0;
    const auto slots = [&](Pool pool) -> std::int64_t& {
        return p.poolSlots[static_cast<std::size_t>(of.pool(pool))];
    };
    slots(Pool::L2A) = slots(Pool::L2B) = slots(Pool::L3B) = slots(Pool::L3A) = twice;
    slots(Pool::L1A) = o.l1Slots;
    slots(Pool::Weights) = o.weightBuffers;
    // Number of accumulators: results in the array, including those of shorter steps and tiles, and one
    // partial sum that is read ahead.
    slots(Pool::Accumulator) =
        std::max(o.accumulators, 2 + of.steps() * (1 + ceilDiv(of.wave() + of.depth, of.tile.ti)));

    const std::int64_t operands = saturatingMul(twice, saturatingAdd(bytes.a, bytes.b));
    const std::int64_t room = o.capacityBytes[1];
    const auto need = [&](std::int64_t outputs) {
        return saturatingAdd(operands, saturatingMul(outputs, bytes.c));
    };
    const std::int64_t passing = pipelined ? lag + 2 : 1;
    const std::int64_t column = of.nK > 1 ? std::max(of.nI, passing) : passing;
    p.outputTiles = std::min(column, saturatingMul(of.nI, of.nJ));
    if (room > 0 && need(p.outputTiles) > room) {
        const std::string why = "the " + std::string(of.transposed ? "row" : "column") +
                                " of C that is summed up needs " + bytesText(need(p.outputTiles)) +
                                " of L2 with its operands, it has " + bytesText(room);
        const bool canSpill = of.nK > 1 && of.nI >= lag + 2;
        if (!canSpill || need(passing + twice) > room)
            return programError(why + (canSpill
                                           ? "; with the sums in DRAM " + bytesText(need(passing + twice))
                                           : std::string()),
                                "l2");
        p.outputTiles = passing;
        p.spillsC = true;
        slots(Pool::L2P) = slots(Pool::L3C) = twice;
        p.reason = why + ": partial sums go to DRAM";
    }
    slots(Pool::L2C) = p.outputTiles * of.places();

    const double streamed =
        static_cast<double>(of.gemm.m) * static_cast<double>(of.gemm.k) * static_cast<double>(o.elementBytes);
    const bool kept = pipelined && of.nJ > 1 && streamed <= kOperandShare * static_cast<double>(o.l3Bytes);
    (of.transposed ? p.bInL3 : p.aInL3) = kept;
    if (kept)
        slots(Pool::L3A) = of.nI * of.nK;
    const std::int64_t l3 = o.capacityBytes[0];
    const auto inL3 = [&] {
        const auto of3 = [&](Pool pool, std::int64_t tile) {
            return saturatingMul(p.poolSlots[static_cast<std::size_t>(pool)], tile);
        };
        return saturatingAdd(saturatingAdd(of3(Pool::L3A, bytes.a), of3(Pool::L3B, bytes.b)),
                             of3(Pool::L3C, bytes.c));
    };
    if (l3 > 0 && inL3() > l3) { // streamed operands get fewer slots
        slots(Pool::L3B) = 1;
        if (!kept)
            slots(Pool::L3A) = 1;
        if (p.spillsC)
            slots(Pool::L3C) = 1;
        if (inL3() > l3)
            return programError(
                "the tiles of a step need " + bytesText(inL3()) + " of L3, it has " + bytesText(l3), "l3");
    }
    return checkDepth(p);
}

} // namespace

std::int64_t maxStationaryCommands(const Program& p)
{
    const Stationary of(p);
    const auto times = [](std::int64_t a, std::int64_t b) { return saturatingMul(a, b); };
    const std::int64_t tiles = times(times(of.nI, of.nJ), of.nK);
    const std::int64_t folds = times(tiles, ceilDiv(of.tile.tk, of.rows) * ceilDiv(of.tile.tj, of.cols));
    const std::int64_t stored = times(p.spillsC ? tiles : times(of.nI, of.nJ), of.places());
    // Numbers of commands. Per step: a partial sum, a feed, a compute, a drain. Per fold: its weights. Per
    // tile: load and move of A, three barriers (barriered only), load and move of partial sums in DRAM. Per
    // column of tiles: load and move of B.
    const std::int64_t perTile =
        2 + (p.options.style == ProgramStyle::Barriered ? 3 : 0) + (p.spillsC ? 2 : 0);
    const std::int64_t moving = saturatingAdd(times(tiles, perTile), times(times(of.nJ, of.nK), 2));
    return saturatingAdd(saturatingAdd(times(times(folds, of.steps()), 4), folds),
                         saturatingAdd(moving, stored));
}

Result<Program> planStationary(const ProgramOptions& o)
{
    if (o.schedule)
        return programError("applies to output-stationary programs only; " +
                                std::string(dataflowName(o.dataflow)) + " has its own loop order",
                            "schedule");
    if (o.weightBuffers != 1 && o.weightBuffers != 2)
        return programError("must be 1 or 2, got " + std::to_string(o.weightBuffers), "weight buffers");
    Program p;
    p.options = o;
    p.tile = arrayTile(o.gemm, o.array, o.dataflow);
    if (o.tile) {
        if (const auto ok = checkTile(o.gemm, *o.tile); !ok)
            return ok.error();
        p.tile = *o.tile;
    }
    p.options.depth = std::min(o.depth, o.dataflow == Dataflow::Ws ? p.tile.ti : p.tile.tj);
    p.nM = ceilDiv(o.gemm.m, p.tile.ti);
    p.nN = ceilDiv(o.gemm.n, p.tile.tj);
    p.nK = ceilDiv(o.gemm.k, p.tile.tk);
    if (const auto ok = assignStationarySlots(p); !ok)
        return ok.error();
    return p;
}

} // namespace tilewright::systolic
