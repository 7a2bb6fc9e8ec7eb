// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/search_run.h"
#include "hierarchy/spatial.h"
#include "hierarchy/tilings.h"

#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace tilewright::hierarchy {

/// A part of the search space: all mappings with the same spatial factors.
struct Branch
{
    SpatialChoice choice;
    // Lower bounds of energy and cycles over all mappings of the branch that are not settled; infinite if all
    // are settled.
    double energy = 0;
    double cycles = 0;
    bool isBounded = false; ///< true if the bounds are those of boundQuickly()

    [[nodiscard]] double value(Objective objective) const noexcept
    {
        return objective == Objective::Energy   ? energy
               : objective == Objective::Cycles ? cycles
                                                : energy * cycles;
    }
};

/// Number of elements along the window of an input that take part in a multiplication.
[[nodiscard]] std::int64_t usedLength(const LoopNest& nest, const mapping::Dimension& window);

/// Moves the loops that do not index the operand `stationary` innermost; if it is -1, the loops that index
/// all operands.
void putInnermost(const LoopNest& nest, int stationary, std::vector<TiledLoop>& loops);

/// Bounds for all mappings of the layer, from the multiplications, one read of each element at the outermost
/// level, and full use of all axes.
[[nodiscard]] Branch boundOfAll(const LoopNest& nest, const Architecture& architecture);

/// Computes bounds of a branch without a list of its tilings (docs/rules/hierarchy.md 7). They are infinite
/// if the branch has no valid mapping.
void boundQuickly(const LoopNest& nest, const Architecture& architecture, Branch& branch);

/// Searches branches one after another on one thread (docs/rules/hierarchy.md 7).
class BranchSearch
{
public:
    /// `isOver` is called often; the search ends when it returns true.
    BranchSearch(const LoopNest& nest, const Architecture& architecture, const Constraints& constraints,
                 Found& found, std::function<bool()> isOver);

    /// Searches for good mappings among at most about `states` tilings per level. Only the best few
    /// continuations of each tiling are followed.
    void dive(const Branch& branch, std::size_t states);
    /// Settles the branch if its bounds suffice for that.
    void cut(Branch& branch);
    /// Settles the branch. If the search ends before that, raises the bounds of the branch as far as
    /// possible. A level with more than `states` tilings is not settled.
    void settle(Branch& branch, std::size_t states);

    [[nodiscard]] const SearchCounts& counts() const noexcept { return m_counts; }

private:
    using State = Tilings::State;

    /// A node of the search tree: the tilings of the outermost levels are chosen.
    struct Node
    {
        State state = 0;
        /// Energy of all exchanges between the chosen levels, plus the energy that is the same for all
        /// tilings.
        double energy = 0;
        /// Per operand: number of visits of a level further inside, unless that level's loops change the
        /// tile.
        std::array<double, kOperands> visits{1, 1, 1};
        /// Traffic of each level in bits, including the least traffic that the levels inside can cause.
        std::array<double, kMaxLevels> readBits{}, writeBits{};
        double waiting = 0;
    };
    /// A loop order of a level's temporal loops.
    struct Order
    {
        /// Operand whose free loops are innermost, as far as the constraints allow; -1: none.
        int stationary = -1;
        /// Per operand: product of the innermost loops that do not index it, if any loop indexes it.
        std::array<double, kOperands> innermost{1, 1, 1};
    };
    struct Candidate
    {
        double energy = 0; ///< lower bounds of energy and cycles
        double cycles = 0;
        Node node;
        Order order;
    };

    void open(const Branch& branch, std::size_t states);
    [[nodiscard]] Node root() const;
    void descend(std::size_t level, const Node& node);
    struct Orders
    {
        std::size_t count = 0;
        std::array<Order, kOperands> list{};
    };
    [[nodiscard]] Orders orders(std::size_t level, State state, State inner) const;
    [[nodiscard]] std::optional<Order> orderAsked(std::size_t level, State state, State inner) const;
    void consider(std::size_t level, const Node& node, State inner, std::vector<Candidate>& out);
    void follow(std::size_t level, std::vector<Candidate>& candidates);
    [[nodiscard]] double rest(std::size_t level, State state);
    [[nodiscard]] double restBelow(std::size_t level, State state, double cutoff);
    [[nodiscard]] double cutoff(double cycles) const noexcept;
    [[nodiscard]] double boundCycles(const Node& node) const noexcept;
    [[nodiscard]] bool isSettled(double energy, double cycles) { return m_cutter.isSettled(energy, cycles); }
    [[nodiscard]] bool isOver();
    void evaluate();
    [[nodiscard]] Mapping mapping() const;

    const LoopNest& m_nest;
    const Architecture& m_architecture;
    const Constraints& m_constraints;
    Found& m_found;
    std::function<bool()> m_isOver;
    bool m_stopped = false, m_diving = false;
    SearchCounts m_counts;
    std::unique_ptr<Tilings> m_tilings;
    const SpatialChoice* m_choice = nullptr;
    std::vector<double> m_rest; ///< for each level and state; negative if not computed
    // Path to the current node, by level:
    std::array<State, kMaxLevels> m_states{};
    std::array<Order, kMaxLevels> m_orders{};
    TiledNest m_tiled;
    Cost m_cost;
    Cutter m_cutter;
};

} // namespace tilewright::hierarchy
