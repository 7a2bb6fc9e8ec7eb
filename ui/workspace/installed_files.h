// SPDX-License-Identifier: GPL-3.0-or-later
// Paths of files that are installed with the program. Each file is searched in the folders above the program
// (build tree or installation); then where a package installs it (in case the program alone was copied); then
// above the current folder. The path is empty if the file is not found.
#pragma once

#include <QString>

namespace tilewright::ui {

/// Folder of the samples.
[[nodiscard]] QString samplesFolder();

/// Returns the nearest samples folder in `folder` or above it: `samples` (source tree) or
/// `share/tilewright/samples`.
[[nodiscard]] QString samplesAbove(const QString& folder);

/// Returns the folder in which a file dialog starts: the folder of `file`. If `file` is empty or built in,
/// the documents folder of the user, or the home folder if there is none.
[[nodiscard]] QString folderBeside(const QString& file);

/// Returns the path of a page of the handbook, such as "lenses/four.html", or of the first page if `name` is
/// empty.
[[nodiscard]] QString handbookPage(const QString& name = {});

} // namespace tilewright::ui
