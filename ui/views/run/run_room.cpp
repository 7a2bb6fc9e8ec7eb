// SPDX-License-Identifier: GPL-3.0-or-later
// The lane with the fast memory in use.
#include "theme/text.h"
#include "theme/theme.h"
#include "views/run/run_lanes.h"
#include "workspace/texts.h"

#include <algorithm>
#include <array>

namespace tilewright::ui {

namespace {

/// Purposes from the bottom to the top of the stack, as in the Timeline: memory that stays longest is at the
/// bottom.
constexpr std::array kStack{RunRoom::Reserved, RunRoom::Input, RunRoom::Interior, RunRoom::Accumulator,
                            RunRoom::Output};

/// For each pixel column, the moment with the most memory in use. All curves of a stack use these columns.
class RoomColumns
{
public:
    explicit RoomColumns(std::size_t core) : m_core(core) {}
    const std::vector<RunRoom>& at(const ScheduleRun& run, double from, double to, int width)
    {
        if (m_from == from && m_to == to && m_width == width)
            return m_columns;
        m_from = from;
        m_to = to;
        m_width = width;
        m_columns.assign(static_cast<std::size_t>(std::max(0, width)), {});
        auto next = std::ranges::upper_bound(run.room, from, {}, &RunRoom::time);
        const auto before = roomAt(run, from, m_core);
        RunRoom now = before && run.room[*before].time <= from ? run.room[*before] : RunRoom();
        const double perPixel = (to - from) / std::max(1, width);
        for (std::size_t x = 0; x < m_columns.size(); ++x) {
            const double end = from + perPixel * (static_cast<double>(x) + 1);
            m_columns[x] = now;
            for (; next != run.room.end() && next->time < end; ++next) {
                if (next->core != m_core)
                    continue;
                now = *next;
                if (now.total() > m_columns[x].total())
                    m_columns[x] = now;
            }
        }
        return m_columns;
    }

private:
    std::size_t m_core;
    double m_from = 0, m_to = -1;
    int m_width = 0;
    std::vector<RunRoom> m_columns;
};

/// Returns the curve for the sum of the lowest `count` purposes of the stack.
Curve stacked(const RunChartModel& m, const std::shared_ptr<RoomColumns>& columns, std::size_t count,
              double top)
{
    Curve curve;
    curve.columns = [&run = m.result()->run, columns, count](double from, double to, int width) {
        std::vector<LowHigh> out;
        for (const RunRoom& room : columns->at(run, from, to, width)) {
            std::int64_t sum = 0;
            for (std::size_t i = 0; i < count; ++i)
                sum += room.units[kStack[i]];
            out.push_back({static_cast<double>(sum), static_cast<double>(sum)});
        }
        return out;
    };
    curve.colour = [kind = kStack[count - 1]](const Theme& theme) { return roomColour(kind, theme); };
    curve.top = top;
    return curve;
}

QString roomTooltip(const RunChartModel& m, double time, std::size_t core)
{
    const ScheduleRun& run = m.result()->run;
    const auto at = roomAt(run, time, core);
    if (!at)
        return {};
    const Problem& problem = m.result()->problem();
    const RunRoom& room = run.room[*at];
    QString out =
        tr("<b>Fast memory</b> at %1<table cellspacing='0' cellpadding='1'>").arg(exactNumber(time));
    const auto row = [&](const QString& name, std::int64_t units) {
        out += QStringLiteral("<tr><td>%1&nbsp;</td><td align='right'>%2</td></tr>")
                   .arg(name, elementsText(problem, units));
    };
    for (const RunRoom::Kind kind : kStack)
        if (room.units[kind] > 0)
            row(roomName(kind), room.units[kind]);
    row(tr("taken"), room.total());
    row(tr("capacity"), problem.capacityUnits());
    return out + QStringLiteral("</table>") + elementWord(problem);
}

} // namespace

Lane roomLane(const std::shared_ptr<const RunChartModel>& model, std::size_t core)
{
    const RunChartModel& m = *model;
    const LiveRunResult& r = *m.result();
    const Problem& problem = r.problem();
    const std::int64_t capacity = problem.capacityUnits();
    const double top = 1.06 * static_cast<double>(std::max(capacity, r.run.cores[core].peakUnits));
    const auto columns = std::make_shared<RoomColumns>(core);
    const bool several = r.run.cores.size() > 1;
    Lane lane;
    lane.name = several ? tr("fast memory of core %1").arg(number(core)) : tr("fast memory");
    lane.height = several ? 32 : 64;
    for (std::size_t count = kStack.size(); count > 1; --count)
        lane.behind.push_back(stacked(m, columns, count, top));
    lane.curve = stacked(m, columns, 1, top);
    lane.curve->limit = static_cast<double>(capacity);
    lane.readout = [&r, core](double time, double) {
        const auto at = roomAt(r.run, time, core);
        return at ? tr("fast memory at %1: %2 of %3 %4 taken")
                        .arg(number(time), elementsText(r.problem(), r.run.room[*at].total()),
                             elementsText(r.problem(), r.problem().capacityUnits()), elementWord(r.problem()))
                  : QString();
    };
    lane.tooltip = [&m, core](double time, double) { return roomTooltip(m, time, core); };
    lane.facts << tr("peak %1").arg(percent(static_cast<double>(r.run.cores[core].peakUnits) /
                                            static_cast<double>(capacity)))
               << tr("%1 of").arg(elementsText(problem, r.run.cores[core].peakUnits))
               << elementsText(problem, capacity) << elementWord(problem);
    return lane;
}

} // namespace tilewright::ui
