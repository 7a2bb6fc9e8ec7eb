// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/wheel_guard.h"

#include <QEvent>
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
    event->ignore(); // handled here and not accepted: the parent is asked next
    return true;
}

} // namespace tilewright::ui
