// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/imperfect_bounds.h"
#include "mapping/search_frame.h"

#include <functional>

namespace tilewright::mapping {

/// Does an imperfect method keep what the search is reduced to?
[[nodiscard]] bool keepsReductions(const LoopNest& nest, const Architecture& architecture,
                                   const Reductions& reductions, const Method& method);

/// Walks all imperfect methods with the same number of SPM tiles along every loop: array passes first, then
/// PEs and register files, then the tiles' sizes, each with lower bounds.
class ImperfectGroup : public FrontCopy<Method>
{
public:
    struct Hooks
    {
        std::function<bool()> stops;                             ///< give up
        std::function<void(const Cost&, const Method&)> publish; ///< found something: may change `front`
    };
    /// Keeps references.
    ImperfectGroup(const LoopNest& nest, const Architecture& architecture, const Reductions& reductions,
                   const ImperfectCost& cost, const ImperfectBounds& bounds, Hooks hooks);

    /// SPM tiles of one loop: `count` of them need at least `low` and at most `high` elements each.
    struct Range
    {
        std::int64_t count = 1;
        std::int64_t low = 1;
        std::int64_t high = 1;
    };
    void search(const std::array<Range, kMaxLoops>& ranges);

private:
    /// Array passes of one loop: `count` of them when an array takes `low` to `high` elements.
    struct Passes
    {
        std::int64_t count = 1;
        std::int64_t low = 1;
        std::int64_t high = 1;
    };
    void choosePasses(std::size_t loop, std::int64_t product);
    void choosePes(std::size_t loop, std::int64_t pes, double computing);
    void chooseTile(std::size_t loop);
    void visit();
    void evaluateClass(const OrderClass& spm, const OrderClass& dram, bool kept);
    [[nodiscard]] bool isOpen(const ImperfectBounds::Pes& pes) const;
    [[nodiscard]] bool asks(Level level, std::size_t loop, std::int64_t factor) const noexcept;

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Reductions& m_reductions;
    const ImperfectCost& m_cost;
    const ImperfectBounds& m_bounds;
    Hooks m_hooks;
    std::size_t m_loops;
    bool m_reduced; ///< not the whole space
    std::array<Range, kMaxLoops> m_ranges{};
    std::array<Passes, kMaxLoops> m_passes{};
    ImperfectBounds::Moves m_across;   ///< of the group
    ImperfectBounds::Moves m_networks; ///< of the chosen array passes
    NestTiles m_tiles{};
    Factors m_rf{1, 1, 1, 1, 1, 1, 1};
    Factors m_size{1, 1, 1, 1, 1, 1, 1}; ///< of the SPM tiles, at least
    Method m_method;
};

} // namespace tilewright::mapping
