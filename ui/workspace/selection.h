// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"

#include <QObject>

#include <cstdint>
#include <optional>
#include <set>

namespace tilewright::ui {

/// What is selected, the same in every view. `current` things are what the detail panes show.
struct SelectionState
{
    std::set<OpId> ops;
    std::optional<TensorId> tensor;
    std::set<SubgraphId> subgraphs;     ///< multi-selection of the subgraph list
    std::optional<SubgraphId> subgraph; ///< the current one (inspector, tile grid)
    std::int64_t step = 0;              ///< step inside the current subgraph
    std::optional<double> time;         ///< cursor of the time-like views, since the schedule's start
    [[nodiscard]] bool hasSubgraph() const { return subgraph || !subgraphs.empty(); }
    bool operator==(const SelectionState&) const = default;
};

/// The weaker channel: what is under the mouse, in any view.
struct HoverState
{
    std::optional<OpId> op;
    std::optional<TensorId> tensor;
    std::optional<SubgraphId> subgraph;
    bool operator==(const HoverState&) const = default;
};

/// The one object that links all views; a change is announced once, and only when something differs.
class Selection : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    [[nodiscard]] const SelectionState& state() const { return m_state; }
    [[nodiscard]] const HoverState& hover() const { return m_hover; }

    void set(SelectionState state);
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
    SelectionState m_state;
    HoverState m_hover;
};

} // namespace tilewright::ui
