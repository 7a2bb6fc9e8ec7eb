// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

/// The control in `place` that a screen reader calls by this name; null where there is none.
template <typename Control> Control* controlNamed(const QWidget& place, const QString& name)
{
    for (Control* control : place.findChildren<Control*>())
        if (control->accessibleName() == name)
            return control;
    return nullptr;
}
