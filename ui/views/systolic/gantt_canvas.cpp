// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/gantt_canvas.h"

#include "theme/number.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {
constexpr double kShortest = 8; // cycles
} // namespace

GanttCanvas::GanttCanvas(const ViewContext& context, QWidget* parent)
    : SystolicPane(context, QStringLiteral("systolic-pipeline"), tr("Systolic pipeline"), parent)
{
    m_show = bar().addChoice(tr("Show"), {tr("both programs"), tr("pipelined"), tr("barriered")},
                             tr("Which programs are drawn; the details are about the last one."));
    connect(m_show, &QComboBox::currentIndexChanged, this, &GanttCanvas::outdated);
    m_bandwidth = bar().addChoice(tr("Bandwidth"), {tr("unlimited"), tr("of the memories")},
                                  tr("Whether moving data takes time."));
    connect(m_bandwidth, &QComboBox::activated, this, [this](int i) {
        SystolicSettings next = state().settings();
        next.unlimitedBandwidth = i == 0;
        state().set(next);
    });
    m_layout = bar().addChoice(
        tr("Banks"), {tr("layout as printed"), tr("split layout")},
        tr("Where tiles lie in the banks of L2: as printed in the source document, or A in one "
           "half and B in the other. Conflicts cost a serialised read."));
    connect(m_layout, &QComboBox::activated, this, [this](int i) {
        SystolicSettings next = state().settings();
        next.layout = static_cast<BankLayout>(i);
        state().set(next);
    });
    addCommand("previous-stall", tr("Previous stall"), QStringLiteral("step-back"),
               {QKeySequence(Qt::Key_BracketLeft)}, tr("Go to the previous gap of the array."),
               [this] { jumpToStall(-1); });
    addCommand("next-stall", tr("Next stall"), QStringLiteral("step-forward"),
               {QKeySequence(Qt::Key_BracketRight)}, tr("Go to the next gap of the array."),
               [this] { jumpToStall(1); });
    addCommand("fit", tr("Fit the pipeline"), QStringLiteral("fit"), {}, tr("Show all cycles."),
               [this] { fitAll(); });
    addCommand("listing", tr("Copy the program"), QStringLiteral("copy"), {},
               tr("Copy the instruction listing of the program whose details are shown."), [this] {
                   if (!m_model.programs.empty())
                       QGuiApplication::clipboard()->setText(
                           QString::fromStdString(programText(*m_model.main().program)));
               });
    addTimeKeys();
    addKeys("previousCycle", tr("Previous cycle"), {QKeySequence(Qt::Key_Comma)},
            tr("Move the cursor one cycle back."), [this] { moveTime(-1); });
    addKeys("nextCycle", tr("Next cycle"), {QKeySequence(Qt::Key_Period)},
            tr("Move the cursor one cycle on."), [this] { moveTime(1); });
    addKeys("back16", tr("16 cycles back"), {QKeySequence(Qt::Key_Less)},
            tr("Move the cursor sixteen cycles back."), [this] { moveTime(-16); });
    addKeys("on16", tr("16 cycles on"), {QKeySequence(Qt::Key_Greater)},
            tr("Move the cursor sixteen cycles on."), [this] { moveTime(16); });
    addGesture("scrub", tr("Move the cursor"), tr("drag"),
               tr("Banks and occupancy are shown at the cursor."));
    connect(&state(), &SystolicState::pipelineChanged, this, &GanttCanvas::outdated);
    connect(&state(), &SystolicState::cycleChanged, this, [this] {
        moveGanttCursor(m_model, state().pipelineTime());
        if (isVisible())
            update();
    });
}

void GanttCanvas::rebuild()
{
    state().needPipeline();
    m_model = buildGantt(state(), static_cast<GanttShow>(m_show->currentIndex()));
    m_bandwidth->setCurrentIndex(state().settings().unlimitedBandwidth ? 0 : 1);
    m_layout->setCurrentIndex(static_cast<int>(state().settings().layout));
    if (const auto all = static_cast<double>(m_model.cycles); all > 0 && all != m_range.total()) {
        m_range = {};
        m_range.setTotal(all, kShortest);
    }
    setAccessibleDescription(
        m_model.hint.isEmpty() ? m_model.headline + QStringLiteral(". ") + m_model.bottleneck : m_model.hint);
}

QString GanttCanvas::copyText() const
{
    if (m_model.programs.empty())
        return {};
    QString out =
        m_model.stalls.asText() + QStringLiteral("\ncommand\tresource\tunit\tstart\tend\tready\tbytes\n");
    const GanttProgram& p = m_model.main();
    constexpr std::size_t kCopied = 100'000;
    for (std::size_t c = 0; c < std::min(kCopied, p.program->commands.size()); ++c) {
        const Command& command = p.program->commands[c];
        const PipelineEvent& e = p.run->events[c];
        const auto resource = resourceOf(command.kind);
        out += QStringLiteral("%1\t%2\t%3\t%4\t%5\t%6\t%7\n")
                   .arg(QString::fromStdString(commandTitle(command)),
                        resource ? resourceText(*resource) : QString())
                   .arg(e.unit)
                   .arg(e.start)
                   .arg(e.end)
                   .arg(e.ready)
                   .arg(command.bytes);
    }
    return out;
}

Axis GanttCanvas::axisOf(const GanttPlaces& p) const
{
    return m_range.axis(p.plot.left(), p.plot.right());
}

