// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/gantt_canvas.h"

#include "theme/text.h"
#include "theme/text_metrics.h"
#include "theme/theme.h"

#include <QClipboard>
#include <QComboBox>
#include <QFontMetricsF>
#include <QGuiApplication>
#include <QPainter>
#include <QToolButton>

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
    addSetting(tr("Schedule"), scheduleChoices(),
               tr("Order and reuse of tiles in L2, for the pipelined output-stationary program. By the size "
                  "of L2: A + "
                  "row reuse, or B if L2 is too small."),
               &scheduleChoice, &chooseSchedule);
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
    m_pin =
        addCommand("pin", tr("Pin the programs"), QStringLiteral("pin"), {},
                   tr("Keep these programs to compare further ones with: pale below their lanes, and in a "
                      "table. Once more: drop them."),
                   [this] { state().setPinned(!state().pinned()); });
    m_pin->setCheckable(true);
    m_simulate = addCommand("simulate", tr("Simulate"), QStringLiteral("play"), {},
                            tr("Run the programs although they are long."), [this] {
                                state().runPipeline();
                                m_simulate->setEnabled(false);
                            });
    for (QToolButton* button : bar().findChildren<QToolButton*>())
        if (button->defaultAction() == m_simulate)
            m_simulateButton = button;
    m_simulateButton->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    addCommand("fit", tr("Fit the pipeline"), QStringLiteral("fit"), {}, tr("Show all cycles."),
               [this] { fitAll(); });
    addCommand("listing", tr("Copy the program"), QStringLiteral("copy"), {},
               tr("Copy the instruction listing of the program whose details are shown."), [this] {
                   if (!m_model.programs.empty())
                       QGuiApplication::clipboard()->setText(
                           QString::fromStdString(programText(*m_model.main().program)));
               });
    bar().addButton(addTrace());
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
    const bool waits = m_model.result && m_model.result->waiting > 0;
    bar().setShown(m_simulateButton, waits);
    m_simulate->setEnabled(waits);
    m_pin->setChecked(state().pinned() != nullptr);
    Actions::setAvailable(
        m_pin, {state().pinned() || !m_model.programs.empty(), tr("There are no programs to pin.")});
    if (m_model.cycles != std::exchange(m_cycles, m_model.cycles))
        forgetRange(); // the visible range belongs to other programs
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
    QString out = tableText() + QStringLiteral("\ncommand\tresource\tunit\tstart\tend\tready\tbytes\n");
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
    if (m_model.programs.empty())
        return {};
    return m_model.stalls.asText() +
           (m_model.compared.rows.empty() ? QString() : QLatin1Char('\n') + m_model.compared.asText());
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

OurTrace GanttCanvas::ourTrace() const
{
    if (m_model.programs.empty())
        return {};
    // The program whose details are shown; its result owns both.
    const std::shared_ptr<const PipelineRun> run(m_model.result, m_model.main().run);
    return {run, [result = m_model.result, run, program = m_model.main().program] {
                return pipelineTrace(*program, *run, result->machine);
            }};
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

// Paints the panel beside the pipeline: cycles of the array by reason, banks that are being read,
// instructions at the cursor.

namespace {

/// Paints the banks and returns the height that they take.
double paintBanks(QPainter& painter, const GanttModel& m, const QRectF& area, const Theme& theme)
{
    const BankCursor& b = m.banks;
    const QFont bold = uiFont(1.0, QFont::DemiBold);
    const QFontMetricsF bm(bold);
    const QFontMetricsF fm(uiFont(0.8));
    const std::int64_t shown = std::min<std::int64_t>(b.map.banks, 32);
    const std::int64_t perRow = std::min<std::int64_t>(8, shown);
    const double gap = 3;
    const double w = (area.width() - gap * static_cast<double>(perRow - 1)) / static_cast<double>(perRow);
    const double h = fm.height() * 2 + 4;
    const auto rows = static_cast<double>(ceilDiv(shown, perRow));
    const double need = bm.height() + 4 + rows * (h + gap) + fm.height() + 2;
    if (need > area.height())
        return 0;
    writeLine(painter, area.topLeft(), area.width(), tr("Banks of L2 read now"), bold, theme.text);
    const double top = area.top() + bm.height() + 4;
    for (std::int64_t i = 0; i < shown; ++i) {
        const std::int64_t row = i / perRow;
        const QRectF box(area.left() + static_cast<double>(i % perRow) * (w + gap),
                         top + static_cast<double>(row) * (h + gap), w, h);
        const bool a = b.bankA == i;
        const bool bb = b.bankB == i;
        painter.fillRect(box, a    ? theme.input
                              : bb ? theme.output
                                   : Theme::mix(theme.canvas, theme.text, 0.05));
        if (a && bb) {
            QRectF half = box;
            half.setLeft(box.center().x());
            painter.fillRect(half, theme.output);
        }
        const bool conflict = a && bb;
        painter.setPen(QPen(conflict ? theme.error : theme.grid, conflict ? 2 : 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(box);
        painter.setFont(uiFont(0.8));
        painter.setPen(a || bb ? theme.ink : theme.muted);
        painter.drawText(QRectF(box.left(), box.top() + 1, box.width(), fm.height()), Qt::AlignCenter,
                         QString::number(i));
        const QString tile = conflict ? tr("A B") : a ? b.tileA : bb ? b.tileB : QString();
        painter.drawText(QRectF(box.left(), box.top() + fm.height() + 2, box.width(), fm.height()),
                         Qt::AlignCenter, fm.elidedText(tile, Qt::ElideRight, box.width()));
    }
    QString note = b.conflict() ? tr("⚠ %1 and %2 share a bank: one read is serialised").arg(b.tileA, b.tileB)
                   : b.bankA    ? tr("%1 and %2 are read together").arg(b.tileA, b.tileB)
                                : tr("no COMPUTE instruction at the cursor");
    if (b.map.banks > shown)
        note += tr(" (first %1 banks)").arg(shown);
    writeLine(painter, {area.left(), top + rows * (h + gap)}, area.width(), note, uiFont(0.8),
              b.conflict() ? theme.error : theme.muted);
    return need;
}

} // namespace

void paintGanttPanel(QPainter& painter, const GanttModel& m, const QRectF& area, const Theme& theme)
{
    double y = area.top();
    const auto fits = [&](double h) { return y + h <= area.bottom(); };
    const double tables = m.stalls.height(area.width());
    if (fits(tables)) {
        PaintedTable stalls = m.stalls;
        stalls.key = [&](QPainter& painter, const QRectF& box, int row) {
            const std::string& reason = m.stallReasons[static_cast<std::size_t>(row)];
            if (row == 0)
                painter.fillRect(box, theme.computeTime);
            else if (!reason.empty())
                fillReason(painter, box, reason, theme);
        };
        stalls.paint(painter, QRectF(area.left(), y, area.width(), tables), theme);
        y += tables + 12;
    }
    if (const double compared = m.compared.rows.empty() ? 0 : m.compared.height(area.width());
        compared > 0 && fits(compared)) {
        m.compared.paint(painter, QRectF(area.left(), y, area.width(), compared), theme);
        y += compared + 12;
    }
    const double banks =
        paintBanks(painter, m, QRectF(area.left(), y, area.width(), area.bottom() - y), theme);
    y += banks > 0 ? banks + 12 : 0;
    PaintedTable now = m.now;
    while (!now.rows.empty() && !fits(now.height(area.width())))
        now.rows.pop_back();
    if (!now.rows.empty())
        now.paint(painter, QRectF(area.left(), y, area.width(), area.bottom() - y), theme);
}

} // namespace tilewright::ui
