// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/evaluate.h"

#include "base/integer.h"
#include "base/text.h"
#include "mapping/cost_kernel.h"
#include "mapping/imperfect.h"

#include <algorithm>
#include <map>

namespace tilewright::mapping {

namespace {

std::int64_t productOf(const Factors& factors, unsigned mask)
{
    std::int64_t out = 1;
    for (int l = 0; l < kMaxLoops; ++l)
        if ((mask >> l & 1u) != 0)
            out *= factors[static_cast<std::size_t>(l)];
    return out;
}

Factors times(const Factors& a, const Factors& b)
{
    Factors out;
    for (std::size_t l = 0; l < out.size(); ++l)
        out[l] = a[l] * b[l];
    return out;
}

std::optional<Violation> checkTiling(const LoopNest& nest, bool imperfect, const Method& method)
{
    for (int l = 0; l < nest.loopCount; ++l) {
        const auto i = static_cast<std::size_t>(l);
        std::int64_t product = 1;
        bool positive = true;
        bool overflow = false;
        for (const Factors& f : method.tiling) {
            positive = positive && f[i] >= 1;
            const auto next = checkedMul(product, f[i]);
            overflow = overflow || !next;
            product = next.value_or(0);
        }
        if (positive && !overflow && product == nest.trips[i])
            continue;
        if (imperfect && positive && !overflow && product > nest.trips[i]) {
            if (auto violation = checkTight(nest, method, l))
                return violation;
            continue;
        }
        std::string text = "loop " + std::string(nest.loopNames[i]) + ": the factors ";
        for (std::size_t level = 0; level < method.tiling.size(); ++level)
            text += (level == 0 ? "" : " x ") + std::to_string(method.tiling[level][i]);
        const char* less = imperfect ? ", less than the trip count " : ", not to the trip count ";
        text += !positive ? " must be at least 1"
                          : " multiply to " + (overflow ? "more than 64 bits" : std::to_string(product)) +
                                less + std::to_string(nest.trips[i]);
        return Violation{ViolationCode::Tiling, l, std::move(text)};
    }
    return std::nullopt;
}

struct Extents
{
    Factors rf;
    Factors array;
    Factors spm;
};

/// Extents of the tiles, at most the trip counts. Only imperfect factors have products above these.
Extents extentsOf(const LoopNest& nest, const Method& method)
{
    Extents e;
    e.rf = method.at(Level::Rf);
    e.array = times(e.rf, method.at(Level::Spatial));
    e.spm = times(e.array, method.at(Level::Spm));
    for (Factors* f : {&e.rf, &e.array, &e.spm})
        for (std::size_t l = 0; l < f->size(); ++l)
            (*f)[l] = std::min((*f)[l], nest.trips[l]);
    return e;
}

std::optional<Violation> checkCapacities(const LoopNest& nest, const Architecture& arch, const Method& method)
{
    const Extents e = extentsOf(nest, method);
    const std::int64_t pes = productOf(method.at(Level::Spatial), ~0u);
    if (pes > arch.pes)
        return Violation{ViolationCode::Pes, -1,
                         "the spatial factors need " + formatGrouped(pes) + " of " + formatGrouped(arch.pes) +
                             " PEs"};
    std::int64_t rf = 0;
    std::int64_t banks = 0;
    std::string parts;
    for (int op = 0; op < kOperands; ++op) {
        rf += nest.elements(op, e.rf);
        const std::int64_t own =
            arch.options.bypassSpm[static_cast<std::size_t>(op)]
                ? 0
                : ceilDiv(nest.elements(op, e.spm) * arch.elementBytes, arch.spmBankBytes);
        banks += own;
        parts += (op == 0 ? "" : " + ") + formatGrouped(own);
    }
    if (rf > arch.rfElements())
        return Violation{ViolationCode::Rf, -1,
                         "the data of one PE needs " + formatGrouped(rf) + " of " +
                             formatGrouped(arch.rfElements()) + " elements of its register file"};
    if (banks > arch.spmBanks)
        return Violation{ViolationCode::Spm, -1,
                         "the tile needs " + parts + " = " + formatGrouped(banks) + " of " +
                             formatGrouped(arch.spmBanks) + " scratchpad banks"};
    return std::nullopt;
}

/// One SPM pass (docs/rules/mapping.md 4). Its length in cycles is `compute + distribution + reduction` of
/// `parts`.
struct SpmPass
{
    CycleParts parts;
    std::int64_t cycles = 0;
    std::int64_t firstDistribution = 0; ///< comm[1] of docs/rules/mapping.md 4
};

SpmPass spmPass(const MappingCost& e)
{
    const OperandReport& out = e.operands[kWritten];
    std::map<std::int64_t, std::int64_t> communication; // comm[e] of docs/rules/mapping.md 4
    for (const OperandReport& o : e.operands)
        if (!o.kept)
            communication[o.reuseSpm] = std::max(communication[o.reuseSpm], o.dataArray);
    SpmPass pass;
    if (const auto first = communication.find(1); first != communication.end())
        pass.firstDistribution = first->second;
    std::int64_t run = 0;
    const bool outEveryPass = !out.kept && out.reuseSpm == 1;
    if (!outEveryPass) {
        run = e.rfPassCycles;
        pass.parts.compute = e.rfPassCycles * e.rfPasses;
    }
    for (const auto& [reuse, cycles] : communication) {
        const std::int64_t times = e.rfPasses / reuse;
        if (cycles > run) {
            pass.parts.distribution += (cycles - run) * times;
            run = cycles;
        }
        if (!out.kept && out.reuseSpm == reuse) {
            (outEveryPass ? pass.parts.compute : pass.parts.drain) += e.rfPassCycles * times;
            pass.parts.reduction += e.reductionCycles * times;
        }
    }
    pass.cycles = pass.parts.total();
    return pass;
}

/// Overlapped cycles (docs/rules/mapping.md 10.2): all resources work at the same time, and the busiest one
/// determines the cycles.
void fillOverlapped(MappingCost& e)
{
    const OperandReport& out = e.operands[kWritten];
    const auto sent = [&](const OperandReport& o) {
        return o.kept ? e.spmPasses / o.reuseDram : e.spmPasses * (e.rfPasses / o.reuseSpm);
    };
    CycleParts& parts = e.cycleParts;
    parts.compute = e.rfPassCycles * e.rfPasses * e.spmPasses;
    const std::int64_t array = parts.compute + e.reductionCycles * sent(out);
    std::int64_t network = 0;
    std::int64_t dma = 0;
    for (const OperandReport& o : e.operands) {
        network = std::max(network, o.dataArray * sent(o));
        dma += o.dmaBusyCycles;
    }
    e.cycles = std::max({array, network, dma});
    (e.cycles == array     ? parts.reduction
     : e.cycles == network ? parts.distribution
                           : parts.dma) = e.cycles - parts.compute;
    e.spmPassCycles = std::max(array, network) / e.spmPasses;
}

void fillCycles(MappingCost& e, bool overlapped)
{
    for (int op = 0; op < kOperands; ++op) {
        OperandReport& o = e.operands[static_cast<std::size_t>(op)];
        o.dmaBusyCycles = o.dmaCycles * (op == kWritten ? 2 : 1) * (e.spmPasses / o.reuseDram);
    }
    if (overlapped)
        return fillOverlapped(e);
    const SpmPass pass = spmPass(e);
    e.spmPassCycles = pass.cycles;
    DramChange change;
    std::int64_t changes = 0;
    for (int op = 0; op < kOperands; ++op) {
        const OperandReport& o = e.operands[static_cast<std::size_t>(op)];
        if (o.reuseDram <= 1) {
            change.every += o.dmaCycles * (op == kWritten ? 2 : 1);
            continue;
        }
        changes = e.spmPasses / o.reuseDram;
        change.own = o.dmaCycles;
        change.written = op == kWritten;
        change.kept = o.kept;
        change.excess = std::max<std::int64_t>(0, o.dataArray - pass.firstDistribution);
    }
    change.pass = pass.cycles;
    change.computing = e.rfPassCycles;
    change.reducing = e.reductionCycles;
    CycleParts& parts = e.cycleParts;
    parts.add(pass.parts, e.spmPasses);
    parts.dma += (change.base() - pass.cycles) * e.spmPasses;
    parts.add(exposed(change), changes);
    e.cycles = parts.total();
}

void fillEnergy(const LoopNest& nest, const Architecture& arch, const Method& method, MappingCost& e)
{
    const EnergyTable& pj = arch.energyPj;
    const auto& skips = arch.options.bypassSpm;
    const auto real = [](std::int64_t v) { return static_cast<double>(v); };
    const Factors& spatial = method.at(Level::Spatial);
    for (int op = 0; op < kOperands; ++op) {
        OperandReport& o = e.operands[static_cast<std::size_t>(op)];
        const bool written = op == kWritten;
        const unsigned indexMask = nest.operands[static_cast<std::size_t>(op)].indexMask;
        const std::int64_t transfers =
            o.kept ? e.spmPasses / o.reuseDram : e.spmPasses * (e.rfPasses / o.reuseSpm);
        const bool comesIn = !written || !o.kept;
        const std::int64_t pes = written ? productOf(spatial, indexMask) : e.pesUsed;
        o.energy.rf = real(nest.macs) * (written ? pj.rf + pj.writeRf() : pj.rf) +
                      (comesIn ? real(o.dataRf * pes) * real(transfers) * pj.rfFill : 0);
        o.energy.noc = real(o.dataRf * pes) * real((written && comesIn ? 2 : 1) * transfers) * pj.noc;
        const double scratchpad = (comesIn ? pj.spm : 0) + (written ? pj.writeSpm() : 0);
        o.energy.spm =
            skips[static_cast<std::size_t>(op)] ? 0 : real(o.dataArray) * real(transfers) * scratchpad;
        if (written) {
            const std::int64_t added = o.dataArray * (e.pesUsed / productOf(spatial, indexMask) - 1);
            const double reductions = real(added) * real(transfers);
            o.energy.rf += reductions * (2 * pj.rf + pj.writeRf());
            o.energy.noc += reductions * pj.noc;
            o.energy.mac = reductions * pj.mac;
        }
        const bool direct = skips[static_cast<std::size_t>(op)];
        const std::int64_t moves = direct ? transfers : e.spmPasses / o.reuseDram;
        const std::int64_t tiles = productOf(method.at(Level::Dram), indexMask) *
                                   (direct ? productOf(method.at(Level::Spm), indexMask) : 1);
        const std::int64_t back = written ? std::max<std::int64_t>(0, moves - tiles) : moves;
        o.dramElements = real(o.bursts * o.burstElements) * real(written ? back + moves : back);
        o.energy.dram = real(o.bursts * o.burstElements) *
                        (real(back) * pj.dram + (written ? real(moves) * pj.writeDram() : 0));
        if (!direct)
            o.energy.spm += real(o.bursts * o.burstElements) * real(back) * pj.spmFill;
        o.networkCycles = o.dataArray * transfers;
        e.energyParts.mac += o.energy.mac;
        e.energyParts.rf += o.energy.rf;
        e.energyParts.noc += o.energy.noc;
        e.energyParts.spm += o.energy.spm;
        e.energyParts.dram += o.energy.dram;
    }
    e.energyParts.mac += real(nest.macs) * pj.mac;
    e.energyParts.leakage = pj.leakage * real(e.cycles);
    e.energy = e.energyParts.total();
    e.edp = e.energy * real(e.cycles);
}

} // namespace

CycleParts exposed(const DramChange& c) noexcept
{
    const std::int64_t base = c.base();
    const std::int64_t dma1 = c.every + c.own;
    const std::int64_t dma2 = c.written ? dma1 : c.every;
    const std::int64_t array1 = c.pass + (c.kept && c.written ? c.computing + c.reducing : 0);
    const std::int64_t array2 = c.pass + (c.kept ? c.excess : 0);
    // The array cycles beyond `base` are exposed first. DMA cycles are exposed only as far as they exceed
    // these.
    const std::int64_t beyond1 = std::max<std::int64_t>(0, array1 - base);
    const std::int64_t beyond2 = std::max<std::int64_t>(0, array2 - base);
    CycleParts out;
    out.reduction = std::min(beyond1, c.reducing);
    out.drain = beyond1 - out.reduction;
    out.distribution = beyond2;
    out.dma =
        std::max<std::int64_t>(0, dma1 - base - beyond1) + std::max<std::int64_t>(0, dma2 - base - beyond2);
    return out;
}

std::string_view violationName(ViolationCode code)
{
    switch (code) {
    case ViolationCode::Tiling:
        return "TILING";
    case ViolationCode::Pes:
        return "PES";
    case ViolationCode::Rf:
        return "RF";
    case ViolationCode::Spm:
        break;
    }
    return "SPM";
}

std::optional<Violation> checkMethod(const LoopNest& nest, const Architecture& architecture,
                                     const Method& method)
{
    if (auto violation = checkTiling(nest, architecture.options.imperfect, method))
        return violation;
    return checkCapacities(nest, architecture, method);
}

MappingCost evaluate(const LoopNest& nest, const Architecture& architecture, const Method& method)
{
    MappingCost e;
    e.violation = checkMethod(nest, architecture, method);
    e.hasNumbers = !e.violation || e.violation->code != ViolationCode::Tiling;
    if (!e.hasNumbers)
        return e;
    if (architecture.options.imperfect) {
        evaluateImperfect(nest, architecture, method, e);
        return e;
    }
    const Extents extents = extentsOf(nest, method);
    const Factors& spatial = method.at(Level::Spatial);
    const unsigned outMask = nest.operands[kWritten].indexMask;
    const std::int64_t outPes = productOf(spatial, outMask);
    e.pesUsed = productOf(spatial, ~0u);
    e.spmPasses = productOf(method.at(Level::Dram), ~0u);
    e.rfPasses = productOf(method.at(Level::Spm), ~0u);
    e.rfPassCycles = productOf(extents.rf, ~0u);
    const DmaClock clock(architecture);
    for (int op = 0; op < kOperands; ++op) {
        OperandReport& o = e.operands[static_cast<std::size_t>(op)];
        o.dataRf = nest.elements(op, extents.rf);
        o.dataArray = nest.elements(op, extents.array);
        o.dataSpm = nest.elements(op, extents.spm);
        const bool direct = architecture.options.bypassSpm[static_cast<std::size_t>(op)];
        o.spmBanks = direct ? 0 : ceilDiv(o.dataSpm * architecture.elementBytes, architecture.spmBankBytes);
        e.rfElementsUsed += o.dataRf;
        e.spmBanksUsed += o.spmBanks;
        o.reuseSpm = reuseOf(nest, op, method.at(Level::Spm), method.spmOrder);
        o.reuseDram = reuseOf(nest, op, method.at(Level::Dram), method.dramOrder);
        o.kept = o.reuseSpm == e.rfPasses && o.reuseDram > 1;
        const Bursts bursts = burstsOf(nest, op, direct ? extents.array : extents.spm);
        o.bursts = bursts.count;
        o.burstElements = bursts.elements;
        o.dmaCycles = bursts.cycles(clock);
        if (direct && !o.kept) { // transfers of array tiles, as often as the network sends them
            o.dmaCycles *= e.rfPasses / o.reuseSpm;
            o.reuseDram = 1;
        }
    }
    e.reductionCycles =
        e.operands[kWritten].dataArray * reductionSteps(e.pesUsed / outPes, architecture.options);
    e.spmTiles = static_cast<double>(e.spmPasses);
    e.arrayPasses = e.spmTiles * static_cast<double>(e.rfPasses);
    e.peTiles = e.arrayPasses * static_cast<double>(e.pesUsed);
    fillCycles(e, architecture.options.overlapped);
    fillEnergy(nest, architecture, method, e);
    return e;
}

} // namespace tilewright::mapping
