// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"
#include "workload/rules.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace tilewright {

/// The operand that a request provides, of a MatMul or of a Pointwise (R6.3, R6.4).
enum class Role : std::uint8_t { Lhs, Rhs, Pointwise };

/// Properties of a subgraph that do not depend on a granularity: boundary (R3.1), sinks with drivers and
/// epilogues (R5.4), and the tree of runs and requests (R6) with symbolic ranges. Both evaluators, the
/// fitting of granularities and the solver use it. Immutable after PlanCompiler::compile(), so threads may
/// share it. The problem must outlive it.
class SubgraphPlan
{
public:
    /// What a range depends on. Tile: the tile of the sink. Step: the k step. Full: nothing, it is the whole
    /// extent. Box: two earlier ranges through an index map, as an axis of the box that a rectangle of a view
    /// touches (R1.8).
    enum class Axis : std::uint8_t { Tile, Step, Full, Box };
    struct Slot ///< a range that several uses share, so that its extent is computed once
    {
        std::int64_t size = 1;
        Axis axis = Axis::Full;
        /// Tile: true for rows of the grid, false for columns; Box: true for rows of the base.
        bool row = false;
        bool boxReduces = false; ///< Box: whether the axis of the view reduces (R1.8)
        TensorId view{};         ///< Box: the view with the map
        /// Box: ranges of the view, whose indices are lower than that of this range.
        std::uint32_t rowSlot = 0, colSlot = 0;
        /// True if the range comes from a reduction and not from a tile (R6).
        [[nodiscard]] bool reduces() const noexcept
        {
            return axis == Axis::Box ? boxReduces : axis != Axis::Tile;
        }
        bool operator==(const Slot&) const = default;
    };
    struct Use ///< one run (R6.1 to R6.4) or one input request (R6.5)
    {
        std::uint32_t id = 0; ///< index in ops() for a run, in inputs() for a request
        std::uint32_t group = 0;
        std::uint32_t rowSlot = 0, colSlot = 0, depthSlot = 0; ///< depthSlot: for runs only
        bool run = false;
        Role role = Role::Lhs;  ///< role of a request; unused for runs
        bool epilogue = false;  ///< true for a Pointwise of an epilogue, whose inputs are roots (R6.2)
        bool drives = false;    ///< true for a Pointwise of an epilogue that depends on a driver (R6.2)
        std::uint32_t need = 0; ///< for runs outside of epilogues: start of needs(use)
        [[nodiscard]] bool sameAs(const Use& u) const noexcept
        {
            return id == u.id && group == u.group && rowSlot == u.rowSlot && colSlot == u.colSlot &&
                   depthSlot == u.depthSlot && run == u.run && role == u.role && drives == u.drives;
        }
    };
    struct Group ///< uses that are active in the same steps
    {
        std::uint32_t sink = 0;
        std::int64_t reduction = 0; ///< K of the driver; 0: the group is active only in the completing step
        bool operator==(const Group&) const = default;
    };
    struct Sink
    {
        std::uint32_t product = 0; ///< index in products()
        std::uint32_t rowSlot = 0, colSlot = 0;
        std::uint32_t driverBegin = 0, driverEnd = 0; ///< range in accumulated()
        std::uint32_t rootBegin = 0, rootEnd = 0;     ///< range in roots()
        bool pointwise = false;
    };

    SubgraphPlan() = default;
    SubgraphPlan(const Problem& problem, std::span<const OpId> ops, const Rules& rules);

    [[nodiscard]] const Problem& problem() const noexcept { return *m_problem; }
    [[nodiscard]] const Rules& rules() const noexcept { return m_rules; }
    [[nodiscard]] std::span<const OpId> ops() const noexcept { return m_ops; }
    /// Boundary inputs (R3.1) in the order of first use. A view with a map is listed itself, because it has
    /// its own buffers (R1.8); Problem::stored() is the tensor that is read.
    [[nodiscard]] std::span<const TensorId> inputs() const noexcept { return m_inputs; }
    /// Output tensors of ops(), in the same order.
    [[nodiscard]] std::span<const TensorId> products() const noexcept { return m_products; }
    [[nodiscard]] std::optional<std::size_t> inputIndex(TensorId t) const noexcept;
    [[nodiscard]] std::optional<std::size_t> productIndex(TensorId t) const noexcept;