void GanttCanvas::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    ensureFresh();
    if (m_model.programs.empty()) {
        paintEmptyHint(painter, area, m_model.hint, theme);
        return;
    }
    const GanttPlaces p = ganttPlaces(area, m_model);
    paintGantt(painter, m_model, p, axisOf(p), exporting ? std::nullopt : m_hover, true, theme);
}

std::optional<QRectF> GanttCanvas::shownPart() const
{
    return m_model.programs.empty() ? std::nullopt : std::optional(m_range.part());
}

void GanttCanvas::showPart(const QRectF& part)
{
    m_range.show(part);
    update();
}

QPointF GanttCanvas::focusPoint() const
{
    return m_model.programs.empty() ? SystolicPane::focusPoint() : pointAt(static_cast<double>(m_model.time));
}

QString GanttCanvas::tableText() const
{
    return m_model.programs.empty() ? QString() : m_model.stalls.asText();
}

void GanttCanvas::zoomBy(double factor, QPointF anchor)
{
    if (m_model.programs.empty())
        return;
    const Axis a = axisOf(places());
    m_range.zoom(factor, a.toValue(std::clamp(anchor.x(), a.p0, a.p1)));
    update();
}

void GanttCanvas::panBy(QPointF pixels)
{
    if (m_model.programs.empty())
        return;
    const Axis a = axisOf(places());
    m_range.pan(a.v0 - a.toValue(a.p0 + pixels.x()));
    update();
}

void GanttCanvas::fitAll()
{
    m_range.fit();
    update();
}

QPointF GanttCanvas::pointAt(double time) const
{
    const GanttPlaces p = places();
    const double y = p.groups.empty() ? p.plot.center().y() : p.groups.front().lanes.front().center().y();
    return {axisOf(p).toPixel(time), y};
}

void GanttCanvas::jumpToStall(int by)
{
    if (m_model.programs.empty())
        return;
    if (const auto at = nextBubble(*m_model.main().run, m_model.time, by)) {
        state().setPipelineTime(*at);
        m_range.reveal(static_cast<double>(*at), static_cast<double>(*at));
        update();
    }
}

QString GanttCanvas::tooltipAt(QPointF position) const
{
    if (m_model.programs.empty())
        return {};
    const GanttPlaces p = places();
    const Axis axis = axisOf(p);
    const double slack = std::abs(axis.toValue(axis.p0 + 2) - axis.v0);
    if (const auto hit = ganttHit(p, axis, position)) {
        const GanttProgram& program = m_model.programs[hit->group];
        const PipelineLane& lane = (*program.lanes)[hit->lane];
        if (const auto* bar = barAt(lane, hit->time, slack))
            return barTooltip(program, *bar);
        if (lane.resource == Resource::Array)
            if (const ArrayBubble* b = program.run->bubbleAt(static_cast<std::int64_t>(hit->time)))
                return tr("<b>The array waits: %1</b><br>%2 from cycle %3<br>for %4")
                    .arg(reasonText(b->reason).toHtmlEscaped(), counted(b->length, tr("cycle"), tr("cycles")),
                         number(b->start),
                         QString::fromStdString(commandTitle(program.program->commands[b->command]))
                             .toHtmlEscaped());
        return tr("%1 %2 is idle at %3")
            .arg(resourceText(lane.resource))
            .arg(lane.unit)
            .arg(number(std::floor(hit->time)));
    }
    const char* names[] = {"L3", "L2", "L1"};
    const Level levels[] = {Level::L3, Level::L2, Level::L1};
    for (std::size_t i = 0; i < 3; ++i)
        if (p.occupancy[i].contains(position)) {
            const auto t = static_cast<std::int64_t>(axis.toValue(position.x()));
            QString out = tr("<b>%1 at cycle %2</b>").arg(QLatin1String(names[i]), number(t));
            for (const GanttProgram& program : m_model.programs)
                out += tr("<br>%1: %2 bytes, peak %3")
                           .arg(program.style == ProgramStyle::Pipelined ? tr("pipelined") : tr("barriered"),
                                number(program.run->occupancyAt(levels[i], t)),
                                number(program.run->peakBytes[i]));
            return out + tr("<br>the level holds %1 bytes").arg(number(m_model.capacity[i]));
        }
    return {};
}

void GanttCanvas::mousePressEvent(QMouseEvent* event)
{
    SystolicPane::mousePressEvent(event);
    const GanttPlaces p = places();
    if (event->button() != Qt::LeftButton || !p.plot.contains(event->position()))
        return;
    m_scrubbing = true;
    state().setPipelineTime(static_cast<std::int64_t>(std::floor(axisOf(p).toValue(event->position().x()))));
}

void GanttCanvas::mouseMoveEvent(QMouseEvent* event)
{
    SystolicPane::mouseMoveEvent(event);
    const GanttPlaces p = places();
    m_hover.reset();
    if (p.plot.contains(event->position()))
        m_hover = axisOf(p).toValue(event->position().x());
    if (m_scrubbing)
        state().setPipelineTime(
            static_cast<std::int64_t>(std::floor(axisOf(p).toValue(event->position().x()))));
    update();
}

void GanttCanvas::mouseReleaseEvent(QMouseEvent* event)
{
    SystolicPane::mouseReleaseEvent(event);
    if (event->button() == Qt::LeftButton)
        m_scrubbing = false;
}

QPointF GanttCanvas::keyAnchor() const
{
    return m_model.programs.empty() ? SystolicPane::keyAnchor()
                                    : pointAt(m_hover.value_or(static_cast<double>(m_model.time)));
}

void GanttCanvas::leaveEvent(QEvent* event)
{
    m_hover.reset();
    update();
    SystolicPane::leaveEvent(event);
}

} // namespace tilewright::ui
