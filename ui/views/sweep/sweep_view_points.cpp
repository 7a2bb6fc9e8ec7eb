// SPDX-License-Identifier: GPL-3.0-or-later
// Selecting and opening points, files of a sweep, and differences between the schedules on both sides of a
// step of a curve.
#include "base/file.h"
#include "lower/on_machine.h"
#include "report/compare.h"
#include "schedule/schedule_json.h"
#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/sweep/sweep_view.h"
#include "workspace/installed_files.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>

#include <algorithm>

namespace tilewright::ui {

std::optional<std::size_t> SweepView::rowAt(QPointF position) const
{
    if (!isGrid() || m_model.isEmpty())
        return std::nullopt;
    const HeatGrid grid = sweepGrid(m_model, theme());
    const auto cell = sweepGridPlaces(grid, contentArea()).map.cellAt(position);
    return cell ? std::optional(sweepRowOfCell(m_model, *cell)) : std::nullopt;
}

QPointF SweepView::pointOf(std::size_t row) const
{
    if (isGrid()) {
        const HeatGrid grid = sweepGrid(m_model, theme());
        const HeatFrame map = sweepGridPlaces(grid, contentArea()).map;
        for (std::size_t cell = 0; cell < grid.cells.size(); ++cell)
            if (sweepRowOfCell(m_model, cell) == row)
                return map.cell(cell).center();
    }
    if (!plots().empty())
        if (const PlotMark* mark = plots().front().mark(static_cast<int>(row)))
            return frame().toPixel(mark->x, mark->y);
    return {};
}

std::optional<int> SweepView::hoveredMark() const
{
    return m_cursor ? std::optional(static_cast<int>(*m_cursor)) : std::nullopt;
}

QPointF SweepView::focusPoint() const
{
    return m_cursor ? pointOf(*m_cursor) : PlotCanvas::focusPoint();
}

QString SweepView::tooltipAt(QPointF position) const
{
    if (const auto row = rowAt(position))
        return sweepTooltip(m_model, *row);
    return isGrid() ? QString() : PlotCanvas::tooltipAt(position);
}

QString SweepView::markTooltip(const PlotMark& mark) const
{
    return sweepTooltip(m_model, static_cast<std::size_t>(mark.id));
}

void SweepView::markHovered(QPointF at, const PlotMark* mark)
{
    m_cursor = mark ? std::optional(static_cast<std::size_t>(mark->id)) : rowAt(at);
    if (isGrid())
        setCursor(m_cursor ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void SweepView::markClicked(QPointF at, const PlotMark* mark, Qt::KeyboardModifiers modifiers)
{
    const auto row = mark ? std::optional(static_cast<std::size_t>(mark->id)) : rowAt(at);
    if (row)
        openPoint(*row, modifiers & Qt::ShiftModifier);
}

void SweepView::moveCursor(QPoint arrow)
{
    if (m_model.isEmpty())
        return;
    if (isGrid()) {
        const HeatGrid grid = sweepGrid(m_model, theme());
        const HeatFrame map = sweepGridPlaces(grid, contentArea()).map;
        std::size_t cell = 0;
        while (m_cursor && cell + 1 < grid.cells.size() && sweepRowOfCell(m_model, cell) != *m_cursor)
            ++cell;
        m_cursor = sweepRowOfCell(m_model, m_cursor ? map.beside(cell, arrow) : grid.current.value_or(0));
    } else {
        // Values and row numbers of the points, from left to right.
        std::vector<std::pair<double, std::size_t>> order;
        for (const PlotMark& mark : plots().empty() ? std::vector<PlotMark>() : plots().front().marks)
            if (mark.id >= 0)
                order.emplace_back(mark.x, static_cast<std::size_t>(mark.id));
        std::ranges::sort(order);
        if (order.empty())
            return;
        const auto at = std::ranges::find(order, m_cursor.value_or(m_model.rowInForce().value_or(0)),
                                          &std::pair<double, std::size_t>::second);
        const auto now = at == order.end() ? 0 : at - order.begin();
        const int by = arrow.x() != 0 ? arrow.x() : -arrow.y();
        const auto next = std::clamp<std::ptrdiff_t>(now + (m_cursor ? by : 0), 0, std::ssize(order) - 1);
        m_cursor = order[static_cast<std::size_t>(next)].second;
    }
    setAccessibleDescription(sweepPointName(m_model, *m_cursor));
    update();
}

void SweepView::openPoint(std::size_t row, bool compare)
{
    const auto refuse = [this](const QString& why) { Q_EMIT workspace().refused(why); };
    if (row >= m_model.table.rows.size())
        return;
    const sweep::Row& r = m_model.table.rows[row];
    if (r.metrics.empty())
        return refuse(r.error.empty() ? tr("This point has not been computed yet.") : sentence(r.error));
    const SweepResults& results = m_run.results().back();
    const auto hardware = sweep::hardwareOfPoint(*results.sweep, r.point);
    if (!hardware)
        return refuse(sentence(hardware.error().message));
    Schedule schedule = document().schedule();
    const auto text = results.schedules.find(r.from);
    const bool hasSchedule = text != results.schedules.end();
    if (hasSchedule) {
        auto read = readSchedule(*document().problem(), text->second, "sweep");
        if (!read)
            return refuse(sentence(read.error().message));
        schedule = std::move(read->schedule);
        schedule.extra = document().schedule().extra;
    }
    const QString name = sweepPointName(m_model, row);
    if (compare) {
        document().waitForSnapshot();
        const auto open = m_model.rowInForce();
        document().addBaseline(open ? sweepPointName(m_model, *open) : tr("before %1").arg(name),
                               document().snapshot());
    }
    const QString step = tr("Open %1").arg(name);
    // Each point has its own sizes and therefore its own problem.
    if (results.sweep->workloads.front().content) {
        const auto sizes = sweep::dimensionsAt(m_model.plan(), sweep::pointAt(m_model.plan(), r.point));
        const Status done = document().setSizes({sizes.begin(), sizes.end()}, *hardware->machine, step);
        if (!done)
            refuse(sentence(done.error().message));
        else if (compare)
            Q_EMIT compareRequested();
        return;
    }
    // Without a schedule of its own the point changes the machine as the Machine pane does: a start schedule
    // is made anew, for another the tiles are offered anew.
    const Status done = !hardware->machine ? document().adopt(*hardware->hardware, std::move(schedule), step)
                        : hasSchedule      ? document().adopt(*hardware->machine, std::move(schedule), step)
                                           : document().setMachine(*hardware->machine, step, {});
    if (!done)
        return refuse(sentence(done.error().message));
    if (compare)
        Q_EMIT compareRequested();
}

// -- files -----------------------------------------------------------------------------------------------

QString SweepView::folder() const
{
    return folderBeside(document().problemPath());
}

void SweepView::save(const QString& title, const QString& name, const QString& filter,
                     const std::function<Status(const QString&)>& write)
{
    const QString path =
        QFileDialog::getSaveFileName(this, title, folder() + QLatin1Char('/') + name, filter);
    if (path.isEmpty())
        return;
    if (const Status done = write(path); !done)
        Q_EMIT workspace().refused(QString::fromStdString(done.error().text()));
    updateProgress();
}

Status SweepView::exportTable(const QString& path) const
{
    if (m_model.isEmpty())
        return Error{ErrorCode::Refused, "nothing has been computed yet: press Sweep first", {}, {}};
    return writeFileAtomically(path.toStdString(), sweep::tableCsv(m_model.table));
}

Status SweepView::exportPlan(const QString& path)
{
    auto planned = sweepOf(document(), m_form->setup());
    if (!planned)
        return planned.error();
    if (!m_model.isEmpty())
        planned->manifest.plan.objectives = m_model.plan().objectives;
    const auto command = saveSweepPlan(document(), *planned, path);
    if (!command)
        return command.error();
    QApplication::clipboard()->setText(*command);
    say(tr("the command is in the clipboard"));
    updateProgress();
    return Unit{};
}

namespace {

constexpr double kStep = 0.005; ///< smallest relative drop of a curve that counts as a step
constexpr qsizetype kNamed = 2;

/// Returns the problem of a point. Null if the points have different sizes and therefore different ops.
ProblemPtr problemOfPoint(const sweep::Sweep& sweep, std::size_t point)
{
    if (sweep.workloads.front().content)
        return nullptr;
    const auto hardware = sweep::hardwareOfPoint(sweep, point);
    if (!hardware)
        return nullptr;
    const auto& workload = sweep.workloads.front().workload;
    if (hardware->machine) {
        const auto model = lower::putOnMachine(workload, *hardware->machine);
        return model ? (*model)->problem : nullptr;
    }
    Problem::Data data = workload->problem->data();
    data.hardware = *hardware->hardware;
    const auto problem = Problem::build(std::move(data));
    return problem ? *problem : nullptr;
}

template <typename Ids, typename NameOf> QString someNames(const Ids& ids, qsizetype most, NameOf&& nameOf)
{
    QStringList names;
    for (const auto id : ids)
        names << nameOf(id);
    const qsizetype more = names.size() - most;
    names = names.mid(0, most);
    return names.join(QStringLiteral(" + ")) + (more > 0 ? tr(" and %1 more").arg(more) : QString());
}

QString textOf(const Problem& problem, const Difference& d, const std::string& prefix, qsizetype most)
{
    const auto op = [&](OpId id) { return withoutPrefix(problem.opName(id), prefix); };
    const auto tensor = [&](TensorId id) { return withoutPrefix(problem.tensorName(id), prefix); };
    switch (d.kind) {
    case DifferenceKind::Fused:
        return tr("fused: %1").arg(someNames(d.ops, most, op));
    case DifferenceKind::Retain:
        return tr("retained: %1").arg(someNames(d.tensors, most, tensor));
    case DifferenceKind::Split:
        return tr("split: %1").arg(someNames(d.ops, most, op));
    case DifferenceKind::Granularity:
        return tr("tile of %1").arg(someNames(d.ops, most, op));
    default:
        return tr("order of %1").arg(someNames(d.ops, most, op));
    }
}

/// Returns the most valuable difference. Fusions and retained tensors come before changes that only concern
/// tiles.
const Contribution* mainChange(const Comparison& comparison)
{
    const Contribution* out = nullptr;
    const auto structural = [](const Contribution& c) {
        return c.difference.kind == DifferenceKind::Fused || c.difference.kind == DifferenceKind::Retain;
    };
    for (const bool wanted : {true, false})
        if (!out)
            for (const Contribution& c : comparison.contributions)
                if ((structural(c) || !wanted) && c.delta < 0 && (!out || c.delta < out->delta))
                    out = &c;
    return out;
}

} // namespace

std::vector<SweepChange> findSweepChanges(const SweepResults& results, const SweepModel& model,
                                          const std::stop_token& stop)
{
    std::vector<SweepChange> out;
    const std::vector<SweepCurve> curves = model.curves();
    if (curves.size() != 1)
        return out;
    const auto& points = curves.front().points;
    const auto scheduleAt = [&](std::size_t row) {
        const auto text = results.schedules.find(model.table.rows[row].from);
        return text == results.schedules.end() ? nullptr : &text->second;
    };
    for (std::size_t i = 1; i < points.size() && !stop.stop_requested(); ++i) {
        const std::string* before = scheduleAt(points[i - 1].row);
        const std::string* after = scheduleAt(points[i].row);
        if (!before || !after || *before == *after || points[i].value >= points[i - 1].value * (1 - kStep))
            continue;
        const ProblemPtr problem = problemOfPoint(*results.sweep, model.table.rows[points[i].row].point);
        if (!problem)
            continue;
        const auto a = readSchedule(*problem, *before, "sweep");
        const auto b = readSchedule(*problem, *after, "sweep");
        if (!a || !b)
            continue;
        const Comparison comparison = compareSchedules(problem, a->schedule, b->schedule,
                                                       results.sweep->plan().rulesOf(*problem), {stop, {}});
        std::vector<std::string> names;
        for (std::size_t o = 0; o < problem->opCount(); ++o)
            names.push_back(problem->opName(OpId(o)));
        const std::string prefix = commonNamePrefix(names);
        if (const Contribution* change = mainChange(comparison))
            out.push_back({points[i].row, textOf(*problem, change->difference, prefix, kNamed),
                           textOf(*problem, change->difference, prefix, 1)});
    }
    return out;
}

} // namespace tilewright::ui
