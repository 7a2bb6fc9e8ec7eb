// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/actions.h"

#include <QString>

namespace tilewright::ui {

/// Preferences of the user, stored in the settings.
struct Preferences
{
    QString theme = QStringLiteral("system"); ///< "system", "light", "dark"
    bool reduceMotion = false;
    bool wheelScrolls = false; ///< true: the mouse wheel scrolls; false: it zooms
    bool reopenLast = true;    ///< true: reopen the files of the last session at start
    int fontSize = 0;          ///< in points; 0 = font size of the system
    int autosaveSeconds = 5;   ///< seconds from the first unsaved edit to the recovery copy
    KeyChoices keys{};

    [[nodiscard]] static Preferences load();
    void save() const;
    bool operator==(const Preferences&) const = default;
};

} // namespace tilewright::ui
