// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QWidget>

/// The button with these words on it that is offered in `place`; null where there is none.
inline QAbstractButton* buttonNamed(const QWidget& place, const QString& words)
{
    for (QAbstractButton* button : place.findChildren<QAbstractButton*>()) {
        QString text = button->text();
        if (!button->isHidden() && text.remove(QLatin1Char('&')) == words)
            return button;
    }
    return nullptr;
}
