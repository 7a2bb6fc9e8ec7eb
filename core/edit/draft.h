// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/edits.h"
#include "rules/subgraph_plan.h"

#include <vector>

namespace tilewright::edit {

/// A schedule being changed: the edits rearrange items, finish() settles what follows from that and decides
/// whether the result is acceptable. Internal to the edits.
class Draft
{
public:
    struct Item
    {
        SubgraphPtr subgraph;
        bool opsChanged = false;  ///< lost or gained ops: order, retains and granularity are settled anew
        bool gridChanged = false; ///< a custom order that no longer fits becomes raster
        std::vector<Granularity> wanted; ///< to choose from when opsChanged
    };
    enum class Order { Keep, Repair }; ///< of the subgraphs, where a dependency is newly broken
    enum class Retains { Keep, Settle };

    Draft(const Problem& problem, const Schedule& schedule, const EditOptions& options);

    std::vector<Item> items;

    [[nodiscard]] const Problem& problem() const { return m_problem; }
    [[nodiscard]] const Subgraph& at(std::size_t i) const { return *items[i].subgraph; }

    /// Takes the ops out of item i, which may become empty; what stays is split where it is no longer
    /// connected.
    void takeOut(std::size_t i, std::span<const OpId> ops);
    /// Adds the ops that item i does not have.
    void putIn(std::size_t i, std::span<const OpId> ops);
    /// A new item of these ops; `like` gives the settings to start from (granularity, order), where there is
    /// one.
    [[nodiscard]] Item makeItem(std::vector<OpId> ops, std::span<const SubgraphPtr> like = {}) const;
    void insert(std::size_t position, Item item);
    /// The first place where the ops find their inputs and come before the first reader of what they produce.
    [[nodiscard]] std::size_t placeFor(std::span<const OpId> ops) const;

    /// What the rules say about ops; valid until the next call.
    [[nodiscard]] const SubgraphPlan& planOf(std::span<const OpId> ops) const;

    void dropEmpty();
    void repairOrder();
    /// Gives changed items their op order, granularity and traversal.
    void settleItems();
    /// Drops retains of changed neighbourhoods that nothing uses, and those that break a dependency or an
    /// output that was fine before.
    void settleRetains();

    [[nodiscard]] Schedule schedule() const;
    [[nodiscard]] Result<Schedule> finish(Order order, Retains retains);

private:
    [[nodiscard]] const std::vector<Issue>& issuesBefore() const; ///< found when asked for
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
