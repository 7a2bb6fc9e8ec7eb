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
      m_fixedPj(static_cast<double>(nest.macs) *
                (architecture.energyPj.mac + architecture.energyPj.rfOfMac()))
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
        if (!m_architecture.options.bypassSpm[static_cast<std::size_t>(op)])
            banks += ceilDiv(m_nest.elements(op, extents) * m_architecture.elementBytes,
                             m_architecture.spmBankBytes);
    return banks <= m_architecture.spmBanks;
}

ArrayTerms FastEvaluator::arrayTerms(const Factors& rf, const Factors& spatial) const noexcept
{
    Factors extents;
    std::int64_t pes = 1;
    std::int64_t comp = 1;
    for (std::size_t l = 0; l < extents.size(); ++l) {
        extents[l] = rf[l] * spatial[l];
        comp *= rf[l];
        pes *= spatial[l];
    }
    std::array<std::int64_t, kOperands> noc{};
    for (int op = 0; op < kOperands; ++op)
        noc[static_cast<std::size_t>(op)] = m_nest.elements(op, extents);
    return makeArrayTerms(m_architecture, comp, noc,
                          {m_nest.elements(0, rf) * pes, m_nest.elements(1, rf) * pes},
                          masked(spatial, m_nest.operands[kWritten].freeMask));
}

FastEvaluator::TileDma FastEvaluator::arrayDma(const Factors& rf, const Factors& spatial) const noexcept
{
    Factors extents;
    for (std::size_t l = 0; l < extents.size(); ++l)
        extents[l] = rf[l] * spatial[l];
    return tileDma(extents);
}

Factors FastEvaluator::outerOf(const Method& method) noexcept
{
    Factors out;
    for (std::size_t l = 0; l < out.size(); ++l)
        out[l] = method.at(Level::Dram)[l] * method.at(Level::Spm)[l];
    return out;
}

FastEvaluator::TileDma FastEvaluator::tileDma(const Factors& spm) const noexcept
{
    TileDma out;
    for (int op = 0; op < kOperands; ++op) {
        const Bursts bursts = burstsOf(m_nest, op, spm);
        out.cycles[static_cast<std::size_t>(op)] = bursts.cycles(m_clock);
        out.elements[static_cast<std::size_t>(op)] = bursts.count * bursts.elements;
    }
    return out;
}

inline double FastEvaluator::movesPj(int op, std::int64_t elements, std::int64_t moves,
                                     std::int64_t tiles) const noexcept
{
    const EnergyTable& pj = m_architecture.energyPj;
    const bool skips = m_architecture.options.bypassSpm[static_cast<std::size_t>(op)];
    const double in = pj.dram + (skips ? 0 : pj.spmFill);
    if (op != kWritten)
        return static_cast<double>(elements) * static_cast<double>(moves) * in;
    // Partial results are read back in every move except the first one of a tile.
    const std::int64_t back = std::max<std::int64_t>(0, moves - tiles);
    return static_cast<double>(elements) *
           (static_cast<double>(moves) * pj.writeDram() + static_cast<double>(back) * in);
}

DramTerms FastEvaluator::dramTerms(const TileDma& dma, const Factors& dram,
                                   const OrderClass& dramClass) const noexcept
{
    DramTerms out;
    out.operand = dramClass.operand;
    out.reuse = dramClass.reuse;
    out.passes = masked(dram, ~0u);
    out.overlapped = m_architecture.options.overlapped;
    out.leakagePj = m_architecture.energyPj.leakage;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        if (m_architecture.options.bypassSpm[i])
            continue; // bypassed() adds this operand, whose transfers depend on the levels below
        const bool reused = op == dramClass.operand;
        std::int64_t moves = reused ? out.passes / out.reuse : out.passes;
        if (reused)
            out.own = dma.cycles[i];
        else
            out.cum1 += dma.cycles[i] * (op == kWritten ? 2 : 1);
        out.dramPj += movesPj(op, dma.elements[i], moves, masked(dram, m_nest.operands[i].indexMask));
    }
    return out;
}

DramTerms FastEvaluator::bypassed(const DramTerms& dram, const TileDma& array, const Factors& outer,
                                  int spmOperand, std::int64_t spmReuse, std::int64_t passes,
                                  bool kept) const noexcept
{
    DramTerms out = dram;
    for (int op = 0; op < kOperands; ++op) {
        const auto i = static_cast<std::size_t>(op);
        if (!m_architecture.options.bypassSpm[i])
            continue;
        const bool stays = kept && op == dram.operand;
        const std::int64_t inPass = stays ? 1 : passes / (op == spmOperand ? spmReuse : 1);
        const std::int64_t moves = stays ? dram.passes / dram.reuse : dram.passes * inPass;
        if (stays) {
            out.own = array.cycles[i];
        } else {
            out.cum1 += array.cycles[i] * inPass * (op == kWritten ? 2 : 1);
            // No reuse: data that bypasses the scratchpad does not stay between SPM tiles.
            if (op == dram.operand) {
                out.operand = -1;
                out.reuse = 1;
                out.own = 0;
            }
        }
        out.dramPj += movesPj(op, array.elements[i], moves, masked(outer, m_nest.operands[i].indexMask));
    }
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
    const bool kept = dc.operand >= 0 && (passes == 1 || (sc.operand == dc.operand && sc.reuse == passes));
    DramTerms terms = dramTerms(extents, method.at(Level::Dram), dc);
    if (m_architecture.options.bypasses())
        terms = bypassed(terms, arrayDma(method.at(Level::Rf), method.at(Level::Spatial)), outerOf(method),
                         sc.operand, sc.reuse, passes, kept);
    if (kept)
        return keptCost(terms, array, passes, m_fixedPj);
    return layerCost(terms,
                     spmPassTerms(array, sc.operand, sc.reuse, passes, m_architecture.options.overlapped),
                     m_fixedPj);
}

} // namespace tilewright::mapping
