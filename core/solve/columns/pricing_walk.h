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

/// Heuristic for the pricing problem: random walks search for columns with negative reduced costs at the
/// current dual prices. A walk starts from a column of the LP solution and changes the ops of a few
/// consecutive subgraphs and the tensors that they hand over to each other.
class PricingWalk
{
public:
    PricingWalk(MasterProblem& master, std::uint64_t seed)
        : m_master(master), m_pool(master.pool()), m_mirror(m_pool.problem()), m_random(seed)
    {
    }

    /// Runs one round of pricing: a walk of at most `mostSteps` steps from each column of the LP solution,
    /// and from at most as many randomly chosen columns. Adds the best new columns to the master problem and
    /// returns their number.
    std::size_t round(int mostSteps, const std::function<bool()>& keepGoing);

private:
    /// A chain of consecutive columns: the tensors that a column retains are resident at the start of the
    /// next one.
    using Chain = std::vector<CostedSet>;
    struct FoundChain
    {
        double reducedCost; ///< sum of the reduced costs of the columns, below 0
        Chain chain;
    };
    /// Evaluates the images of the chain in repeated parts of the graph.
    void mirror(const Chain& chain);
    /// Returns the sum of the reduced costs, or infinity if it exceeds `most`. Sets the latencies of the
    /// columns.
    [[nodiscard]] double reducedCost(Chain& chain, double most);
    /// Stores the chain if the sum of its reduced costs is negative and it has new columns.
    void storeChain(const Chain& chain, double reducedCost);
    void walk(Chain chain, int steps, double temperature, const std::function<bool()>& keepGoing);
    [[nodiscard]] bool change(Chain& chain);
    [[nodiscard]] bool addOps(Chain& chain, std::size_t at);
    [[nodiscard]] bool removeOps(Chain& chain, std::size_t at);
    [[nodiscard]] bool insertOp(Chain& chain, std::size_t at);
    [[nodiscard]] bool fuse(Chain& chain, std::size_t at);
    [[nodiscard]] bool shorten(Chain& chain);
    [[nodiscard]] bool changeHandedOver(Chain& chain);
    /// Updates the tensors that consecutive columns hand over, after their op sets have changed. If two
    /// columns no longer hand over any tensor, either all possible tensors are handed over (`handOverAll`),
    /// or the chain is cut there and the part with column `at` is kept. Returns false if a set is not
    /// connected or the chain is not valid.
    [[nodiscard]] bool repairChain(Chain& chain, std::size_t at, bool handOverAll);
    [[nodiscard]] bool isConnected(const Chain& chain) const;
    /// True if all sets are connected, no tensor is stored twice, and every retained tensor has a later
    /// reader.
    [[nodiscard]] bool isValid(const Chain& chain) const;
    [[nodiscard]] std::optional<OpId> neighbour(SetId set);
    /// Returns the op alone, or with all ops that it needs or feeds in a column of the LP solution.
    [[nodiscard]] std::vector<OpId> partAround(OpId o);
    [[nodiscard]] SetId with(SetId set, const std::vector<OpId>& ops);
    [[nodiscard]] double price(const Chain& chain) const;
    [[nodiscard]] Chain chainAround(std::size_t column, const std::vector<std::size_t>& used);
    void joinAnother(Chain& chain, const std::vector<std::size_t>& used);

    MasterProblem& m_master;
    SubgraphPool& m_pool;
    OpMirror m_mirror;
    RandomGenerator m_random;
    int m_steps = 20; ///< maximum number of steps of a walk, adapted to the number of new columns
    std::vector<std::vector<SetId>> m_usedBy; ///< for each op, the sets of the LP solution that run it
    std::vector<FoundChain> m_foundChains;
};

} // namespace tilewright
