// SPDX-License-Identifier: GPL-3.0-or-later
// Selecting and opening points, and files of a sweep.
#include "base/file.h"
#include "schedule/schedule_json.h"
#include "theme/words.h"
#include "views/sweep/sweep_view.h"

#include <QApplication>
#include <QClipboard>
#include <QFileDialog>
#include <QFileInfo>
#include <QStandardPaths>

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
        std::vector<std::pair<double, std::size_t>> order; // points from left to right
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
    if (const auto text = results.schedules.find(r.from); text != results.schedules.end()) {
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
    const QString text = tr("Open %1").arg(name);
    const Status done = hardware->machine ? document().adopt(*hardware->machine, std::move(schedule), text)
                                          : document().adopt(*hardware->hardware, std::move(schedule), text);
    if (!done)
        return refuse(sentence(done.error().message));
    if (compare)
        Q_EMIT compareRequested();
}

// -- files -----------------------------------------------------------------------------------------------

QString SweepView::folder() const
{
    const QString& problem = document().problemPath();
    return problem.isEmpty() || problem.startsWith(QLatin1Char(':'))
               ? QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation)
               : QFileInfo(problem).path();
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

} // namespace tilewright::ui
