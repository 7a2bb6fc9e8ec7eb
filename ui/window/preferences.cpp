// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/preferences.h"

#include <QSettings>

#include <algorithm>

namespace tilewright::ui {

Preferences Preferences::load()
{
    QSettings settings;
    const Preferences usual;
    Preferences p;
    p.theme = settings.value(QStringLiteral("theme"), usual.theme).toString();
    p.reduceMotion = settings.value(QStringLiteral("reduceMotion"), usual.reduceMotion).toBool();
    p.wheelScrolls = settings.value(QStringLiteral("wheelScrolls"), usual.wheelScrolls).toBool();
    p.reopenLast = settings.value(QStringLiteral("reopenLast"), usual.reopenLast).toBool();
    const int points = settings.value(QStringLiteral("fontSize"), usual.fontSize).toInt();
    p.fontSize = points == 0 ? 0 : std::clamp(points, 6, 40);
    p.autosaveSeconds =
        std::clamp(settings.value(QStringLiteral("autosaveSeconds"), usual.autosaveSeconds).toInt(), 1, 600);
    settings.beginGroup(QStringLiteral("keys"));
    for (const QString& id : settings.childKeys())
        p.keys[id] = QKeySequence::listFromString(settings.value(id).toString());
    return p;
}

void Preferences::save() const
{
    QSettings settings;
    settings.setValue(QStringLiteral("theme"), theme);
    settings.setValue(QStringLiteral("reduceMotion"), reduceMotion);
    settings.setValue(QStringLiteral("wheelScrolls"), wheelScrolls);
    settings.setValue(QStringLiteral("reopenLast"), reopenLast);
    settings.setValue(QStringLiteral("fontSize"), fontSize);
    settings.setValue(QStringLiteral("autosaveSeconds"), autosaveSeconds);
    settings.beginGroup(QStringLiteral("keys"));
    settings.remove(QString());
    for (const auto& [id, chosen] : keys)
        settings.setValue(id, QKeySequence::listToString(chosen));
}

} // namespace tilewright::ui
