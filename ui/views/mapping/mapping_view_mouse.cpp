// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/integer.h"
#include "hierarchy/edits.h"
#include "theme/text.h"
#include "views/mapping/mapping_view.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QWheelEvent>

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr double kDragPixels = 4; // movements shorter than this number of pixels are clicks
} // namespace

NestItem MappingView::effective(const NestItem& item) const
{
    NestItem out = item;
    const NestBar* bar = barOf(m_model, item);
    if (m_wholePower && item.factor > 0 && bar)
        for (const mapping::PrimePower& p : bar->primes)
            for (int i = 1; p.prime == item.factor && i < p.exponent; ++i)
                out.factor *= p.prime;
    return out;
}

void MappingView::refreshEffects()
{
    m_overlay.drops.clear();
    const auto& item = m_overlay.drag    ? m_overlay.drag
                       : m_overlay.hover ? m_overlay.hover
                       : hasFocus()      ? m_overlay.focus
                                         : m_overlay.drag;
    if (!item)
        return;
    m_overlay.drops.reserve(m_model.columns.size());
    for (std::size_t i = 0; i < m_model.columns.size(); ++i)
        m_overlay.drops.push_back(dropOnColumn(m_state, effective(*item), i));
}

// -- mouse -----------------------------------------------------------------------------------------------

void MappingView::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        Canvas::mousePressEvent(event);
        return;
    }
    m_message.clear();
    m_pressedAt = event->position();
    m_pressed =
        canvasArea().contains(event->position()) ? m_layout.nest.itemAt(event->position()) : std::nullopt;
    m_wholePower = event->modifiers() & Qt::ShiftModifier;
    if (m_pressed) {
        m_overlay.focus = m_pressed;
    } else {
        for (std::size_t op = 0; op < mapping::kOperands; ++op)
            if (m_layout.nest.operands[op].contains(event->position()))
                m_state.setOperand(m_state.operand() == static_cast<int>(op) ? -1 : static_cast<int>(op));
    }
    refreshEffects();
    update();
}

void MappingView::updateDrag(QPointF position)
{
    m_overlay.cursor = position;
    m_overlay.target = m_layout.nest.columnAt(position);
    m_overlay.slot.reset();
    m_overlay.drop.reset();
    const NestItem item = effective(*m_overlay.drag);
    if (m_overlay.target && *m_overlay.target != item.column) {
        if (const NestDrop* effect = m_overlay.effectOn(*m_overlay.target))
            m_overlay.drop = *effect;
    } else if (m_overlay.target && item.factor == 0) {
        const std::size_t slot = m_layout.nest.slotAt(item.column, position);
        m_overlay.drop = dropInOrder(m_state, item, slot);
        if (m_overlay.drop)
            m_overlay.slot = slot;
    }
    setCursor(m_overlay.drop && !m_overlay.drop->broken.isEmpty() ? Qt::ForbiddenCursor
                                                                  : Qt::ClosedHandCursor);
    update();
}

void MappingView::mouseMoveEvent(QMouseEvent* event)
{
    if (isPanning()) {
        Canvas::mouseMoveEvent(event);
        return;
    }
    const QPointF at = event->position();
    if (m_pressed && !m_overlay.drag && (at - m_pressedAt).manhattanLength() >= kDragPixels) {
        m_overlay.hover.reset();
        m_overlay.drag = m_pressed;
        refreshEffects();
    }
    if (m_overlay.drag) {
        const bool whole = event->modifiers() & Qt::ShiftModifier;
        if (whole != m_wholePower) {
            m_wholePower = whole;
            refreshEffects();
        }
        updateDrag(at);
        return;
    }
    const auto hover = canvasArea().contains(at) ? m_layout.nest.itemAt(at) : std::nullopt;
    if (hover != m_overlay.hover) {
        m_wholePower = false;
        m_overlay.hover = hover;
        setCursor(hover ? Qt::OpenHandCursor : Qt::ArrowCursor);
        refreshEffects();
        update();
    }
}

void MappingView::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton) {
        Canvas::mouseReleaseEvent(event);
        return;
    }
    m_pressed.reset();
    if (!m_overlay.drag)
        return;
    updateDrag(event->position());
    const auto drop = m_overlay.drop;
    cancelDrag();
    if (drop)
        applyDrop(*drop, event->modifiers() & Qt::AltModifier);
}

