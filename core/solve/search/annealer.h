// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/plan/plan.h"

#include <cstdint>
#include <functional>

namespace tilewright {

/// Simulated annealing over plans: fuse, split, move, recompute, reorder, retain, ruin and recreate.
class Annealer
{
public:
    Annealer(SubgraphPool& pool, std::uint64_t seed);

    /// Asked within long steps; when it says no they end early, with whatever is valid so far.
    void setKeepGoing(std::function<bool()> keepGoing) { m_keepGoing = std::move(keepGoing); }

    void setCurrent(const Plan& plan);
    [[nodiscard]] const Plan& current() const noexcept { return m_current; }
    [[nodiscard]] const Plan& best() const noexcept { return m_best; }

    /// The pool keeps every op set ever tried; from time to time only those of the two plans are worth
    /// keeping. True when it did so: ids of others are invalid then.
    bool tidy();

    /// Tries one random change; accepts a worse plan with probability exp(-loss / temperature).
    /// True when the best plan improved.
    bool step(double temperature);

    /// Plans some neighbouring subgraphs of the current plan anew, exactly (see solveExactly()); keeps the
    /// result when it is better. True when the best plan improved.
    bool replanWindow(std::size_t maxOps);

    /// Takes over into the best plan what `other`, settled in the same pool, does better, place by place.
    /// True when the best plan improved.
    bool recombine(const Plan& other);

    /// Fuses pairs of neighbours, the most profitable first, until no fusion pays. `keepGoing` is asked
    /// often.
    [[nodiscard]] Plan fuseGreedily(Plan plan, const std::function<bool()>& keepGoing);

    /// Looks harder for the tilings of a settled plan's subgraphs.
    void refine(Plan& plan);

    struct MoveStatistics
    {
        std::int64_t tried = 0, settled = 0, accepted = 0, improved = 0;
    };
    [[nodiscard]] const MoveStatistics& windows() const noexcept { return m_windows; }
    [[nodiscard]] const std::vector<MoveStatistics>& statistics() const noexcept { return m_statistics; }

private:
    enum Move {
        Merge,
        MoveOp,
        CopyOp,
        CopyAll,
        MoveCone,
        Follow,
        Extract,
        SplitCone,
        SplitPart,
        Retain,
        Ruin,
        Relocate,
        kMoves
    };

    [[nodiscard]] bool propose(int& move);
    void index();
    [[nodiscard]] const std::vector<std::uint32_t>& holders(OpId o) const { return m_holders[o.index()]; }
    [[nodiscard]] bool locked(std::uint32_t entry) const
    {
        return m_pool.set(m_next.entries[entry].set).lock >= 0;
    }
    void replace(std::uint32_t entry, std::vector<OpId> ops);
    void erase(std::uint32_t entry);
    /// The part of the set that stays connected with o when it is not connected through t.
    [[nodiscard]] std::vector<OpId> partWithout(SetId set, OpId o, TensorId t) const;
    [[nodiscard]] bool proposeAcross(std::uint32_t a, std::uint32_t b, OpId oa, OpId ob, TensorId via,
                                     int& move);
    [[nodiscard]] bool proposeInside(std::uint32_t a, OpId o, TensorId via, int& move);
    [[nodiscard]] bool proposeRetain();
    /// Retains what the changed entries can hand on to, or get from, their neighbours.
    void retainAround();
    [[nodiscard]] bool proposeRuin();
    [[nodiscard]] std::vector<std::uint32_t> pickGroup(std::size_t maxOps);
    [[nodiscard]] std::optional<std::size_t> makeContiguous(Plan& plan,
                                                            const std::vector<std::uint32_t>& group);
    void follow(std::uint32_t first, std::uint32_t second, std::vector<TensorId> retain);

    SubgraphPool& m_pool;
    PlanSettler m_settler;
    RandomGenerator m_random;
    Plan m_current, m_best, m_next;
    std::function<bool()> m_keepGoing = [] { return true; };
    bool m_indexed = false;
    std::vector<std::vector<std::uint32_t>> m_holders; ///< by op: entries that run it
    std::vector<MoveStatistics> m_statistics;
    MoveStatistics m_windows;
};

} // namespace tilewright
