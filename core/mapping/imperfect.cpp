// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/imperfect.h"

#include "base/integer.h"
#include "mapping/edits.h"

#include <algorithm>

namespace tilewright::mapping {

LoopTiles LoopTiles::make(std::int64_t trip, std::int64_t rf, std::int64_t spatial, std::int64_t spm) noexcept
{
    LoopTiles t;
    t.trip = trip;
    t.size[kPeTiles] = std::min(rf, trip);
    t.size[kArrayPasses] = std::min(rf * spatial, trip);
    t.size[kSpmTiles] = std::min(rf * spatial * spm, trip);
    for (std::size_t level = 0; level < t.count.size(); ++level)
        t.count[level] = ceilDiv(trip, t.size[level]);
    t.firstPes = ceilDiv(t.size[kArrayPasses], t.size[kPeTiles]);
    const std::int64_t lastTile = trip - (t.count[kSpmTiles] - 1) * t.size[kSpmTiles];
    t.firstPesOfTiles = (t.count[kSpmTiles] - 1) * t.firstPes +
                        ceilDiv(std::min(lastTile, t.size[kArrayPasses]), t.size[kPeTiles]);
    const std::int64_t lastPass = trip - (t.count[kArrayPasses] - 1) * t.size[kArrayPasses];
    t.computing = (t.count[kArrayPasses] - 1) * t.size[kPeTiles] + std::min(t.size[kPeTiles], lastPass);
    return t;
}

NestTiles nestTiles(const LoopNest& nest, const Method& method) noexcept
{
    NestTiles out;
    for (std::size_t l = 0; l < out.size(); ++l)
        out[l] = LoopTiles::make(nest.trips[l], method.at(Level::Rf)[l], method.at(Level::Spatial)[l],
                                 method.at(Level::Spm)[l]);
    return out;
}

namespace {
constexpr std::array kInsideOut{Level::Rf, Level::Spatial, Level::Spm, Level::Dram};
} // namespace

std::optional<Violation> checkTight(const LoopNest& nest, const Method& method, int loop)
{
    const auto l = static_cast<std::size_t>(loop);
    std::int64_t inside = 1;
    for (const Level level : kInsideOut) {
        const std::int64_t factor = method.at(level)[l];
        const std::int64_t enough = ceilDiv(nest.trips[l], inside);
        if (factor > enough)
            return Violation{
                ViolationCode::Tiling, loop,
                "loop " + std::string(nest.loopNames[l]) + ": the factor " + std::to_string(factor) + " at " +
                    std::string(levelName(level)) + " is larger than needed, " + std::to_string(enough) +
                    " cover" + (enough == 1 ? "s" : "") + " the trip count " + std::to_string(nest.trips[l])};
        inside *= factor;
    }
    return std::nullopt;
}

Method tightened(const LoopNest& nest, const Method& method) noexcept
{
    Method out = method;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        std::int64_t inside = 1;
        for (const Level level : kInsideOut) {
            std::int64_t& factor = out.at(level)[l];
            const std::int64_t enough = ceilDiv(nest.trips[l], inside);
            factor = level == Level::Dram ? enough : std::min(factor, enough);
            inside *= factor;
        }
    }
    return out;
}

void evaluateImperfect(const LoopNest& nest, const Architecture& architecture, const Method& method,
                       MappingCost& out)
{
    const ImperfectCost cost(nest, architecture);
    const NestTiles tiles = nestTiles(nest, method);
    std::array<Factors, 3> full;
    for (std::size_t level = 0; level < full.size(); ++level)
        for (std::size_t l = 0; l < kMaxLoops; ++l)
            full[level][l] = tiles[l].size[level];
    const auto product = [](const Factors& f) {
        std::int64_t p = 1;
        for (const std::int64_t v : f)
            p *= v;
        return p;
    };
    out.pesUsed = product(method.at(Level::Spatial));
    out.spmPasses = product(method.at(Level::Dram));
    out.rfPasses = product(method.at(Level::Spm));
    out.rfPassCycles = product(full[kPeTiles]);
    out.spmTiles = out.arrayPasses = out.peTiles = 1;
    std::int64_t reduced = 1;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        out.spmTiles *= static_cast<double>(tiles[l].count[kSpmTiles]);
        out.arrayPasses *= static_cast<double>(tiles[l].count[kArrayPasses]);
        out.peTiles *= static_cast<double>(tiles[l].count[kPeTiles]);
        if ((nest.operands[kWritten].freeMask >> l & 1u) != 0)
            reduced *= tiles[l].firstPes;
    }
    ImperfectCost::Reuse spm;
    ImperfectCost::Reuse dram;
    bool kept = false;
    for (int op = 0; op < kOperands; ++op) {
        OperandReport& o = out.operands[static_cast<std::size_t>(op)];
        o.dataRf = nest.elements(op, full[kPeTiles]);
        o.dataArray = nest.elements(op, full[kArrayPasses]);
        o.dataSpm = nest.elements(op, full[kSpmTiles]);
        const bool direct = architecture.options.bypassSpm[static_cast<std::size_t>(op)];
        o.spmBanks = direct ? 0 : ceilDiv(o.dataSpm * architecture.elementBytes, architecture.spmBankBytes);
        out.rfElementsUsed += o.dataRf;
        out.spmBanksUsed += o.spmBanks;
        o.reuseSpm = reuseOf(nest, op, method.at(Level::Spm), method.spmOrder);
        o.reuseDram = reuseOf(nest, op, method.at(Level::Dram), method.dramOrder);
        o.kept = o.reuseSpm == out.rfPasses && o.reuseDram > 1;
        kept = kept || o.kept;
        if (o.reuseSpm > 1)
            spm = {op, reuseLoops(nest, method, Level::Spm, op)};
        if (o.reuseDram > 1)
            dram = {op, reuseLoops(nest, method, Level::Dram, op)};
        if (direct && !o.kept)
            o.reuseDram = 1;
        const Bursts bursts = burstsOf(nest, op, full[direct ? kArrayPasses : kSpmTiles]);
        o.bursts = bursts.count;
        o.burstElements = bursts.elements;
    }
    out.reductionCycles = out.operands[kWritten].dataArray * reductionSteps(reduced, architecture.options);
    cost.energy(tiles, spm, dram, kept, out);
    ImperfectCost::Details details;
    out.cycleParts = cost.cycles(tiles, spm, dram, kept, &details);
    out.spmPassCycles = details.firstPass;
    for (std::size_t op = 0; op < kOperands; ++op) {
        out.operands[op].dmaCycles = details.firstDma[op];
        out.operands[op].dmaBusyCycles = details.dmaBusy[op];
    }
    out.cycles = out.cycleParts.total();
    out.energyParts.leakage = architecture.energyPj.leakage * static_cast<double>(out.cycles);
    out.energy = out.energyParts.total();
    out.edp = out.energy * static_cast<double>(out.cycles);
}

} // namespace tilewright::mapping
