// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/history/history_view.h"

#include "snapshot/snapshot.h"
#include "theme/text.h"

#include <QHeaderView>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>
#include <limits>

namespace tilewright::ui {

namespace {

double totalOf(const Evaluation& evaluation)
{
    return evaluation.valid() ? evaluation.total : std::numeric_limits<double>::quiet_NaN();
}

} // namespace

HistoryModel::HistoryModel(const ViewContext& context, QObject* parent)
    : TableModel(parent, [this](int row, int column, int role) { return lookOf(row, column, role); }),
      m_context(context), m_job([this](const std::vector<std::pair<std::size_t, State>>& found) {
          for (const auto& [row, state] : found)
              if (row < m_states.size() && m_states[row].problem == state.problem &&
                  m_states[row].schedule == state.schedule && m_states[row].rules == state.rules)
                  m_states[row].total = state.total;
          refresh();
      })
{
    setTable(edits());
    alignHeadings();
    Document& document = m_context.document;
    // The document announces an edit before the undo stack counts it: the state is recorded once the stack's
    // index has moved.
    document.whenChanged(this, Part::Problem | Part::RuleSet | Part::Snapshot, [this](Parts parts) {
        if (parts.testFlag(Part::RuleSet)) // totals under different rules are not comparable
            for (State& state : m_states) {
                state.rules = m_context.document.rules();
                state.total.reset();
            }
        if (parts.testFlag(Part::Snapshot) && !parts.testFlag(Part::Problem) && !m_states.empty())
            takeTotal();
        else
            takeState();
    });
    // The history starts at the opened file.
    connect(&document, &LensDocument::fileChanged, this, [this] {
        if (m_context.document.undoStack().count() == 0)
            takeState();
    });
    QUndoGroup& group = m_context.workspace.undoGroup();
    connect(&group, &QUndoGroup::activeStackChanged, this, &HistoryModel::refresh);
    connect(&group, &QUndoGroup::indexChanged, this, &HistoryModel::takeState);
    takeState();
}

QUndoStack* HistoryModel::stack() const
{
    return m_context.workspace.undoGroup().activeStack();
}

bool HistoryModel::hasTotals() const
{
    return stack() == &m_context.document.undoStack();
}

int HistoryModel::current() const
{
    return stack() ? stack()->index() : 0;
}

void HistoryModel::goTo(int row)
{
    if (stack())
        stack()->setIndex(row);
}

void HistoryModel::takeState()
{
    const Document& document = m_context.document;
    const QUndoStack& undo = m_context.document.undoStack();
    m_states.resize(document.hasProblem() ? static_cast<std::size_t>(undo.count()) + 1 : 0);
    if (!m_states.empty()) {
        State& state = m_states[static_cast<std::size_t>(undo.index())];
        if (state.problem != document.problem() || !(state.schedule == document.schedule()))
            state = {document.problem(), document.schedule(), document.rules(), std::nullopt};
        takeTotal();
    }
    refresh();
}

void HistoryModel::takeTotal()
{
    const auto now = static_cast<std::size_t>(m_context.document.undoStack().index());
    const SnapshotPtr& snapshot = m_context.document.snapshot();
    if (now < m_states.size() && snapshot) {
        State& state = m_states[now];
        if (!state.total && snapshot->problem == state.problem && snapshot->evaluation.rules == state.rules &&
            snapshot->schedule == state.schedule) {
            state.total = totalOf(snapshot->evaluation);
            refresh();
        }
    }
    evaluate();
}

/// Computes the missing totals of states that were skipped during quick edits.
void HistoryModel::evaluate()
{
    std::vector<std::pair<std::size_t, State>> unknown;
    const auto now = static_cast<std::size_t>(m_context.document.undoStack().index());
    for (std::size_t row = 0; row < m_states.size(); ++row)
        if (row != now && m_states[row].problem && !m_states[row].total)
            unknown.emplace_back(row, m_states[row]);
    if (unknown.empty())
        return;
    m_job.request([unknown = std::move(unknown)](const std::stop_token& stop) mutable {
        for (auto& [row, state] : unknown) {
            if (stop.stop_requested())
                break;
            const SnapshotPtr snapshot = takeSnapshot(state.problem, state.schedule, state.rules, 0, 0);
            state.total = totalOf(snapshot->evaluation);
        }
        return unknown;
    });
}

void HistoryModel::settle()
{
    m_context.document.waitForSnapshot();
    m_job.waitIdle();
}

void HistoryModel::refresh()
{
    setCount(stack() ? static_cast<std::size_t>(stack()->count()) + 1 : 0);
}

std::optional<double> HistoryModel::total(std::size_t row) const
{
    return hasTotals() && row < m_states.size() ? m_states[row].total : std::nullopt;
}

Table HistoryModel::edits()
{
    const auto valid = [this](std::size_t row) {
        const std::optional<double> here = total(row);
        return here && !std::isnan(*here) ? here : std::nullopt;
    };
    Table out;
    out.columns = {{tr("Edit")}, {tr("Total"), ColumnKind::Number}, {tr("Change"), ColumnKind::Change}};
    out.nameColumns(tr("edit\ttotal\tchange"));
    out.columns[Edit].cell = [this](std::size_t row) -> TableCell {
        return row == 0 ? tr("As opened") : stack()->text(static_cast<int>(row) - 1);
    };
    out.columns[Total].cell = [this, valid](std::size_t row) -> TableCell {
        return total(row) && !valid(row) ? TableCell(tr("not valid")) : TableCell(valid(row));
    };
    out.columns[Change].cell = [valid](std::size_t row) -> TableCell {
        const std::optional<double> before = row > 0 ? valid(row - 1) : std::nullopt;
        const std::optional<double> here = valid(row);
        return before && here ? std::optional(change(*before, *here)) : std::nullopt;
    };
    return out;
}

QVariant HistoryModel::lookOf(int row, int column, int role) const
{
    if (row == kHeading || column == kHeading)
        return {};
    switch (role) {
    case Qt::FontRole: {
        QFont font = column == Edit ? uiFont(1.0) : numberFont();
        font.setBold(row == current());
        return font;
    }
    case Qt::ForegroundRole: {
        const Theme& theme = m_context.themes.theme();
        // The row is an edit that was undone and can be redone.
        return row > current() ? theme.muted : theme.text;
    }
    case Qt::ToolTipRole:
        return data(index(row, column));
    default:
        return {};
    }
}

HistoryView::HistoryView(const ViewContext& context, QWidget* parent)
    : View(context, QStringLiteral("history"), tr("History"), parent),
      m_model(new HistoryModel(context, this)), m_table(new QTableView(this))
{
    asList(*m_table, tr("History of edits"), *m_model);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    QHeaderView* header = m_table->horizontalHeader();
    header->setSectionResizeMode(HistoryModel::Edit, QHeaderView::Stretch);
    header->setSectionResizeMode(HistoryModel::Total, QHeaderView::Interactive);
    header->setSectionResizeMode(HistoryModel::Change, QHeaderView::Interactive);
    const int wide = QFontMetrics(numberFont()).horizontalAdvance(QStringLiteral("00 000 000.0")) + 16;
    m_table->setColumnWidth(HistoryModel::Total, wide);
    m_table->setColumnWidth(HistoryModel::Change, wide);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_table);
    for (const auto chosen : {&QTableView::clicked, &QTableView::activated})
        connect(m_table, chosen, this, [this](const QModelIndex& row) { m_model->goTo(row.row()); });
    connect(m_model, &QAbstractItemModel::modelReset, this, &HistoryView::outdate);
    refresh();
}

void HistoryView::showEvent(QShowEvent* event)
{
    View::showEvent(event);
    // Queued until the view has its size: a row that was scrolled to before could be hidden now.
    QMetaObject::invokeMethod(this, &HistoryView::refresh, Qt::QueuedConnection);
}

void HistoryView::refresh()
{
    const QModelIndex now = m_model->index(m_model->current(), 0);
    m_table->setCurrentIndex(now);
    m_table->scrollTo(now);
}

QString HistoryView::copyText() const
{
    return rowsAsText(*m_model, true);
}

} // namespace tilewright::ui
