// SPDX-License-Identifier: GPL-3.0-or-later
// The selection that all views share, and functions that change it.
#pragma once

#include "base/ids.h"
#include "schedule/schedule.h"
#include "workspace/document.h"

#include <QObject>

#include <cstdint>
#include <functional>
#include <optional>
#include <set>

namespace tilewright::ui {

/// The selection that all views share.
struct SelectionState
{
    std::set<OpId> ops;
    std::optional<TensorId> tensor;
    std::set<SubgraphId> subgraphs;     ///< all selected subgraphs
    std::optional<SubgraphId> subgraph; ///< the current subgraph, which Inspector and Tile grid show
    std::int64_t step = 0;              ///< index of the step in the current subgraph
    std::optional<double> time; ///< time cursor of the charts, in time units from the start of the schedule
    [[nodiscard]] bool hasSubgraph() const { return subgraph || !subgraphs.empty(); }
    bool operator==(const SelectionState&) const = default;
};

/// The item under the mouse, in any view.
struct HoverState
{
    std::optional<OpId> op;
    std::optional<TensorId> tensor;
    std::optional<SubgraphId> subgraph;
    bool operator==(const HoverState&) const = default;
};

/// Selection and hovered item, which link all views. Emits its signals once per change.
class Selection : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] const SelectionState& state() const { return m_state; }
    [[nodiscard]] const HoverState& hover() const { return m_hover; }

    void set(SelectionState state);
    /// Sets a function that removes items that do not exist from every state that is set. A click on a
    /// picture that is one evaluation behind refers to subgraphs of an earlier schedule.
    void setFilter(std::function<void(SelectionState&)> filter) { m_filter = std::move(filter); }
    void setHover(const HoverState& hover);

    void selectSubgraph(std::optional<SubgraphId> subgraph);
    void selectOps(std::set<OpId> ops);
    void selectTensor(std::optional<TensorId> tensor);
    void setStep(std::int64_t step);
    void clear() { set({}); }

Q_SIGNALS:
    void changed();
    void hoverChanged();

private:
    std::function<void(SelectionState&)> m_filter;
    SelectionState m_state;
    HoverState m_hover;
};

/// Returns `state` with these ops selected. It also selects the subgraphs all of whose ops are selected or,
/// if there are none, the subgraph that contains all these ops. The current subgraph is kept if it is one of
/// these, otherwise the first of them becomes current. If there are none, it is kept only if it contains one
/// of the ops.
[[nodiscard]] SelectionState withOps(const Schedule& schedule, const SelectionState& state,
                                     std::set<OpId> ops);

/// Converts a selection in schedule `before` to a selection in schedule `after`. A subgraph becomes the one
/// that has most of its ops. Selected ops stay selected, with the subgraphs that contain them in `after`.
[[nodiscard]] SelectionState followed(const Schedule& before, const Schedule& after, SelectionState state);

void selectAllOps(const Document& document, Selection& selection);
/// Inverts the selection of ops or, if no ops are selected, of subgraphs.
void invertSelection(const Document& document, Selection& selection);
/// Selects all ops of the subgraphs that contain a selected op, or of the selected subgraphs.
void selectSameSubgraph(const Document& document, Selection& selection);

} // namespace tilewright::ui
