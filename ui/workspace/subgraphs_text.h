// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QString>

namespace tilewright::ui {

/// Schedule as tab-separated text with one row per subgraph, with full precision.
[[nodiscard]] QString subgraphsAsText(const Snapshot& snapshot);

} // namespace tilewright::ui
