// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/sweep_model.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>

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
    // Small values have more digits, because one decimal would hide their differences.
    return (std::abs(value) < 10 ? significantNumber(value) : number(value)) +
           (m.unit.isEmpty() ? QString() : QLatin1Char(' ') + m.unit);
}

} // namespace

QString usualMetric(const sweep::Plan& plan)
{
    // The cycles of the array alone do not depend on any memory.
    return plan.lens == sweep::Lens::Systolic ? QStringLiteral("bound_cycles")
                                              : word(sweep::metricsOf(plan).front());
}

std::size_t SweepModel::metric() const
{
    const auto chosen = column(plan(), setup.metric.toStdString());
    return chosen ? *chosen : column(plan(), usualMetric(plan()).toStdString()).value_or(0);
}

double SweepModel::valueOf(std::size_t row, std::size_t axis) const
{
    const sweep::AxisValue value = sweep::pointAt(plan(), table.rows[row].point).values[axis];
    if (const auto number = value.number(); number && axes[axis].words.isEmpty())
        return *number;
    return static_cast<double>(axes[axis].words.indexOf(QString::fromStdString(value.text)));
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

std::vector<SweepCurve> SweepModel::fittingCurves() const
{
    std::vector<SweepCurve> out = curves();
    for (SweepCurve& curve : out)
        std::erase_if(curve.points, [this](const sweep::CurvePoint& p) {
            return !sweep::fitsMemory(plan(), table.rows[p.row].metrics);
        });
    std::erase_if(out, [](const SweepCurve& curve) { return curve.points.empty(); });
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
        if (name != "proven" && name != "utilization" && name != "mapping_efficiency" &&
            !name.ends_with("_share"))
            out.push_back(word(name));
    return out;
}

QString sweepMetricTitle(const QString& name)
{
    if (name == QLatin1String("edp"))
        return tr("energy-delay product");
    if (name == QLatin1String("bound_cycles"))
        return tr("cycles with DRAM");
    if (name == QLatin1String("step_ms"))
        return tr("time of a step (ms)");
    if (name == QLatin1String("ms_per_token"))
        return tr("time per token of all sequences (ms)");
    if (name == QLatin1String("floor_ms"))
        return tr("floor of a step (ms)");
    if (name == QLatin1String("of_floor"))
        return tr("multiple of the floor");
    if (name == QLatin1String("memory_bytes"))
        return tr("weights and cache (bytes)");
    if (name == QLatin1String("of_memory"))
        return tr("share of the memory");
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

namespace {

/// Text on the machines that meet the limit, the best first; without a limit, on the best machine.
QString machinesAnswer(const SweepModel& m, const SweepCurve& curve, const QString& metric)
{
    const auto costs = sweep::costsOf(curve.points, m.metricName());
    std::vector<std::size_t> order(costs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return costs[i].value; });
    const auto named = [&](std::size_t i) {
        return QStringLiteral("%1 (%2)").arg(m.axes[0].text(curve.points[i].at),
                                             metricText(m, curve.points[i].value));
    };
    if (m.setup.limit <= 0)
        return tr("Best %1: %2").arg(metric, named(order.front()));
    const QString limit = (sweep::isMoreBetter(m.metricName()) ? tr("%1 at least %2") : tr("%1 at most %2"))
                              .arg(metric, metricText(m, m.setup.limit));
    QStringList names;
    for (const std::size_t i : order)
        if (sweep::meets(curve.points[i].value, m.metricName(), m.setup.limit))
            names << named(i);
    return names.isEmpty() ? tr("%1: none; the best is %2").arg(limit, named(order.front()))
                           : tr("%1: %2").arg(limit, names.join(QStringLiteral(", ")));
}

/// Text of the answer, for a sweep whose points all fit into memory.
QString answerOf(const SweepModel& m, const std::vector<SweepCurve>& curves)
{
    const QString metric = sweepMetricTitle(word(m.metricName()));
    if (curves.size() == 1 && !m.axes[0].words.isEmpty())
        return machinesAnswer(m, curves.front(), metric);
    if (curves.size() == 1) {
        const auto& points = curves.front().points;
        const auto costs = sweep::costsOf(points, m.metricName());
        const sweep::CurvePoint& best = points[*sweep::bestOf(costs)];
        const sweep::CurvePoint& enough = points[*sweep::smallestWithin(costs, m.setup.within / 100.0)];
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
            if (!best ||
                sweep::costOf(p.value, m.metricName()) < sweep::costOf(best->value, m.metricName())) {
                best = &p;
                bestCurve = &c;
            }
    return tr("Best %1: %2 at %3, %4")
        .arg(metric, metricText(m, best->value), m.axes[0].text(best->at),
             m.axes[1].text(*bestCurve->second));
}

/// Text on the open schedule where it is better than every point that was found; else empty.
QString besideAnswer(const SweepModel& m, const std::vector<SweepCurve>& curves)
{
    if (!m.beside || m.metric() != 0 || curves.size() != 1)
        return {};
    const auto cost = [&](double value) { return sweep::costOf(value, m.metricName()); };
    const auto& found = curves.front().points;
    double best = cost(found.front().value);
    for (const sweep::CurvePoint& p : found)
        best = std::min(best, cost(p.value));
    std::optional<std::size_t> at;
    for (std::size_t i = 0; i < m.beside->rows.size(); ++i)
        if (const auto& metrics = m.beside->rows[i].metrics; !metrics.empty() && cost(metrics[0]) < best) {
            best = cost(metrics[0]);
            at = i;
        }
    if (!at)
        return {};
    return (m.besideIsOpen ? tr("The open schedule is better: %1 at %2")
                           : tr("The schedule at the start is better: %1 at %2"))
        .arg(metricText(m, m.beside->rows[*at].metrics[0]), m.axes[0].text(m.valueOf(*at, 0)));
}

} // namespace

QString sweepAnswer(const SweepModel& m)
{
    const std::vector<SweepCurve> curves = m.fittingCurves();
    const std::int64_t left = std::ranges::count_if(
        m.table.rows, [&m](const sweep::Row& row) { return !sweep::fitsMemory(m.plan(), row.metrics); });
    if (curves.empty() && left == 0)
        return {};
    if (curves.empty())
        return tr("Weights and cache do not fit into memory at any point");
    QString answer = answerOf(m, curves);
    if (const QString beside = besideAnswer(m, curves); !beside.isEmpty())
        answer += QStringLiteral(". ") + beside;
    return left == 0 ? answer
                     : tr("%1. Weights and cache do not fit into memory at %2")
                           .arg(answer, counted(left, tr("point"), tr("points")));
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
    if (!sweep::fitsMemory(m.plan(), r.metrics))
        lines << tr("Weights and cache do not fit into the memory of the machine.");
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
        // Values have all digits, because points of a sweep can differ in digits that other tables leave out.
        const auto add = [&](const TableValue& value) { cells.emplace_back(value, value.exact()); };
        const auto metric = [](const sweep::Row& of, std::size_t i) {
            return of.metrics.empty() ? TableValue() : TableValue(of.metrics[i]);
        };
        add(row);
        for (std::size_t a = 0; a < m.axes.size(); ++a)
            if (m.axes[a].words.isEmpty())
                add(m.valueOf(row, a));
            else
                add(m.axes[a].text(m.valueOf(row, a)));
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

// Chart for two axes: a heat map with contours.

namespace {

/// Shares above the best value at which contours are drawn. The share that the user has chosen comes first.
constexpr std::array kContours{0.25, 0.5, 1.0, 2.0};

HeatAxis axisOf(const SweepModel& m, std::size_t axis)
{
    HeatAxis out{m.axes[axis].title, {}, {}};
    for (const sweep::AxisValue& v : m.plan().axes[axis].values) {
        const double value = v.number().value_or(0);
        if (value == m.axes[axis].now)
            out.strong = out.labels.size();
        out.labels << m.axes[axis].text(value);
    }
    return out;
}

/// Value of the plotted metric as a cost, of which less is better (sweep::costOf()).
std::optional<double> costOf(const SweepModel& m, const sweep::Row& row)
{
    if (row.metrics.empty() || !sweep::fitsMemory(m.plan(), row.metrics))
        return std::nullopt; // the row has no result
    return sweep::costOf(row.metrics[m.metric()], m.metricName());
}

std::optional<double> valueOf(const SweepModel& m, std::size_t cell)
{
    const sweep::Row& row = m.table.rows[sweepRowOfCell(m, cell)];
    return row.metrics.empty() ? std::nullopt : std::optional(row.metrics[m.metric()]);
}

std::optional<double> leastCost(const SweepModel& m)
{
    std::optional<double> out;
    for (const sweep::Row& row : m.table.rows)
        if (const auto cost = costOf(m, row); cost && (!out || *cost < *out))
            out = cost;
    return out;
}

void paintContour(QPainter& painter, const SweepModel& m, const HeatFrame& f, double most, const QPen& pen)
{
    const auto inside = [&](std::size_t cell) {
        const auto cost = costOf(m, m.table.rows[sweepRowOfCell(m, cell)]);
        return cost && *cost <= most;
    };
    for (const QPen& stroke : {QPen(Qt::white, pen.widthF() + 2), pen}) {
        painter.setPen(stroke);
        for (std::size_t row = 0; row < f.rows; ++row)
            for (std::size_t c = 0; c < f.columns; ++c) {
                const std::size_t cell = row * f.columns + c;
                const QRectF r = f.cell(cell).adjusted(0, 0, -1, -1);
                if (c + 1 < f.columns && inside(cell) != inside(cell + 1))
                    painter.drawLine(QPointF(r.right() + 0.5, r.top()),
                                     QPointF(r.right() + 0.5, r.bottom() + 1));
                if (row + 1 < f.rows && inside(cell) != inside(cell + f.columns))
                    painter.drawLine(QPointF(r.left(), r.top() - 0.5), QPointF(r.right() + 1, r.top() - 0.5));
            }
    }
}

} // namespace

std::size_t sweepRowOfCell(const SweepModel& m, std::size_t cell)
{
    // Rows are numbered with the last axis fastest, cells with the first axis fastest.
    const std::size_t columns = m.plan().axes[0].values.size();
    const std::size_t rows = m.plan().axes[1].values.size();
    return cell % columns * rows + cell / columns;
}

HeatGrid sweepGrid(const SweepModel& m, const Theme& theme)
{
    HeatGrid grid;
    if (m.axes.size() != 2 || m.isEmpty())
        return grid;
    grid.x = axisOf(m, 0);
    grid.y = axisOf(m, 1);
    grid.columns = m.plan().axes[0].values.size();
    grid.rows = m.plan().axes[1].values.size();
    double low = 1e300, high = -1e300;
    for (std::size_t i = 0; i < grid.columns * grid.rows; ++i)
        if (const auto v = valueOf(m, i)) {
            low = std::min(low, *v);
            high = std::max(high, *v);
        }
    const bool log = low > 0;
    const auto scaled = [&](double v) { return log ? std::log(v) : v; };
    bool failed = false, toDo = false;
    for (std::size_t i = 0; i < grid.columns * grid.rows; ++i) {
        HeatCell& cell = grid.cells.emplace_back();
        if (const auto v = valueOf(m, i)) {
            cell.fill =
                theme.ramp(high > low ? (scaled(*v) - scaled(low)) / (scaled(high) - scaled(low)) : 0);
            cell.text = shortNumber(*v);
            continue;
        }
        const bool isFailed = m.table.rows[sweepRowOfCell(m, i)].state == sweep::RowState::Failed;
        cell.sign = isFailed ? HeatSign::Cross : HeatSign::Dots;
        (isFailed ? failed : toDo) = true;
    }
    if (const auto row = m.rowInForce())
        for (std::size_t i = 0; i < grid.cells.size(); ++i)
            if (sweepRowOfCell(m, i) == *row)
                grid.current = i;
    if (high >= low)
        grid.keys.push_back(rampKey(shortNumber(low), shortNumber(high), theme));
    grid.keys.push_back({tr("within %1 % of the best").arg(m.setup.within),
                         [colour = theme.ok](QPainter& painter, const QRectF& r) {
                             painter.setPen(QPen(colour, 3));
                             painter.drawLine(QPointF(r.left(), r.center().y()),
                                              QPointF(r.right(), r.center().y()));
                         },
                         2,
                         {}});
    grid.keys.push_back({tr("25, 50, 100, 200 % above"),
                         [colour = theme.ink](QPainter& painter, const QRectF& r) {
                             painter.setPen(QPen(colour, 1));
                             painter.drawLine(QPointF(r.left(), r.center().y()),
                                              QPointF(r.right(), r.center().y()));
                         },
                         2,
                         {}});
    if (grid.current)
        grid.keys.push_back(heatRingKey(tr("current machine"), theme));
    if (failed)
        grid.keys.push_back(heatSignKey(tr("failed"), HeatSign::Cross, theme));
    if (toDo)
        grid.keys.push_back(heatSignKey(tr("not yet computed"), HeatSign::Dots, theme));
    return grid;
}

SweepGridPlaces sweepGridPlaces(const HeatGrid& grid, const QRectF& area)
{
    SweepGridPlaces p;
    const TextMetrics head(uiFont(1.0, QFont::DemiBold));
    const TextMetrics fm(uiFont(0.85));
    p.title = QRectF(area.left() + 8, area.top() + 5, area.width() - 16, head.height());
    const double keys = keysHeight(grid.keys, area.width() - 16);
    p.keys = QRectF(area.left() + 8, p.title.bottom() + 4, area.width() - 16, keys);
    double widest = 0;
    for (const QString& label : grid.y.labels)
        widest = std::max(widest, fm.horizontalAdvance(label) * 1.1);
    p.map.map = QRectF(QPointF(area.left() + widest + 16, p.keys.bottom() + fm.height() + 8),
                       QPointF(area.right() - 12, area.bottom() - 2 * fm.height() - 8));
    p.map.columns = grid.columns;
    p.map.rows = grid.rows;
    return p;
}

void paintSweepGrid(QPainter& painter, const SweepModel& m, const HeatGrid& grid,
                    const SweepGridPlaces& places, std::optional<std::size_t> hover, const Theme& theme)
{
    writeLine(painter, places.title.topLeft(), places.title.width(), sweepAnswer(m),
              uiFont(1.0, QFont::DemiBold), theme.text);
    paintKeys(painter, grid.keys, places.keys, theme);
    if (places.map.map.width() < 30 || places.map.map.height() < 30)
        return;
    paintHeatGrid(painter, grid, places.map, hover, theme);
    const auto least = leastCost(m);
    if (!least)
        return;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (const double share : kContours)
        paintContour(painter, m, places.map, *least * (1 + share), QPen(theme.ink, 1));
    paintContour(painter, m, places.map, *least * (1 + m.setup.within / 100.0), QPen(theme.ok, 3));
    painter.restore();
}

} // namespace tilewright::ui
