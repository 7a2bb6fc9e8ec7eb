// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/summary/summary_tables.h"

#include "theme/text.h"
#include "workspace/overlays.h"

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

bool isAny(const MeasuredRows& measured)
{
    return std::ranges::any_of(measured, [](const auto& row) { return row.has_value(); });
}

TableCell ratioCell(double ratio, const QString& tip = {})
{
    return {ratio, shownText(ratio, overlay::Shown::Ratio), std::nullopt, tip};
}

/// The measured column of the table of all lenses: nothing where no operator of a row is measured.
std::vector<TableCell> measuredCells(std::span<const verbs::Summary> summaries, const MeasuredRows& measured)
{
    std::vector<TableCell> out;
    for (const verbs::SummaryLine& line : verbs::summaryLines(summaries)) {
        const auto* row = line.summary == 0 && line.kind && measured[indexOf(*line.kind)]
                              ? &*measured[indexOf(*line.kind)]
                              : nullptr;
        if (!row) {
            out.emplace_back(TableValue(), QString());
            continue;
        }
        const validation::Agreement& agreement = row->comparison.agreement;
        out.push_back(
            ratioCell(agreement.ratio,
                      tr("Geometric mean of %1, from × %2 to × %3. %4.")
                          .arg(counted(static_cast<std::int64_t>(agreement.rows), tr("row"), tr("rows")),
                               significantNumber(agreement.least), significantNumber(agreement.most),
                               sentence(overlay::matchedText(*row)))));
    }
    return out;
}

} // namespace

Table paneTable(std::span<const verbs::Summary> summaries, const MeasuredRows& measured)
{
    Table out = verbs::summaryTable(summaries);
    TableColumn beside{
        shownTitle(overlay::Shown::Ratio), ColumnKind::Number,
        tr("The figures of single operators divided by those of the first file that is on in the "
           "view Measured.")};
    beside.copied = isAny(measured);
    out.columns.insert(out.columns.begin() + SummaryMeasured - 1, beside); // the buttons are not there yet
    const std::vector<TableCell> cells = measuredCells(summaries, measured);
    for (std::size_t row = 0; row < out.rows.size(); ++row)
        out.rows[row].insert(out.rows[row].begin() + SummaryMeasured - 1, cells[row]);
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

Table layerTable(std::span<const verbs::Summary> summaries, std::optional<OperatorId> op,
                 const MeasuredRows& measured)
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
    if (!isAny(measured) || !op)
        return out;
    // The measured value of this operator, or of those that run with it, and each lens divided by it.
    out.columns.push_back({shownTitle(overlay::Shown::Ratio), ColumnKind::Number});
    std::size_t at = 0;
    QString value;
    for (const verbs::Summary& summary : summaries)
        for (const verbs::SummaryRow& row : summary.rows) {
            const std::size_t lines =
                row.state == State::Done
                    ? std::max<std::size_t>(
                          1, std::ranges::count(row.operators, *op, &verbs::OperatorFigures::op))
                    : 1;
            const auto& beside = measured[indexOf(row.kind)];
            const auto part = &summary == summaries.data() && beside ? beside->rowOf(*op) : std::nullopt;
            std::optional<double> ratio;
            if (part) {
                const validation::ComparedRow& compared = beside->comparison.rows[*part];
                ratio = overlay::shownValue(compared, overlay::Shown::Ratio);
                value = tr("%1 in the column %2 of %3, line %4")
                            .arg(significantNumber(compared.measured),
                                 QString::fromStdString(beside->comparison.column),
                                 QString::fromStdString(beside->comparison.file), number(compared.line));
            }
            for (std::size_t i = 0; i < lines; ++i, ++at)
                out.rows[at].push_back(ratio ? ratioCell(*ratio) : TableCell(TableValue(), QString()));
        }
    out.add(tr("Measured"), TableCell(TableValue(), QString()), TableValue(), TableValue(),
            value.isEmpty() ? tr("not measured") : value, TableValue());
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
