// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/wheel_guard.h"

#include <QCoreApplication>
#include <QWheelEvent>
#include <QWidget>

namespace tilewright::ui {

void WheelGuard::protect(QWidget* control)
{
    control->setFocusPolicy(Qt::StrongFocus);
    control->installEventFilter(new WheelGuard(control));
}

bool WheelGuard::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() != QEvent::Wheel || static_cast<QWidget*>(watched)->hasFocus())
        return false;
    // What a filter takes does not go on to the parent by itself, so it is sent there.
    auto* control = static_cast<QWidget*>(watched);
    QWidget* parent = control->parentWidget();
    if (control->isWindow() || !parent)
        return false;
    const auto& wheel = static_cast<const QWheelEvent&>(*event);
    QWheelEvent forwarded(control->mapTo(parent, wheel.position()), wheel.globalPosition(),
                          wheel.pixelDelta(), wheel.angleDelta(), wheel.buttons(), wheel.modifiers(),
                          wheel.phase(), wheel.inverted(), wheel.source());
    QCoreApplication::sendEvent(parent, &forwarded);
    event->setAccepted(forwarded.isAccepted());
    return true;
}

} // namespace tilewright::ui
