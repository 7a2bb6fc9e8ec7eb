// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost/constraints.h"
#include "solve/cost/cost_model.h"

#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// Number of tilings of a subgraph that a search evaluates.
enum class TilingEffort : std::uint8_t {
    Quick,     ///< about 20 to 100 tilings, used inside searches for plans
    Thorough,  ///< some hundreds of tilings and hill climbing, used for good plans
    Exhaustive ///< every legal w, h and k, unless a lower bound excludes it; used for proofs
};

/// The best tiling found. `latency` is its exact latency by the rules, or its price if CostModel::price() is
/// not the latency; infinite if no tiling fits.
struct Tiling
{
    Granularity granularity;
    TraversalKind traversal = TraversalKind::Raster;
    double latency = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool feasible() const noexcept { return latency < std::numeric_limits<double>::infinity(); }
};

/// Searches granularity and traversal for the subgraph that `model` was last compiled for.
class TilingSearch
{
public:
    explicit TilingSearch(CostModel& model) : m_model(model) {}

    /// Restricts the search to tiles in this range.
    void setRange(const TileRange& range) { m_limits = range; }
    /// True if the range of setRange() allows the tile.
    [[nodiscard]] bool isInRange(const Granularity& g) const;
    /// Sets a callback, which is polled by search() and fixed(). When it returns false, they end with the
    /// best tiling found so far; see interrupted().
    void setKeepGoing(std::function<bool()> keepGoing) { m_keepGoing = std::move(keepGoing); }
    [[nodiscard]] bool interrupted() const noexcept { return m_interrupted; }
    /// Returns the best tiling found with Quick or Thorough effort. With a `cutoff`, only a faster tiling is
    /// returned, and a search that cannot find one ends quickly; see isCut().
    [[nodiscard]] Tiling search(TilingEffort effort, double cutoff = std::numeric_limits<double>::infinity());
    /// True if the last search() found nothing only because of its cutoff, although some tilings fit.
    [[nodiscard]] bool isCut() const noexcept { return m_isCut; }
    /// Evaluates all tilings. Returns the best one if it is faster than `known` (a tiling of this subgraph)
    /// and than `cutoff`, otherwise `known`. Ends early when `keepGoing` returns false; see incomplete().
    [[nodiscard]] Tiling searchAll(const Tiling& known, double cutoff,
                                   const std::function<bool()>& keepGoing);
    /// Returns the best traversal for one given granularity.
    [[nodiscard]] Tiling fixed(const Granularity& g);
    /// True if searchAll() ended early or could not evaluate some tiling, so that its result proves nothing.
    [[nodiscard]] bool incomplete() const noexcept { return m_incomplete; }

private:
    /// The legal granularities within the range of setRange(); empty() if there are none.
    [[nodiscard]] CostModel::Range range() const;
    /// The smallest legal k for a tile with these extents; the largest is range().maxK.
    [[nodiscard]] std::int64_t leastK(std::int64_t w, std::int64_t h) const;
    TilingCost consider(const Granularity& g, TraversalKind kind, const StepTotals& atLeast = {});
    [[nodiscard]] bool isLine(const Granularity& g) const;
    void tryTiling(const Granularity& g, const CostModel::GridTotals& atLeast = {});
    void tryAll(const Granularity& g, const CostModel::GridTotals& atLeast);
    /// Lower bounds of the total compute and memory time of all tilings with the same width and height: one
    /// for the largest k, and one for all smaller k.
    struct Totals
    {
        CostModel::GridTotals deepest, others;
    };
    [[nodiscard]] double least(const CostModel::GridTotals& totals) const;
    [[nodiscard]] double least(const Totals& totals) const
    {
        return std::min(least(totals.deepest), least(totals.others));
    }
    [[nodiscard]] Totals totalsOf(std::int64_t w, std::int64_t h) const;
    /// True if a tiling with this latency would improve the best one by more than rounding.
    [[nodiscard]] bool canImprove(double bound) const { return bound < m_best.latency * (1 - 1e-12); }
    void tryDepths(std::int64_t w, std::int64_t h, TilingEffort effort, const Totals& atLeast = {});
    [[nodiscard]] std::int64_t deepestFit(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool mayFit(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool squareMayFit(std::int64_t side);
    void listAxes(TilingEffort effort);
    /// A candidate tile width and height. If `largest` is Height, the height stands for the largest one that
    /// fits in fast memory with this width; with Width it is the reverse. Finding this height is costly, so
    /// the pair has the largest legal height until its bound is the least of all pairs.
    struct Pair
    {
        double bound;
        std::int64_t w, h;
        std::size_t order = 0; ///< breaks ties between equal bounds
        enum Largest : std::uint8_t { Neither, Height, Width } largest = Neither;
    };
    void listPairs();
    /// Removes and returns the pair with the least bound, if that is below the best latency.
    [[nodiscard]] std::optional<Pair> nextPair();
    void climbHill();

    CostModel& m_model;
    TileRange m_limits; ///< range given to setRange()
    Tiling m_best;
    std::function<bool()> m_keepGoing;
    bool m_interrupted = false;
    bool m_isCut = false;
    bool m_anyFits = false; ///< true if some tiling considered so far fits
    std::uint32_t m_tried = 0;
    bool m_incomplete = false;
    std::vector<std::int64_t> m_ws, m_hs, m_ks;
    std::vector<Pair> m_pairs;
};

} // namespace tilewright
