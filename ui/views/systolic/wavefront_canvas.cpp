// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/systolic/wavefront_canvas.h"

#include "theme/text.h"
#include "views/systolic/wavefront_model.h"

#include <QComboBox>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace tilewright::ui {

using namespace systolic;

WavefrontCanvas::WavefrontCanvas(const ViewContext& context, QWidget* parent)
    : SystolicPaneOf(context, QStringLiteral("systolic-wavefront"), tr("Wavefront"), Dragging::MovesCursor,
                     parent)
{
    createControls();
    addOwnKeys();
    connect(&state(), &SystolicDocument::cycleChanged, this, [this] {
        if (isVisible())
            refreshCycle();
        else
            outdated();
    });
    connect(&state(), &SystolicDocument::simulationChanged, this, [this] { outdated(); });
}

void WavefrontCanvas::createControls()
{
    m_playback = new Playback(clock(),
                              {[this] { return state().cycles(); }, [this] { return state().cycle(); },
                               [this](std::int64_t cycle) { state().setCycle(cycle); }},
                              this);
    m_scrubber =
        new Scrubber(*this, *m_playback,
                     {QStringLiteral("systolic."), tr("cycle"), tr("cycles"), tr("Cycle"),
                      tr("The cycle that is shown; drag to move through the run."), tr("Play the wavefront"),
                      tr("Pause the wavefront"), tr("Play the cycles, or pause."), 16});
    const char* ids[] = {"fill", "steady", "drain"};
    const QString names[] = {tr("Fill"), tr("Steady"), tr("Drain")};
    const QString tips[] = {
        tr("Go to the first cycle of the fill."),
        tr("Go to the first cycle with the largest number of active PEs."),
        tr("Go to the first cycle after the last one with the largest number of active PEs.")};
    const Qt::Key keys[] = {Qt::Key_1, Qt::Key_2, Qt::Key_3};
    for (std::size_t i = 0; i < 3; ++i)
        addCommand(ids[i], names[i], {}, {QKeySequence(keys[i])}, tips[i],
                   [this, i] { state().setCycle(phaseCycles(state())[i]); });
    m_scrubber->addSpeeds();
    m_colour = bar().addChoice(tr("Colour"), {tr("activity"), tr("tile"), tr("accumulation")},
                               tr("Meaning of a PE's colour: whether it multiplies, its output tile (fold), "
                                  "or the progress of its accumulator."));
    connect(m_colour, &QComboBox::currentIndexChanged, this, qOverload<>(&QWidget::update));
}

void WavefrontCanvas::rebuild()
{
    state().needSimulation();
    if (state().cycles() != std::exchange(m_cycles, state().cycles()))
        forgetRange(); // the visible range belongs to another run
    const ArrayShape& array = state().settings().hierarchy.array;
    for (auto* pe : {&m_overlay.pinned, &m_overlay.hovered})
        if (*pe && ((*pe)->row >= array.rows || (*pe)->col >= array.cols))
            pe->reset();
    m_model = buildWavefront(state());
    setLanes(wavefrontLanes(state()));
    refreshCycle();
}

void WavefrontCanvas::refreshCycle()
{
    m_model = buildWavefront(state());
    m_scrubber->refresh();
    refreshFacts();
    setAccessibleDescription(m_model.title + QStringLiteral(". ") + m_model.when + QStringLiteral(". ") +
                             m_model.figures);
    update();
}

void WavefrontCanvas::refreshFacts()
{
    const auto& shown = m_overlay.hovered ? m_overlay.hovered : m_overlay.pinned;
    m_overlay.facts.reset();
    if (shown)
        m_overlay.facts = peFacts(state(), *shown);
}

QString WavefrontCanvas::copyText() const
{
    QString out = QStringLiteral("row\tcolumn\tactive\tfold\tm\tn\tk\n");
    for (std::int64_t r = 0; r < m_model.shownRows; ++r)
        for (std::int64_t c = 0; c < m_model.shownCols; ++c) {
            const PeActivity& pe = m_model.at(r, c);
            out += textRow(r * m_model.step, c * m_model.step, pe.active ? 1 : 0, pe.fold, pe.m, pe.n, pe.k);
        }
    return out;
}

QString WavefrontCanvas::tableText() const
{
    QString out = textRow(tr("product"), m_model.title);
    const std::array<std::pair<QString, QString>, 4> lines{{{tr("from"), m_model.origin},
                                                            {tr("figures"), m_model.figures},
                                                            {tr("cursor"), m_model.when},
                                                            {tr("note"), m_model.warning}}};
    for (const auto& [name, text] : lines)
        if (!text.isEmpty())
            out += textRow(name, text);
    return out;
}

QRectF WavefrontCanvas::chartArea(const QRectF& area, bool) const
{
    return wavefrontPlaces(area, m_model).chart;
}

void WavefrontCanvas::paintContent(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    ensureFresh();
    LaneChart::paintContent(painter, area, theme, exporting);
}

