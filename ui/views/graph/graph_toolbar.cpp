// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/graph/graph_toolbar.h"

#include "theme/icon.h"
#include "views/graph/graph_sections.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

namespace tilewright::ui {

GraphToolbar::GraphToolbar(QWidget* parent) : ControlBar(parent)
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

    m_view = new QToolButton(this);
    m_view->setText(tr("View"));
    m_view->setPopupMode(QToolButton::InstantPopup);
    m_view->setToolButtonStyle(Qt::ToolButtonTextOnly);
    add(m_view, tr("View options"), tr("Labels, direction, columns, overview, collapsing."));
    auto* menu = new QMenu(m_view);
    const auto toggle = [&](const QString& text, auto signal) {
        QAction* action = menu->addAction(text);
        action->setCheckable(true);
        connect(action, &QAction::toggled, this, signal);
        return action;
    };
    m_labels = toggle(tr("Traffic on lines"), &GraphToolbar::labelsToggled);
    m_leftToRight = toggle(tr("Left to right"), &GraphToolbar::leftToRightToggled);
    m_columns = toggle(tr("Break long graphs into columns"), &GraphToolbar::columnsToggled);
    m_cards = toggle(tr("Cards in graphs of more than %1 ops").arg(kCardsAbove), &GraphToolbar::cardsToggled);
    m_overview = toggle(tr("Overview (M)"), &GraphToolbar::overviewToggled);
    m_legend = toggle(tr("Key to shapes and lines"), &GraphToolbar::legendToggled);
    menu->addSeparator();
    connect(menu->addAction(tr("Collapse all subgraphs")), &QAction::triggered, this,
            &GraphToolbar::collapseAll);
    connect(menu->addAction(tr("Expand all subgraphs")), &QAction::triggered, this, &GraphToolbar::expandAll);
    m_view->setMenu(menu);

    m_search = new QLineEdit(this);
    m_search->setPlaceholderText(tr("Find op, tensor, subgraph"));
    m_search->setClearButtonEnabled(true);
    m_search->setMinimumWidth(90);
    m_search->setMaximumWidth(260);
    m_search->addAction(icon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    m_search->installEventFilter(this);
    add(m_search, tr("Find in the graph"),
        tr("A part of a name, or \"op 12\", \"t17\", \"subgraph 5\". Enter: next, Shift+Enter: previous, "
           "Esc: back (Ctrl+F)."),
        true);
    connect(m_search, &QLineEdit::textChanged, this, &GraphToolbar::searchChanged);
    m_hits = new QLabel(this);
    m_hits->setMinimumWidth(m_hits->fontMetrics().horizontalAdvance(QStringLiteral("000/000")));
    add(m_hits, tr("Matches"), tr("Which match of how many is shown."));
    m_hits->setFocusPolicy(Qt::NoFocus);
    setHits(0, -1);
}

void GraphToolbar::setOptions(const GraphOptions& options, const GraphShape& shape, bool overview,
                              bool legend)
{
    m_colouring->setCurrentIndex(m_colouring->findData(static_cast<int>(options.colouring)));
    m_neighbourhood->setCurrentIndex(shape.hops);
    const auto check = [](QAction* action, bool on) {
        const QSignalBlocker blocker(action);
        action->setChecked(on);
    };
    check(m_labels, options.edgeLabels);
    check(m_leftToRight, shape.leftToRight);
    check(m_columns, shape.columns);
    check(m_cards, shape.cards);
    check(m_overview, overview);
    check(m_legend, legend);
}

void GraphToolbar::setHits(int current, int count)
{
    m_hits->setText(count < 0 ? QString()
                              : QStringLiteral("%1/%2").arg(count == 0 ? 0 : current + 1).arg(count));
}

bool GraphToolbar::eventFilter(QObject* watched, QEvent* event)
{
    if (watched == m_search && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
            Q_EMIT searchNext(key->modifiers() & Qt::ShiftModifier ? -1 : 1);
            return true;
        }
        if (key->key() == Qt::Key_Escape) {
            m_search->clear();
            Q_EMIT searchLeft();
            return true;
        }
    }
    return ControlBar::eventFilter(watched, event);
}

} // namespace tilewright::ui
