// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/columns/plan_state.h"

#include <cstddef>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tilewright {

/// The restricted master problem of column generation: the linear relaxation of putting a plan together from
/// the columns known so far at the least cost, each taken by a share and in no order. A column is a set of
/// ops between what is resident before it and what it retains. Rows demand that every op runs, that what is
/// read in slow memory is stored there, and that what is retained is taken over; their dual prices say what
/// an op, a delivered tensor and a handed-over list are worth. A new column with a negative reduced cost may
/// make plans better; one whose reduced cost exceeds the gap between a plan and value() is in no better plan.
class MasterProblem
{
public:
    static constexpr std::size_t kMostOps = PlanState::kMostOps;
    using OpFlags = PlanState::OpFlags;

    /// How rows treat plans that run an op more than once.
    enum class Repeats {
        Unlikely, ///< every run of a reader needs a column that stores the tensor: prices are closer to plans
                  ///< without such ops
        Likely    ///< one column that stores it serves all runs: a valid but weaker relaxation
    };

    struct Column : CostedSet
    {
        OpFlags runs;   ///< its ops
        OpFlags reads;  ///< ops whose results it reads from slow memory
        OpFlags stores; ///< ops whose results it stores in slow memory
        OpFlags needs;  ///< all ops that have to run before it
    };

    /// For a problem with at most kMostOps ops, none locked, and plans between the fixed parts.
    explicit MasterProblem(SubgraphPool& pool, Repeats repeats = Repeats::Likely, FixedParts fixed = {});

    /// Adds a column; its latency follows from the pool. False when it is known or fits at no tiling.
    bool add(const PlannedSet& column);
    /// Adds the columns of a plan between the fixed parts, and makes value() a lower bound for it from now
    /// on.
    void addPlan(std::span<const CostedSet> entries);
    /// True if every tensor that the column retains has a reader that can run after it.
    [[nodiscard]] bool canHandOver(const PlannedSet& column) const;
    [[nodiscard]] bool knows(const PlannedSet& column) const { return m_known.contains(column); }

    /// Makes value() and prices those of plans that begin with this prefix, which begins with the fixed one.
    void startFrom(const PlanPrefix& prefix);
    [[nodiscard]] const FixedParts& fixed() const noexcept { return m_fixed; }
    /// Solves the relaxation; false when there is no optimum. Every op needs a column that runs it.
    bool solve();
    /// Optimum of the relaxation: the least latency between the prefix and the fixed part after it.
    [[nodiscard]] double value() const noexcept { return m_solution.value; }
    /// Sum of the dual prices of what the column does. Less than its latency by its reduced cost.
    [[nodiscard]] double price(const PlannedSet& column) const;
    [[nodiscard]] double reducedCost(const CostedSet& column) const { return column.latency - price(column); }
    /// Sum of the dual prices of what is left to do in a state.
    [[nodiscard]] double priceOfRest(const PlanState& state) const;

    [[nodiscard]] const std::vector<Column>& columns() const noexcept { return m_columns; }
    /// How much of the column the relaxation takes.
    [[nodiscard]] double share(std::size_t column) const
    {
        return m_solution.values[m_repeatColumns + column];
    }
    /// Columns that the relaxation takes.
    [[nodiscard]] std::vector<std::size_t> taken() const;
    /// Lists that some column retains, by number.
    [[nodiscard]] const std::vector<RetainId>& lists() const noexcept { return m_lists; }
    [[nodiscard]] SubgraphPool& pool() const noexcept { return m_pool; }

private:
    /// The result of op `from` is stored in slow memory as often as columns with op `to` read it there.
    /// Unless `eachTime`, one of the runs of `to` is enough: those beyond the first do not count. (With
    /// Repeats::Likely they count where `to` has run in the prefix.)
    struct DeliveryRow
    {
        OpId from, to;
        bool eachTime = false;
        std::size_t row = 0;
        double atLeast = 0; ///< below 0 where a known plan does otherwise
    };
    /// Of two columns one of which hands a list over to the other, at most one stores the result of an op: if
    /// the giver (or the taker) does, there is another one that does not.
    struct StoreOnceRow
    {
        OpId op;
        bool isGiver;
        std::size_t row = 0;
        double atLeast = 0; ///< below 0 where a known plan does otherwise
    };
    /// Right-hand sides in a state.
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
                                     std::vector<IncrementalLp::Share> shares = {});
    void addDelivery(OpId from, OpId to, bool eachTime);
    /// Cuts: adds the rows that the solution violates most; false when there are none.
    bool addViolatedDeliveries();
    bool addViolatedStoreOnces();
    [[nodiscard]] bool knows(RetainId list, const StoreOnceRow& once) const;
    template <class F> void forEachRow(const PlannedSet& column, F&& f) const;
    [[nodiscard]] std::size_t rowOf(RetainId list);
    [[nodiscard]] double listPrice(RetainId list) const;

    SubgraphPool& m_pool;
    const Problem& m_problem;
    bool m_isLikely;
    std::size_t m_repeatColumns = 0; ///< the LP's first columns: runs of an op beyond the first; or none
    std::vector<DeliveryRow> m_deliveries;
    std::vector<std::vector<std::size_t>> m_deliveriesTo;   ///< by op that reads, or runs with what reads
    std::vector<std::vector<std::size_t>> m_deliveriesFrom; ///< by op that makes the tensor
    std::vector<OpFlags> m_ancestors;                       ///< by op, itself included
    IncrementalLp m_program;
    std::vector<Column> m_columns;
    std::unordered_set<PlannedSet, PlannedSet::Hash> m_known;
    std::unordered_map<RetainId, std::vector<StoreOnceRow>> m_onces; ///< by list
    std::vector<RetainId> m_lists;
    std::unordered_map<RetainId, std::size_t> m_rowOfList;
    FixedParts m_fixed;
    PlanState m_start; ///< after the prefix
    IncrementalLp::Solution m_solution;
};

} // namespace tilewright
