// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/gantt_canvas.h"

#include "theme/number.h"
#include "theme/text_row.h"
#include "views/systolic/gantt_lanes.h"

#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

using namespace systolic;

namespace {
constexpr double kPanel = 310; // width of the panel beside the lanes, in pixels
constexpr double kWithPanel = 700;
} // namespace

GanttCanvas::GanttCanvas(const ViewContext& context, QWidget* parent)
    : SystolicPaneOf(context, QStringLiteral("systolic-pipeline"), tr("Systolic pipeline"),
                     Dragging::MovesCursor, parent)
{
    m_show = bar().addChoice(tr("Show"), {tr("both programs"), tr("pipelined"), tr("barriered")},
                             tr("Programs that are drawn. The details are those of the last one."));
    connect(m_show, &QComboBox::currentIndexChanged, this, [this] { outdated(); });
    addSetting(
        tr("Bandwidth"), {tr("unlimited"), tr("of the memories")},
        tr("Unlimited: data moves take no time. Of the memories: they take the time that the bandwidths "
           "allow."),
        [](const SystolicSettings& s) { return s.unlimitedBandwidth ? 0 : 1; },
        [](SystolicSettings& s, int i) { s.unlimitedBandwidth = i == 0; });
    addSetting(
        tr("Banks"), {tr("layout as printed"), tr("split layout")},
        tr("Positions of tiles in the banks of L2: as printed in the source document, or A in one half and B "
           "in the other. A conflict serialises a read."),
        [](const SystolicSettings& s) { return static_cast<int>(s.layout); },
        [](SystolicSettings& s, int i) { s.layout = static_cast<BankLayout>(i); });
    m_playback = new Playback(clock(),
                              {[this] { return m_model.programs.empty() ? 0 : m_model.cycles + 1; },
                               [this] { return m_model.time; },
                               [this](std::int64_t time) { state().setPipelineTime(time); }},
                              this);
    m_scrubber =
        new Scrubber(*this, *m_playback,
                     {QStringLiteral("systolic.pipeline."), tr("cycle"), tr("cycles"), tr("Cycle"),
                      tr("Cycle of the cursor; drag to move it."), tr("Play the pipeline"),
                      tr("Pause the pipeline"), tr("Move the cursor through the cycles, or pause."), 16});
    m_scrubber->addSpeeds();
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
    addKeys("back16", tr("16 cycles back"), {QKeySequence(Qt::Key_Less)},
            tr("Move the cursor sixteen cycles back."), [this] { m_playback->moveBy(-16); });
    addKeys("on16", tr("16 cycles forward"), {QKeySequence(Qt::Key_Greater)},
            tr("Move the cursor sixteen cycles forward."), [this] { m_playback->moveBy(16); });
    addKeys("letGo", tr("Clear measurement"), {QKeySequence(Qt::Key_Escape)}, tr("End the measured range."),
            [this] { setMeasured(std::nullopt); });
    addGesture("scrub", tr("Move the cursor"), tr("drag"),
               tr("Banks and occupancy are shown at the cursor."));
    connect(&state(), &SystolicDocument::pipelineChanged, this, [this] { outdated(); });
    connect(&state(), &SystolicDocument::cycleChanged, this, [this] {
        moveGanttCursor(m_model, state().pipelineTime());
        showHeld();
        m_scrubber->refresh();
        if (isVisible())
            update();
    });
}

void GanttCanvas::rebuild()
{
    state().needPipeline();
    m_model = buildGantt(state(), static_cast<GanttShow>(m_show->currentIndex()));
    if (m_model.cycles != std::exchange(m_cycles, m_model.cycles))
        forgetRange(); // the range belongs to other programs
    setLanes(ganttLanes(m_model));
    showHeld();
    m_scrubber->refresh();
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
        out += textRow(commandTitle(command), resource ? resourceText(*resource) : QString(), e.unit, e.start,
                       e.end, e.ready, command.bytes);
    }
    return out;
}

void GanttCanvas::showHeld()
{
    if (m_model.programs.empty())
        return;
    amend([this](LaneModel& lanes) {
        for (std::size_t i = 0; i < 3; ++i)
            lanes.lanes[firstLevelLane(lanes) + i].note = bytesText(m_model.held[i]);
    });
}

QRectF GanttCanvas::chartArea(const QRectF& area, bool) const
{
    return area.width() >= kWithPanel ? area.adjusted(0, 0, -kPanel - 26, 0) : area;
}

void GanttCanvas::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    ensureFresh();
    LaneChart::paintContent(painter, area, theme, exporting);
}

void GanttCanvas::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool)
{
    if (area.width() >= kWithPanel)
        paintGanttPanel(painter, m_model,
                        QRectF(area.right() - kPanel - 12, area.top() + 8, kPanel, area.height() - 14),
                        theme);
}

QPointF GanttCanvas::focusPoint() const
{
    return m_model.programs.empty() ? LaneChart::focusPoint() : pointAt(static_cast<double>(m_model.time));
}

QString GanttCanvas::tableText() const
{
    return m_model.programs.empty() ? QString() : m_model.stalls.asText();
}

QString GanttCanvas::restingReadout() const
{
    QStringList parts{m_model.now.title};
    for (const QStringList& row : m_model.now.rows)
        parts << row.join(QLatin1Char(' '));
    return parts.join(QStringLiteral(" · "));
}

std::optional<double> GanttCanvas::pinnedTime() const
{
    return static_cast<double>(m_model.time);
}

void GanttCanvas::cursorDragged(double time)
{
    m_playback->goTo(static_cast<std::int64_t>(std::floor(time)));
}

void GanttCanvas::hideEvent(QHideEvent* event)
{
    m_playback->setPlaying(false);
    LaneChart::hideEvent(event);
}

void GanttCanvas::jumpToStall(int by)
{
    if (m_model.programs.empty())
        return;
    if (const auto at = nextBubble(*m_model.main().run, m_model.time, by)) {
        state().setPipelineTime(*at);
        reveal(static_cast<double>(*at));
    }
}

} // namespace tilewright::ui