void WavefrontCanvas::paintBeside(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    WavefrontOverlay overlay = m_overlay;
    if (exporting)
        overlay.hovered.reset();
    paintWavefront(painter, m_model, wavefrontPlaces(area, m_model),
                   static_cast<PeColour>(m_colour->currentIndex()), overlay, theme);
}

void WavefrontCanvas::hideEvent(QHideEvent* event)
{
    m_playback->setPlaying(false);
    LaneChart::hideEvent(event);
}

// -- positions --------------------------------------------------------------------------------------------

QPointF WavefrontCanvas::focusPoint() const
{
    return m_overlay.pinned ? peCentre(*m_overlay.pinned) : chartPoint(state().cycle());
}

QPointF WavefrontCanvas::peCentre(const PePosition& pe) const
{
    return arrayPlaces().pe(pe.row / m_model.step, pe.col / m_model.step).center();
}

std::optional<PePosition> WavefrontCanvas::peUnder(QPointF position) const
{
    const WavefrontPlaces p = arrayPlaces();
    const QPointF d = (position - p.origin) / p.cell;
    const auto c = static_cast<std::int64_t>(std::floor(d.x()));
    const auto r = static_cast<std::int64_t>(std::floor(d.y()));
    if (r < 0 || c < 0 || r >= m_model.shownRows || c >= m_model.shownCols)
        return {};
    return PePosition{r * m_model.step, c * m_model.step};
}

// -- mouse and keys --------------------------------------------------------------------------------------

QString WavefrontCanvas::tooltipAt(QPointF position) const
{
    if (const auto pe = peUnder(position)) {
        const PeFacts facts = peFacts(state(), *pe);
        QString out = QStringLiteral("<b>%1</b>").arg(facts.title.toHtmlEscaped());
        for (const auto& [label, value] : facts.lines)
            out += QStringLiteral("<br>%1: %2").arg(label.toHtmlEscaped(), value.toHtmlEscaped());
        return out;
    }
    return LaneChart::tooltipAt(position);
}

void WavefrontCanvas::mousePressEvent(QMouseEvent* event)
{
    LaneChart::mousePressEvent(event);
    if (event->button() != Qt::LeftButton)
        return;
    if (const auto pe = peUnder(event->position())) {
        m_overlay.pinned = m_overlay.pinned == pe ? std::nullopt : pe;
        refreshFacts();
        update();
    }
}

void WavefrontCanvas::cursorDragged(double time)
{
    m_playback->goTo(static_cast<std::int64_t>(std::floor(time)));
}

std::optional<double> WavefrontCanvas::pinnedTime() const
{
    return static_cast<double>(m_model.cycle) + 0.5;
}

void WavefrontCanvas::hovered(QPointF position)
{
    LaneChart::hovered(position);
    if (hoverTime())
        setCursor(Qt::SizeHorCursor);
    m_overlay.hovered = peUnder(position);
    refreshFacts();
}

void WavefrontCanvas::movePinned(std::int64_t rows, std::int64_t cols)
{
    const PePosition from = m_overlay.pinned.value_or(PePosition{});
    m_overlay.pinned = PePosition{std::clamp<std::int64_t>(from.row + rows, 0, m_model.rows - 1),
                                  std::clamp<std::int64_t>(from.col + cols, 0, m_model.cols - 1)};
    m_overlay.hovered.reset();
    refreshFacts();
    update();
}

void WavefrontCanvas::addOwnKeys()
{
    addKeys("pin", tr("Move from PE to PE"), arrowKeys(),
            tr("Pin the next PE to show its operands and accumulator."), [this](const KeyUse& use) {
                const QPoint way = use.arrow();
                movePinned(way.y() * m_model.step, way.x() * m_model.step);
            });
    addKeys("unpin", tr("Unpin the PE"), {QKeySequence(Qt::Key_Escape)}, tr("Remove the pin from the PE."),
            [this] {
                setMeasured(std::nullopt);
                m_overlay.pinned.reset();
                refreshFacts();
                update();
            });
    // On most keyboards "<" and ">" are Shift+comma and Shift+full stop.
    addKeys("back16", tr("16 cycles back"), {QKeySequence(Qt::Key_Less)}, tr("Go sixteen cycles back."),
            [this] { m_playback->moveBy(-16); });
    addKeys("on16", tr("16 cycles forward"), {QKeySequence(Qt::Key_Greater)},
            tr("Go sixteen cycles forward."), [this] { m_playback->moveBy(16); });
    addKeys("toFirst", tr("To the first cycle"), {QKeySequence(Qt::Key_Home)},
            tr("Go to the first cycle of the run."), [this] { state().setCycle(0); });
    addKeys("toLast", tr("To the last cycle"), {QKeySequence(Qt::Key_End)},
            tr("Go to the last cycle of the run."), [this] { state().setCycle(state().cycles() - 1); });
    addGesture("scrub", tr("Choose a cycle"), tr("drag in the chart"),
               tr("The array is shown at that cycle."));
}

void WavefrontCanvas::leaveEvent(QEvent* event)
{
    m_overlay.hovered.reset();
    refreshFacts();
    update();
    LaneChart::leaveEvent(event);
}

} // namespace tilewright::ui
