// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/actions.h"

#include <QString>

namespace tilewright::ui {

/// What a person can choose about the window as a whole; kept in the settings.
struct Preferences
{
    QString theme = QStringLiteral("system"); ///< "system", "light", "dark"
    bool reduceMotion = false;
    bool wheelScrolls = false; ///< instead of zooming
    bool reopenLast = true;    ///< the files of the last session, at start
    int fontSize = 0;          ///< in points; 0 = the system's
    int autosaveSeconds = 5;   ///< after the first edit that is not saved yet
    KeyChoices keys{};

    [[nodiscard]] static Preferences load();
    void save() const;
    bool operator==(const Preferences&) const = default;
};

} // namespace tilewright::ui