    [[nodiscard]] const std::vector<Slot>& ranges() const noexcept { return m_slots; }
    /// All uses, sink by sink, depth-first with a run before its inputs (R6.6). No use occurs twice within a
    /// group.
    [[nodiscard]] const std::vector<Use>& uses() const noexcept { return m_uses; }
    [[nodiscard]] const std::vector<Group>& groups() const noexcept { return m_groups; }
    /// the sinks in declared order
    [[nodiscard]] const std::vector<Sink>& sinks() const noexcept { return m_sinks; }
    /// Uses that a sink requests directly, in the order of R6.6: its producer or epilogue and its drivers.
    [[nodiscard]] std::span<const std::uint32_t> roots(const Sink& s) const noexcept
    {
        return std::span(m_roots).subspan(s.rootBegin, s.rootEnd - s.rootBegin);
    }
    /// Uses that a run requests (R6.3 to R6.5), in the order of its inputs. Empty for a Pointwise of an
    /// epilogue, whose inputs are roots.
    [[nodiscard]] std::span<const std::uint32_t> needs(const Use& run) const;
    /// Drivers that need an accumulator (R9.1d), sink by sink.
    [[nodiscard]] const std::vector<OpId>& accumulated() const noexcept { return m_accumulated; }
    [[nodiscard]] std::size_t drivers() const noexcept { return m_drivers; }
    /// Number of k steps n(t) of a sink (R5.4).
    [[nodiscard]] std::int64_t kSteps(std::size_t sink, std::int64_t k) const noexcept;
    [[nodiscard]] bool sinksHaveOneShape() const noexcept { return m_oneShape; }
    /// True if an op of the subgraph reads a view with a map (R1.8). Then the steps depend on the positions
    /// of their tiles.
    [[nodiscard]] bool hasMaps() const noexcept { return m_hasMaps; }

    [[nodiscard]] bool hasMatMul() const noexcept { return m_hasMatMul; }
    /// Smallest reduction size of the MatMuls (R4.3); INT64_MAX without a MatMul.
    [[nodiscard]] std::int64_t smallestK() const noexcept { return m_smallestK; }
    /// Smallest w (h) that R4.7 allows for every k; 1 if R4.7 does not apply to this subgraph.
    [[nodiscard]] std::int64_t leastW() const noexcept { return m_leastW; }
    [[nodiscard]] std::int64_t leastH() const noexcept { return m_leastH; }
    /// Smallest k that R4.7 allows for w and h; 1 unless prologue=split_only.
    [[nodiscard]] std::int64_t leastK(std::int64_t w, std::int64_t h) const noexcept;
    /// Values of w (h) from which on one MatMul allows every k (R4.7), ascending, without duplicates. The
    /// last value equals leastW() (leastH()) unless prologue=split_only.
    [[nodiscard]] const std::vector<std::int64_t>& prologueWidths() const noexcept
    {
        return m_prologueWidths;
    }
    [[nodiscard]] const std::vector<std::int64_t>& prologueHeights() const noexcept
    {
        return m_prologueHeights;
    }
    /// Largest w, h and k that R4.1 to R4.3 allow; INT64_MAX if there is no limit.
    [[nodiscard]] std::int64_t mostW() const noexcept;
    [[nodiscard]] std::int64_t mostH() const noexcept;
    [[nodiscard]] std::int64_t mostK() const noexcept;
    /// Largest height and width of a sink, and largest K of a driver (1 if there is none). Larger tile sizes
    /// have no advantage.
    [[nodiscard]] std::int64_t sinkHeight() const noexcept { return m_sinkHeight; }
    [[nodiscard]] std::int64_t sinkWidth() const noexcept { return m_sinkWidth; }
    [[nodiscard]] std::int64_t largestDriverK() const noexcept { return m_largestDriverK; }

    /// The issue that holds for every granularity, OP_ORDER or DISCONNECTED; nothing if there is none.
    [[nodiscard]] std::optional<IssueCode> staticIssue() const noexcept { return m_staticIssue; }
    /// The first rule of R4.1 to R4.5 and R4.7 that this granularity breaks. Equals the result of
    /// checkStructure(), without texts.
    [[nodiscard]] std::optional<IssueCode> check(const Granularity& g) const noexcept;

private:
    friend class PlanCompiler;
    [[nodiscard]] bool nativeLimitsK() const noexcept; // true if the native size limits k (R4.2)

