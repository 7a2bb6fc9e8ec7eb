// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace tilewright::ui {

/// What a control of a form does not keep to itself. The wheel: without the focus the control leaves it to
/// what is behind it, so that the form scrolls. Undo and redo: a number that is in the document is taken back
/// there; only one that is still being typed is taken back in its box.
class FormGuard : public QObject
{
public:
    /// Also takes care that the wheel does not give the control the focus.
    static void protect(QWidget* control);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace tilewright::ui
