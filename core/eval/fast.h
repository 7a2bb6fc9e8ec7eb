// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"
#include "eval/rules.h"
#include "schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// What surrounds a subgraph in its schedule, as bits over a plan's own lists (at most 64 of each; see
/// SubgraphPlan::compact()).
struct Surroundings
{
    std::uint64_t residentInputs = 0; ///< bit i: plan.inputs()[i] is in RES before the subgraph
    std::uint64_t retained = 0;       ///< bit i: plan.products()[i] is retained
    std::uint64_t retainedInputs = 0; ///< bit i: plan.inputs()[i] is retained (retain_inputs=allow only)
    /// Resident tensors that the subgraph does not read (R9.3), in elements. Resident inputs and whatever
    /// the three masks name are added by the plan.
    std::int64_t otherReserved = 0;
    bool operator==(const Surroundings&) const = default;
};

/// A set of ops compiled once for evaluation under many granularities, traversals and surroundings: sinks,
/// drivers (R5.4) and the tree of runs and requests (R6) with symbolic axes. Immutable after compile(), so it
/// may be shared between threads. The problem must outlive it.
class SubgraphPlan
{
public:
    SubgraphPlan() = default;
    SubgraphPlan(const Problem& problem, std::span<const OpId> ops, const Rules& rules);

    [[nodiscard]] const Problem& problem() const noexcept { return *m_problem; }
    [[nodiscard]] const Rules& rules() const noexcept { return m_rules; }
    [[nodiscard]] std::span<const OpId> ops() const noexcept { return m_ops; }
    /// Boundary inputs (R3.1) in the order of their first use.
    [[nodiscard]] std::span<const TensorId> inputs() const noexcept { return m_inputs; }
    /// Outputs of ops(), in the same order.
    [[nodiscard]] std::span<const TensorId> products() const noexcept { return m_products; }
    /// Bit i: products()[i] is a sink. Only for compact() plans.
    [[nodiscard]] std::uint64_t sinkMask() const noexcept { return m_sinkMask; }
    [[nodiscard]] std::optional<std::size_t> inputIndex(TensorId t) const noexcept;
    [[nodiscard]] std::optional<std::size_t> productIndex(TensorId t) const noexcept;
    /// Whether Surroundings can describe it: at most 64 inputs and 64 products.
    [[nodiscard]] bool compact() const noexcept { return m_inputs.size() <= 64 && m_products.size() <= 64; }

    [[nodiscard]] bool hasMatMul() const noexcept { return m_hasMatMul; }
    /// Smallest reduction size of its MatMuls; the largest integer without one (R4.3).
    [[nodiscard]] std::int64_t smallestK() const noexcept { return m_smallestK; }
    /// R4.7: the least w and h (1 when there is no such rule for this subgraph).
    [[nodiscard]] std::int64_t leastW() const noexcept { return m_leastW; }
    [[nodiscard]] std::int64_t leastH() const noexcept { return m_leastH; }
    /// Largest height and width of a sink, largest K of a driver (1 without one): larger sizes are pointless.
    [[nodiscard]] std::int64_t sinkHeight() const noexcept { return m_sinkHeight; }
    [[nodiscard]] std::int64_t sinkWidth() const noexcept { return m_sinkWidth; }
    [[nodiscard]] std::int64_t largestDriverK() const noexcept { return m_largestDriverK; }

    /// OP_ORDER or DISCONNECTED: no granularity can help.
    [[nodiscard]] std::optional<IssueCode> staticIssue() const noexcept { return m_staticIssue; }
    /// The first of R4.1 to R4.5 and R4.7 that this granularity breaks.
    [[nodiscard]] std::optional<IssueCode> check(const Granularity& g) const noexcept;

    /// The result in closed form over identical steps: the cost does not depend on the number of tiles for
    /// raster, snake, column and column snake. Equal to the explaining form. structurallyValid is false when
    /// check() or R5.3 fails.
    [[nodiscard]] SubgraphEvaluation evaluate(const Granularity& g, const Traversal& traversal,
                                              const Surroundings& around) const;
    /// Where slices of one tensor can meet in ways that have no closed form (a MatMul whose product is both
    /// of its consumer's inputs, say), it walks the steps. When there are more than kMostWalkedSteps of
    /// them, the result is an estimate that leaves such sharing out, and says so (exact = false).
    static constexpr std::int64_t kMostWalkedSteps = 2'000'000;
    /// The same for any number of inputs; `resident` = RES before the subgraph, `retain` as in Subgraph.
    /// With fewer `mostWalkedSteps` more results are estimates; with 0 nothing is walked at all, and what has
    /// no estimate either counts as structurally invalid.
    [[nodiscard]] SubgraphEvaluation evaluate(const Granularity& g, const Traversal& traversal,
                                              std::span<const TensorId> resident,
                                              std::span<const TensorId> retain,
                                              std::int64_t mostWalkedSteps = kMostWalkedSteps) const;

    /// Peak working set alone (exact, several times cheaper than evaluate() for the usual shapes); the
    /// granularity passes check(). Compact plans only. It does not depend on the traversal unless a tensor is
    /// requested both whole and in part; then this is the peak under `traversal`.
    [[nodiscard]] std::int64_t peakWorkingSet(const Granularity& g, const Traversal& traversal,
                                              const Surroundings& around) const;

private:
    friend class PlanCompiler;
    friend struct FastCall;
    template <class Limits> friend class FastEngine;

