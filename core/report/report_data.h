// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "snapshot/snapshot.h"

#include <cstdint>
#include <string>

namespace tilewright {

/// Largest number of steps in a report. If there are more, it contains the first steps of every subgraph.
inline constexpr std::int64_t kReportSteps = 6000;

/// Returns the JSON data of the report for searching and listing: names, and the steps as rows.
[[nodiscard]] std::string reportData(const Snapshot& snapshot);

} // namespace tilewright
