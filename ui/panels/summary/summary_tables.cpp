// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/summary_tables.h"

#include "theme/text.h"

#include <algorithm>

namespace tilewright::ui {

using verbs::SummaryFigure;
using State = verbs::SummaryRow::State;

namespace {

QString tipOf(SummaryFigure figure)
{
    switch (figure) {
    case SummaryFigure::Cycles:
        return tr("Cycles of the machine's clock. Click a figure to see what it is made of.");
    case SummaryFigure::Milliseconds:
        return tr("Time at the machine's clock.");
    case SummaryFigure::OfFloor:
        return tr("Multiple of the floor for the cores of the row (R19): no lens takes fewer cycles.");
    case SummaryFigure::Tops:
        return tr("Multiplications and additions of all products in the time of the row.");
    case SummaryFigure::OfPeak:
        return tr("Share of the largest rate of the arrays of these cores.");
    case SummaryFigure::DramBytes:
        return tr("Bytes between external and on-chip memory.");
    case SummaryFigure::OfLeastBytes:
        return tr("Multiple of the bytes that must move: inputs that are read, and outputs.");
    case SummaryFigure::Energy:
        return tr("Energy from the machine's table of energies.");
    case SummaryFigure::Cores:
        return tr("Number of cores that the row models.");
    }
    return {};
}

} // namespace

Table paneTable(std::span<const verbs::Summary> summaries)
{
    Table out = verbs::summaryTable(summaries);
    TableColumn button{tr("Run")};
    button.copied = false;
    out.columns.insert(out.columns.begin() + SummaryButton, button);
    for (const verbs::SummaryColumn& column : verbs::summaryColumns())
        out.columns[SummaryFirstFigure + static_cast<std::size_t>(column.figure)].tip = tipOf(column.figure);
    out.columns[SummaryBinds].tip = tr("The resource that limits the row.");
    out.columns[SummaryLeftOut].tip = tr("Parts of model and machine that the figures do not contain.");
    for (std::vector<TableCell>& row : out.rows) {
        row.insert(row.begin() + SummaryButton, TableCell(QString()));
        for (TableCell& cell : row)
            cell.tip = plain(QString::fromStdString(cell.tip)); // the tooltip contains names from the file
    }
    return out;
}

Table layerTable(std::span<const verbs::Summary> summaries, std::optional<OperatorId> op)
{
    Table out;
    out.columns = {
        {tr("Lens")},
        {tr("Cycles"), ColumnKind::Number, tr("Of this operator, or of the subgraph that runs it.")},
        {tr("DRAM bytes"), ColumnKind::Number},
        {tr("Energy µJ"), ColumnKind::Number},
        {tr("How")}};
    for (const verbs::Summary& summary : summaries)
        for (const verbs::SummaryRow& row : summary.rows) {
            QString title = text(verbs::titleOf(row.kind));
            if (summaries.size() > 1)
                title = tr("%1, on %2").arg(title, QString::fromStdString(summary.machine));
            if (row.state != State::Done) {
                out.add(title,
                        TableCell(TableValue(), row.state == State::NotRun ? tr("not run") : tr("error")),
                        TableValue(), TableValue(), QString());
                continue;
            }
            bool found = false;
            const auto figure = [](SummaryFigure f, const std::optional<double>& value) {
                return value ? TableCell(*value, verbs::figureText(f, *value))
                             : TableCell(TableValue(), tr("not modelled"));
            };
            for (const verbs::OperatorFigures& f : row.operators) {
                if (f.op != op)
                    continue;
                found = true;
                out.add(title, figure(SummaryFigure::Cycles, f.cycles.value),
                        figure(SummaryFigure::DramBytes, f.dramBytes),
                        figure(SummaryFigure::Energy, f.energyPj), f.how);
            }
            if (!found && op)
                out.add(title, TableCell(TableValue(), tr("none")), TableValue(), TableValue(),
                        tr("This lens has no work of this operator."));
        }
    return out;
}

Table languageTable(std::span<const verbs::Summary> summaries)
{
    Table out;
    out.columns = {{tr("Figure")}};
    for (const verbs::Summary& summary : summaries) {
        const std::vector<verbs::LanguageLine> lines = verbs::languageLines(summary);
        if (lines.empty())
            continue;
        out.columns.push_back({summaries.size() == 1 ? tr("Value")
                                                     : tr("%1 on %2")
                                                           .arg(QString::fromStdString(summary.model),
                                                                QString::fromStdString(summary.machine))});
        for (std::vector<TableCell>& row : out.rows)
            row.emplace_back(QString());
        for (const verbs::LanguageLine& line : lines) {
            auto row = std::ranges::find_if(out.rows, [&](const std::vector<TableCell>& cells) {
                return cells.front().value == TableValue(line.name);
            });
            if (row == out.rows.end()) {
                out.rows.emplace_back(out.columns.size(), TableCell(QString())).front() =
                    TableCell(line.name);
                row = out.rows.end() - 1;
            }
            row->back() = TableCell(line.text);
        }
    }
    return out;
}

} // namespace tilewright::ui
