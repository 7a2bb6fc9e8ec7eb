// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilewright::ui {

/// The folder of the samples, empty when there is none: above the program, where a build tree and an
/// installation have them; else that of an installed package, for a program that was copied alone; else above
/// the current folder.
[[nodiscard]] QString samplesFolder();

/// The nearest one in `folder` and those above it, as `samples` (a source tree) or
/// `share/tilewright/samples`.
[[nodiscard]] QString samplesAbove(const QString& folder);

} // namespace tilewright::ui
