// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost/cost_model.h"

#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// How many tilings of a subgraph a search evaluates.
enum class TilingEffort : std::uint8_t {
    Quick,     ///< about 20 to 100: inside the search
    Thorough,  ///< some hundreds and a hill climb: for schedules worth keeping
    Exhaustive ///< every w, h, k up to the native size (bounds prune): for proofs
};

/// The best tiling found, with the rule-exact latency; `latency` is infinite when none fits.
struct Tiling
{
    Granularity granularity;
    TraversalKind traversal = TraversalKind::Raster;
    double latency = std::numeric_limits<double>::infinity();
    [[nodiscard]] bool feasible() const noexcept { return latency < std::numeric_limits<double>::infinity(); }
};

/// Searches the granularity and traversal of the subgraph for which `model` was last compiled.
class TilingSearch
{
public:
    explicit TilingSearch(CostModel& model) : m_model(model) {}

    /// Called during search() and fixed(): when it returns false, they end with the best found so far; see
    /// interrupted().
    void setKeepGoing(std::function<bool()> keepGoing) { m_keepGoing = std::move(keepGoing); }
    [[nodiscard]] bool interrupted() const noexcept { return m_interrupted; }
    /// The best tiling found with Quick or Thorough effort. With a `cutoff` only a faster one; that there is
    /// none is found in a fraction of the time: see isCut().
    [[nodiscard]] Tiling search(TilingEffort effort, double cutoff = std::numeric_limits<double>::infinity());
    /// Whether the last search() found nothing only because of its cutoff: some tilings fit.
    [[nodiscard]] bool isCut() const noexcept { return m_isCut; }
    /// The best of all tilings, if it is faster than `known` (a tiling of this subgraph) and than `cutoff`;
    /// else `known`. The search ends early when `keepGoing` returns false: see incomplete().
    [[nodiscard]] Tiling exhaust(const Tiling& known, double cutoff, const std::function<bool()>& keepGoing);
    /// The best traversal for one given granularity.
    [[nodiscard]] Tiling fixed(const Granularity& g);
    /// Whether exhaust() ended early or could not evaluate some tiling, so that its result is no proof.
    [[nodiscard]] bool incomplete() const noexcept { return m_incomplete; }

private:
    TilingCost consider(const Granularity& g, TraversalKind kind, const StepTotals& atLeast = {});
    [[nodiscard]] bool isLine(const Granularity& g) const;
    void tryTiling(const Granularity& g, const CostModel::GridTotals& atLeast = {});
    void tryAll(const Granularity& g, const CostModel::GridTotals& atLeast);
    /// Lower bounds of the totals of all tilings with the same extents: with the largest k, and with any
    /// other.
    struct Totals
    {
        CostModel::GridTotals deepest, others;
        [[nodiscard]] double least() const;
    };
    [[nodiscard]] Totals totalsOf(std::int64_t w, std::int64_t h) const;
    /// Whether a tiling with this latency would be the best so far by more than rounding.
    [[nodiscard]] bool hopeful(double bound) const { return bound < m_best.latency * (1 - 1e-12); }
    void tryDepths(std::int64_t w, std::int64_t h, TilingEffort effort, const Totals& atLeast = {});
    [[nodiscard]] std::int64_t deepestFit(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool fits(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool fitsSquare(std::int64_t side);
    void listAxes(TilingEffort effort);
    /// A width and a height. With `largest`, one of them stands for the largest that fits with the other: as
    /// that takes long to find, it is first set to the largest of all, and found when the bound of the pair
    /// is due.
    struct Pair
    {
        double bound;
        std::int64_t w, h;
        std::size_t order = 0; ///< decides between equal bounds
        enum Largest : std::uint8_t { Neither, Height, Width } largest = Neither;
    };
    void listPairs();
    /// Takes out the listed pair with the least bound, if that is below the best latency.
    [[nodiscard]] std::optional<Pair> nextPair();
    void climb();

    CostModel& m_model;
    Tiling m_best;
    std::function<bool()> m_keepGoing;
    bool m_interrupted = false;
    bool m_isCut = false;
    bool m_anyFits = false; ///< whether a tiling considered so far fits
    std::uint32_t m_tried = 0;
    bool m_incomplete = false;
    std::vector<std::int64_t> m_ws, m_hs, m_ks;
    std::vector<Pair> m_pairs;
};

} // namespace tilewright
