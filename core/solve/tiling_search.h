// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/cost_model.h"

#include <functional>
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
    /// Best Quick or Thorough tiling.
    [[nodiscard]] Tiling search(TilingEffort effort);
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
    void tryTiling(const Granularity& g);
    void tryAll(const Granularity& g, const CostModel::GridTotals& atLeast);
    [[nodiscard]] double leastTotals(std::int64_t w, std::int64_t h) const;
    /// A tiling this fast would be the best so far, by more than rounding.
    [[nodiscard]] bool hopeful(double bound) const { return bound < m_best.latency * (1 - 1e-12); }
    void tryDepths(std::int64_t w, std::int64_t h, TilingEffort effort);
    [[nodiscard]] std::int64_t deepestFit(std::int64_t w, std::int64_t h);
    [[nodiscard]] bool fits(std::int64_t w, std::int64_t h);
    [[nodiscard]] std::int64_t largestSquare();
    void listAxes(TilingEffort effort);
    void listPairs();
    void climb();

    struct Pair
    {
        double bound;
        std::int64_t w, h;
    };

    CostModel& m_model;
    Tiling m_best;
    std::function<bool()> m_keepGoing;
    bool m_interrupted = false;
    std::uint32_t m_tried = 0;
    bool m_incomplete = false;
    std::vector<std::int64_t> m_ws, m_hs, m_ks;
    std::vector<Pair> m_pairs;
};

} // namespace tilewright
