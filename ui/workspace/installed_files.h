// SPDX-License-Identifier: GPL-3.0-or-later
// Paths of files that are installed with the program. Each is searched in the folders above the program
// (build tree or installation), then where an installed package has it (for a program that was copied alone),
// then above the current folder. Empty if not found.
#pragma once

#include <QString>

namespace tilewright::ui {

/// Folder of the samples.
[[nodiscard]] QString samplesFolder();

/// Nearest samples folder in `folder` or above: `samples` (source tree) or `share/tilewright/samples`.
[[nodiscard]] QString samplesAbove(const QString& folder);

/// Folder that a file dialog begins with: that of `file`, unless it is empty or a built-in file; then the
/// documents of the user, or the home folder where there are none.
[[nodiscard]] QString folderBeside(const QString& file);

/// A page of the handbook, such as "lenses/four.html"; the first one if `name` is empty.
[[nodiscard]] QString handbookPage(const QString& name = {});

} // namespace tilewright::ui
