// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/cost_kernel.h"
#include "mapping/method.h"

#include <array>

namespace tilewright::mapping {

/// The fast form of evaluate(): evaluates one tiling with all pairs of order classes. It returns the same
/// numbers (checked by tests) without their components.
class FastEvaluator
{
public:
    /// Precondition: checkCountable(nest, architecture). Keeps a copy of the nest.
    FastEvaluator(const LoopNest& nest, const Architecture& architecture);

    /// True if a tiling meets the limits PES, RF and SPM (docs/rules/mapping.md 2). Precondition: its factors
    /// multiply to the trip counts.
    [[nodiscard]] bool fits(const Method& method) const noexcept;

    /// Calls visit(spmClass, dramClass, cost) for every pair of order classes. Returns the number of pairs.
    template <typename Visit> int visitClasses(const Method& method, Visit&& visit) const;

    /// Cost of a method with the order classes of its own loop orders.
    [[nodiscard]] Cost cost(const Method& method) const noexcept;

    /// Energy in pJ that is the same for all methods: MACs and their register file accesses.
    [[nodiscard]] double fixedPj() const noexcept { return m_fixedPj; }
    [[nodiscard]] const LoopNest& nest() const noexcept { return m_nest; }

    [[nodiscard]] ArrayTerms arrayTerms(const Factors& rf, const Factors& spatial) const noexcept;
    [[nodiscard]] DramTerms dramTerms(const Factors& spm, const Factors& dram,
                                      const OrderClass& dramClass) const noexcept;

    /// DMA of one tile, per operand: cycles of the array clock, and elements.
    struct TileDma
    {
        std::array<std::int64_t, kOperands> cycles{};
        std::array<std::int64_t, kOperands> elements{};
    };
    /// DMA of the operands that bypass the scratchpad, for one array tile.
    [[nodiscard]] TileDma arrayDma(const Factors& rf, const Factors& spatial) const noexcept;
    [[nodiscard]] TileDma tileDma(const Factors& extents) const noexcept;
    /// Adds the operands that bypass the scratchpad to the terms `dram` (docs/rules/mapping.md 10.3).
    /// `outer`: product of the DRAM and SPM factors of each loop.
    [[nodiscard]] DramTerms bypassed(const DramTerms& dram, const TileDma& array, const Factors& outer,
                                     int spmOperand, std::int64_t spmReuse, std::int64_t passes,
                                     bool kept) const noexcept;
    [[nodiscard]] static Factors outerOf(const Method& method) noexcept;
    [[nodiscard]] bool bypasses() const noexcept { return m_architecture.options.bypasses(); }
    [[nodiscard]] bool overlapped() const noexcept { return m_architecture.options.overlapped; }

private:
    [[nodiscard]] DramTerms dramTerms(const TileDma& dma, const Factors& dram,
                                      const OrderClass& dramClass) const noexcept;
    /// DRAM energy in pJ of `moves` moves of tiles of `elements` elements each. For the written operand, the
    /// first move of each of the `tiles` tiles does not read.
    [[nodiscard]] double movesPj(int op, std::int64_t elements, std::int64_t moves,
                                 std::int64_t tiles) const noexcept;

    LoopNest m_nest;
    Architecture m_architecture;
    DmaClock m_clock;
    double m_fixedPj = 0;
};

template <typename Visit> int FastEvaluator::visitClasses(const Method& method, Visit&& visit) const
{
    const Factors& rf = method.at(Level::Rf);
    const Factors& spatial = method.at(Level::Spatial);
    const Factors& spm = method.at(Level::Spm);
    const Factors& dram = method.at(Level::Dram);
    Factors extents;
    std::int64_t passes = 1;
    for (std::size_t l = 0; l < extents.size(); ++l) {
        extents[l] = rf[l] * spatial[l] * spm[l];
        passes *= spm[l];
    }
    const ArrayTerms array = arrayTerms(rf, spatial);
    const TileDma dma = tileDma(extents);
    const OrderClasses spmClasses = orderClasses(m_nest, spm);
    const OrderClasses dramClasses = orderClasses(m_nest, dram);
    std::array<PassTerms, 16> pass;
    for (int i = 0; i < spmClasses.count; ++i) {
        const OrderClass& c = spmClasses.items[static_cast<std::size_t>(i)];
        pass[static_cast<std::size_t>(i)] = spmPassTerms(array, c.operand, c.reuse, passes, overlapped());
    }
    const bool skips = bypasses();
    const TileDma direct = skips ? arrayDma(rf, spatial) : TileDma{};
    const Factors outer = skips ? outerOf(method) : Factors{};
    for (const OrderClass& dc : dramClasses) {
        const DramTerms common = dramTerms(dma, dram, dc);
        for (int i = 0; i < spmClasses.count; ++i) {
            const OrderClass& sc = spmClasses.items[static_cast<std::size_t>(i)];
            const bool isKept =
                dc.operand >= 0 && (passes == 1 || (sc.operand == dc.operand && sc.reuse == passes));
            const auto cost = [&](const DramTerms& terms) {
                return isKept ? keptCost(terms, array, passes, m_fixedPj)
                              : layerCost(terms, pass[static_cast<std::size_t>(i)], m_fixedPj);
            };
            visit(sc, dc,
                  skips ? cost(bypassed(common, direct, outer, sc.operand, sc.reuse, passes, isKept))
                        : cost(common));
        }
    }
    return spmClasses.count * dramClasses.count;
}

} // namespace tilewright::mapping
