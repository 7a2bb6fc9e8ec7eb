// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace tilewright::ui {

/// Keeps the wheel from changing a control of a form that it only passes over: without the focus the control
/// leaves the wheel to what is behind it, so that the form scrolls.
class WheelGuard : public QObject
{
public:
    /// Also takes care that the wheel does not give the control the focus.
    static void protect(QWidget* control);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace tilewright::ui
