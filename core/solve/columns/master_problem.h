// SPDX-License-Identifier: GPL-3.0-or-later
// Restricted master problem of column generation, and parts of plans: the state between two subgraphs,
// prefixes, and the fixed parts before and after a stretch.
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/plan/plan.h"

#include <bitset>
#include <cstddef>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tilewright {

// Parts of plans: the state between two subgraphs, prefixes, and the fixed parts before and after a stretch.

/// State after the first subgraphs of a plan; it determines which subgraphs can follow. `run` holds the ops
/// that have run, `stored` the ops whose results are in slow memory.
struct PlanState
{
    static constexpr std::size_t kMostOps = 256;
    using OpFlags = std::bitset<kMostOps>;
    OpFlags run, stored;
    RetainId resident = 0;
    bool operator==(const PlanState&) const = default;
    struct Hash
    {
        std::size_t operator()(const PlanState& s) const noexcept
        {
            const std::hash<OpFlags> hash;
            return (hash(s.run) * 31 + hash(s.stored)) * 31 + s.resident;
        }
    };
};

/// The first subgraphs of a plan, and the state after them.
struct PlanPrefix : PlanState
{
    std::vector<CostedSet> columns;
    double latency = 0;
};

/// Some consecutive subgraphs of a plan.
struct PlanStretch
{
    std::size_t first = 0;
    std::size_t count = 0;
};

/// The parts of a plan before and after a stretch. They stay fixed while the stretch is searched.
struct FixedParts
{
    PlanPrefix before;
    PlanState::OpFlags runAfter; ///< ops that run after the stretch
    /// Producers of the tensors that the stretch must deliver: subgraphs after it read them from slow memory,
    /// and none of these subgraphs stores them.
    PlanState::OpFlags readAfter;
    PlanState::OpFlags storedAfter; ///< producers of tensors that subgraphs after the stretch store
    RetainId residentAfter = 0;     ///< tensors resident at the end of the stretch
};

/// Properties of a column. runBy(): its ops. readBy(): producers of the tensors that it reads from slow
/// memory. storedBy(): producers of the tensors that it stores there.
[[nodiscard]] PlanState::OpFlags runBy(const SubgraphPool& pool, const PlannedSet& column);
[[nodiscard]] PlanState::OpFlags readBy(const SubgraphPool& pool, const PlannedSet& column);
[[nodiscard]] PlanState::OpFlags storedBy(const SubgraphPool& pool, const PlannedSet& column);
/// Returns the prefix extended by one column.
[[nodiscard]] PlanPrefix extended(const SubgraphPool& pool, PlanPrefix prefix, const CostedSet& column);
/// Returns the parts of a valid plan before and after the stretch.
[[nodiscard]] FixedParts fixedAround(const SubgraphPool& pool, const Plan& plan, PlanStretch stretch);

/// Restricted master problem of column generation. It minimises the total cost over the known columns; the
/// order of the columns and the integrality of their variables are relaxed. A column is a set of ops, the
/// tensors resident before it and the tensors it retains. Rows require that every op runs, that every tensor
/// read from slow memory is stored there, and that every retained list of tensors is used by another column.
/// Their dual prices value the execution of an op, the delivery of a tensor and the hand-over of a list. A
/// new column with negative reduced cost may improve plans. A column whose reduced cost exceeds the gap
/// between a plan and value() is part of no better plan.
class MasterProblem
{
public:
    static constexpr std::size_t kMostOps = PlanState::kMostOps;
    using OpFlags = PlanState::OpFlags;

    /// How the rows treat plans that run an op more than once.
    enum class Repeats {
        /// Each run of an op that reads a tensor needs a column of its own that stores the tensor. This is
        /// tighter for plans that run no op twice.
        Unlikely,
        /// One column that stores a tensor serves all runs of an op that reads it. This is a valid but weaker
        /// relaxation.
        Likely
    };

    struct Column : CostedSet
    {
        OpFlags runs;   ///< ops of the column
        OpFlags reads;  ///< ops whose results the column reads from slow memory
        OpFlags stores; ///< ops whose results the column stores in slow memory
        OpFlags needs;  ///< ops that have to run before the column
    };

    /// Requires a problem with at most kMostOps ops and without locked subgraphs. Every plan begins and ends
    /// with the subgraphs of `fixed`.
    explicit MasterProblem(SubgraphPool& pool, Repeats repeats = Repeats::Likely, FixedParts fixed = {});

    /// Adds a column; the pool computes its latency. Returns false if the master problem already has the
    /// column, or if the subgraph fits with no tiling.
    bool add(const PlannedSet& column);
    /// Adds the columns of a plan between the fixed parts, and relaxes rows that the plan violates, so that
    /// value() is a lower bound of its latency.
    void addPlan(std::span<const CostedSet> entries);
    /// True if every tensor that the column retains has a reader that can run after the column.
    [[nodiscard]] bool canHandOver(const PlannedSet& column) const;
    [[nodiscard]] bool knows(const PlannedSet& column) const { return m_known.contains(column); }

