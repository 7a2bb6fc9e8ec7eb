// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/form_guard.h"

#include <QAbstractScrollArea>
#include <QAbstractSpinBox>
#include <QCoreApplication>
#include <QKeyEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <QWidget>

namespace tilewright::ui {

void FormGuard::protect(QWidget* control)
{
    control->setFocusPolicy(Qt::StrongFocus);
    control->installEventFilter(new FormGuard(control));
}

namespace {

/// True if the spin box contains typed text that it has not applied yet.
bool isTyping(const QAbstractSpinBox& box)
{
    bool ok = false;
    const double typed = box.locale().toDouble(box.property("cleanText").toString(), &ok);
    return !ok || typed != box.property("value").toDouble();
}

} // namespace

bool FormGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::ShortcutOverride || event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const auto* box = qobject_cast<QAbstractSpinBox*>(watched);
        if (!box || isTyping(*box) || !(key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)))
            return false;
        event->ignore();
        return true;
    }
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
        return false;
    // Qt sends an ignored event to the parents, but a spin box never ignores the wheel: send it to the form
    // here.
    for (QWidget* w = static_cast<QWidget*>(watched)->parentWidget(); w; w = w->parentWidget())
        if (const auto* area = qobject_cast<QAbstractScrollArea*>(w)) {
            QCoreApplication::sendEvent(area->verticalScrollBar(), event);
            break;
        }
    event->accept();
    return true;
}

} // namespace tilewright::ui