    /// How a range of a request follows the position: the sink's tile, the k step, or not at all.
    enum class Axis : std::uint8_t { Tile, Step, Full };
    struct Slot // an axis with its size; extents are computed once per slot
    {
        std::int64_t size = 1;
        Axis axis = Axis::Full;
        bool row = false; // Tile: along the rows or the columns of the grid
    };
    struct Use // one run (R6.1 to R6.4) or one input request (R6.5)
    {
        std::uint32_t id = 0; // index of the op or of the input
        std::uint32_t group = 0;
        std::uint32_t rowSlot = 0, colSlot = 0, depthSlot = 0;
        bool run = false;
        std::uint8_t role = 0; // as Role
        bool drives = false;   // a Pointwise of an epilogue with a driver behind it (R6.2)
        bool operator==(const Use&) const = default;
    };
    struct Group // the uses that are active in the same steps
    {
        std::uint32_t sink = 0;
        std::int64_t reduction = 0; // K of the driver; 0: active in the completing step
    };
    struct Sink
    {
        std::uint32_t product = 0;
        std::uint32_t rowSlot = 0, colSlot = 0;
        std::uint32_t driverBegin = 0, driverEnd = 0; // drivers with an accumulator of their own (R9.1d)
        bool pointwise = false;
    };

    [[nodiscard]] bool isSmall() const noexcept;
    [[nodiscard]] std::int64_t reserved(const Surroundings& around) const;
    [[nodiscard]] SubgraphEvaluation evaluateByWalking(const Granularity& g, const Traversal& traversal,
                                                       std::span<const TensorId> resident,
                                                       std::span<const TensorId> retain,
                                                       std::int64_t reserved,
                                                       std::int64_t mostWalkedSteps) const;

    const Problem* m_problem = nullptr;
    Rules m_rules;
    std::vector<OpId> m_ops;
    std::vector<TensorId> m_inputs;
    std::vector<TensorId> m_products;
    std::vector<Slot> m_slots;
    std::vector<Use> m_uses;
    std::vector<Group> m_groups;
    std::vector<Sink> m_sinks;
    std::vector<OpId> m_accumulated;
    std::uint64_t m_sinkMask = 0;
    std::int64_t m_smallestK = INT64_MAX;
    std::int64_t m_leastW = 1;
    std::int64_t m_leastH = 1;
    std::int64_t m_sinkHeight = 1;
    std::int64_t m_sinkWidth = 1;
    std::int64_t m_largestDriverK = 1;
    std::size_t m_drivers = 0;
    bool m_hasMatMul = false;
    bool m_oneShape = true; // all sinks have the same shape
    std::optional<IssueCode> m_staticIssue;
};

/// Compiles plans without allocating anew: keep one per thread and compile into the same plan, or into fresh
/// ones that are kept. The problem must outlive the compiler.
class PlanCompiler
{
public:
    PlanCompiler(const Problem& problem, const Rules& rules);
    /// `ops` are distinct and exist (R2.2).
    void compile(std::span<const OpId> ops, SubgraphPlan& out);

private:
    using Axis = SubgraphPlan::Axis;
    std::uint32_t slot(Axis axis, bool row, std::int64_t size);
    std::uint32_t group(std::uint32_t sink, std::int64_t reduction);
    bool addUse(const SubgraphPlan::Use& use); // false when it is there already
    struct Need
    {
        TensorId tensor;
        std::uint8_t role;
        std::uint32_t rowSlot, colSlot;
    };
    void serveNeeds(std::uint32_t group);
    void addRun(std::uint32_t op, std::uint32_t rowSlot, std::uint32_t colSlot, std::uint32_t depthSlot,
                std::uint32_t group);
    [[nodiscard]] bool drives(std::uint32_t op);
    void driven(std::uint32_t sinkOp, std::uint32_t sink, std::uint32_t completing);
    void checkStatic();
    [[nodiscard]] std::int32_t inside(TensorId t) const;
    std::uint32_t input(TensorId t);

    const Problem& m_problem;
    Rules m_rules;
    SubgraphPlan* m_plan = nullptr;
    std::vector<std::int32_t> m_localOp;    // by OpId; -1 = not in the subgraph
    std::vector<std::int32_t> m_localInput; // by TensorId; -1 = no boundary input yet
    std::vector<std::uint32_t> m_visited;   // by local op: the sink whose epilogue visited it, plus 1
    std::vector<std::uint32_t> m_parent;
    std::vector<char> m_consumed;
    std::vector<char> m_drives;            // by local op: 0 unknown, 1 no, 2 yes
    std::vector<std::uint32_t> m_useTable; // open hash table: position in the plan's uses, plus 1
    std::vector<Need> m_needs;             // stacks of what is still to be looked at
    std::vector<TensorId> m_epilogue;
    std::vector<std::uint32_t> m_opStack;
};

/// Evaluates one subgraph in its place by the fast form.
[[nodiscard]] SubgraphEvaluation evaluateSubgraph(const Problem& problem, const Subgraph& subgraph,
                                                  std::span<const TensorId> residentBefore,
                                                  const Rules& rules);

} // namespace tilewright
