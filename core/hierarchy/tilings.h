// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/constraints.h"
#include "hierarchy/evaluate.h"
#include "hierarchy/exchange.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

// The temporal factors of a layer under one choice of its spatial factors, as a lattice
// (docs/rules/hierarchy.md 7).

namespace tilewright::hierarchy {

/// All divisors of a number, ascending.
[[nodiscard]] std::vector<std::int64_t> divisorsOf(std::int64_t number);

/// Traffic of one exchange between two levels, or a lower bound of it. MACs store nothing, so they have no
/// traffic.
struct Flow
{
    double energy = 0; ///< pJ
    double outerReadBits = 0, outerWriteBits = 0;
    double innerReadBits = 0, innerWriteBits = 0;
    double waiting = 0; ///< cycles for which a level waits
};

/// A level P and the next level C inside it that holds an operand. For the MACs, C is the number of levels.
struct ExchangeOf
{
    std::size_t operand = 0;
    std::size_t outer = 0;
    std::size_t inner = 0;
    Between between{};
    bool completes = false;
    double outerInstances = 1, innerInstances = 1;
    /// Level just inside which the extents give the distances between the tiles of the instances. Levels
    /// further inside do not change the distances.
    std::size_t apart = 0;
};

/// All temporal factors of a layer for given spatial factors. A state of a level is the product of the
/// temporal factors at the level and inside it: for each loop a divisor of its trip count without the spatial
/// factors.
class Tilings
{
public:
    using State = std::uint32_t;

    /// `most`: if there are more states, divisors are left out, and isWhole() is false; 1: only the smallest
    /// tiles are considered. `constraints`: those of the temporal factors. Bounds may hold for more mappings
    /// than the constraints allow.
    Tilings(const LoopNest& nest, const Architecture& architecture, std::vector<Factors> spatial,
            std::size_t most, const Constraints& constraints = {});

    [[nodiscard]] bool isWhole() const noexcept { return m_isWhole; }
    /// False if no mapping with these spatial factors is valid.
    [[nodiscard]] bool isPossible() const noexcept { return m_isPossible; }
    [[nodiscard]] std::size_t levels() const noexcept { return m_spatial.size(); }
    [[nodiscard]] std::size_t states() const noexcept { return m_all.size(); }
    /// The state of the outermost level, which contains all factors.
    [[nodiscard]] State first() const noexcept { return static_cast<State>(states() - 1); }
    [[nodiscard]] bool fitsAt(std::size_t level, State state) const noexcept
    {
        return m_fits[level * states() + state] != 0;
    }
    [[nodiscard]] Factors temporalInside(State state) const noexcept;
    [[nodiscard]] const std::vector<Factors>& spatial() const noexcept { return m_spatial; }
    [[nodiscard]] const std::vector<std::int64_t>& instances() const noexcept { return m_instances; }
    [[nodiscard]] double compute() const noexcept { return m_all.back(); }
    /// Product of the factors of a state: over all loops, or over those that index an operand.
    [[nodiscard]] double all(State state) const noexcept { return m_all[state]; }
    [[nodiscard]] double indexing(std::size_t operand, State state) const noexcept
    {
        return m_indexing[operand * states() + state];
    }

    /// Exchanges into a level inside the outermost one, at most one per operand.
    [[nodiscard]] const std::vector<ExchangeOf>& into(std::size_t level) const noexcept
    {
        return m_into[level];
    }
    /// Exchanges with the MACs whose bits depend on the state of this level. Entry 0 also has those that
    /// depend on no state.
    [[nodiscard]] const std::vector<ExchangeOf>& macsAt(std::size_t level) const noexcept
    {
        return m_macs[level];
    }
    /// The traffic of an exchange in `visits` visits of C. `state`: the state of C; for the MACs, the state
    /// of the level for which macsAt() lists the exchange.
    [[nodiscard]] Flow flow(const ExchangeOf& exchange, double visits, State state) const;
    /// Number of cycles that the level needs to read or write this number of bits.
    [[nodiscard]] double time(std::size_t level, double bits, bool reads) const noexcept;
    /// Energy per visit of the exchange into the level, without the part that does not depend on visits and
    /// state.
    [[nodiscard]] double visitEnergy(std::size_t level, std::size_t operand, State state) const noexcept
    {
        return m_visitEnergy[(level * kOperands + operand) * states() + state];
    }
    /// Energy of the exchanges that macsAt() lists for this level.
    [[nodiscard]] double macEnergy(std::size_t level, State state) const noexcept
    {
        return m_macEnergy[level * states() + state];
    }
    /// Energy that is the same for all states: multiplications, macsAt(0), and the part of exchanges that
    /// does not depend on visits.
    [[nodiscard]] double fixedEnergy() const noexcept { return m_fixedEnergy; }
    /// The least traffic of an exchange into a level over all states that fit.
    [[nodiscard]] const Flow& least(std::size_t level, std::size_t operand) const noexcept
    {
        return m_least[level * kOperands + operand];
    }

