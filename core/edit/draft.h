// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/edits.h"
#include "rules/subgraph_plan.h"

#include <vector>

namespace tilewright::edit {

/// Working copy of a schedule during an edit; only the edits use it. An edit rearranges the items. finish()
/// then updates order, granularities and retained tensors, and decides whether the result is accepted.
class Draft
{
public:
    struct Item
    {
        SubgraphPtr subgraph;
        /// True if ops were added or removed. Order, retained tensors and granularity are then chosen again.
        bool opsChanged = false;
        /// True if the grid has changed; a custom order that no longer fits becomes raster.
        bool gridChanged = false;
        std::vector<Granularity> wanted; ///< candidate granularities, if opsChanged
    };
    enum class Order { Keep, Repair }; ///< whether to reorder subgraphs if the edit breaks a dependency
    enum class Retains { Keep, DropUseless };

    Draft(const Problem& problem, const Schedule& schedule, const EditOptions& options);

    std::vector<Item> items;

    [[nodiscard]] const Problem& problem() const { return m_problem; }
    [[nodiscard]] const Subgraph& at(std::size_t i) const { return *items[i].subgraph; }

    /// Removes the ops from item i, which may become empty. If the remaining ops are no longer connected, the
    /// item is split.
    void removeOpsFrom(std::size_t i, std::span<const OpId> ops);
    /// Adds the ops to item i, except those that it already contains.
    void addOpsTo(std::size_t i, std::span<const OpId> ops);
    /// Creates an item with these ops. The subgraphs `like` provide initial settings (granularity, order,
    /// retained tensors, lock).
    [[nodiscard]] Item makeItem(std::vector<OpId> ops, std::span<const SubgraphPtr> like = {}) const;
    void insert(std::size_t position, Item item);
    /// Returns the first position at which the inputs of the ops are available; if possible, it is before the
    /// first reader of their results.
    [[nodiscard]] std::size_t insertPosition(std::span<const OpId> ops) const;

    /// Returns the compiled plan of a set of ops. The reference is valid until the next call.
    [[nodiscard]] const SubgraphPlan& planOf(std::span<const OpId> ops) const;

    void dropEmpty();
    void repairOrder();
    /// Updates op order, granularity and traversal of changed items.
    void updateChangedItems();
    /// Removes retained tensors that no subgraph uses after the edit, and those that now break a dependency
    /// or an output rule.
    void dropUselessRetains();

    [[nodiscard]] Schedule schedule() const;
    [[nodiscard]] Result<Schedule> finish(Order order, Retains retains);

private:
    [[nodiscard]] const std::vector<Issue>& issuesBefore() const; ///< computed on first use
    [[nodiscard]] std::vector<Issue> newIssues() const;
    void change(std::size_t i, Subgraph s);

    const Problem& m_problem;
    const Schedule& m_before;
    const EditOptions& m_options;
    mutable std::optional<std::vector<Issue>> m_issuesBefore;
    mutable PlanCompiler m_compiler;
    mutable SubgraphPlan m_plan;
};

} // namespace tilewright::edit