    const Problem* m_problem = nullptr;
    Rules m_rules;
    std::vector<OpId> m_ops;
    std::vector<TensorId> m_inputs;
    std::vector<TensorId> m_products;
    std::vector<Slot> m_slots;
    std::vector<Use> m_uses;
    std::vector<std::uint32_t> m_needs; // indices in m_uses
    std::vector<std::uint32_t> m_roots; // indices in m_uses
    std::vector<Group> m_groups;
    std::vector<Sink> m_sinks;
    std::vector<OpId> m_accumulated;
    std::int64_t m_smallestK = INT64_MAX;
    std::int64_t m_leastW = 1;
    std::int64_t m_leastH = 1;
    std::vector<std::int64_t> m_prologueWidths, m_prologueHeights;
    std::int64_t m_sinkHeight = 1;
    std::int64_t m_sinkWidth = 1;
    std::int64_t m_largestDriverK = 1;
    std::size_t m_drivers = 0;
    bool m_hasMatMul = false;
    bool m_hasMaps = false;
    bool m_oneShape = true;
    std::optional<IssueCode> m_staticIssue;
};

/// Compiles plans with reusable buffers. Each thread needs a compiler of its own. `out` may be a used or a
/// new plan. The problem must outlive the compiler.
class PlanCompiler
{
public:
    PlanCompiler(const Problem& problem, const Rules& rules);
    /// Compiles the plan of the ops, which must exist and be distinct (R2.2).
    void compile(std::span<const OpId> ops, SubgraphPlan& out);

private:
    using Axis = SubgraphPlan::Axis;
    std::uint32_t slot(const SubgraphPlan::Slot& slot);
    std::uint32_t slot(Axis axis, bool row, std::int64_t size) { return slot({size, axis, row}); }
    std::uint32_t boxSlot(TensorId view, bool row, std::uint32_t rowSlot, std::uint32_t colSlot);
    std::uint32_t group(std::uint32_t sink, std::int64_t reduction);
    struct Added
    {
        std::uint32_t use;
        bool isNew;
    };
    Added addUse(const SubgraphPlan::Use& use);
    struct Need
    {
        TensorId tensor;
        Role role;
        std::uint32_t rowSlot, colSlot;
        std::uint32_t at; // index in m_plan->m_needs where the use is stored
    };
    std::uint32_t resolve(const Need& need, std::uint32_t group);
    void resolveNeeds(std::uint32_t group);
    std::uint32_t addRun(std::uint32_t op, std::uint32_t rowSlot, std::uint32_t colSlot,
                         std::uint32_t depthSlot, std::uint32_t group);
    [[nodiscard]] bool drives(std::uint32_t op);
    void addEpilogue(std::uint32_t sinkOp, std::uint32_t sink, std::uint32_t completing);
    void checkStatic();
    void finishPrologues();
    // Index of the op of the subgraph that produces t; negative if there is none.
    [[nodiscard]] std::int32_t inside(TensorId t) const
    {
        const auto p = m_problem.producer(m_problem.stored(t));
        return p ? m_localOp[p->index()] : -1;
    }
    std::uint32_t input(TensorId t);

    const Problem& m_problem;
    Rules m_rules;
    SubgraphPlan* m_plan = nullptr;
    std::vector<std::int32_t> m_localOp; // per OpId: index in the ops of the plan; -1 outside the subgraph
    // Per TensorId: index in the inputs of the plan; -1 if not an input yet.
    std::vector<std::int32_t> m_localInput;
    std::vector<std::uint32_t> m_visited; // per local op: last sink whose epilogue visited it, plus 1
    std::vector<std::uint32_t> m_parent;
    std::vector<char> m_consumed;
    std::vector<char> m_drives; // per local op: 0 unknown, 1 no, 2 yes
    // Hash table with open addressing: index in the uses of the plan, plus 1.
    std::vector<std::uint32_t> m_useTable;
    std::vector<Need> m_needs; // stack of unresolved requests
    std::vector<TensorId> m_epilogue;
    std::vector<std::uint32_t> m_opStack;
};

/// Work of one run of a MatMul: rows x cols elements of its output over `depth` elements of its reduction.
struct RunTile
{
    std::int64_t rows = 1, cols = 1, depth = 1;
    bool operator==(const RunTile&) const = default;
};

/// Returns the largest run (R6) of an op of the subgraph, for a tile that no edge cuts off. Empty if the op
/// has no run in this subgraph.
[[nodiscard]] std::optional<RunTile> largestRun(const SubgraphPlan& plan, const Granularity& granularity,
                                                OpId op) noexcept;

} // namespace tilewright
