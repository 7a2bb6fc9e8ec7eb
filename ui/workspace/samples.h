// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

namespace tilewright::ui {

/// Folder of the samples: beside the source tree or the installation; empty when there is none.
[[nodiscard]] QString samplesFolder();

} // namespace tilewright::ui
