// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "solve/linear_program.h"
#include "solve/plan.h"

#include <bitset>
#include <cstddef>
#include <unordered_map>
#include <vector>

namespace tilewright {

/// What a plan may consist of: a set of ops between what is resident before it and what it retains.
struct PlanColumn
{
    SetId set = 0;
    RetainId resident = 0;
    RetainId retain = 0;
    double latency = 0;
    bool operator==(const PlanColumn& other) const noexcept
    {
        return set == other.set && resident == other.resident && retain == other.retain;
    }
    struct Hash
    {
        std::size_t operator()(const PlanColumn& c) const noexcept
        {
            return SubgraphPool::CostKeyHash{}({c.set, c.resident, c.retain});
        }
    };
};

/// The first subgraphs of a plan, and what is there after them. Sets of ops by their bits: those that ran,
/// those whose results are in slow memory.
struct PlanPrefix
{
    static constexpr std::size_t kMostOps = 256;
    using OpFlags = std::bitset<kMostOps>;
    std::vector<PlanColumn> columns;
    OpFlags run, stored;
    RetainId resident = 0;
    double latency = 0;
};

/// Columns known so far, and prices that follow from them: what an op that runs, a tensor that gets to its
/// reader through slow memory and a list of tensors handed over in fast memory are worth when the columns are
/// put together at the least cost (a linear relaxation: each by a share, in no order). A column that is not
/// known and costs less than its price() may make plans better; one that costs more by as much as a plan is
/// away from value() does not.
class PlanColumns
{
public:
    static constexpr std::size_t kMostOps = PlanPrefix::kMostOps;
    using OpFlags = PlanPrefix::OpFlags;

    /// What plans that run ops several times are worth.
    enum class Repeats {
        Unlikely, ///< each run that reads something counts against its being stored: prices are closer to
                  ///< plans without such ops
        Likely    ///< stored once is enough for all of them: plans may be further away
    };

    /// Of a problem with at most kMostOps ops; none may be locked.
    explicit PlanColumns(SubgraphPool& pool, Repeats repeats = Repeats::Likely);

    /// False when it is known or fits at no tiling.
    bool add(PlanColumn column);
    /// The columns of a settled plan. It is one of those that value() is about from now on.
    void add(const Plan& plan);
    /// Is there for each tensor that it retains an op that reads it and does not have to run before?
    [[nodiscard]] bool handsOver(const PlanColumn& column) const;
    [[nodiscard]] bool knows(const PlanColumn& column) const { return m_index.contains(column); }

    /// From now on prices are for plans that begin so.
    void startFrom(const PlanPrefix& prefix);
    /// What is there when one more column has run.
    [[nodiscard]] PlanPrefix extended(PlanPrefix prefix, const PlanColumn& column) const;
    /// Prices anew; false when they could not be found. For one that has columns for all ops.
    bool solve();
    /// The least latency of the columns together; without the prefix.
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

    /// By the ops that make them: what a column reads from slow memory, and what it stores there.
    [[nodiscard]] OpFlags reads(const PlanColumn& column) const;
    [[nodiscard]] OpFlags stores(const PlanColumn& column) const;

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
    [[nodiscard]] static double coefficient(const PlanColumn& column, bool isStoring, RetainId list,
                                            bool isGiver);
    void addOnce(RetainId list, OpId op, bool isGiver);
    [[nodiscard]] std::vector<std::size_t> taken() const;
    void setRightHandSides();
    /// Calls back with each row and what the column adds to it, rows of lists left out.
    template <class F> void forEachRow(const PlanColumn& column, F&& f) const;
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
    RetainId m_handed = 0; ///< by the prefix
    OpFlags m_run, m_stored;
    GrowingProgram::Solution m_solution;
};

} // namespace tilewright