    /// Changes the right-hand sides so that value() and the dual prices apply to plans with this prefix. The
    /// prefix must begin with the fixed prefix.
    void startFrom(const PlanPrefix& prefix);
    [[nodiscard]] const FixedParts& fixed() const noexcept { return m_fixed; }
    /// Solves the relaxation. Returns false if there is no optimum. Every op must be in some column.
    bool solve();
    /// Optimum of the relaxation: the least latency of the subgraphs between the fixed beginning and the
    /// fixed end of the plan.
    [[nodiscard]] double value() const noexcept { return m_solution.value; }
    /// Sum of the dual prices of the column's rows, each times its coefficient. The reduced cost is the
    /// latency minus this sum.
    [[nodiscard]] double price(const PlannedSet& column) const;
    [[nodiscard]] double reducedCost(const CostedSet& column) const { return column.latency - price(column); }
    /// Sum of the dual prices of the remaining requirements in a state.
    [[nodiscard]] double priceOfRest(const PlanState& state) const;

    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return m_columns; }
    /// Value of the column's variable in the solution of the relaxation.
    [[nodiscard]] double valueOf(std::size_t column) const
    {
        return m_solution.values[m_repeatColumns + column];
    }
    /// Columns with a non-zero variable in the solution of the relaxation.
    [[nodiscard]] std::vector<std::size_t> usedColumns() const;
    /// Ids of all lists of tensors that some column retains.
    [[nodiscard]] const std::vector<RetainId>& lists() const noexcept { return m_lists; }
    [[nodiscard]] SubgraphPool& pool() const noexcept { return m_pool; }

private:
    /// Delivery row: the result of op `from` is stored in slow memory at least as often as columns with op
    /// `to` read it there. If `eachTime` is false, only the first run of `to` counts. (With Repeats::Likely,
    /// later runs count if `to` has run in the prefix.)
    struct DeliveryRow
    {
        OpId from, to;
        bool eachTime = false;
        std::size_t row = 0;
        double atLeast = 0; ///< right-hand side; below 0 if a known plan violates the row
    };
    /// Store-once row: if one column (the giver) hands a list of tensors to another (the taker), only one of
    /// the two stores the result of `op`. A giver or taker that stores it therefore needs a partner that does
    /// not.
    struct StoreOnceRow
    {
        OpId op;
        bool isGiver;
        std::size_t row = 0;
        double atLeast = 0; ///< right-hand side; below 0 if a known plan violates the row
    };
    /// Returns the right-hand side of a row for plans that continue from a state.
    [[nodiscard]] double demand(const DeliveryRow& delivery, const PlanState& state) const;
    [[nodiscard]] double demand(RetainId list, const StoreOnceRow& once, const PlanState& state) const;
    [[nodiscard]] double demand(RetainId list, RetainId resident) const;
    void setRightHandSides();
    [[nodiscard]] OpFlags neededBy(const OpSet& set) const;
    [[nodiscard]] static double coefficient(const Column& column, const DeliveryRow& delivery);
    [[nodiscard]] static double coefficient(const PlannedSet& column, const OpFlags& stored, RetainId list,
                                            const StoreOnceRow& once);
    template <class F>
    [[nodiscard]] std::size_t addRow(double atLeast, F&& coefficientOf,
                                     std::vector<IncrementalLp::RowEntry> shares = {});
    void addDelivery(OpId from, OpId to, bool eachTime);
    /// Adds the most violated delivery rows as cuts; returns false if none is violated.
    bool addViolatedDeliveries();
    bool addViolatedStoreOnces();
    [[nodiscard]] bool knows(RetainId list, const StoreOnceRow& once) const;
    template <class F> void forEachRow(const PlannedSet& column, F&& f) const;
    [[nodiscard]] std::size_t rowOf(RetainId list);
    [[nodiscard]] double listPrice(RetainId list) const;

    SubgraphPool& m_pool;
    const Problem& m_problem;
    bool m_isLikely;
    /// Number of extra variables for repeated runs of ops, which are the first columns of the LP; 0 if
    /// unused.
    std::size_t m_repeatColumns = 0;
    std::vector<DeliveryRow> m_deliveries;
    /// delivery rows by op `to`
    std::vector<std::vector<std::size_t>> m_deliveriesTo;
    std::vector<std::vector<std::size_t>> m_deliveriesFrom; ///< delivery rows by op `from`
    std::vector<OpFlags> m_ancestors;                       ///< all ancestors of each op, and the op itself
    IncrementalLp m_program;
    std::vector<Column> m_columns;
    std::unordered_set<PlannedSet, PlannedSet::Hash> m_known;
    /// store-once rows of each list of tensors
    std::unordered_map<RetainId, std::vector<StoreOnceRow>> m_storeOnceRows;
    std::vector<RetainId> m_lists;
    std::unordered_map<RetainId, std::size_t> m_rowOfList;
    FixedParts m_fixed;
    PlanState m_start; ///< state at the end of the prefix
    IncrementalLp::Solution m_solution;
};

} // namespace tilewright
