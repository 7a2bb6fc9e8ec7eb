// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/npu/npu_scaling_view.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "views/npu/npu_text.h"

#include <QComboBox>
#include <QPainter>
#include <QTextOption>

#include <algorithm>
#include <cmath>

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
    // Results are dimmed while they are being recomputed.
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
    paintKeys(painter, npuScalingKeys(c, theme), p.title.adjusted(0, title + 4, 0, 8), theme);
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
             line(npuSchedulerName(*m_state.comparison(), false), p->staticMakespan, p->staticSpeedup,
                  p->staticEfficiency()),
             line(npuSchedulerName(*m_state.comparison(), true), p->dynamicMakespan, p->dynamicSpeedup,
                  p->dynamicEfficiency()),
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

namespace {

PlotMark schedulerMark(bool dynamic, const Theme& theme)
{
    PlotMark m;
    m.shape = dynamic ? PlotShape::Disc : PlotShape::Square;
    m.pen = QPen(theme.canvas, 1);
    m.brush = dynamic ? theme.accent : theme.computeTime;
    return m;
}

QPen schedulerPen(bool dynamic, const Theme& theme)
{
    return QPen(dynamic ? theme.accent : theme.computeTime, 2, dynamic ? Qt::SolidLine : Qt::DashLine);
}

template <typename Y>
void addCurve(PlotModel& plot, const NpuComparison& c, bool dynamic, const Theme& theme, Y&& y)
{
    PlotLine line{npuSchedulerName(c, dynamic), {}, schedulerPen(dynamic, theme)};
    for (const npu::ScalingPoint& s : c.points) {
        PlotMark m = schedulerMark(dynamic, theme);
        m.x = s.cores;
        m.y = y(s);
        m.id = s.cores;
        line.points.emplace_back(m.x, m.y);
        plot.marks.push_back(m);
    }
    plot.lines.push_back(std::move(line));
}

} // namespace

std::vector<ChartKey> npuScalingKeys(const NpuComparison& c, const Theme& theme)
{
    return {lineKey(npuSchedulerName(c, true), schedulerPen(true, theme), schedulerMark(true, theme)),
            lineKey(npuSchedulerName(c, false), schedulerPen(false, theme), schedulerMark(false, theme)),
            lineKey(tr("ideal"), QPen(theme.muted, 1, Qt::DotLine))};
}

std::vector<PlotModel> npuScalingPlots(const NpuComparison& c, const Theme& theme)
{
    const double most = std::max(2, c.points.back().cores);
    PlotModel speedup;
    speedup.pick = PlotPick::Column;
    speedup.x.low = 1 - (most - 1) * 0.04;
    speedup.x.high = most * 1.02;
    // Only the last label has the unit.
    speedup.x.text = [last = c.points.back().cores](double v) {
        const int cores = qRound(v);
        return cores == last ? counted(cores, tr("core"), tr("cores")) : QString::number(cores);
    };
    for (const npu::ScalingPoint& s : c.points) // ticks are at the simulated numbers of cores only
        speedup.x.ticks.push_back(s.cores);
    speedup.x.current = c.cores;
    PlotModel efficiency = speedup;

    const QPen ideal(theme.muted, 1, Qt::DotLine);
    speedup.y.title = tr("Speed-up over one core with this scheduler");
    double high = 1;
    for (const npu::ScalingPoint& s : c.points)
        high = std::max({high, s.staticSpeedup, s.dynamicSpeedup});
    speedup.y.high = std::max(std::min(most, high * 1.35) * 1.04, 1.2);
    speedup.lines.push_back({{}, {{1, 1}, {most, most}}, ideal});
    efficiency.y.title = tr("Efficiency (speed-up / cores)");
    efficiency.y.high = 1.08;
    efficiency.lines.push_back({{}, {{1, 1}, {most, 1}}, ideal});
    for (const bool dynamic : {false, true}) {
        addCurve(speedup, c, dynamic, theme,
                 [&](const npu::ScalingPoint& s) { return dynamic ? s.dynamicSpeedup : s.staticSpeedup; });
        addCurve(efficiency, c, dynamic, theme, [&](const npu::ScalingPoint& s) {
            return dynamic ? s.dynamicEfficiency() : s.staticEfficiency();
        });
    }
    return {speedup, efficiency};
}

QString npuSchedulerName(const NpuComparison& c, bool dynamic)
{
    const npu::RunOptions& options = dynamic ? c.schedulers.dynamic : c.schedulers.fixed;
    return QString::fromStdString(npu::policyText(options.scheduler, options.assignment));
}

