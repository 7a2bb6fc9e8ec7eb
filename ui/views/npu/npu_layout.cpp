// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_layout.h"

#include "theme/number.h"
#include "theme/theme.h"
#include "theme/words.h"

#include <QFontMetricsF>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {

constexpr double kMargin = 8;
constexpr double kLabelWidth = 84;
constexpr double kFactsWidth = 148;
constexpr double kOverview = 22;

struct Natural
{
    NpuLaneKind kind;
    std::size_t core;
    double height, gap; ///< gap after it
};

std::vector<Natural> naturalLanes(const NpuChartModel& model, const NpuChartOptions& options)
{
    std::vector<Natural> out;
    if (!model.result)
        return out;
    const npu::NpuRun& run = *model.result->run;
    for (std::size_t c = 0; c < run.cores.size(); ++c) {
        out.push_back({NpuLaneKind::State, c, 22, 1});
        if (options.engines) {
            out.push_back({NpuLaneKind::Engines, c, 15, 1});
            out.push_back({NpuLaneKind::Dma, c, 15, 1});
        }
        out.push_back({NpuLaneKind::Spm, c, 26, 9});
    }
    out.push_back({NpuLaneKind::Dram, 0, 56, 8});
    if (options.banks)
        out.push_back({NpuLaneKind::Banks, 0,
                       std::clamp(2.0 * run.hardware.dram.channels * run.hardware.dram.banks, 32.0, 160.0),
                       8});
    out.push_back({NpuLaneKind::Noc, 0, 46, 8});
    out.push_back({NpuLaneKind::Ready, 0, 34, 0});
    return out;
}

double lineHeight(double scale)
{
    return QFontMetricsF(uiFont(scale)).height();
}

double headHeight()
{
    // Header, two lines of the sentence, legend, readout.
    return kMargin + lineHeight(1.0) + 2 + 2 * lineHeight(0.9) + 4 + lineHeight(0.9) + 6 + lineHeight(0.9) +
           4;
}

double footHeight()
{
    return lineHeight(0.9) + 8 + kOverview + kMargin;
}

} // namespace

NpuChartModel buildNpuChart(const NpuState& state)
{
    NpuChartModel m;
    m.error = state.error();
    m.refused = state.isRefused();
    m.busy = state.isBusy();
    m.result = state.result();
    if (!m.result) {
        m.hint = !m.error.isEmpty() ? m.error
                 : m.busy           ? tr("Simulating …")
                                    : tr("Open an NPU model (JSON) to see its tiles run on the cores.");
        return m;
    }
    m.ghost = state.ghost();
    m.noc = m.result->noc;
    m.total = static_cast<double>(m.result->run->makespan);
    const npu::NpuRun& run = *m.result->run;
    m.header = tr("%1 · %2 on %3 · %4")
                   .arg(QString::fromStdString(m.result->graph->name),
                        run.options.scheduler == npu::Scheduler::Static ? tr("static") : tr("dynamic"),
                        counted(static_cast<std::int64_t>(run.cores.size()), tr("core"), tr("cores")),
                        counted(run.makespan, tr("cycle"), tr("cycles")));
    if (m.ghost) {
        m.ghostNoc = m.ghost->noc;
        m.total = std::max(m.total, static_cast<double>(m.ghost->run->makespan));
        const double before = static_cast<double>(m.ghost->run->makespan);
        if (before > 0)
            m.header += tr(" (%1 against %2 before)")
                            .arg(signedPercent((static_cast<double>(run.makespan) - before) / before),
                                 number(m.ghost->run->makespan));
    }
    m.total = std::max(m.total, 1.0);
    return m;
}

double npuNaturalHeight(const NpuChartModel& model, const NpuChartOptions& options)
{
    double lanes = 0;
    for (const Natural& n : naturalLanes(model, options))
        lanes += n.height + n.gap;
    return headHeight() + lanes + footHeight();
}

NpuPlaces npuPlaces(const QRectF& area, const NpuChartModel& model, const NpuChartOptions& options,
                    double scroll, bool shrink)
{
    NpuPlaces p;
    const double left = area.left() + kMargin;
    const double right = area.right() - kMargin;
    double y = area.top() + kMargin;
    p.title = {left, y, right - left, lineHeight(1.0) + 2 + 2 * lineHeight(0.9)};
    y = p.title.bottom() + 4;
    p.legend = {left, y, right - left, lineHeight(0.9) + 2};
    y = p.legend.bottom() + 4;
    p.readout = {left, y, right - left, lineHeight(0.9)};
    y = p.readout.bottom() + 4;
    p.overview = {0, area.bottom() - kMargin - kOverview, 0, kOverview};
    p.axis = {0, p.overview.top() - lineHeight(0.9) - 8, 0, lineHeight(0.9) + 8};
    const bool facts = right - left > 520;
    const double label =
        std::max(kLabelWidth, QFontMetricsF(uiFont(0.85)).horizontalAdvance(tr("bytes / cycle")) + 10);
    const double factsWidth =
        facts ? std::max(kFactsWidth,
                         QFontMetricsF(uiFont(0.85)).horizontalAdvance(tr("Wait dependency 00.0 %")) + 16)
              : 0;
    // Whole pixels, so that columns are sharp.
    const double x0 = std::round(left + label);
    const double x1 = std::round(std::max(x0 + 10, right - factsWidth));
    p.plot = QRectF(QPointF(x0, std::round(y)),
                    QPointF(x1, std::max(std::round(y) + 1, std::round(p.axis.top()))));
    p.labels = {left, p.plot.top(), x0 - left, p.plot.height()};
    if (facts)
        p.facts = {x1 + 10, p.plot.top(), right - x1 - 10, p.plot.height()};
    for (QRectF* r : {&p.axis, &p.overview}) {
        r->setLeft(x0);
        r->setRight(x1);
    }
    const std::vector<Natural> lanes = naturalLanes(model, options);
    double natural = 0;
    for (const Natural& n : lanes)
        natural += n.height + n.gap;
    const double wanted = natural > 0 ? p.plot.height() / natural : 1;
    const double factor = std::clamp(wanted, shrink ? 0.2 : 0.8, 2.0);
    p.contentHeight = natural * factor;
    const double offset = std::clamp(scroll, 0.0, std::max(0.0, p.contentHeight - p.plot.height()));
    double at = p.plot.top() - offset;
    for (const Natural& n : lanes) {
        const double top = std::round(at);
        const double bottom = std::round(at + n.height * factor);
        p.lanes.push_back({n.kind, n.core, QRectF(x0, top, x1 - x0, std::max(1.0, bottom - top))});
        at += (n.height + n.gap) * factor;
    }
    return p;
}

const NpuLane* NpuPlaces::laneAt(QPointF position) const
{
    if (position.y() < plot.top() || position.y() >= plot.bottom())
        return nullptr;
    for (const NpuLane& lane : lanes)
        if (position.y() >= lane.rect.top() && position.y() < lane.rect.bottom())
            return &lane;
    return nullptr;
}

} // namespace tilewright::ui
