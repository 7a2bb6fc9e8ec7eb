// SPDX-License-Identifier: GPL-3.0-or-later
// The fast evaluator, for subgraphs of a schedule and for single tilings in a search.
#pragma once

#include "eval/evaluation.h"
#include "rules/subgraph_plan.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>

namespace tilewright {

/// Maximum number of steps that the fast evaluator walks one by one. This is needed if slices of one tensor
/// can coincide in ways without a closed form, for example if a product is both inputs of a MatMul, and for
/// views with maps (R1.8). With more steps, the result is an estimate, marked by exact = false. The estimate
/// ignores that slices coincide; if an op reads through a map, it is extrapolated from the first tiles.
inline constexpr std::int64_t kMostWalkedSteps = 2'000'000;

/// Evaluates a subgraph in closed form: equal steps are computed once and multiplied, so the time does not
/// depend on the number of tiles with raster, snake, column and column-snake traversals. Subgraphs without a
/// closed form are walked step by step, equal tiles once. The result equals that of the explaining evaluator.
/// `resident` = RES before the subgraph, `retain` as in Subgraph. structurallyValid is false if plan.check(),
/// R4.6 or R5.3 fails. With fewer `mostWalkedSteps` more results are estimates; with 0 only some hundred
/// steps of views with maps are walked, and a tiling without an estimate counts as structurally invalid.
[[nodiscard]] SubgraphEvaluation evaluate(const SubgraphPlan& plan, const Granularity& g,
                                          const Traversal& traversal, std::span<const TensorId> resident,
                                          std::span<const TensorId> retain,
                                          std::int64_t mostWalkedSteps = kMostWalkedSteps);

/// Evaluates one subgraph at its position in the schedule by the fast evaluator.
[[nodiscard]] SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                                  std::span<const TensorId> residentBefore,
                                                  const Rules& rules);

/// Result of the evaluation of one tiling of a subgraph in a search.
struct TilingCost
{
    enum class Verdict : std::uint8_t {
        Fits,      ///< fits in fast memory; `latency` is exact
        TooLarge,  ///< out of memory (R9.1)
        Illegal,   ///< violates R4.1-R4.3 or R4.7
        Cut,       ///< evaluation stopped because the latency reaches the caller's cut-off
        Unmodelled ///< undecided: there is no closed form, and there are too many steps to walk
    };
    Verdict verdict = Verdict::Illegal;
    double latency = std::numeric_limits<double>::infinity();
    double energy = 0;     ///< energy in pJ (R17) if the verdict is Fits; 0 if the problem states no energies
    std::int64_t peak = 0; ///< largest working set of the steps evaluated so far, in units (R1.9)
    bool anyOrder = false; ///< true if TooLarge holds with every preset row or column traversal
};

/// Compute time and memory time of a tiling, each summed over all steps.
struct StepTotals
{
    double compute = 0, memory = 0;
    /// Lower bound of the latency, which is reached if all steps overlap perfectly.
    [[nodiscard]] double bound() const noexcept { return std::max(compute, memory); }
};

/// The fast evaluator (eval/fast_evaluator.h) for searches, which evaluate many tilings of one subgraph and
/// discard most of them. Data that does not depend on the granularity is computed once for a plan, data that
/// does not depend on the traversal once for a granularity. An evaluation ends as soon as the tiling is known
/// not to fit or to be too slow. Working memory is reused between calls, so each thread needs its own
/// instance. A copy has to be prepared again.
class FastEvaluator
{
public:
    FastEvaluator();
    FastEvaluator(const FastEvaluator& other);
    ~FastEvaluator();

    /// Sets the subgraph: its plan, which must not change until reset(), the tensors resident before it and
    /// those that it retains (R3.3, R9.7).
    void prepare(const SubgraphPlan& plan, std::span<const TensorId> resident,
                 std::span<const TensorId> retained);
    [[nodiscard]] bool isPrepared() const noexcept;
    /// Removes the reference to the plan.
    void reset() noexcept;

    /// Evaluates a tiling that passes plan.check(), with a preset row or column traversal. The verdict is Cut
    /// as soon as the latency is certain to reach `cutoff`; `atLeast` holds known lower bounds of the totals.
    /// The verdict is Unmodelled if there is no closed form and more than `mostWalkedSteps` steps would have
    /// to be walked.
    [[nodiscard]] TilingCost evaluate(const Granularity& g, TraversalKind traversal,
                                      double cutoff = std::numeric_limits<double>::infinity(),
                                      const StepTotals& atLeast = {},
                                      std::int64_t mostWalkedSteps = kMostWalkedSteps);
    /// True if the steps of the first tile, which is the same in all these traversals, fit in fast memory.
    [[nodiscard]] bool firstTileFits(const Granularity& g);
    /// True if there is a closed form, so that nothing is walked.
    [[nodiscard]] bool hasClosedForm(const Granularity& g);

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace tilewright
