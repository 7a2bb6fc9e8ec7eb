// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QWidget;

namespace tilewright::ui {

/// Event filter for controls of forms. Wheel: a control without focus ignores it, so that the form scrolls.
/// Undo and redo: act on the document, unless a number is just being typed in the control.
class FormGuard : public QObject
{
public:
    /// Installs the filter on a control, and prevents the wheel from focusing the control.
    static void protect(QWidget* control);
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    using QObject::QObject;
};

} // namespace tilewright::ui
