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
#include <QTabWidget>
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
        for (std::size_t block = 0; m_model && block < m_summaries.size(); ++block)
            for (const SummaryKind kind : verbs::kSummaryKinds)
                if (m_summaries[block].rows[indexOf(kind)].state == State::NotRun && !isRunning(kind, block))
                    run(kind, block);
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
    m_compare = new QMenu(this);
    m_compare->setObjectName(QStringLiteral("summary.compare"));
    connect(m_compare, &QMenu::aboutToShow, this, &SummaryView::fillCompareMenu);
    auto* compare = new QToolButton;
    compare->setText(tr("Compare with"));
    compare->setIcon(icon(QStringLiteral("compare")));
    compare->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    compare->setAutoRaise(true);
    compare->setMenu(m_compare);
    compare->setPopupMode(QToolButton::InstantPopup);
    m_bar->add(compare, tr("Compare with another machine or model"),
               tr("Show the figures of another machine, or of another model, below those of the open model, "
                  "with the ratio of each."));
    const auto compareCommand = [&](const char* id, const QString& title, const QString& tip) {
        ActionSpec spec{QLatin1String(id), tr("Compare"), title, {}, {}, tip};
        spec.available = all.available;
        return spec;
    };
    addCommand(compareCommand("summary.compareMachine", tr("Summary: compare with a machine file…"),
                              tr("Show the figures of the open model on the machine of a file beside its "
                                 "own.")),
               [this](bool) { chooseOther(true); });
    addCommand(compareCommand("summary.compareModel", tr("Summary: compare with another model…"),
                              tr("Show the figures of another model on this machine beside those of the open "
                                 "model.")),
               [this](bool) { chooseOther(false); });
    ActionSpec end = compareCommand("summary.compareEnd", tr("Summary: end the comparison"),
                                    tr("Remove the other machine or model from the Summary."));
    end.iconName = QStringLiteral("close");
    end.available = [this] {
        return Availability(m_other.has_value(), tr("Nothing is compared in the Summary."));
    };
    m_end = m_bar->addButton(addCommand(end, [this](bool) { endComparison(); }));
    ActionSpec save{QStringLiteral("summary.save"),
                    tr("File"),
                    tr("Export the Summary…"),
                    QStringLiteral("export"),
                    {},
                    tr("Write the table as CSV, or as JSON with what every figure is made of.")};
    save.available = all.available;
    m_bar->addButton(addCommand(save, [this](bool) { saveTable(); }));
    ActionSpec layer{
        QStringLiteral("summary.layer"),
        tr("Help"),
        tr("Selected operator in four &lenses"),
        {},
        {},
        tr("Show the page \"One layer in four lenses\" of the Summary: the figures of the selected "
           "operator in every row that has been run.")};
    layer.available = [&d = document()] {
        return Availability(d.model() != nullptr, tr("Open a model first."));
    };
    addCommand(layer, [this](bool) {
        catchUp();
        m_pages->setCurrentIndex(1);
    });
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
        const verbs::SummaryLine line = lineOf(cell.row());
        if (QToolButton* run = line.kind ? button(*line.kind, line.summary) : nullptr)
            menu.addAction(run->icon(), run->text(), this,
                           [this, line] { toggle(*line.kind, line.summary); });
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
    const std::span<const verbs::Summary> all(m_summaries.data(), m_model ? m_summaries.size() : 0);
    const bool isCsv = path.endsWith(QLatin1String(".csv"), Qt::CaseInsensitive);
    return writeFileAtomically(path.toStdString(),
                               isCsv ? verbs::summaryCsv(all) : verbs::summaryJson(all, true));
}

void SummaryView::fillCompareMenu()
{
    m_compare->clear();
    for (const MachinePreset& preset : machinePresets())
        m_compare->addAction(tr("Machine %1").arg(text(preset.name)), this, [this, name = preset.name] {
            if (const auto machine = machinePreset(name))
                compareWith(*machine);
        });
    m_compare->addSeparator();
    m_compare->addAction(tr("Machine of a file…"), this, [this] { chooseOther(true); });
    m_compare->addAction(tr("Another model…"), this, [this] { chooseOther(false); });
    m_compare->addSeparator();
    m_compare->addAction(tr("Nothing"), this, &SummaryView::endComparison)->setEnabled(m_other.has_value());
}

void SummaryView::chooseOther(bool isMachine)
{
    const QString path = QFileDialog::getOpenFileName(
        this, isMachine ? tr("Compare with a machine") : tr("Compare with a model"), {},
        isMachine ? tr("Machines (*.json);;All files (*)")
                  : tr("Models (*.onnx *.mlir *.stablehlo *.json *.csv);;All files (*)"));
    if (path.isEmpty())
        return;
    if (const Status done = compareWithFile(path); !done)
        m_about->setText(plain(sentence(done.error().text())));
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
    const auto& rows = m_summaries.front().rows;
    const auto solved = rows.empty() ? nullptr : rows[indexOf(SummaryKind::ScheduleSolved)].solved;
    if (!solved)
        return;
    document().waitForSnapshot();
    if (const SnapshotPtr before = document().snapshot(); before && before->evaluation.valid())
        document().addBaseline(tr("Before the Summary's search"), before);
    document().apply(*solved, tr("Schedule of the Summary"));
}

QSize SummaryView::exportSize() const
{
    const QSize size(isComparing() ? 1600 : 1280, isComparing() ? 920 : 520);
    return (size * std::max(1.0, fontMetrics().height() / 17.0)).expandedTo(size);
}

QString SummaryView::tableText() const
{
    return QString::fromStdString(verbs::summaryText(m_summaries));
}

QString SummaryView::copyText() const
{
    return rowsAsText(*m_rows, true);
}

} // namespace tilewright::ui
