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

/// The outcome of evaluating one tiling of one subgraph in a search.
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
    std::int64_t peak = 0; ///< largest working set of the steps evaluated
    bool anyOrder = false; ///< TooLarge with every preset row or column traversal
};

/// Compute time and memory time of all steps of a tiling, each added up on its own.
struct StepTotals
{
    double compute = 0, memory = 0;
    /// Lower bound of the latency, as if all steps overlapped perfectly.
    [[nodiscard]] double bound() const noexcept { return std::max(compute, memory); }
};

/// The fast form of the rules (eval/fast.h) for searches, which evaluate many tilings of one subgraph and
/// discard most of them. What does not depend on the granularity is computed once for a plan, what does not
/// depend on the traversal once for a granularity, and an evaluation ends as soon as the tiling is known not
/// to fit or not to be fast enough. Working memory is reused between calls: one instance per thread. A copy
/// is not prepared.
class FastEvaluator
{
public:
    FastEvaluator();
    FastEvaluator(const FastEvaluator& other);
    ~FastEvaluator();

    /// Chooses the subgraph: a plan, which must stay as it is until reset(), the tensors resident before it
    /// and those that it retains (R3.3, R9.7).
    void prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                 std::span<const TensorId> retained);
    [[nodiscard]] bool isPrepared() const noexcept;
    /// Forgets the plan.
    void reset() noexcept;

    /// Evaluates a tiling that passes plan.check(), with a preset row or column traversal. The verdict is Cut
    /// as soon as the latency is certain to reach `cutoff`, for which `atLeast` gives known lower bounds of
    /// the totals. Nothing when there is no closed form: then every step has to be walked.
    [[nodiscard]] std::optional<TilingCost> evaluate(const Granularity& g, TraversalKind traversal,
                                                     double cutoff = std::numeric_limits<double>::infinity(),
                                                     const StepTotals& atLeast = {});
    /// Whether the steps of the first tile, which is the same in all of these traversals, fit into fast
    /// memory. Nothing when there is no closed form.
    [[nodiscard]] std::optional<bool> firstTileFits(const Granularity& g);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tilewright
