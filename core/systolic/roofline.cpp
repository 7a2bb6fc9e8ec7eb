// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/roofline.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace tilewright::systolic {

namespace {

Result<std::int64_t> streamedBytes(const Hierarchy& h, const Gemm& gemm, Dataflow dataflow)
{
    const auto bytes = checkedMul(l2Elements(gemm, h.array, dataflow), h.elementBytes);
    if (!bytes)
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "gemm", {}};
    return *bytes;
}

} // namespace

DramQuery dramQueryOf(const Hierarchy& h, const Gemm& gemm, Dataflow dataflow,
                      const std::optional<TileShape>& tile) noexcept
{
    DramQuery q;
    q.gemm = gemm;
    q.tile = tile.value_or(arrayTile(gemm, h.array, dataflow));
    q.elementBytes = h.elementBytes;
    q.l3Bytes = h.at(Level::L3).totalBytes();
    q.order = loopOrderOf(dataflow);
    return q;
}

ProgramOptions programOptionsOf(const Hierarchy& h, const Gemm& gemm, const TimingOptions& timing,
                                const std::optional<TileShape>& tile)
{
    ProgramOptions o;
    o.gemm = gemm;
    o.array = h.array;
    o.dataflow = timing.dataflow;
    o.weightBuffers = timing.weightBuffers;
    o.elementBytes = h.elementBytes;
    o.banks = std::max<std::int64_t>(2, h.at(Level::L2).buffers);
    o.l3Bytes = h.at(Level::L3).totalBytes();
    o.capacityBytes = capacitiesOf(h);
    o.tile = tile;
    return o;
}

Result<Roofline> multiLevelRoofline(const Hierarchy& h, const Gemm& gemm, const TimingOptions& timing,
                                    const std::optional<TileShape>& tile)
{
    const DramQuery dram = dramQueryOf(h, gemm, timing.dataflow, tile);
    for (const Status& ok : {checkHierarchy(h), checkDramQuery(dram)})
        if (!ok)
            return ok.error();
    const auto streamed = streamedBytes(h, gemm, timing.dataflow);
    if (!streamed)
        return streamed.error();
    std::int64_t intoL2 = *streamed;
    if (timing.dataflow == Dataflow::Os) {
        const TileShape one = tile.value_or(arrayTile(gemm, h.array, Dataflow::Os));
        const auto plans = l2Schedules(gemm, one, h.elementBytes, h.at(Level::L2).totalBytes(),
                                       std::min<std::int64_t>(2, ceilDiv(gemm.k, one.tk)));
        if (!plans)
            return plans.error();
        // If no schedule fits, the operands of every tile are moved without reuse.
        intoL2 = bestL2Schedule(*plans).value_or(plans->front()).trafficBytes();
    }

    Roofline r;
    const double flops = 2 * static_cast<double>(macs(gemm));
    r.peakGflops = 2 * static_cast<double>(h.array.rows) * static_cast<double>(h.array.cols) * h.frequencyGhz;
    const auto least = leastProgram(programOptionsOf(h, gemm, timing, tile));
    const std::int64_t cycles = least && timing.readout == Readout::Shadow
                                    ? least->cycles
                                    : arrayTiming(gemm, h.array, timing).cycles;
    r.arrayGflops = flops / static_cast<double>(cycles) * h.frequencyGhz;
    r.attainableGflops = r.arrayGflops;
    r.binding = "array";
    const auto point = [&](std::size_t index, Level level, std::int64_t bytes,
                           std::optional<std::int64_t> port) {
        RooflinePoint& p = r.points[index];
        p.level = level;
        p.bytes = bytes;
        p.portBytes = std::min(bytes, port.value_or(bytes));
        p.gbPerSecond = h.at(level).gbPerSecond;
        p.intensity = flops / static_cast<double>(p.portBytes);
        p.roofGflops = p.gbPerSecond * p.intensity;
        if (p.roofGflops < r.attainableGflops) {
            r.attainableGflops = p.roofGflops;
            r.binding = level == Level::External ? "dram" : std::string(levelName(level));
        }
    };
    r.naive.level = Level::External;
    r.naive.bytes = r.naive.portBytes = saturatingMul(saturatingMul(2 * macs(gemm), 3), h.elementBytes);
    r.naive.gbPerSecond = h.at(Level::External).gbPerSecond;
    r.naive.intensity = 1 / (3 * static_cast<double>(h.elementBytes));
    r.naive.roofGflops = r.naive.gbPerSecond * r.naive.intensity;
    const auto port = [&](std::int64_t PortBytes::*of) {
        return least ? std::optional(least->bytes.*of) : std::nullopt;
    };
    point(0, Level::L1, *streamed, port(&PortBytes::drain));
    point(1, Level::L2, *streamed, port(&PortBytes::streamer));
    point(2, Level::L3, intoL2, port(&PortBytes::blockMover));
    point(3, Level::External, dramClosedForm(dram).bytes(), port(&PortBytes::dma));
    return r;
}

