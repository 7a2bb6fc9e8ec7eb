// SPDX-License-Identifier: GPL-3.0-or-later
#include "workspace/selection.h"

namespace tilewright::ui {

void Selection::set(SelectionState state)
{
    if (m_filter)
        m_filter(state);
    if (state == m_state)
        return;
    m_state = std::move(state);
    Q_EMIT changed();
}

void Selection::setHover(const HoverState& hover)
{
    if (hover == m_hover)
        return;
    m_hover = hover;
    Q_EMIT hoverChanged();
}

void Selection::selectSubgraph(std::optional<SubgraphId> subgraph)
{
    SelectionState next = m_state;
    if (next.subgraph != subgraph)
        next.step = 0;
    next.subgraph = subgraph;
    next.subgraphs.clear();
    if (subgraph)
        next.subgraphs.insert(*subgraph);
    next.ops.clear();
    next.tensor.reset();
    set(std::move(next));
}

void Selection::selectOps(std::set<OpId> ops)
{
    SelectionState next = m_state;
    next.ops = std::move(ops);
    next.tensor.reset();
    set(std::move(next));
}

void Selection::selectTensor(std::optional<TensorId> tensor)
{
    SelectionState next = m_state;
    next.tensor = tensor;
    set(std::move(next));
}

void Selection::setStep(std::int64_t step)
{
    SelectionState next = m_state;
    next.step = step;
    set(std::move(next));
}

} // namespace tilewright::ui
