// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/solver/solver_constraints.h"

#include "canvas/form.h"
#include "edit/edits.h"
#include "solve/search/constraint_costs.h"
#include "theme/icon.h"
#include "theme/text.h"
#include "workspace/constraint_edits.h"
#include "workspace/selection.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QVBoxLayout>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace tilewright::ui {

SolverConstraints::SolverConstraints(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_list(new CompactTree(this)),
      m_remove(new QPushButton(tr("Remove"), this)), m_price(new QPushButton(tr("What it costs"), this)),
      m_note(new WrappedLabel(this)), m_range(new TileRangeForm(context.document, this))
{
    m_list->setRootIsDecorated(false);
    m_list->setAccessibleName(tr("Constraints of the search"));
    m_list->setToolTip(tr("What every schedule that the search finds keeps. Enter changes a range of tiles, "
                          "Delete removes a constraint."));
    m_list->installEventFilter(this);
    m_remove->setToolTip(tr("Remove the selected constraint, or unlock the subgraph."));
    m_price->setToolTip(tr("Search with all of them, then once without each, with the settings above. The "
                           "difference is what the constraint costs."));
    m_note->setWordWrap(true);
    m_note->setTextFormat(Qt::PlainText);
    m_note->setAccessibleName(tr("Costs of the constraints"));
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_price);
    buttons->addWidget(m_remove);
    buttons->addStretch(1);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 0, 8, 2);
    layout->addWidget(m_list);
    layout->addLayout(buttons);
    layout->addWidget(m_range);
    layout->addWidget(m_note);
    connect(m_remove, &QPushButton::clicked, this, &SolverConstraints::removeSelected);
    connect(m_price, &QPushButton::clicked, this, &SolverConstraints::priceClicked);
    connect(m_list, &QTreeWidget::itemSelectionChanged, this, &SolverConstraints::updateButtons);
    connect(m_list, &QTreeWidget::itemDoubleClicked, this,
            [this](QTreeWidgetItem* item) { editRow(m_list->indexOfTopLevelItem(item)); });
    connect(m_range, &TileRangeForm::closed, this, [this] {
        if (!m_rows.empty())
            m_list->setFocus();
        refresh({});
    });
    m_context.document.whenChanged(this, Part::Problem | Part::Machine | Part::RuleSet | Part::Steps,
                                   [this](Parts parts) { refresh(parts); });
    refresh({});
}

std::vector<SolverConstraints::Row> SolverConstraints::rowsOf(const ScheduleConstraints& constraints) const
{
    const Document& document = m_context.document;
    std::vector<Row> out;
    if (!document.hasProblem())
        return out;
    const Problem& problem = *document.problem();
    for (std::size_t i = 0; i < constraints.size(); ++i)
        out.push_back({sentence(constraintText(problem, constraints, i)), nullptr, {}});
    for (std::size_t i = 0; i < document.schedule().size(); ++i)
        if (const SubgraphPtr& s = document.schedule().subgraphs[i]; s->locked)
            out.push_back({sentence(lockText(problem, SubgraphId(i), *s)), s, SubgraphId(i)});
    return out;
}

void SolverConstraints::refresh(Parts parts)
{
    const Document& document = m_context.document;
    if (parts & (Part::Problem | Part::Machine | Part::RuleSet))
        m_priced.clear();
    if (parts & Part::Problem)
        m_range->hide();
    const auto constraints = constraintsOf(document);
    const ScheduleConstraints known = constraints ? *constraints : ScheduleConstraints();
    m_rows = rowsOf(known);
    const auto selected = selectedRow();
    const QSignalBlocker quiet(m_list);
    m_list->clear();
    for (const Row& row : m_rows)
        new QTreeWidgetItem(m_list, {row.text, {}});
    if (known.any())
        for (const ConstraintViolation& v :
             violations(*document.problem(), document.rules(), document.schedule(), known)) {
            QTreeWidgetItem* const item = m_list->topLevelItem(static_cast<int>(v.number));
            // Only the first subgraph is named; the tooltip names the others.
            const bool isFirst = item->icon(0).isNull();
            const QString what = tr("subgraph %1 %2").arg(v.subgraph.index()).arg(sentence(v.text));
            item->setIcon(0, icon(QStringLiteral("problem")));
            if (isFirst)
                item->setText(0, item->text(0) + QLatin1Char('\n') + tr("Not kept now: %1").arg(what));
            item->setToolTip(0, isFirst ? plain(what) : item->toolTip(0) + QLatin1Char('\n') + plain(what));
        }
    if (selected && !m_rows.empty())
        m_list->setCurrentItem(
            m_list->topLevelItem(static_cast<int>(std::min(*selected, m_rows.size() - 1))));
    if (m_priced != m_rows || m_rows.empty()) {
        m_costs.clear();
        m_costsNote.clear();
    }
    fillCosts();
    if (!constraints)
        m_note->setText(tr("The constraints of the schedule cannot be read: %1")
                            .arg(wholeSentence(constraints.error().text())));
    m_list->setVisible(!m_rows.empty());
    m_remove->setVisible(!m_rows.empty());
    m_price->setVisible(!m_rows.empty());
    m_note->setVisible(!m_note->text().isEmpty());
    setVisible(!m_rows.empty() || !constraints || !m_range->isHidden());
    updateButtons();
}