QString npuSchedulerSentence(const NpuComparison& c)
{
    if (c.staticMakespan <= 0 || c.dynamicMakespan <= 0)
        return {};
    const double change =
        static_cast<double>(c.dynamicMakespan - c.staticMakespan) / static_cast<double>(c.staticMakespan);
    const QString cores = counted(c.cores, tr("core"), tr("cores"));
    if (c.dynamicMakespan == c.staticMakespan)
        return tr("On %1 both schedulers take %2.")
            .arg(cores, counted(c.staticMakespan, tr("cycle"), tr("cycles")));
    const QString text =
        (change < 0 ? tr("On %1 %2 is faster than %3 (%4). Core cycles:")
                    : tr("On %1 %2 is slower than %3 (%4). Core cycles:"))
            .arg(cores, npuSchedulerName(c, true), npuSchedulerName(c, false), signedPercent(change));
    // The states whose cycles per core differ most, with the sign of the difference.
    std::vector<std::pair<npu::Cycle, std::size_t>> deltas;
    for (std::size_t s = 0; s < npu::kCoreStates; ++s)
        if (c.dynamicSums[s] != c.staticSums[s])
            deltas.emplace_back(c.dynamicSums[s] - c.staticSums[s], s);
    std::sort(deltas.begin(), deltas.end(),
              [](const auto& a, const auto& b) { return std::abs(a.first) > std::abs(b.first); });
    QStringList parts;
    for (std::size_t i = 0; i < std::min<std::size_t>(3, deltas.size()); ++i)
        parts << stateName(static_cast<npu::CoreState>(deltas[i].second)) + QChar(0xA0) +
                     signedNumber(static_cast<double>(deltas[i].first));
    return text + QLatin1Char(' ') + parts.join(tr(", ")) + QLatin1Char('.');
}

void paintNpuSchedulers(QPainter& painter, const NpuComparison& c, const QRectF& area, const Theme& theme)
{
    painter.setFont(uiFont(0.9));
    const QFontMetricsF fm(painter.font());
    painter.setPen(theme.text);
    QTextOption wrap(Qt::AlignLeft | Qt::AlignTop);
    wrap.setWrapMode(QTextOption::WordWrap);
    const QRectF text(area.left(), area.top(), area.width(), 2 * fm.height() + 2);
    painter.drawText(text, npuSchedulerSentence(c), wrap);
    const double label = std::max(fm.horizontalAdvance(npuSchedulerName(c, false)),
                                  fm.horizontalAdvance(npuSchedulerName(c, true))) +
                         10;
    const double most = static_cast<double>(std::max({c.staticMakespan, c.dynamicMakespan, npu::Cycle{1}}));
    const double figures = fm.horizontalAdvance(number(static_cast<std::int64_t>(most))) + 60;
    double y = text.bottom() + 6;
    for (const bool dynamic : {false, true}) {
        const auto& sums = dynamic ? c.dynamicSums : c.staticSums;
        const npu::Cycle makespan = dynamic ? c.dynamicMakespan : c.staticMakespan;
        painter.setPen(theme.text);
        painter.drawText(QPointF(area.left(), y + fm.ascent() + 2), npuSchedulerName(c, dynamic));
        const double full = std::max(10.0, area.width() - label - figures);
        double x = area.left() + label;
        painter.setRenderHint(QPainter::Antialiasing, false);
        for (std::size_t s = 0; s < npu::kCoreStates; ++s) {
            const double w = full * static_cast<double>(sums[s]) / (most * std::max(1, c.cores));
            fillState(painter, QRectF(x, y, w, fm.height() + 4), static_cast<npu::CoreState>(s), theme);
            x += w;
        }
        painter.setRenderHint(QPainter::Antialiasing, true);
        painter.setPen(theme.muted);
        painter.drawText(QPointF(x + 8, y + fm.ascent() + 2), counted(makespan, tr("cycle"), tr("cycles")));
        y += fm.height() + 9;
    }
    std::vector<ChartKey> keys;
    for (std::size_t s = 0; s < npu::kCoreStates; ++s)
        if (c.staticSums[s] != 0 || c.dynamicSums[s] != 0)
            keys.push_back(
                {stateName(static_cast<npu::CoreState>(s)), [s, &theme](QPainter& p, const QRectF& box) {
                     p.setRenderHint(QPainter::Antialiasing, false);
                     fillState(p, box, static_cast<npu::CoreState>(s), theme);
                 }});
    paintKeys(painter, keys, {area.left() + label, y, area.width() - label, fm.height()}, theme);
}

} // namespace tilewright::ui