void MappingView::cancelDrag()
{
    m_pressed.reset();
    m_overlay.drag.reset();
    m_overlay.target.reset();
    m_overlay.slot.reset();
    m_overlay.drop.reset();
    m_wholePower = false;
    unsetCursor();
    refreshEffects();
    update();
}

void MappingView::applyDrop(const NestDrop& drop, bool force)
{
    if (!drop.allowed && !force) {
        tell(tr("%1 — %2").arg(drop.what, drop.broken), true);
        return;
    }
    m_state.applyMapping(drop.preview.mapping, drop.what);
}

void MappingView::wheelEvent(QWheelEvent* event)
{
    const double pixels =
        event->pixelDelta().isNull() ? event->angleDelta().y() / 2.0 : event->pixelDelta().y();
    panBy({0, pixels});
    event->accept();
}

void MappingView::leaveEvent(QEvent* event)
{
    m_overlay.hover.reset();
    refreshEffects();
    update();
    Canvas::leaveEvent(event);
}

// -- keyboard --------------------------------------------------------------------------------------------

bool MappingView::event(QEvent* event)
{
    // The keys must reach this view, although the window may use the same keys.
    if (event->type() == QEvent::ShortcutOverride) {
        auto* key = static_cast<QKeyEvent*>(event);
        const bool arrow = key->key() >= Qt::Key_Left && key->key() <= Qt::Key_Down;
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo) ||
            key->matches(QKeySequence::Paste) || arrow) {
            event->accept();
            return true;
        }
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        const bool done = ToolCanvas::event(event);
        refreshEffects();
        update();
        return done;
    }
    return ToolCanvas::event(event);
}

void MappingView::ensureFocus()
{
    const auto valid = [&](const NestItem& item) {
        const NestBar* bar = barOf(m_model, item);
        return bar && (item.factor == 0 ||
                       std::any_of(bar->primes.begin(), bar->primes.end(),
                                   [&](const mapping::PrimePower& p) { return p.prime == item.factor; }));
    };
    if (m_overlay.focus && valid(*m_overlay.focus))
        return;
    if (m_overlay.focus) {
        m_overlay.focus->factor = 0;
        if (valid(*m_overlay.focus))
            return;
        m_overlay.focus->nth = 0;
        if (valid(*m_overlay.focus))
            return;
    }
    m_overlay.focus.reset();
    for (std::size_t i = 0; i < m_model.columns.size(); ++i)
        if (const std::vector<NestBar>& bars = m_model.columns[i].bars; !bars.empty()) {
            m_overlay.focus = NestItem{i, bars.front().loop, 0};
            return;
        }
}

void MappingView::moveFocus(int columns, int rows)
{
    if (!m_overlay.focus)
        return;
    NestItem item = *m_overlay.focus;
    const NestBarPlace* place = m_layout.nest.bar(item.column, item.loop, item.nth);
    if (!place)
        return;
    const auto& bars = m_model.columns[item.column].bars;
    if (rows != 0) {
        const auto next = static_cast<std::size_t>(
            std::clamp(static_cast<int>(place->index) + rows, 0, static_cast<int>(bars.size()) - 1));
        item = {item.column, bars[next].loop, 0, bars[next].nth};
    } else {
        // The focus moves from a bar to its primes, and then to the next column with loops.
        int chip = 0; // 0: the bar itself, otherwise the number of the prime
        for (std::size_t c = 0; c < place->chips.size(); ++c)
            if (place->chips[c].first == item.factor)
                chip = static_cast<int>(c) + 1;
        chip += columns;
        if (chip >= 0 && chip <= static_cast<int>(place->chips.size())) {
            item.factor = chip == 0 ? 0 : place->chips[static_cast<std::size_t>(chip) - 1].first;
        } else {
            const int count = static_cast<int>(m_model.columns.size());
            int column = static_cast<int>(item.column) + columns;
            while (column >= 0 && column < count &&
                   m_model.columns[static_cast<std::size_t>(column)].bars.empty())
                column += columns;
            if (column < 0 || column >= count)
                return;
            const auto& there = m_model.columns[static_cast<std::size_t>(column)].bars;
            const NestBar& bar = there[std::min(place->index, there.size() - 1)];
            item = {static_cast<std::size_t>(column), bar.loop, columns < 0 ? bar.primes.back().prime : 0,
                    bar.nth};
        }
    }
    m_overlay.focus = item;
    m_overlay.hover.reset();
    refreshEffects();
    update();
}

