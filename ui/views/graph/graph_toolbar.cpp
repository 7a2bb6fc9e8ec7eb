// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_toolbar.h"

#include "theme/icon.h"

#include <QAction>
#include <QComboBox>
#include <QMenu>
#include <QToolButton>

namespace tilewright::ui {

GraphToolbar::GraphToolbar(Actions& actions, QWidget* parent) : ControlBar(parent)
{
    setObjectName(QStringLiteral("graphToolbar"));
    m_colouring = new QComboBox(this);
    const std::pair<GraphColouring, QString> colourings[] = {
        {GraphColouring::Subgraph, tr("Colour: subgraph")},
        {GraphColouring::OpType, tr("Colour: op type")},
        {GraphColouring::Bound, tr("Colour: bound")},
        {GraphColouring::Latency, tr("Colour: latency")},
        {GraphColouring::Intensity, tr("Colour: intensity")},
        {GraphColouring::None, tr("Colour: none")}};
    for (const auto& [colouring, text] : colourings)
        m_colouring->addItem(text, static_cast<int>(colouring));
    add(m_colouring, tr("Colour by"), tr("What the fill of the ops says."));
    connect(m_colouring, &QComboBox::activated, this, [this](int i) {
        Q_EMIT colouringChosen(static_cast<GraphColouring>(m_colouring->itemData(i).toInt()));
    });

    m_neighbourhood = new QComboBox(this);
    m_neighbourhood->addItem(tr("All ops"));
    for (int hops = 1; hops <= 4; ++hops)
        m_neighbourhood->addItem(hops == 1 ? tr("≤ 1 hop") : tr("≤ %1 hops").arg(hops));
    add(m_neighbourhood, tr("Neighbourhood"),
        tr("Show only what is within this many producers and consumers of the selection."));
    connect(m_neighbourhood, &QComboBox::activated, this, &GraphToolbar::hopsChosen);

    auto* view = new QToolButton(this);
    view->setText(tr("View"));
    view->setPopupMode(QToolButton::InstantPopup);
    view->setToolButtonStyle(Qt::ToolButtonTextOnly);
    add(view, tr("View options"), tr("Labels, direction, columns, overview, collapsing."));
    m_menu = new QMenu(view);
    m_end = m_menu->addSeparator();
    connect(m_menu->addAction(tr("Collapse all subgraphs")), &QAction::triggered, this,
            &GraphToolbar::collapseAll);
    connect(m_menu->addAction(tr("Expand all subgraphs")), &QAction::triggered, this,
            &GraphToolbar::expandAll);
    view->setMenu(m_menu);

    m_search = new SearchField(
        *this, tr("Find op, tensor, subgraph"), tr("Find in the graph"),
        tr("A part of a name, or \"op 12\", \"t17\", \"subgraph 5\". Enter: next, Shift+Enter: previous, "
           "Esc: back ({graph.find|Ctrl+F})."),
        actions);
    m_search->setMinimumWidth(90);
    m_search->setMaximumWidth(260);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
}

QAction* GraphToolbar::addSwitch(const QString& text)
{
    auto* action = new QAction(text, m_menu);
    action->setCheckable(true);
    m_menu->insertAction(m_end, action);
    return action;
}

void GraphToolbar::setOptions(GraphColouring colouring, int hops)
{
    m_colouring->setCurrentIndex(m_colouring->findData(static_cast<int>(colouring)));
    m_neighbourhood->setCurrentIndex(hops);
}

} // namespace tilewright::ui
