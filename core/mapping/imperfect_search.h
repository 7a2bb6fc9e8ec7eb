// SPDX-License-Identifier: GPL-3.0-or-later
// The search over imperfect factors, and its groups of methods.
#pragma once

#include "mapping/imperfect_bounds.h"
#include "mapping/search.h"
#include "mapping/search_frame.h"

#include <functional>

namespace tilewright::mapping {

/// True if an imperfect method is inside the reduced search space.
[[nodiscard]] bool keepsReductions(const LoopNest& nest, const Architecture& architecture,
                                   const Reductions& reductions, const Method& method);

/// Searches all imperfect methods with given numbers of SPM tiles per loop. It chooses first the array
/// passes, then PEs and register files, then tile sizes, and computes lower bounds at each stage.
class ImperfectGroup : public FrontCopy<Method>
{
public:
    struct Hooks
    {
        std::function<bool()> stops; ///< returns true to stop
        /// Called for each method that joins `front`; may change `front`.
        std::function<void(const Cost&, const Method&)> publish;
    };
    /// Keeps references to the arguments.
    ImperfectGroup(const LoopNest& nest, const Architecture& architecture, const Reductions& reductions,
                   const ImperfectCost& cost, const ImperfectBounds& bounds, Hooks hooks);

    /// SPM tiles of one loop: `count` tiles of `low` to `high` elements.
    struct Range
    {
        std::int64_t count = 1;
        std::int64_t low = 1;
        std::int64_t high = 1;
    };
    void search(const std::array<Range, kMaxLoops>& ranges);

private:
    /// Array passes of one loop: `count` passes of `low` to `high` elements.
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
    bool m_reduced; ///< the search space is reduced
    std::array<Range, kMaxLoops> m_ranges{};
    std::array<Passes, kMaxLoops> m_passes{};
    ImperfectBounds::Moves m_across;   ///< DRAM traffic of the group
    ImperfectBounds::Moves m_networks; ///< network traffic of the chosen array passes
    NestTiles m_tiles{};
    Factors m_rf{1, 1, 1, 1, 1, 1, 1};
    Factors m_size{1, 1, 1, 1, 1, 1, 1}; ///< lower bounds on the sizes of the SPM tiles
    Method m_method;
};

/// Branch and bound over all imperfect tilings and order classes (docs/rules/mapping.md 9.4). It first
/// chooses the numbers of SPM tiles, on which the DRAM traffic depends, then tile sizes, arrays and splits.
/// The result is proven unless the search is stopped.
[[nodiscard]] SearchResult imperfectSearch(const LoopNest& nest, const Architecture& architecture,
                                           const SearchOptions& options);

/// Number of tilings with imperfect factors; nothing if it exceeds 63 bits or would take too long to count.
[[nodiscard]] std::optional<std::int64_t> countImperfectTilings(const LoopNest& nest);

} // namespace tilewright::mapping
