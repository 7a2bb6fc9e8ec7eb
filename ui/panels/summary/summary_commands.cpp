// SPDX-License-Identifier: GPL-3.0-or-later
// Commands of the Summary pane: runs, context menu, copies and exports.
#include "base/file.h"
#include "canvas/control_bar.h"
#include "canvas/number_box.h"
#include "panels/summary/summary_tables.h"
#include "panels/summary/summary_view.h"
#include "theme/icon.h"
#include "theme/text.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QLabel>
#include <QMenu>
#include <QTableView>
#include <QToolButton>

namespace tilewright::ui {

using verbs::SummaryKind;
using State = verbs::SummaryRow::State;

namespace {

constexpr double kSolveSeconds = 10, kLongestSolve = 3600;

} // namespace

void SummaryView::addCommands()
{
    ActionSpec all{
        QStringLiteral("summary.run"),
        tr("Solve"),
        tr("Run all rows"),
        QStringLiteral("play"),
        {},
        tr("Run the rows that have to be simulated or searched: the NPU, a schedule, the tiles of the "
           "NPU, a mapping of every layer.")};
    all.available = [&d = document()] {
        return Availability(d.hasProblem(), tr("Open a model or a problem first."));
    };
    auto* button = m_bar->addButton(addCommand(all, [this](bool) {
        catchUp();
        for (const SummaryKind kind : verbs::kSummaryKinds)
            if (m_model && m_summary.rows[indexOf(kind)].state == State::NotRun && !isRunning(kind))
                run(kind);
    }));
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_seconds->setObjectName(QStringLiteral("summary.seconds"));
    m_seconds->setRange(0.1, kLongestSolve);
    m_seconds->setDecimals(1);
    m_seconds->setSuffix(tr(" s"));
    m_seconds->setValue(kSolveSeconds);
    m_bar->addLabelled(tr("Search a schedule for"), m_seconds, tr("Time of the row \"Schedule, solved\"."));
    ActionSpec apply{QStringLiteral("summary.apply"),
                     tr("Solve"),
                     tr("Apply the schedule found"),
                     QStringLiteral("ok"),
                     {},
                     tr("Replace the schedule by the one of the row \"Schedule, solved\": one undo step.")};
    m_apply = addCommand(apply, [this](bool) { applySolved(); });
    m_bar->addButton(m_apply)->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    ActionSpec save{QStringLiteral("summary.save"),
                    tr("File"),
                    tr("Export the Summary…"),
                    QStringLiteral("export"),
                    {},
                    tr("Write the table as CSV, or as JSON with what every figure is made of.")};
    save.available = all.available;
    m_bar->addButton(addCommand(save, [this](bool) { saveTable(); }));
}

void SummaryView::showMenu(const QPoint& position)
{
    const QModelIndex cell = m_table->indexAt(position);
    QMenu menu(this);
    menu.setObjectName(QStringLiteral("summary.menu"));
    if (cell.isValid()) {
        m_table->setCurrentIndex(cell);
        menu.addAction(icon(QStringLiteral("copy")), tr("Copy the figure"), this, [cell] {
            QApplication::clipboard()->setText(cell.data(TableModel::ExactRole).toString());
        });
        menu.addAction(tr("Copy what it is made of"), this,
                       [this] {
                           if (const ExplainedValue* e = m_explained->explanation())
                               QApplication::clipboard()->setText(
                                   QString::fromStdString(explanationText(*e)));
                       })
            ->setEnabled(m_explained->explanation() != nullptr);
        if (const auto kind = kindOf(cell.row()); kind && m_buttons[indexOf(*kind)])
            menu.addAction(m_buttons[indexOf(*kind)]->icon(), m_buttons[indexOf(*kind)]->text(), this,
                           [this, kind] { toggle(*kind); });
        menu.addSeparator();
    }
    menu.addAction(tr("Copy the table"), this, [this] { QApplication::clipboard()->setText(copyText()); });
    for (const char* id : {"summary.save", "file.export"})
        if (QAction* action = registry().find(QLatin1String(id)))
            menu.addAction(action);
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

Status SummaryView::exportTable(const QString& path) const
{
    const std::span<const verbs::Summary> one(&m_summary, m_summary.rows.empty() ? 0 : 1);
    const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    return writeFileAtomically(path.toStdString(),
                               isCsv ? verbs::summaryCsv(one) : verbs::summaryJson(one, true));
}

void SummaryView::saveTable()
{
    const QString path = QFileDialog::getSaveFileName(this, tr("Export the Summary"), tr("summary.csv"),
                                                      tr("CSV (*.csv);;JSON (*.json)"));
    if (path.isEmpty())
        return;
    if (const Status done = exportTable(path); !done)
        m_about->setText(plain(sentence(done.error().text())));
}

void SummaryView::applySolved()
{
    if (m_summary.rows.empty() || !m_summary.rows[1].solved)
        return;
    document().waitForSnapshot();
    if (const SnapshotPtr before = document().snapshot(); before && before->evaluation.valid())
        document().addBaseline(tr("Before the Summary's search"), before);
    document().apply(*m_summary.rows[1].solved, tr("Schedule of the Summary"));
}

QSize SummaryView::exportSize() const
{
    const QSize size(1280, 520);
    return (size * std::max(1.0, fontMetrics().height() / 17.0)).expandedTo(size);
}

QString SummaryView::tableText() const
{
    const Table& table = m_rows->table();
    QStringList lines;
    for (int row = TableModel::kHeading; row < static_cast<int>(table.rowCount()); ++row) {
        QStringList cells;
        for (std::size_t c = 0; c < table.columns.size(); ++c)
            if (table.columns[c].copied)
                cells << QString::fromStdString(row == TableModel::kHeading
                                                    ? table.heading(c)
                                                    : table.shown(static_cast<std::size_t>(row), c));
        lines << cells.join(QLatin1Char('\t'));
    }
    return lines.join(QLatin1Char('\n')) + QLatin1Char('\n');
}

QString SummaryView::copyText() const
{
    return rowsAsText(*m_rows, true);
}

} // namespace tilewright::ui
