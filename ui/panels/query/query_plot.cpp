// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/query/query_plot.h"

#include "theme/text.h"
#include "theme/theme.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilewright::ui {

std::optional<double> numberIn(const TableValue& value)
{
    if (const auto* const integer = std::get_if<std::int64_t>(&value))
        return static_cast<double>(*integer);
    if (const auto* const number = std::get_if<double>(&value))
        return *number;
    return {};
}

PlotModel queryPlot(const tables::QueryResult& result, std::optional<std::size_t> x, std::size_t y,
                    std::optional<int> chosen, const Theme& theme)
{
    PlotModel p;
    p.x.title = x ? QString::fromStdString(result.columns[*x]) : QueryPlot::tr("row");
    p.y.title = QString::fromStdString(result.columns[y]);
    for (std::size_t row = 0; row < std::min(result.rows.size(), kMostPlotted); ++row) {
        const auto px = x ? numberIn(result.rows[row][*x]) : std::optional(static_cast<double>(row));
        const auto py = numberIn(result.rows[row][y]);
        if (!px || !py)
            continue;
        if (p.marks.empty()) {
            p.x.low = p.x.high = *px;
            p.y.low = p.y.high = *py;
        }
        p.cover(*px, *py);
        PlotMark mark{*px, *py, static_cast<int>(row)};
        mark.brush = theme.accent;
        mark.pen = chosen == mark.id ? QPen(theme.text, 2) : QPen(theme.canvas, 1);
        p.marks.push_back(std::move(mark));
    }
    for (PlotAxis* const axis : {&p.x, &p.y}) {
        const double range = axis->high - axis->low;
        const double margin = range > 0 ? range * 0.06 : std::max(std::abs(axis->high) * 0.1, 0.5);
        axis->low -= margin;
        axis->high += margin;
    }
    return p;
}

QueryPlot::QueryPlot(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("query-plot"), tr("Plot of the answer"), parent)
{
}

void QueryPlot::setAnswer(QueryResultPtr result, std::optional<std::size_t> x, std::optional<std::size_t> y)
{
    m_result = std::move(result);
    m_x = x;
    m_y = y;
    m_chosen.reset();
    fitAll();
    outdatePlots();
}

void QueryPlot::choose(std::optional<int> row)
{
    if (m_chosen == row)
        return;
    m_chosen = row;
    outdatePlots();
}

QPointF QueryPlot::pointOf(int row) const
{
    const PlotMark* const mark = plots().front().mark(row);
    return frame().toPixel(mark->x, mark->y);
}

std::vector<PlotModel> QueryPlot::buildPlots(const Theme& theme) const
{
    return {queryPlot(*m_result, m_x, *m_y, m_chosen, theme)};
}

QString QueryPlot::hint() const
{
    return m_result && m_y ? QString() : tr("The answer has no column of numbers.");
}

QString QueryPlot::markTooltip(const PlotMark& mark) const
{
    QStringList lines;
    const auto& row = m_result->rows[static_cast<std::size_t>(mark.id)];
    for (std::size_t c = 0; c < row.size(); ++c) {
        const auto number = numberIn(row[c]);
        lines << QString::fromStdString(m_result->columns[c]).toHtmlEscaped() + QStringLiteral(" <b>") +
                     (number ? exactNumber(*number)
                             : QString::fromStdString(row[c].exact()).toHtmlEscaped()) +
                     QStringLiteral("</b>");
    }
    return lines.join(QStringLiteral("<br>"));
}

void QueryPlot::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers)
{
    choose(mark && mark->id >= 0 ? std::optional(mark->id) : std::nullopt);
    if (m_chosen)
        Q_EMIT chosen(*m_chosen);
}

} // namespace tilewright::ui