    /// Least energy of all exchanges of the levels inside this one, without fixedEnergy(), if every operand
    /// has as many visits as different tiles.
    [[nodiscard]] double leastInside(std::size_t level) const noexcept { return m_leastInside[level]; }

    /// Calls visit(state) for every state that divides `from` and fits in `level`, the largest ones first.
    /// Only states are visited that give the level outside (and the innermost level) temporal factors that
    /// the constraints allow.
    template <typename Visit> void forEachInside(std::size_t level, State from, const Visit& visit) const;

    /// Computes the energies per visit and the least flows, which the functions above need.
    void prepare();

private:
    /// For every divisor of a loop: indices of the divisors that may lie inside it, ascending.
    using InnerLists = std::vector<std::vector<State>>;

    void listDivisors(std::size_t most, const Constraints& constraints);
    void listInner(const Constraints& constraints);
    void listExchanges();
    void markFits();
    [[nodiscard]] Factors extentsAt(std::size_t level, State state) const noexcept;
    [[nodiscard]] std::size_t apartLevel(const ExchangeOf& exchange) const noexcept;
    [[nodiscard]] double leastUnion(const ExchangeOf& exchange, const Factors& tile,
                                    const Factors& apart) const;
    void addReadFlow(const ExchangeOf& exchange, double visits, const Factors& tile, const Factors& apart,
                     Flow& out) const;
    void addWrittenFlow(const ExchangeOf& exchange, double visits, double different, const Factors& tile,
                        Flow& out) const;

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    std::vector<Factors> m_spatial; ///< per level
    Factors m_left{};               ///< trip counts divided by all spatial factors
    std::vector<Factors> m_inside;  ///< per level: product of the spatial factors at the level and inside it
    std::vector<std::int64_t> m_instances;
    std::array<std::vector<std::int64_t>, kMaxLoops> m_divisors; ///< per loop, ascending
    std::vector<InnerLists> m_inner;
    std::vector<std::array<std::size_t, kMaxLoops>> m_innerOf; ///< per level and loop: index in m_inner
    std::array<State, kMaxLoops> m_stride{};
    bool m_isWhole = true, m_isPossible = true;
    State m_looked = 0; ///< number of states that are considered, the smallest ones
    std::vector<double> m_all, m_indexing;
    std::vector<char> m_fits; ///< per level and state
    std::vector<std::vector<ExchangeOf>> m_into, m_macs;
    std::vector<double> m_visitEnergy, m_macEnergy;
    std::vector<Flow> m_least;
    std::vector<double> m_leastInside; ///< per level
    double m_fixedEnergy = 0;
};

template <typename Visit> void Tilings::forEachInside(std::size_t level, State from, const Visit& visit) const
{
    std::array<const std::vector<State>*, kMaxLoops> inner{};
    std::array<std::size_t, kMaxLoops> at{};
    State first = 0;
    for (std::size_t l = 0; l < kMaxLoops; ++l) {
        inner[l] =
            &m_inner[m_innerOf[level][l]][from / m_stride[l] % static_cast<State>(m_divisors[l].size())];
        if (inner[l]->empty())
            return;
        at[l] = inner[l]->size() - 1;
        first += inner[l]->back() * m_stride[l];
    }
    const char* const fit = m_fits.data() + level * states();
    for (State state = first;;) {
        if (fit[state] != 0)
            visit(state);
        std::size_t l = 0;
        for (; l < kMaxLoops; ++l) {
            const std::vector<State>& list = *inner[l];
            if (at[l] > 0) {
                state -= (list[at[l]] - list[at[l] - 1]) * m_stride[l];
                --at[l];
                break;
            }
            state += (list.back() - list.front()) * m_stride[l];
            at[l] = list.size() - 1;
        }
        if (l == kMaxLoops)
            return;
    }
}

} // namespace tilewright::hierarchy
