// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/sweep_model.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <algorithm>
#include <map>

namespace tilewright::ui {

namespace {

std::optional<std::size_t> column(const sweep::Plan& plan, std::string_view name)
{
    const auto names = sweep::metricsOf(plan);
    const auto at = std::ranges::find(names, name);
    return at == names.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - names.begin()));
}

QString metricText(const SweepModel& m, double value)
{
    return number(value) + (m.unit.isEmpty() ? QString() : QLatin1Char(' ') + m.unit);
}

} // namespace

std::size_t SweepModel::metric() const
{
    return column(plan(), setup.metric.toStdString()).value_or(0);
}

double SweepModel::valueOf(std::size_t row, std::size_t axis) const
{
    return sweep::pointAt(plan(), table.rows[row].point).values[axis].number().value_or(0);
}

std::vector<SweepCurve> SweepModel::curves() const
{
    std::map<double, SweepCurve> bySecond;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        if (table.rows[i].metrics.empty())
            continue;
        const double second = axes.size() > 1 ? valueOf(i, 1) : 0;
        bySecond[second].points.push_back({i, valueOf(i, 0), table.rows[i].metrics[metric()]});
    }
    std::vector<SweepCurve> out;
    for (auto& [second, curve] : bySecond) {
        if (axes.size() > 1)
            curve.second = second;
        std::ranges::sort(curve.points, {}, &sweep::CurvePoint::at);
        out.push_back(std::move(curve));
    }
    return out;
}

std::optional<std::size_t> SweepModel::rowInForce() const
{
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        bool all = true;
        for (std::size_t a = 0; a < axes.size(); ++a)
            all = all && valueOf(i, a) == axes[a].now;
        if (all)
            return i;
    }
    return std::nullopt;
}

std::vector<QString> sweepMetrics(const sweep::Plan& plan)
{
    std::vector<QString> out;
    for (const std::string_view name : sweep::metricsOf(plan))
        if (name != "proven" && name != "utilization" && name != "mapping_efficiency")
            out.push_back(word(name));
    return out;
}

QString sweepMetricTitle(const QString& name)
{
    if (name == QLatin1String("edp"))
        return tr("energy-delay product");
    QString out = name;
    out.replace(QLatin1Char('_'), QLatin1Char(' '));
    return out.replace(QStringLiteral("dram"), QStringLiteral("DRAM"));
}

QString sweepPointName(const SweepModel& m, std::size_t row)
{
    QStringList parts;
    for (std::size_t a = 0; a < m.axes.size(); ++a)
        parts << m.axes[a].title + QLatin1Char(' ') + m.axes[a].text(m.valueOf(row, a));
    return parts.join(QStringLiteral(", "));
}

QString sweepAnswer(const SweepModel& m)
{
    const std::vector<SweepCurve> curves = m.curves();
    if (curves.empty())
        return {};
    const QString metric = sweepMetricTitle(word(sweep::metricsOf(m.plan())[m.metric()]));
    if (curves.size() == 1) {
        const auto& points = curves.front().points;
        const sweep::CurvePoint& best = points[*sweep::bestOf(points)];
        const sweep::CurvePoint& enough = points[*sweep::smallestWithin(points, m.setup.within / 100.0)];
        const QString head = (m.table.toDo() > 0 ? tr("So far, within %1 % of the best %2: %3")
                                                 : tr("Within %1 % of the best %2: %3"))
                                 .arg(m.setup.within)
                                 .arg(metric, m.axes[0].text(enough.at));
        if (enough.at == best.at)
            return tr("%1 (%2 %3, the best)").arg(head, metric, metricText(m, best.value));
        return tr("%1 (%2 %3; the best is %4, from %5 on)")
            .arg(head, metric, metricText(m, enough.value), metricText(m, best.value),
                 m.axes[0].text(best.at));
    }
    const SweepCurve* bestCurve = nullptr;
    const sweep::CurvePoint* best = nullptr;
    for (const SweepCurve& c : curves)
        for (const sweep::CurvePoint& p : c.points)
            if (!best || p.value < best->value) {
                best = &p;
                bestCurve = &c;
            }
    return tr("Best %1: %2 at %3, %4")
        .arg(metric, metricText(m, best->value), m.axes[0].text(best->at),
             m.axes[1].text(*bestCurve->second));
}

QString sweepTooltip(const SweepModel& m, std::size_t row)
{
    const sweep::Row& r = m.table.rows[row];
    QStringList lines{QStringLiteral("<b>%1</b>").arg(sweepPointName(m, row).toHtmlEscaped())};
    const auto names = sweep::metricsOf(m.plan());
    for (std::size_t i = 0; i < r.metrics.size(); ++i)
        if (names[i] == "proven")
            lines << (r.metrics[i] > 0 ? tr("proven") : QString());
        else
            lines << QStringLiteral("%1: %2").arg(sweepMetricTitle(word(names[i])),
                                                  exactNumber(r.metrics[i]));
    lines.removeAll(QString());
    if (m.beside && !m.beside->rows[row].metrics.empty())
        lines << tr("open schedule: %1").arg(exactNumber(m.beside->rows[row].metrics[0]));
    else if (m.beside && m.beside->rows[row].state == sweep::RowState::Failed)
        lines << tr("open schedule: not valid here");
    if (!r.metrics.empty() && r.from != r.point)
        lines << tr("schedule of %1").arg(sweepPointName(m, r.from).toHtmlEscaped());
    for (const SweepChange& change : m.changes)
        if (change.row == row)
            lines << change.text.toHtmlEscaped();
    if (!r.error.empty())
        lines << sentence(r.error).toHtmlEscaped();
    if (!r.metrics.empty())
        lines << tr("Click to open it; Shift+click to compare it with the open schedule.");
    return rich(lines.join(QStringLiteral("<br>")));
}

Table sweepTable(const SweepModel& m)
{
    Table out({tr("point")});
    for (const SweepParameter& axis : m.axes)
        out.columns.push_back({axis.title});
    for (const std::string_view name : sweep::metricsOf(m.plan()))
        out.columns.push_back({sweepMetricTitle(word(name))});
    if (m.beside)
        out.columns.push_back({tr("open schedule")});
    out.columns.push_back({tr("schedule from")});
    for (TableColumn& figure : out.columns)
        figure.kind = ColumnKind::Number;
    out.columns.push_back({tr("state")});
    for (std::size_t row = 0; row < m.table.rows.size(); ++row) {
        const sweep::Row& r = m.table.rows[row];
        std::vector<TableCell> cells;
        // All digits: points of a sweep can differ in digits that other tables leave out.
        const auto add = [&](const TableValue& value) { cells.emplace_back(value, value.exact()); };
        const auto metric = [](const sweep::Row& of, std::size_t i) {
            return of.metrics.empty() ? TableValue() : TableValue(of.metrics[i]);
        };
        add(row);
        for (std::size_t a = 0; a < m.axes.size(); ++a)
            add(m.valueOf(row, a));
        for (std::size_t i = 0; i < sweep::metricsOf(m.plan()).size(); ++i)
            add(metric(r, i));
        if (m.beside)
            add(metric(m.beside->rows[row], 0));
        add(r.metrics.empty() ? TableValue() : TableValue(r.from));
        add(r.error.empty() ? word(toString(r.state)) : sentence(r.error));
        out.add(std::move(cells));
    }
    return out;
}

} // namespace tilewright::ui