Result<DataflowComparison> compareDataflows(const Hierarchy& h, const Gemm& gemm,
                                            const std::optional<TileShape>& tile, const TimingOptions& timing,
                                            const EdgeSupply& supply)
{
    if (const auto ok = checkHierarchy(h); !ok)
        return ok.error();
    DataflowComparison out;
    for (const Dataflow d : {Dataflow::Os, Dataflow::Ws, Dataflow::Is}) {
        const DramQuery q = dramQueryOf(h, gemm, d, tile);
        if (const auto ok = checkDramQuery(q); !ok)
            return ok.error();
        const FoldPlan plan(gemm, h.array, {d, timing.readout, timing.weightBuffers});
        if (const auto ok = checkClockWork(plan, supply); !ok)
            return ok.error();
        DataflowTime& t = out.of[static_cast<std::size_t>(d)];
        t.dataflow = d;
        t.arrayCycles = supply.unlimited() ? plan.cycles() : EdgeClock(plan, supply).cycles();
        t.dramBytes = dramClosedForm(q).bytes();
        t.dramCycles = static_cast<std::int64_t>(
            std::ceil(std::min(9e18, static_cast<double>(t.dramBytes) / h.bytesPerCycle(Level::External))));
        t.totalCycles = std::max(t.arrayCycles, t.dramCycles);
    }
    out.osFewerThanWs =
        1 - static_cast<double>(out.of[0].totalCycles) / static_cast<double>(out.of[1].totalCycles);
    return out;
}

namespace {

std::string sizesText(const TileShape& t)
{
    return formatGrouped(t.ti) + " x " + formatGrouped(t.tj) + " x " + formatGrouped(t.tk);
}

/// Adds figures about tiles and dataflows in the KPU document that do not follow from the sizes it states.
void addTileCorrections(std::vector<Correction>& out, const Hierarchy& kpu, const Gemm& cube,
                        const TileShape& tile)
{
    const TileQuery bank{cube, kpu.array};
    const auto best = exhaustiveTile(bank);
    const auto cap = static_cast<double>(bank.cap());
    out.push_back({"KPU document 1.5, 3.2", "optimal Tk = sqrt(C/8) for square tiles",
                   "three square tiles fill C at sqrt(C/3) = " + formatGrouped(std::sqrt(cap / 3)) +
                       ", sqrt(C/8) = " + formatGrouped(std::sqrt(cap / 8)) +
                       " leaves 62.5 % of it empty; least traffic has " + sizesText(best->tile) +
                       ", since Tk does not change it"});

    TileQuery whole = bank;
    whole.capacityBytes = kpu.at(Level::L3).totalBytes();
    const TileShape least{256, 256, 512};
    out.push_back({"KPU document 3.1, L3", "256..512 x 256..512 x 512..2048 fits across the L3 tiles",
                   "the smallest, " + sizesText(least) + ", needs " +
                       formatGrouped(tileFootprint(least, Footprint::Conservative) * kpu.elementBytes) +
                       " bytes, L3 has " + formatGrouped(whole.capacityBytes) + ": " +
                       sizesText(exhaustiveTile(whole)->tile)});

    const std::int64_t multiples =
        ceilDiv(cube.m, kpu.array.rows) * ceilDiv(cube.n, kpu.array.cols) * ceilDiv(cube.k, kTileDepth);
    out.push_back({"KPU document 1.2", "search space reduced 1,307x to 11,879x",
                   "quoted from a paper about caches; for 1024^3 in 64 KB " +
                       formatGrouped(best->pointsVisited) + " tiles are visited, " +
                       formatGrouped(multiples / best->pointsVisited) + "x fewer than all multiples of 16, " +
                       formatGrouped(std::round(best->spaceReduction)) + "x fewer than all sizes"});

    const auto compared = compareDataflows(kpu, cube, tile, {}, {});
    const double fewer = compared->osFewerThanWs;
    out.push_back({"KPU document 1.1", "os takes 30.1 % fewer cycles than ws with DRAM stalls",
                   "quoted from a paper about other networks; for 1024^3 on the kpu, tile " +
                       sizesText(tile) + ", os takes " + percent(std::abs(fewer)) +
                       (fewer < 0 ? " more" : " fewer") + " (array and DRAM)"});
}

/// Adds figures about consecutive output tiles in the array document that do not follow from its sizes.
void addArrayCorrections(std::vector<Correction>& out, const Hierarchy& kpu)
{
    const Gemm g{64, 64, 64};
    const std::int64_t cycles = arrayTiming(g, kpu.array).cycles;
    const std::int64_t fed = macs(g) / (kpu.array.rows * kpu.array.cols);
    const std::int64_t lost = cycles - fed;
    out.push_back({"array document, 16/17", "16/17 = 94 %, with K/16 cycles of overhead for each output tile",
                   "output tiles back to back have no overhead each; fill and drain, " + formatGrouped(lost) +
                       " cycles, are paid once: 94.1 % at " + formatGrouped(16 * lost) + " fed cycles, " +
                       percent(static_cast<double>(fed) / static_cast<double>(cycles)) + " at the " +
                       formatGrouped(fed) + " of 64^3"});
    out.push_back({"array document, steady state", "1 complete output per cycle",
                   formatGrouped(kpu.array.rows * kpu.array.cols) + " outputs every K = 64 cycles: " +
                       formatGrouped(kpu.array.rows * kpu.array.cols / g.k) + " per cycle"});
}

} // namespace

