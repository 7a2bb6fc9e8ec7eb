// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_scaling_view.h"

#include "chart/axis.h"
#include "theme/number.h"

#include <QComboBox>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

NpuScalingView::NpuScalingView(const ViewContext& context, QWidget* parent)
    : ToolCanvas(context, QStringLiteral("npu-scaling"), tr("NPU scaling"), parent),
      m_state(NpuState::of(context))
{
    m_max = bar().addChoice(tr("Up to"), {tr("4 cores"), tr("8 cores"), tr("16 cores")},
                            tr("Largest number of cores that is simulated, with both schedulers."));
    m_max->setCurrentIndex(1);
    const auto change = [this](int by) {
        setCores(std::clamp(m_state.settings().hardware.cores + by, 1, npu::kMaxCores));
    };
    addKeys("fewer", tr("One core fewer"), {QKeySequence(Qt::Key_Comma), QKeySequence(Qt::Key_Left)},
            tr("Simulate with one core fewer."), [change] { change(-1); });
    addKeys("more", tr("One core more"), {QKeySequence(Qt::Key_Period), QKeySequence(Qt::Key_Right)},
            tr("Simulate with one core more."), [change] { change(1); });
    connect(m_max, &QComboBox::currentIndexChanged, this, &NpuScalingView::request);
    connect(&m_state, &NpuState::resultChanged, this, [this] {
        if (isVisible())
            request();
        update();
    });
    connect(&m_state, &NpuState::comparisonChanged, this, [this] {
        const auto& c = m_state.comparison();
        m_hover.reset();
        setAccessibleDescription(c ? npuSchedulerSentence(*c) : QString());
        update();
    });
}

int NpuScalingView::maxCores() const
{
    return 4 << m_max->currentIndex();
}

void NpuScalingView::request()
{
    m_state.compare(maxCores());
    update();
}

void NpuScalingView::settle()
{
    m_state.settle();
    request();
    m_state.settle();
}

QString NpuScalingView::copyText() const
{
    const auto& c = m_state.comparison();
    if (!c)
        return {};
    QString out = QStringLiteral("cores\tstatic\tdynamic\tstatic_speedup\tdynamic_speedup\n");
    for (const npu::ScalingPoint& p : c->points)
        out += QStringLiteral("%1\t%2\t%3\t%4\t%5\n")
                   .arg(p.cores)
                   .arg(p.staticMakespan)
                   .arg(p.dynamicMakespan)
                   .arg(exactNumber(p.staticSpeedup), exactNumber(p.dynamicSpeedup));
    return out;
}

void NpuScalingView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    const auto& c = m_state.comparison();
    if (!c || !c->error.isEmpty() || c->points.empty()) {
        paintEmptyHint(painter, area,
                       c && !c->error.isEmpty()     ? c->error
                       : !m_state.error().isEmpty() ? m_state.error()
                       : m_state.isComparing() ? tr("Simulating every number of cores with both schedulers …")
                                               : tr("Open an NPU model (JSON) to see how it scales."),
                       theme);
        return;
    }
    painter.save();
    // What is being computed anew is shown faded.
    if (!exporting && (m_state.isComparing() || !m_state.isComparisonCurrent(maxCores())))
        painter.setOpacity(0.45);
    paintNpuScaling(painter, *c, npuScalingPlaces(area), exporting ? std::nullopt : m_hover, theme);
    painter.restore();
}

std::optional<std::size_t> NpuScalingView::indexAt(QPointF position) const
{
    const auto& c = m_state.comparison();
    if (!c || c->points.empty())
        return std::nullopt;
    const NpuScalingPlaces p = npuScalingPlaces(contentArea());
    for (const QRectF& plot : {p.speedup, p.efficiency}) {
        if (!plot.adjusted(-8, -8, 8, 24).contains(position))
            continue;
        const double most = std::max(2, c->points.back().cores);
        const Axis x{1 - (most - 1) * 0.04, most * 1.02, plot.left(), plot.right()};
        std::size_t best = 0;
        for (std::size_t i = 0; i < c->points.size(); ++i)
            if (std::abs(x.toPixel(c->points[i].cores) - position.x()) <
                std::abs(x.toPixel(c->points[best].cores) - position.x()))
                best = i;
        return best;
    }
    return std::nullopt;
}

QPointF NpuScalingView::pointOf(int cores) const
{
    const auto& c = m_state.comparison();
    if (!c || c->points.empty())
        return {};
    const QRectF plot = npuScalingPlaces(contentArea()).speedup;
    const double most = std::max(2, c->points.back().cores);
    const Axis x{1 - (most - 1) * 0.04, most * 1.02, plot.left(), plot.right()};
    return {x.toPixel(cores), plot.center().y()};
}

QString NpuScalingView::tooltipAt(QPointF position) const
{
    const auto at = indexAt(position);
    if (!at)
        return {};
    const npu::ScalingPoint& p = m_state.comparison()->points[*at];
    const auto line = [](const QString& name, npu::Cycle makespan, double speedup, double efficiency) {
        return tr("%1: %2 cycles, speed-up %3, efficiency %4")
            .arg(name, number(makespan), QString::number(speedup, 'f', 3), percent(efficiency));
    };
    return QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4")
        .arg(counted(p.cores, tr("core"), tr("cores")),
             line(tr("static"), p.staticMakespan, p.staticSpeedup, p.staticEfficiency()),
             line(tr("dynamic"), p.dynamicMakespan, p.dynamicSpeedup, p.dynamicEfficiency()),
             tr("A click simulates this number of cores in the other NPU views."));
}

void NpuScalingView::showEvent(QShowEvent* event)
{
    ToolCanvas::showEvent(event);
    m_state.start();
    request();
}

void NpuScalingView::setCores(int cores)
{
    NpuSettings s = m_state.settings();
    s.hardware.cores = cores;
    m_state.setSettings(s);
}

void NpuScalingView::mouseMoveEvent(QMouseEvent* event)
{
    ToolCanvas::mouseMoveEvent(event);
    const auto at = indexAt(event->position());
    if (at != m_hover) {
        m_hover = at;
        update();
    }
}

void NpuScalingView::mouseReleaseEvent(QMouseEvent* event)
{
    ToolCanvas::mouseReleaseEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto at = indexAt(event->position()))
        setCores(m_state.comparison()->points[*at].cores);
}

void NpuScalingView::leaveEvent(QEvent* event)
{
    m_hover.reset();
    update();
    ToolCanvas::leaveEvent(event);
}

} // namespace tilewright::ui
