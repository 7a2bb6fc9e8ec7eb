// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "rules/subgraph_plan.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace tilewright {

/// What a search needs to know about one candidate tiling of one subgraph.
struct TilingCost
{
    enum class Verdict : std::uint8_t {
        Fits,      ///< `latency` is exact
        TooLarge,  ///< out of memory (R9.1)
        Illegal,   ///< breaks R4.1-R4.3 or R4.7
        Cut,       ///< stopped because the latency reaches the caller's cut-off
        Unmodelled ///< only walking every step could tell, and there are too many
    };
    Verdict verdict = Verdict::Illegal;
    double latency = std::numeric_limits<double>::infinity();
    std::int64_t peak = 0; ///< largest working set of the steps looked at
    bool anyOrder = false; ///< TooLarge by every traversal
};

/// What all steps of a tiling take, were compute and memory never to wait for each other.
struct StepTotals
{
    double compute = 0, memory = 0;
    [[nodiscard]] double bound() const noexcept { return std::max(compute, memory); }
};

/// The fast form of the rules (eval/fast.h) for searches, which evaluate many tilings of one subgraph and
/// drop most of them: what does not depend on the granularity is listed once, what does not depend on the
/// traversal once a granularity, and an evaluation ends as soon as the tiling is known not to fit or not to
/// be fast enough. Working memory is reused between calls: one instance per thread; copies are empty.
class FastEvaluator
{
public:
    FastEvaluator();
    FastEvaluator(const FastEvaluator& other);
    ~FastEvaluator();

    /// What is asked from now on is about this plan, which must outlive the answers, between RES before the
    /// subgraph and what it retains (R3.3, R9.7).
    void prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                 std::span<const TensorId> retained);
    [[nodiscard]] bool isPrepared() const noexcept;
    /// The plan is about to change.
    void reset() noexcept;

    /// Exact latency of a tiling that passes plan.check(), by a preset row or column traversal; Cut once it
    /// is certain to reach `cutoff`. `atLeast`: what its totals are known not to go below. Nothing where only
    /// walking every step can tell.
    [[nodiscard]] std::optional<TilingCost> evaluate(const Granularity& g, TraversalKind traversal,
                                                     double cutoff = std::numeric_limits<double>::infinity(),
                                                     const StepTotals& atLeast = {});
    /// Whether the working sets of the steps of the first tile fit, with which every preset row or column
    /// traversal begins. Nothing as above.
    [[nodiscard]] std::optional<bool> firstTileFits(const Granularity& g);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tilewright