std::vector<Correction> seedCorrections()
{
    const Hierarchy kpu = kpuHierarchy();
    const Gemm cube{1024, 1024, 1024};
    const TileShape tile{64, 64, 64};
    std::vector<Correction> out;

    const std::int64_t factor = (kpu.array.rows + kpu.array.cols) * kpu.elementBytes;
    const std::int64_t l1 = kpu.at(Level::L1).bytes;
    out.push_back(
        {"KPU document 2.2, L1",
         std::to_string(factor) + "*Kt <= " + std::to_string(l1) + " -> Kt <= " + std::to_string(l1 / factor),
         "double buffering in one buffer makes the factor " + std::to_string(2 * factor) +
             ": Kt <= " + std::to_string(maxL1Depth(kpu, 2, false)) +
             "; separate buffers: Kt <= " + std::to_string(maxL1Depth(kpu, 2, true))});

    const std::int64_t k2 = maxL2Depth(kpu);
    out.push_back({"KPU document 2.2, L2", "K <= 496",
                   "K <= " + std::to_string(k2) + ", " + std::to_string(roundDown(k2, kTileDepth)) +
                       " in steps of 16"});

    const auto sides = [&](double cap) { return std::sqrt(cap * 1024.0 / 3072.0); };
    const auto analytic = analyticTile({cube, kpu.array});
    out.push_back(
        {"KPU document 3.2, 6.1",
         "C in bytes: " + formatGrouped(std::floor(sides(65536))) + " -> 128 does not fit -> 64 x 64 x 64",
         "C in elements: " + formatGrouped(sides(16384)) + " -> " + std::to_string(analytic->tile.ti) +
             " x " + std::to_string(analytic->tile.tj) + " x " + std::to_string(analytic->tile.tk)});

    const ReuseFactors f = reuseFactors(cube, tile);
    const std::int64_t seedTransfers = f.nM * f.nK / f.a + f.nK * f.nN / f.b + f.nM * f.nN;
    out.push_back({"KPU document 3.3, 6.2",
                   formatGrouped(seedTransfers) + " tile transfers, \"260x\" (below compulsory)",
                   formatGrouped(f.transfersFullReuse) + " with full reuse, " +
                       formatGrouped(f.transfersNoReuse) + " without (" +
                       std::to_string(f.transfersNoReuse / f.transfersFullReuse) + "x), " +
                       formatGrouped(std::round(f.reductionOverUntiled)) + "x against the untiled loop"});

    DramQuery q{cube, tile};
    q.l3Bytes = kpu.at(Level::L3).totalBytes();
    const double estimate = seedDramEstimateBytes(cube, tile, 4, kpu.at(Level::L3).buffers);
    out.push_back({"KPU document 4.3",
                   formatGrouped(static_cast<std::int64_t>(estimate)) +
                       " bytes for 1024^3 (A and B divided by the L3 tiles; below compulsory)",
                   formatGrouped(dramClosedForm(q).bytes()) + " bytes with the kpu's L3, compulsory " +
                       formatGrouped(compulsoryElements(cube) * 4)});

    const auto conflicts = bankConflicts({BankLayout::Seed, 8, 4, 4}, 4);
    const auto split = bankConflicts({BankLayout::Split, 8, 4, 4}, 4);
    out.push_back({"array document, banks", "\"spreads tiles across banks for parallel access\"",
                   std::to_string(conflicts->count) + " of " + std::to_string(conflicts->steps) +
                       " steps conflict; the split layout has " + std::to_string(split->count)});

    const auto utilization = [&](const Gemm& g) { return percent(arrayTiming(g, kpu.array).utilization); };
    out.push_back({"array document, efficiency", "256/286 = 89 %, 1024/1054 = 97 %",
                   "256/" + std::to_string(arrayTiming({32, 32, 64}, kpu.array).cycles) + " = " +
                       utilization({32, 32, 64}) + ", 1024/" +
                       std::to_string(arrayTiming({64, 64, 64}, kpu.array).cycles) + " = " +
                       utilization({64, 64, 64}),
                   true});
    addArrayCorrections(out, kpu);
    addTileCorrections(out, kpu, cube, tile);
    return out;
}

} // namespace tilewright::systolic