void SolverConstraints::setRunning(bool running)
{
    m_isRunning = running;
    updateButtons();
}

void SolverConstraints::updateButtons()
{
    m_remove->setEnabled(selectedRow().has_value());
    m_price->setEnabled(!m_isRunning && !m_rows.empty());
}

std::optional<std::size_t> SolverConstraints::selectedRow() const
{
    const auto items = m_list->selectedItems();
    if (items.isEmpty())
        return std::nullopt;
    return static_cast<std::size_t>(m_list->indexOfTopLevelItem(items.front()));
}

void SolverConstraints::removeSelected()
{
    const auto row = selectedRow();
    if (!row || *row >= m_rows.size())
        return;
    if (!m_rows[*row].lock) { // the rows of constraints come before those of locks
        removeConstraint(m_context.document, *row);
        return;
    }
    const SubgraphId subgraph = m_rows[*row].subgraph;
    m_context.document.apply(edit::setLocked(m_context.document.schedule(), {&subgraph, 1}, false),
                             tr("Unlock for the solver"));
}

void SolverConstraints::editTilesOfSelection()
{
    m_range->edit(tilesOfSelection(m_context.document, m_context.selection));
    show();
}

void SolverConstraints::editRow(int row)
{
    const auto constraints = constraintsOf(m_context.document);
    if (!constraints || row < 0)
        return;
    const std::size_t first = constraints->together.size() + constraints->apart.size();
    if (const std::size_t tiles = static_cast<std::size_t>(row) - first; tiles < constraints->tiles.size())
        m_range->edit(constraints->tiles[tiles]);
}

bool SolverConstraints::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const bool isDelete = key == Qt::Key_Delete;
    if (!isDelete && key != Qt::Key_Return && key != Qt::Key_Enter)
        return QWidget::eventFilter(watched, event);
    // Delete removes the constraint; it must not reach the command that deletes the selected subgraph
    event->accept();
    if (event->type() == QEvent::KeyPress) {
        if (isDelete)
            removeSelected();
        else if (const auto row = selectedRow())
            editRow(static_cast<int>(*row));
    }
    return true;
}

void SolverConstraints::showCosts(const SolveResult& result)
{
    if (m_asked != m_rows)
        return;
    m_priced = m_rows;
    m_costs = result.constraintCosts;
    QString space;
    for (const ConstraintCost& c : m_costs)
        if (!c.space.empty())
            space = QString::fromStdString(c.space);
    m_costsNote = tr("Best with all of them: %1.").arg(number(result.value()));
    if (m_costs.size() < m_rows.size())
        m_costsNote += QLatin1Char(' ') + tr("Stopped after %1 of %2 searches without a constraint.")
                                              .arg(m_costs.size())
                                              .arg(m_rows.size());
    if (!space.isEmpty())
        m_costsNote += QLatin1Char(' ') + tr("Proven over %1.").arg(sentence(space));
    fillCosts();
    m_note->setVisible(true);
}

void SolverConstraints::fillCosts()
{
    for (std::size_t i = 0; i < m_costs.size() && i < m_rows.size(); ++i) {
        const ConstraintCost& c = m_costs[i];
        QTreeWidgetItem* const item = m_list->topLevelItem(static_cast<int>(i));
        QString text = tr("costs %1 %2").arg(word(c.certainty()), number(c.cost));
        if (c.without > 0)
            text += tr(" (%1)").arg(percent(c.cost / c.without));
        item->setText(1, text);
        item->setToolTip(1, tr("Best without it: %1. The cost is proven to be %2 to %3.")
                                .arg(number(c.without), number(c.least), number(c.most)));
    }
    m_note->setText(m_costsNote);
}

} // namespace tilewright::ui
