// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/columns/op_mirror.h"
#include "solve/columns/plan_columns.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// Finds columns that cost less than they are worth at the current prices: random walks that start from the
/// columns of the relaxation and change ops, and what is handed over, of up to some subgraphs in a row.
class ColumnWalk
{
public:
    ColumnWalk(PlanColumns& columns, std::uint64_t seed)
        : m_columns(columns), m_pool(columns.pool()), m_mirror(m_pool.problem()), m_random(seed)
    {
    }

    /// A walk of at most so many steps from each column of the relaxation and from as many others; adds the
    /// best finds. How many columns those are.
    std::size_t round(int mostSteps, const std::function<bool()>& keepGoing);

private:
    /// Each retains what the next has resident.
    using Chain = std::vector<PlanColumn>;
    struct Find
    {
        double loss; ///< below 0
        Chain chain;
    };
    /// Finds the same elsewhere, where the graph repeats itself.
    void mirror(const Chain& chain);
    /// What the columns cost, also to be found in them, less what they are worth; infinite when that is more
    /// than `most`.
    [[nodiscard]] double loss(Chain& chain, double most);
    [[nodiscard]] bool isFind(const Chain& chain, double loss) const;
    void walk(Chain chain, int steps, double temperature, const std::function<bool()>& keepGoing);
    [[nodiscard]] bool change(Chain& chain);
    [[nodiscard]] bool addOps(Chain& chain, std::size_t at);
    [[nodiscard]] bool removeOps(Chain& chain, std::size_t at);
    [[nodiscard]] bool insertOp(Chain& chain, std::size_t at);
    [[nodiscard]] bool fuse(Chain& chain, std::size_t at);
    [[nodiscard]] bool shorten(Chain& chain);
    [[nodiscard]] bool changeHandedOver(Chain& chain);
    /// False where a set is not connected. What is handed over is made by one and read by the next; where
    /// nothing is left it is all that can be, if so wished, or the chain goes on as the part with `at`.
    [[nodiscard]] bool mend(Chain& chain, std::size_t at, bool handAll);
    [[nodiscard]] bool isConnected(const Chain& chain) const;
    /// Connected, and no tensor is stored twice or retained for nobody.
    [[nodiscard]] bool isValid(const Chain& chain) const;
    [[nodiscard]] std::optional<OpId> neighbour(SetId set);
    /// o alone, or with all before or after it in a set of the relaxation.
    [[nodiscard]] std::vector<OpId> partAround(OpId o);
    [[nodiscard]] SetId with(SetId set, const std::vector<OpId>& ops);
    [[nodiscard]] double worth(const Chain& chain) const;
    [[nodiscard]] Chain chainAround(std::size_t column, const std::vector<std::size_t>& taken);
    void joinAnother(Chain& chain, const std::vector<std::size_t>& taken);
    [[nodiscard]] std::uint32_t below(std::size_t n) { return m_random.below(static_cast<std::uint32_t>(n)); }

    PlanColumns& m_columns;
    SubgraphPool& m_pool;
    OpMirror m_mirror;
    RandomGenerator m_random;
    int m_steps = 20;                          ///< of a walk
    std::vector<std::vector<SetId>> m_takenBy; ///< by op: sets of the relaxation that run it
    std::vector<Find> m_finds;
};

} // namespace tilewright