void MappingView::keyPressEvent(QKeyEvent* event)
{
    m_message.clear();
    ToolCanvas::keyPressEvent(event);
}

void MappingView::addOwnKeys()
{
    // Undo applies to the document that was edited last, because setting the granularity from this view edits
    // the schedule.
    bindKeys(QKeySequence::keyBindings(QKeySequence::Undo), [this] { workspace().undoGroup().undo(); });
    bindKeys(QKeySequence::keyBindings(QKeySequence::Redo), [this] { workspace().undoGroup().redo(); });
    bindKeys(QKeySequence::keyBindings(QKeySequence::Paste), [this] { paste(); });
    addKeys("item", tr("Choose a loop or a factor"), arrowKeys(),
            tr("Move from loop to loop and along its factors."),
            [this](const KeyUse& use) { moveFocus(use.arrow().x(), use.arrow().y()); });
    addKeys("moveItem", tr("Move a loop or factor"), arrowKeys(Qt::ControlModifier),
            tr("Move the focused loop or factor to another level or position; with Shift even if it does not "
               "fit."),
            [this](const KeyUse& use) { moveItem(use.arrow().x(), use.arrow().y(), use.shift()); });
    addKeys("operand", tr("Follow an operand"),
            {QKeySequence(Qt::Key_1), QKeySequence(Qt::Key_2), QKeySequence(Qt::Key_3)},
            tr("Highlight the loops that cause the reuse of the first, second or third operand."),
            [this](const KeyUse& use) {
                const int op = static_cast<int>(use.index);
                m_state.setOperand(m_state.operand() == op ? -1 : op);
            });
    addKeys("fixFactor", tr("Fix a factor"), {QKeySequence(Qt::Key_X)},
            tr("On an architecture with levels: the search keeps the factor of the focused loop, or is free "
               "again."),
            [this] {
                if (const auto place = focusedPlace())
                    m_state.toggleFactor(*place, m_overlay.focus->loop);
            });
    addKeys(
        "fixOrder", tr("Fix an order"), {QKeySequence(Qt::Key_O)},
        tr("On an architecture with levels: the search keeps the order of the loops of the focused level, "
           "or is free again."),
        [this] {
            if (const auto place = focusedPlace(); place && !place->axis)
                m_state.toggleOrder(place->level);
        });
    addKeys("letGo", tr("Cancel or clear operand"), {QKeySequence(Qt::Key_Escape)},
            tr("Cancel the drag, or clear the highlighted operand."), [this] {
                if (m_overlay.drag)
                    cancelDrag();
                else
                    m_state.setOperand(-1);
            });
    addGesture("dragging", tr("Move a loop or a factor"), tr("drag (Shift: all equal factors)"),
               tr("Move it to another level, or up and down in the order."));
}

/// On an architecture with levels, returns the place of the focused item.
std::optional<hierarchy::Place> MappingView::focusedPlace() const
{
    const MappingSetup& setup = m_state.setup();
    if (!setup.levels || !m_overlay.focus)
        return std::nullopt;
    return placesOf(*setup.levels, setup.mapping)[m_overlay.focus->column];
}

/// Moves the focused item by columns or rows. `force`: moves it even if the result does not fit.
void MappingView::moveItem(int columns, int rows, bool force)
{
    if (!m_overlay.focus)
        return;
    NestItem item = *m_overlay.focus;
    std::optional<NestDrop> drop;
    if (columns != 0) {
        const int to = static_cast<int>(item.column) + columns;
        if (to < 0 || to >= static_cast<int>(m_model.columns.size()))
            return;
        drop = dropOnColumn(m_state, item, static_cast<std::size_t>(to));
        item.column = static_cast<std::size_t>(to);
        // In the target column the moved factor joins the nearest loop of the same name, which gets the
        // focus.
        const auto same = static_cast<int>(
            std::ranges::count(m_model.columns[item.column].bars, item.loop, &NestBar::loop));
        item.nth = columns < 0 ? std::max(0, same - 1) : 0;
    } else if (const NestBarPlace* place = m_layout.nest.bar(item.column, item.loop, item.nth)) {
        const std::size_t slot = rows < 0 ? (place->index > 0 ? place->index - 1 : 0) : place->index + 2;
        drop = dropInOrder(m_state, item, std::min(slot, m_model.columns[item.column].bars.size()));
    }
    if (!drop)
        return;
    if (drop->allowed || force)
        m_overlay.focus = item; // the focus stays on the moved item
    applyDrop(*drop, force);
}

