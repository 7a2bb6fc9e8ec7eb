// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <cstdint>
#include <string>

namespace tilewright {

/// Steps that a page holds; of longer schedules the first ones of every subgraph.
inline constexpr std::int64_t kReportSteps = 6000;

/// What the page of a report searches and lists: names, and the steps as rows. JSON.
[[nodiscard]] std::string reportData(const Snapshot& snapshot);

} // namespace tilewright
