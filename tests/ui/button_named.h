// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractButton>
#include <QWidget>

/// The button that a person sees with these words on it; null where there is none.
inline QAbstractButton* buttonNamed(const QWidget& place, const QString& words)
{
    for (QAbstractButton* button : place.findChildren<QAbstractButton*>()) {
        QString text = button->text();
        if (button->isVisible() && text.remove(QLatin1Char('&')) == words)
            return button;
    }
    return nullptr;
}
