// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost/cost_model.h"

#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// How many tilings of a subgraph are looked at.
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

/// Searches granularity and traversal of the subgraph that `model` was last compiled for.
class TilingSearch
{
public:
    explicit TilingSearch(CostModel& model) : m_model(model) {}

    /// Asked during search() and fixed(): when it says no, they end with what they have found. See
    /// interrupted().
    void setKeepGoing(std::function<bool()> keepGoing) { m_keepGoing = std::move(keepGoing); }
    [[nodiscard]] bool interrupted() const noexcept { return m_interrupted; }
    /// Best Quick or Thorough tiling. With a `cutoff` only one that is faster than that, which takes a
    /// fraction of the time where there is none: see isCut().
    [[nodiscard]] Tiling search(TilingEffort effort, double cutoff = std::numeric_limits<double>::infinity());
    /// There is no tiling that is faster than the cutoff, but there may be others.
    [[nodiscard]] bool isCut() const noexcept { return m_isCut; }
    /// The best tiling of all that is faster than `known` (a tiling of this subgraph) and than `cutoff`, or
    /// `known` when there is none. `keepGoing` may end the search early: see incomplete().
    [[nodiscard]] Tiling exhaust(const Tiling& known, double cutoff, const std::function<bool()>& keepGoing);
    /// Best traversal for one given granularity.
    [[nodiscard]] Tiling fixed(const Granularity& g);
    /// True when the search was ended early or some tiling could not be evaluated, so that `Exhaustive` is no
    /// proof.
    [[nodiscard]] bool incomplete() const noexcept { return m_incomplete; }

private:
    TilingCost consider(const Granularity& g, TraversalKind kind, const StepTotals& atLeast = {});
    [[nodiscard]] bool isLine(const Granularity& g) const;
    void tryTiling(const Granularity& g, const CostModel::GridTotals& atLeast = {});
    void tryAll(const Granularity& g, const CostModel::GridTotals& atLeast);
    /// What no tiling with the same extents goes below: with the largest k, or with any other.
    struct Totals
    {
        CostModel::GridTotals deepest, others;
        [[nodiscard]] double least() const;
    };
    [[nodiscard]] Totals totalsOf(std::int64_t w, std::int64_t h) const;
    /// A tiling this fast would be the best so far, by more than rounding.
    [[nodiscard]] bool hopeful(double bound) const { return bound < m_best.latency * (1 - 1e-12); }
    void tryDepths(std::int64_t w, std::int64_t h, TilingEffort effort, const Totals& atLeast = {});
    [[nodiscard]] std::int64_t deepestFit(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool fits(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool fitsSquare(std::int64_t side);
    void listAxes(TilingEffort effort);
    /// A pair of extents, or the one with the largest height (width) that fits with this width (height):
    /// that takes long to find and may not be worth it, so first with all that there is.
    struct Pair
    {
        double bound;
        std::int64_t w, h;
        std::size_t order = 0; ///< of those with equal bounds
        enum Largest : std::uint8_t { Neither, Height, Width } largest = Neither;
    };
    void listPairs();
    /// The pair with the least bound of those listed, as far as that is less than the best latency.
    [[nodiscard]] std::optional<Pair> nextPair();
    void climb();

    CostModel& m_model;
    Tiling m_best;
    std::function<bool()> m_keepGoing;
    bool m_interrupted = false;
    bool m_isCut = false;
    bool m_anyFits = false; ///< of those considered
    std::uint32_t m_tried = 0;
    bool m_incomplete = false;
    std::vector<std::int64_t> m_ws, m_hs, m_ks;
    std::vector<Pair> m_pairs;
};

} // namespace tilewright
