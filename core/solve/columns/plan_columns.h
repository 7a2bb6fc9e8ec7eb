// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/columns/linear_program.h"
#include "solve/columns/plan_frame.h"

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// Columns known so far, and prices that follow from them: what an op that runs, a tensor that gets to its
/// reader through slow memory and a list of tensors handed over in fast memory are worth when the columns are
/// put together at the least cost (a linear relaxation: each by a share, in no order). A column that is not
/// known and costs less than its price() may make plans better; one that costs more by as much as a plan is
/// away from value() does not.
class PlanColumns
{
public:
    static constexpr std::size_t kMostOps = PlanState::kMostOps;
    using OpFlags = PlanState::OpFlags;

    /// What plans that run ops several times are worth.
    enum class Repeats {
        Unlikely, ///< each run that reads something counts against its being stored: prices are closer to
                  ///< plans without such ops
        Likely    ///< stored once is enough for all of them: plans may be further away
    };

    /// Of a problem with at most kMostOps ops; none may be locked. For plans within `frame`.
    explicit PlanColumns(SubgraphPool& pool, Repeats repeats = Repeats::Likely, PlanFrame frame = {});

    /// False when it is known or fits at no tiling.
    bool add(PlanColumn column);
    /// The columns of what a settled plan has inside the frame. It is one of those that value() is about from
    /// now on.
    void add(std::span<const PlanEntry> entries);
    /// Is there for each tensor that it retains an op that reads it and does not have to run before?
    [[nodiscard]] bool handsOver(const PlanColumn& column) const;
    [[nodiscard]] bool knows(const PlanColumn& column) const { return m_index.contains(column); }

    /// From now on prices are for plans that begin so, as the frame does.
    void startFrom(const PlanPrefix& prefix);
    [[nodiscard]] const PlanFrame& frame() const noexcept { return m_frame; }
    /// Prices anew; false when they could not be found. For one that has columns for all ops.
    bool solve();
    /// The least latency of the columns together; without the prefix and what comes after the frame.
    [[nodiscard]] double value() const noexcept { return m_solution.value; }
    [[nodiscard]] double price(const PlanColumn& column) const;
    /// What the ops outside `run`, and those of them that read what is `stored` already or is `resident`,
    /// are still worth.
    [[nodiscard]] double rest(const OpFlags& run, const OpFlags& stored, RetainId resident) const;

    [[nodiscard]] const std::vector<PlanColumn>& columns() const noexcept { return m_columns; }
    /// How much of the column the relaxation takes.
    [[nodiscard]] double share(std::size_t column) const { return m_solution.values[m_before + column]; }
    /// Lists that some column retains, by number.
    [[nodiscard]] const std::vector<RetainId>& handedOver() const noexcept { return m_lists; }
    [[nodiscard]] SubgraphPool& pool() const noexcept { return m_pool; }

private:
    /// What one op makes is stored in slow memory as often as columns with another one read it. Unless
    /// `eachTime`, one of the runs of that one is enough to be so: those beyond the first do not count. (With
    /// Repeats::Likely they count where that one has run in the prefix.)
    struct Way
    {
        OpId from, to;
        bool eachTime = false;
        std::size_t row = 0;
        double atLeast = 0; ///< less where some plan does otherwise
    };
    /// Of two columns one of which hands a list over to the other one at most one stores what an op makes:
    /// if the giver (or the taker) does, there is another one that does not.
    struct Once
    {
        OpId op;
        bool isGiver;
        std::size_t row = 0;
        double atLeast = 0; ///< less where some plan does otherwise
    };
    /// What is to be achieved after a prefix.
    [[nodiscard]] double left(const Way& way, const OpFlags& run, const OpFlags& stored) const;
    [[nodiscard]] double left(RetainId list, const Once& once, const OpFlags& stored,
                              RetainId resident) const;
    [[nodiscard]] OpFlags neededBy(const OpSet& set) const;
    [[nodiscard]] double coefficient(std::size_t column, const Way& way) const;
    void addWay(OpId from, OpId to, bool eachTime);
    /// Those that the relaxation does not keep to, the worst first; whether there are any.
    bool addMissingWays();
    bool addMissingOnces();
    /// By what the column stores.
    [[nodiscard]] static double coefficient(const PlanColumn& column, const OpFlags& stored, RetainId list,
                                            const Once& once);
    void addOnce(RetainId list, Once once);
    [[nodiscard]] bool knows(RetainId list, const Once& once) const;
    [[nodiscard]] std::vector<std::size_t> taken() const;
    void setRightHandSides();
    /// Calls back with each row and what the column adds to it, rows of lists left out.
    template <class F> void forEachRow(const PlanColumn& column, F&& f) const;
    [[nodiscard]] double left(RetainId list, RetainId resident) const;
    [[nodiscard]] std::size_t rowOf(RetainId list);
    [[nodiscard]] double listPrice(RetainId list) const;

    SubgraphPool& m_pool;
    const Problem& m_problem;
    bool m_isLikely;
    std::size_t m_before = 0; ///< columns of the program for runs beyond the first, by op; or none
    std::vector<Way> m_ways;
    std::vector<std::vector<std::size_t>> m_waysTo;   ///< by op that reads, or runs with what reads
    std::vector<std::vector<std::size_t>> m_waysFrom; ///< by op that makes the tensor
    std::vector<OpFlags> m_ancestors;                 ///< by op, itself included
    GrowingProgram m_program;
    std::vector<PlanColumn> m_columns;
    std::vector<OpFlags> m_runs, m_readsOf, m_storesOf, m_neededBy; ///< by column
    std::unordered_map<PlanColumn, std::size_t, PlanColumn::Hash> m_index;
    std::unordered_map<RetainId, std::vector<Once>> m_onces; ///< by list
    std::vector<RetainId> m_lists;
    std::unordered_map<RetainId, std::size_t> m_rowOfList;
    PlanFrame m_frame;
    RetainId m_handed = 0; ///< by the prefix
    OpFlags m_run, m_stored;
    GrowingProgram::Solution m_solution;
};

} // namespace tilewright
