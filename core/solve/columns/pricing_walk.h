// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/random.h"
#include "solve/columns/master_problem.h"
#include "solve/columns/op_mirror.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace tilewright {

/// Heuristic for the pricing problem: finds columns with negative reduced costs at the current dual prices by
/// random walks, which start from the columns of the relaxation and change the ops of up to some subgraphs in
/// a row, and what these hand over to each other.
class PricingWalk
{
public:
    PricingWalk(MasterProblem& master, std::uint64_t seed)
        : m_master(master), m_pool(master.pool()), m_mirror(m_pool.problem()), m_random(seed)
    {
    }

    /// One round of pricing: a walk of at most `mostSteps` steps from each column of the relaxation and from
    /// as many others. Adds the best columns found to the master problem and returns their number.
    std::size_t round(int mostSteps, const std::function<bool()>& keepGoing);

private:
    /// Columns in a row: each retains what is resident for the next.
    using Chain = std::vector<CostedSet>;
    struct Find
    {
        double reducedCost; ///< of all its columns, below 0
        Chain chain;
    };
    /// Looks for the images of the chain where the graph repeats itself.
    void mirror(const Chain& chain);
    /// Sum of the reduced costs, infinite when that is more than `most`; sets the latencies of the columns.
    [[nodiscard]] double reducedCost(Chain& chain, double most);
    /// Keeps the chain if its reduced cost is negative and it has new columns.
    void keepFind(const Chain& chain, double reducedCost);
    void walk(Chain chain, int steps, double temperature, const std::function<bool()>& keepGoing);
    [[nodiscard]] bool change(Chain& chain);
    [[nodiscard]] bool addOps(Chain& chain, std::size_t at);
    [[nodiscard]] bool removeOps(Chain& chain, std::size_t at);
    [[nodiscard]] bool insertOp(Chain& chain, std::size_t at);
    [[nodiscard]] bool fuse(Chain& chain, std::size_t at);
    [[nodiscard]] bool shorten(Chain& chain);
    [[nodiscard]] bool changeHandedOver(Chain& chain);
    /// Makes the lists between the columns match the changed sets: tensors stay that one makes and the next
    /// reads; where none is left all that can be handed over is, if `handAll`, or the chain becomes its part
    /// with column `at`. False when a set is not connected or the chain is not valid.
    [[nodiscard]] bool mend(Chain& chain, std::size_t at, bool handAll);
    [[nodiscard]] bool isConnected(const Chain& chain) const;
    /// True if all sets are connected and no tensor is stored twice or retained without a later reader.
    [[nodiscard]] bool isValid(const Chain& chain) const;
    [[nodiscard]] std::optional<OpId> neighbour(SetId set);
    /// The op alone, or with all that it needs or feeds in a column of the relaxation.
    [[nodiscard]] std::vector<OpId> partAround(OpId o);
    [[nodiscard]] SetId with(SetId set, const std::vector<OpId>& ops);
    [[nodiscard]] double price(const Chain& chain) const;
    [[nodiscard]] Chain chainAround(std::size_t column, const std::vector<std::size_t>& taken);
    void joinAnother(Chain& chain, const std::vector<std::size_t>& taken);

    MasterProblem& m_master;
    SubgraphPool& m_pool;
    OpMirror m_mirror;
    RandomGenerator m_random;
    int m_steps = 20;                          ///< of a walk; follows how many columns are found
    std::vector<std::vector<SetId>> m_takenBy; ///< by op: sets of the relaxation that run it
    std::vector<Find> m_finds;
};

} // namespace tilewright
