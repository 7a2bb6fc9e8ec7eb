// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/edits.h"

#include "mapping/factors.h"

#include <algorithm>
#include <numeric>

namespace tilewright::mapping {

namespace {

Error refused(std::string message)
{
    return {ErrorCode::Refused, std::move(message), {}, {}};
}

std::string loopName(const LoopNest& nest, int loop)
{
    return std::string(nest.loopNames[static_cast<std::size_t>(loop)]);
}

} // namespace

Status checkMove(const LoopNest& nest, int loop, std::int64_t present, const std::string& where,
                 std::int64_t factor)
{
    if (factor < 2)
        return refused("only a factor of at least 2 can be moved");
    if (present % factor != 0)
        return refused("loop " + loopName(nest, loop) + " has the factor " + std::to_string(present) +
                       " at " + where + ", which is not divisible by " + std::to_string(factor));
    return Unit{};
}

Result<Method> moveFactor(const LoopNest& nest, const Method& method, int loop, std::int64_t factor,
                          Level from, Level to)
{
    if (loop < 0 || loop >= nest.loopCount)
        return refused("there is no loop " + std::to_string(loop));
    const auto l = static_cast<std::size_t>(loop);
    Method out = method;
    std::int64_t& source = out.at(from)[l];
    if (Status s = checkMove(nest, loop, source, std::string(levelName(from)), factor); !s)
        return s.error();
    source /= factor;
    out.at(to)[l] *= factor;
    return out;
}

Result<Method> reorderLoop(const LoopNest& nest, const Method& method, Level level, int loop, int position)
{
    if (level != Level::Dram && level != Level::Spm)
        return refused("the order at " + std::string(levelName(level)) +
                       " does not change the cost; only DRAM and "
                       "SPM have one");
    if (loop < 0 || loop >= nest.loopCount || position < 0 || position >= nest.loopCount)
        return refused("there is no such loop or position");
    Method out = method;
    LoopOrder& order = level == Level::Dram ? out.dramOrder : out.spmOrder;
    const auto end = order.begin() + nest.loopCount;
    const auto at = std::find(order.begin(), end, loop);
    moveElement(at, order.begin() + position);
    return out;
}

Method refitMethod(const LoopNest& nest, const Method& method)
{
    Method out = method;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        std::int64_t rest = nest.trips[l];
        for (const Level level : {Level::Spatial, Level::Rf, Level::Spm}) {
            out.at(level)[l] = std::gcd(rest, method.at(level)[l]);
            rest /= out.at(level)[l];
        }
        out.at(Level::Dram)[l] = rest;
    }
    return out;
}

std::vector<std::int64_t> movableFactors(const Method& method, int loop, Level level)
{
    std::vector<std::int64_t> out;
    for (const PrimePower& p : primePowers(method.at(level)[static_cast<std::size_t>(loop)]))
        out.insert(out.end(), static_cast<std::size_t>(p.exponent), p.prime);
    return out;
}

MovePreview previewMove(const LoopNest& nest, const Architecture& architecture, const MappingCost& before,
                        const Method& candidate)
{
    MovePreview out;
    out.method = candidate;
    out.after = evaluate(nest, architecture, candidate);
    out.energyChange = out.after.energy - before.energy;
    out.cyclesChange = out.after.cycles - before.cycles;
    out.edpChange = out.after.edp - before.edp;
    return out;
}

unsigned reuseLoops(const LoopNest& nest, const Method& method, Level level, int operand)
{
    const LoopOrder& order = level == Level::Dram ? method.dramOrder : method.spmOrder;
    unsigned out = 0;
    if (level != Level::Dram && level != Level::Spm)
        return out;
    for (int i = nest.loopCount - 1; i >= 0; --i) {
        const int loop = order[static_cast<std::size_t>(i)];
        if (method.at(level)[static_cast<std::size_t>(loop)] == 1)
            continue;
        if ((nest.operands[static_cast<std::size_t>(operand)].indexMask >> loop & 1u) != 0)
            break;
        out |= 1u << loop;
    }
    return out;
}

std::array<MemoryFill, 3> memoryFill(const Architecture& architecture, const MappingCost& evaluation)
{
    std::array<MemoryFill, 3> out;
    out[0] = {Level::Spm, "banks", {}, evaluation.spmBanksUsed, architecture.spmBanks};
    out[1] = {Level::Rf, "elements", {}, evaluation.rfElementsUsed, architecture.rfElements()};
    out[2] = {Level::Spatial, "PEs", {evaluation.pesUsed, 0, 0}, evaluation.pesUsed, architecture.pes};
    for (std::size_t op = 0; op < kOperands; ++op) {
        out[0].used[op] = evaluation.operands[op].spmBanks;
        out[1].used[op] = evaluation.operands[op].dataRf;
    }
    return out;
}

std::string_view componentName(EnergyComponent component)
{
    constexpr std::array<std::string_view, kEnergyComponents> names{"MAC", "RF",   "NoC",
                                                                    "SPM", "DRAM", "Leakage"};
    return names[static_cast<std::size_t>(component)];
}

EnergyMatrix energyMatrix(const MappingCost& evaluation)
{
    EnergyMatrix out{};
    const auto row = [&](EnergyComponent c) -> auto&
    {
        return out[static_cast<std::size_t>(c)];
    };
    for (std::size_t op = 0; op < kOperands; ++op) {
        const EnergyParts& e = evaluation.operands[op].energy;
        row(EnergyComponent::Mac)[op] = e.mac;
        row(EnergyComponent::Rf)[op] = e.rf;
        row(EnergyComponent::Noc)[op] = e.noc;
        row(EnergyComponent::Spm)[op] = e.spm;
        row(EnergyComponent::Dram)[op] = e.dram;
    }
    row(EnergyComponent::Mac)[kOperands] =
        std::max(0.0, evaluation.energyParts.mac - evaluation.operands[kWritten].energy.mac);
    row(EnergyComponent::Leakage)[kOperands] = evaluation.energyParts.leakage;
    return out;
}

} // namespace tilewright::mapping
