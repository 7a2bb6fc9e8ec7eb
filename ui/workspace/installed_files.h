// SPDX-License-Identifier: GPL-3.0-or-later
// What comes with the program and is not in it. Each is looked for above the program, where a build tree and
// an installation have it; else where an installed package has it, for a program that was copied alone; else
// above the current folder. Empty when there is none.
#pragma once

#include <QString>

namespace tilewright::ui {

/// The folder of the samples.
[[nodiscard]] QString samplesFolder();

/// The nearest one in `folder` and those above it, as `samples` (a source tree) or
/// `share/tilewright/samples`.
[[nodiscard]] QString samplesAbove(const QString& folder);

/// The first page of the handbook.
[[nodiscard]] QString handbookPage();

} // namespace tilewright::ui
