// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/run/run_side.h"

#include "theme/text.h"
#include "theme/theme.h"
#include "workspace/texts.h"

#include <QHeaderView>
#include <QPainter>
#include <QScopedValueRollback>
#include <QTableView>

#include <algorithm>

namespace tilewright::ui {

namespace {

// Number of rows whose texts determine the widths of the columns of a long list.
constexpr int kMeasuredRows = 100;

/// Returns a cell with a time as share of the run; the tooltip has the time.
TableCell shareOf(double time, double end)
{
    const double share = end > 0 ? time / end : 0;
    return {time, percent(share), {}, exactNumber(time)};
}

/// Returns a table of the activity of all units at one time, and of the contents of fast memory.
Table nowTable(const RunChartModel& m, double time)
{
    Table out({tr("at %1").arg(number(time)), tr("does"), tr("from"), tr("to")});
    out.columns[2].kind = out.columns[3].kind = ColumnKind::Number;
    const LiveRunResult& r = *m.result();
    for (std::size_t core = 0; core < r.run.cores.size(); ++core) {
        const auto of = [&](const QString& name) {
            return r.run.cores.size() == 1 ? name : tr("%1 of core %2").arg(name, number(core));
        };
        for (std::size_t u = 0; u < kRunUnits; ++u) {
            const auto unit = static_cast<RunUnit>(u);
            const auto at = pieceAt(r.index, unit, time, core);
            const QString does = m.names.now(unit, time, core);
            if (at)
                out.add(of(unitName(unit)), TableCell(TableValue(does), does, {}, does),
                        r.index.of(unit, core)[*at].begin, r.index.of(unit, core)[*at].end);
            else
                out.add(of(unitName(unit)), does, TableValue(), TableValue());
        }
        if (const auto at = roomAt(r.run, time, core))
            for (std::size_t k = 0; k < RunRoom::kKinds; ++k)
                if (const std::int64_t units = r.run.room[*at].units[k]; units > 0)
                    out.add(of(roomName(static_cast<RunRoom::Kind>(k))),
                            QStringLiteral("%1 %2").arg(elementsText(r.problem(), units),
                                                        elementWord(r.problem())),
                            TableValue(), TableValue());
    }
    return out;
}

QPixmap swatchOf(std::size_t column, const Theme& theme)
{
    QPixmap out(14, 14);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    const MarkStyle style =
        column == 0 ? MarkStyle{theme.computeTime} : waitStyle(static_cast<RunWait>(column - 1), theme);
    fillMark(painter, QRectF(0, 0, 14, 14), style, theme);
    return out;
}

} // namespace

RunSide::RunSide(const ViewContext& context, QWidget* parent) : QTabWidget(parent), m_context(context)
{
    setObjectName(QStringLiteral("run.side"));
    setAccessibleName(tr("Details of the run"));
    setDocumentMode(true);
    setUsesScrollButtons(true);
    const auto add = [this](QTableView*& table, const char* name, const QString& title,
                            const QString& accessible, const QString& tip) {
        table = new QTableView(this);
        table->setObjectName(QLatin1String(name));
        table->setAccessibleName(accessible);
        table->setToolTip(tip);
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        addTab(table, title);
    };
    add(m_waitTable, "run.waits", tr("Waits"), tr("Time of each unit by what it waits for"),
        tr("Share of the run that each unit works or waits. Each column adds up to the whole run; the "
           "tooltip of a "
           "cell has the time."));
    add(m_nowTable, "run.now", tr("Cursor"), tr("What each unit does at the cursor"),
        tr("What each unit does or waits for at the cursor, and what takes room in fast memory."));
    add(m_subgraphTable, "run.subgraphs", tr("Subgraphs"), tr("Each subgraph in R10 and in the run"),
        tr("Latency by R10, length in the run, and the difference by its parts. A click selects the "
           "subgraph."));
    const auto heading = [this](int row, int column, int role) -> QVariant {
        constexpr auto kRows = static_cast<int>(kRunWaits) + 1;
        if (column != TableModel::kHeading || row < 0 || row > kRows)
            return {};
        if (role == Qt::DisplayRole)
            return row == 0       ? tr("busy")
                   : row == kRows ? tr("whole run")
                                  : waitName(static_cast<RunWait>(row - 1));
        if (role == Qt::DecorationRole && row < kRows)
            return swatchOf(static_cast<std::size_t>(row), m_context.themes.theme());
        if (role == Qt::ToolTipRole && row > 0 && row < kRows)
            return waitExplanation(static_cast<RunWait>(row - 1));
        return {};
    };
    for (QTableView* table : {m_waitTable, m_nowTable}) // not the table of subgraphs, which may be long
        table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_subgraphTable->horizontalHeader()->setResizeContentsPrecision(kMeasuredRows);
    m_waits = new TableModel(this, heading);
    m_waitTable->setModel(m_waits);
    m_now = new TableModel(this);
    m_nowTable->setModel(m_now);
    m_nowTable->verticalHeader()->hide();
    m_nowTable->setWordWrap(true);
    m_subgraphs = new TableModel(this);
    m_sorted = new SortedRows(*m_subgraphs, tr("the order of execution"), this);
    asList(*m_subgraphTable, tr("Each subgraph in R10 and in the run"), *m_sorted);
    m_sorted->sortBy(*m_subgraphTable);
    connect(m_subgraphTable->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &RunSide::selectRow);
    connect(&context.selection, &Selection::changed, this, &RunSide::followSelection);
    connect(&context.themes, &ThemeSource::changed, this, [this] { m_waits->refresh(); });
}

void RunSide::show(const std::shared_ptr<const RunChartModel>& model)
{
    if (m_model && m_model->result() == model->result() && model->result()) {
        m_model = model;
        return;
    }
    m_model = model;
    const LiveRunPtr& r = model->result();
    if (!r) {
        for (TableModel* table : {m_waits, m_now, m_subgraphs})
            table->setTable({});
        return;
    }
    // In this table the units are columns, so that the waits are read from top to bottom. In a copied table
    // the units are rows.
    Table waits;
    for (std::size_t u = 0; u < kRunUnits; ++u)
        waits.columns.push_back({unitName(static_cast<RunUnit>(u)), ColumnKind::Percent});
    // With several cores, the total time of the same unit in all cores.
    const double all = r->run.end * static_cast<double>(r->run.cores.size());
    const auto row = [&](const auto& time) {
        std::vector<TableCell> cells;
        for (const RunUnitSums& unit : r->run.units)
            cells.push_back(shareOf(time(unit), all));
        waits.add(std::move(cells));
    };
    row([](const RunUnitSums& unit) { return unit.busy; });
    for (std::size_t w = 0; w < kRunWaits; ++w)
        row([w](const RunUnitSums& unit) { return unit.waits[w]; });
    row([&](const RunUnitSums&) { return all; });
    m_waits->setTable(std::move(waits));
    m_waitTable->resizeColumnsToContents();
    m_subgraphs->setTable(subgraphTable(*r));
    m_subgraphTable->resizeColumnsToContents();
    followSelection();
}

void RunSide::showCursor(std::optional<double> time)
{
    if (!m_model || !m_model->result() || !time || !m_model->hint.isEmpty())
        return m_now->setTable(Table({tr("Click in the chart to see what each unit does at that time.")}));
    m_now->setTable(nowTable(*m_model, *time));
    if (m_nowTable->model()->columnCount() < 2)
        return;
    m_nowTable->resizeColumnsToContents();
    // The middle column takes the remaining width, and its texts wrap.
    const int others = m_nowTable->columnWidth(0) + m_nowTable->columnWidth(2) + m_nowTable->columnWidth(3);
    m_nowTable->setColumnWidth(1, std::max(110, m_nowTable->viewport()->width() - others));
}

void RunSide::selectRow()
{
    const QModelIndex now = m_subgraphTable->currentIndex();
    if (!now.isValid() || m_following)
        return;
    const QScopedValueRollback following(m_following, true);
    m_context.selection.selectSubgraph(SubgraphId(static_cast<std::size_t>(m_sorted->sourceRow(now.row()))));
}

void RunSide::followSelection()
{
    const auto subgraph = m_context.selection.state().subgraph;
    if (m_following || !subgraph || subgraph->index() >= m_subgraphs->table().rowCount())
        return;
    const QScopedValueRollback following(m_following, true);
    m_subgraphTable->setCurrentIndex(
        m_sorted->index(m_sorted->rowOf(static_cast<int>(subgraph->index())), 0));
}

Table waitTable(const ScheduleRun& run)
{
    Table out;
    out.columns.push_back({tr("unit")});
    out.columns.push_back({tr("busy"), ColumnKind::Number});
    for (std::size_t w = 0; w < kRunWaits; ++w)
        out.columns.push_back({word(runWaitName(static_cast<RunWait>(w))), ColumnKind::Number});
    out.columns.push_back({tr("whole run"), ColumnKind::Number});
    for (std::size_t core = 0; core < run.cores.size(); ++core)
        for (std::size_t u = 0; u < kRunUnits; ++u) {
            const RunUnitSums& sums = run.cores[core].units[u];
            const QString unit = word(runUnitName(static_cast<RunUnit>(u)));
            std::vector<TableCell> cells{
                TableCell(run.cores.size() == 1 ? unit : tr("%1 of core %2").arg(unit, number(core))),
                TableCell(sums.busy)};
            for (const double wait : sums.waits)
                cells.emplace_back(wait);
            cells.emplace_back(run.end);
            out.add(std::move(cells));
        }
    return out;
}

Table subgraphTable(const LiveRunResult& r)
{
    Table out;
    const auto column = [&](const QString& title, ColumnKind kind, const QString& tip) {
        out.columns.push_back({title, kind, tip});
    };
    column(tr("#"), ColumnKind::Number, tr("Number of the subgraph."));
    column(tr("R10"), ColumnKind::Number,
           tr("Latency by R10: the sum over the steps of the larger of compute and memory."));
    column(tr("run"), ColumnKind::Number, tr("By how much the subgraph moves the end of the run."));
    column(tr("change"), ColumnKind::Change, tr("The run less R10."));
    column(tr("start-up"), ColumnKind::Change, tr("Before its first run begins."));
    column(tr("drain"), ColumnKind::Change, tr("After its last run has ended."));
    column(tr("overlap"), ColumnKind::Change,
           tr("Time that R10 adds up although units work at the same time, minus the waits. The run is "
              "shorter by it."));
    for (std::size_t i = 0; i < r.run.subgraphs.size(); ++i) {
        const RunDifference d = differenceOf(r.run.subgraphs[i]);
        const auto signedCell = [](double value) {
            return TableCell(TableValue(value), change(0, value) == 0 ? QString() : signedNumber(value));
        };
        out.add(static_cast<std::int64_t>(i), d.latency, d.length, signedCell(change(d.latency, d.length)),
                signedCell(d.startUp), signedCell(d.drain), signedCell(-d.overlap));
    }
    return out;
}

QString runAsText(const LiveRunResult& r)
{
    return QString::fromStdString(csvOf(waitTable(r.run), "\t") + "\n" + csvOf(subgraphTable(r), "\t"));
}

} // namespace tilewright::ui