// -- tooltips --------------------------------------------------------------------------------------------

QString MappingView::itemTooltip(const NestItem& item) const
{
    const NestBar* bar = barOf(m_model, item);
    if (!bar)
        return {};
    const NestColumn& column = m_model.columns[item.column];
    QString used;
    for (std::size_t op = 0; op < mapping::kOperands; ++op)
        if ((m_state.nest().operands[op].indexMask >> bar->loop & 1u) != 0)
            used += (used.isEmpty() ? QString() : QStringLiteral(", ")) + m_model.operands[op].name;
    QString out =
        QStringLiteral("<b>%1</b> ×%2 %3 %4<br>%5")
            .arg(tr("%1 (%2)").arg(
                     bar->name, loopMeaning(m_state.nest().loopNames[static_cast<std::size_t>(bar->loop)])),
                 number(bar->factor), tr("at"), column.place.toHtmlEscaped(), tr("indexes %1").arg(used));
    if (bar->fixed)
        out += tr("<br>fixed: the search keeps this factor (press X to free it)");
    if (bar->reuseOf >= 0)
        out += tr("<br>%1 is reused along this loop")
                   .arg(m_model.operands[static_cast<std::size_t>(bar->reuseOf)].name);
    out += QStringLiteral("<br><i>") +
           (item.factor > 0
                ? tr("Drag to another level to move one factor %1 (Shift: all of them).").arg(item.factor)
            : column.isOrdered ? tr("Drag up or down to reorder, to another level to move the whole loop.")
                               : tr("Drag to another level to move the whole loop.")) +
           QStringLiteral("</i>");
    return out;
}

QString MappingView::tooltipAt(QPointF position) const
{
    if (!canvasArea().contains(position))
        return {};
    if (const auto item = m_layout.nest.itemAt(position))
        return itemTooltip(*item);
    for (std::size_t i = 0; i < mapping::kObjectives; ++i) {
        const NestMetric& m = m_model.metrics[i];
        if (!m_layout.nest.metrics[i].contains(position) || m.exact.isEmpty())
            continue;
        QString out = QStringLiteral("<b>%1</b> %2").arg(m.name, m.exact);
        if (m.change)
            out += tr("<br>%1 against the baseline").arg(signedPercent(*m.change));
        if (m.aboveOptimum)
            out += m.optimumProven
                       ? tr("<br>%1 against the proven optimum").arg(signedPercent(*m.aboveOptimum))
                       : tr("<br>%1 against the best found").arg(signedPercent(*m.aboveOptimum));
        return out;
    }
    for (std::size_t i = 0; i < mapping::kOperands; ++i) {
        const NestOperand& o = m_model.operands[i];
        if (!m_layout.nest.operands[i].contains(position))
            continue;
        return tr("<b>Operand %1</b>, %2<br>%3<br><i>Click (or press %4) to highlight the loops that cause "
                  "its "
                  "reuse.</i>")
            .arg(o.name, o.written ? tr("read and written") : tr("read"), o.tip, QString::number(i + 1));
    }
    for (std::size_t i = 0; i < m_model.columns.size(); ++i) {
        if (!m_layout.nest.columns[i].contains(position))
            continue;
        const NestColumn& column = m_model.columns[i];
        QString out = QStringLiteral("<b>%1</b> %2").arg(column.place.toHtmlEscaped(), column.detail);
        if (!column.about.isEmpty())
            out += QStringLiteral("<br>") + column.about.toHtmlEscaped();
        if (!column.foldedMeaning.isEmpty())
            out += tr("<br>Loops of factor 1 here: %1").arg(column.foldedMeaning);
        if (const NestDrop* effect = m_overlay.effectOn(i); effect && !effect->broken.isEmpty())
            out += tr("<br>The focused item does not fit here: %1").arg(effect->broken.toHtmlEscaped());
        return out;
    }
    if (!m_code)
        for (const BreakdownPlace& place : m_layout.bars.bars)
            if (place.row.contains(position))
                return breakdownTooltip(m_breakdown, place);
    return {};
}

} // namespace tilewright::ui
