// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <QString>

namespace tilewright::ui {

/// One row a subgraph, tab-separated, with full precision: what a picture of the schedule says in words.
[[nodiscard]] QString subgraphsAsText(const Snapshot& snapshot);

} // namespace tilewright::ui
