// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapping/fast_evaluator.h"

#include "base/integer.h"

namespace tilewright::mapping {

namespace {

std::int64_t masked(const Factors& factors, unsigned mask) noexcept
{
    std::int64_t out = 1;
    for (int l = 0; l < kMaxLoops; ++l)
        out *= (mask >> l & 1u) != 0 ? factors[static_cast<std::size_t>(l)] : 1;
    return out;
}

} // namespace

FastEvaluator::FastEvaluator(const LoopNest& nest, const Architecture& architecture)
    : m_nest(nest), m_architecture(architecture), m_clock(architecture),
      m_fixedPj(static_cast<double>(nest.macs) * (architecture.energyPj.mac + 4 * architecture.energyPj.rf))
{
}

bool FastEvaluator::fits(const Method& method) const noexcept
{
    const Factors& spatial = method.at(Level::Spatial);
    const Factors& rf = method.at(Level::Rf);
    if (masked(spatial, ~0u) > m_architecture.pes)
        return false;
    std::int64_t elements = 0;
    for (int op = 0; op < kOperands; ++op)
        elements += m_nest.elements(op, rf);
    if (elements > m_architecture.rfElements())
        return false;
    Factors extents;
    for (std::size_t l = 0; l < extents.size(); ++l)
        extents[l] = rf[l] * spatial[l] * method.at(Level::Spm)[l];
    std::int64_t banks = 0;
    for (int op = 0; op < kOperands; ++op)
        banks +=
            ceilDiv(m_nest.elements(op, extents) * m_architecture.elementBytes, m_architecture.spmBankBytes);
    return banks <= m_architecture.spmBanks;
}

ArrayTerms FastEvaluator::arrayTerms(const Factors& rf, const Factors& spatial) const noexcept
{
    const EnergyTable& pj = m_architecture.energyPj;
    ArrayTerms out;
    Factors extents;
    std::int64_t pes = 1;
    out.comp = 1;
    for (std::size_t l = 0; l < extents.size(); ++l) {
        extents[l] = rf[l] * spatial[l];
        out.comp *= rf[l];
        pes *= spatial[l];
    }
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        out.noc[i] = m_nest.elements(op, extents);
        // A written operand is sent once per element of the array, a read one to every PE that uses it.
        const std::int64_t sent = op == kWritten ? out.noc[i] : m_nest.elements(op, rf) * pes;
        out.transferPj[i] = static_cast<double>(sent) * pj.noc + static_cast<double>(out.noc[i]) * pj.spm;
    }
    const std::int64_t outPes = masked(spatial, m_nest.operands[kWritten].indexMask);
    out.red = out.noc[kWritten] * (pes / outPes - 1);
    out.reductionPj = static_cast<double>(out.red) * (3 * pj.rf + pj.noc + pj.mac);
    return out;
}

FastEvaluator::TileDma FastEvaluator::tileDma(const Factors& spm) const noexcept
{
    TileDma out;
    for (int op = 0; op < kOperands; ++op) {
        const Operand& operand = m_nest.operands[static_cast<std::size_t>(op)];
        std::int64_t bursts = 1;
        std::int64_t burst = 1;
        bool full = true;
        for (int i = operand.dimensionCount - 1; i >= 0; --i) {
            const Dimension& d = operand.dimensions[static_cast<std::size_t>(i)];
            const std::int64_t span = m_nest.span(d, spm);
            (full ? burst : bursts) *= span;
            full = full && span == d.stored;
        }
        out.cycles[static_cast<std::size_t>(op)] = bursts * m_clock.cycles(burst);
        out.elements[static_cast<std::size_t>(op)] = bursts * burst;
    }
    return out;
}

DramTerms FastEvaluator::dramTerms(const TileDma& dma, const Factors& dram,
                                   const OrderClass& dramClass) const noexcept
{
    DramTerms out;
    out.operand = dramClass.operand;
    out.reuse = dramClass.reuse;
    out.passes = masked(dram, ~0u);
    double elements = 0;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        const bool reused = op == dramClass.operand;
        std::int64_t moves = reused ? out.passes / out.reuse : out.passes;
        if (reused)
            out.own = dma.cycles[i];
        else
            out.cum1 += dma.cycles[i] * (op == kWritten ? 2 : 1);
        if (op == kWritten) // partial results are read back, except the first time
            moves += std::max<std::int64_t>(0, moves - masked(dram, m_nest.operands[kWritten].indexMask));
        elements += static_cast<double>(dma.elements[i]) * static_cast<double>(moves);
    }
    out.dramPj = elements * m_architecture.energyPj.dram;
    return out;
}

DramTerms FastEvaluator::dramTerms(const Factors& spm, const Factors& dram,
                                   const OrderClass& dramClass) const noexcept
{
    return dramTerms(tileDma(spm), dram, dramClass);
}

Cost FastEvaluator::cost(const Method& method) const noexcept
{
    const auto classOf = [&](const Factors& factors, const LoopOrder& order) {
        OrderClass out;
        for (int op = 0; op < kOperands; ++op) {
            const std::int64_t reuse = reuseOf(m_nest, op, factors, order);
            if (reuse > 1)
                out = {op, 0, reuse};
        }
        return out;
    };
    const OrderClass sc = classOf(method.at(Level::Spm), method.spmOrder);
    const OrderClass dc = classOf(method.at(Level::Dram), method.dramOrder);
    Factors extents;
    std::int64_t passes = 1;
    for (std::size_t l = 0; l < extents.size(); ++l) {
        passes *= method.at(Level::Spm)[l];
        extents[l] = method.at(Level::Rf)[l] * method.at(Level::Spatial)[l] * method.at(Level::Spm)[l];
    }
    const ArrayTerms array = arrayTerms(method.at(Level::Rf), method.at(Level::Spatial));
    const DramTerms terms = dramTerms(extents, method.at(Level::Dram), dc);
    if (dc.operand >= 0 && (passes == 1 || (sc.operand == dc.operand && sc.reuse == passes)))
        return keptCost(terms, array, passes, m_fixedPj);
    return layerCost(terms, spmPassTerms(array, sc.operand, sc.reuse, passes), m_fixedPj);
}

} // namespace tilewright::mapping
