// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_scaling_view.h"

#include "theme/number.h"
#include "theme/text_metrics.h"
#include "theme/text_row.h"
#include "theme/words.h"

#include <QComboBox>
#include <QPainter>

#include <algorithm>

namespace tilewright::ui {

NpuScalingView::NpuScalingView(const ViewContext& context, QWidget* parent)
    : PlotCanvas(context, QStringLiteral("npu-scaling"), tr("NPU scaling"), parent),
      m_state(context.workspace.npu())
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
    connect(&m_state, &NpuDocument::resultChanged, this, [this] {
        if (isVisible())
            request();
        outdatePlots();
    });
    connect(&m_state, &NpuDocument::comparisonChanged, this, [this] {
        const auto& c = m_state.comparison();
        setAccessibleDescription(c ? npuSchedulerSentence(*c) : QString());
        outdatePlots();
    });
    followWorkload(Lens::Npu);
}

int NpuScalingView::maxCores() const
{
    return 4 << m_max->currentIndex();
}

void NpuScalingView::request()
{
    m_state.compare(maxCores());
    outdatePlots();
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
        out += textRow(p.cores, p.staticMakespan, p.dynamicMakespan, p.staticSpeedup, p.dynamicSpeedup);
    return out;
}

NpuScalingView::Places NpuScalingView::places(const QRectF& area)
{
    const QFontMetricsF fm(uiFont(0.9));
    const double title = QFontMetricsF(uiFont(1.0)).height() + fm.height() + 8;
    const double why = 2 * fm.height() + 6 + 2 * (fm.height() + 9) + fm.height() + 8;
    Places p;
    p.title = {area.left() + 8, area.top() + 8, area.width() - 16, title};
    const bool room = area.height() - title - why > 150;
    p.plots = QRectF(QPointF(area.left(), p.title.bottom()),
                     QPointF(area.right(), area.bottom() - (room ? why + 12 : 4)));
    if (room)
        p.schedulers = {area.left() + 8, area.bottom() - why - 4, area.width() - 16, why};
    return p;
}

std::vector<QRectF> NpuScalingView::plotAreas(const QRectF& area) const
{
    QRectF left = places(area).plots;
    left.setWidth(left.width() / 2);
    return {left, left.translated(left.width(), 0)};
}

std::vector<PlotModel> NpuScalingView::buildPlots(const Theme& theme) const
{
    return npuScalingPlots(*m_state.comparison(), theme);
}

QString NpuScalingView::hint() const
{
    const auto& c = m_state.comparison();
    if (c && c->error.isEmpty() && !c->points.empty())
        return {};
    return c && !c->error.isEmpty()     ? c->error
           : !m_state.error().isEmpty() ? m_state.error()
           : m_state.isComparing()      ? tr("Simulating every number of cores with both schedulers …")
                                        : tr("Open an NPU model (JSON) to see how it scales.");
}

void NpuScalingView::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    painter.save();
    // Results that are being recomputed are dimmed.
    if (hint().isEmpty() && !exporting && (m_state.isComparing() || !m_state.isComparisonCurrent(maxCores())))
        painter.setOpacity(0.45);
    PlotCanvas::paintContent(painter, area, theme, exporting);
    painter.restore();
}

void NpuScalingView::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool)
{
    const NpuComparison& c = *m_state.comparison();
    const Places p = places(area);
    const double title = writeLine(painter, p.title.topLeft(), p.title.width(),
                                   tr("%1 on 1 to %2")
                                       .arg(QString::fromStdString(c.model->name),
                                            counted(c.points.back().cores, tr("core"), tr("cores"))),
                                   uiFont(1.0, QFont::DemiBold), theme.text);
    paintKeys(painter, npuScalingKeys(theme), p.title.adjusted(0, title + 4, 0, 8), theme);
    if (!p.schedulers.isEmpty())
        paintNpuSchedulers(painter, c, p.schedulers, theme);
}

QPointF NpuScalingView::pointOf(int cores) const
{
    const PlotFrame f = frame();
    return {f.x.toPixel(cores), f.plot.center().y()};
}

QString NpuScalingView::markTooltip(const PlotMark& mark) const
{
    const auto& points = m_state.comparison()->points;
    const auto p = std::find_if(points.begin(), points.end(),
                                [&](const npu::ScalingPoint& s) { return s.cores == mark.id; });
    const auto line = [](const QString& name, npu::Cycle makespan, double speedup, double efficiency) {
        return tr("%1: %2 cycles, speed-up %3, efficiency %4")
            .arg(name, number(makespan), significantNumber(speedup), percent(efficiency));
    };
    return QStringLiteral("<b>%1</b><br>%2<br>%3<br>%4")
        .arg(counted(p->cores, tr("core"), tr("cores")),
             line(tr("static"), p->staticMakespan, p->staticSpeedup, p->staticEfficiency()),
             line(tr("dynamic"), p->dynamicMakespan, p->dynamicSpeedup, p->dynamicEfficiency()),
             tr("Click to use this number of cores in the other NPU views."));
}

void NpuScalingView::markClicked(QPointF, const PlotMark* mark, Qt::KeyboardModifiers)
{
    if (mark)
        setCores(mark->id);
}

void NpuScalingView::showEvent(QShowEvent* event)
{
    PlotCanvas::showEvent(event);
    m_state.start();
    request();
}

void NpuScalingView::setCores(int cores)
{
    NpuSettings s = m_state.settings();
    s.hardware.cores = cores;
    m_state.setSettings(s);
}

} // namespace tilewright::ui
