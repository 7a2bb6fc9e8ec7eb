// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/issue.h"
#include "schedule/schedule.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct LoadedSchedule
{
    /// With formatIssues only what could be kept of the file: good enough to show and to repair, but its
    /// evaluation is not the file's.
    Schedule schedule;
    std::vector<Issue> formatIssues; ///< R2.2, in its order; the first is the verdict. Each has a path
};

/// Reads a schedule file (R2). Errors when it is no JSON or a field is missing or of the wrong type;
/// violations of R2.2 are returned as formatIssues. Explicit orders that equal a preset become that preset.
/// `locked` (a list of true/false) is our extension; every other unknown field is kept in Schedule::extra.
[[nodiscard]] Result<LoadedSchedule> readSchedule(const Problem& problem, std::string_view text,
                                                  const std::string& file);

/// readSchedule() of the file's content.
[[nodiscard]] Result<LoadedSchedule> loadSchedule(const Problem& problem, const std::string& path);

/// Tiles that the preset orders of one file may list in total.
inline constexpr std::int64_t kMaxListedTiles = 5'000'000;

/// The schedule as the text of a schedule file, one field a line. Presets other than raster (null) are
/// written as explicit permutations; refused when they have more than kMaxListedTiles tiles. `latencies` has
/// one value a subgraph, or is empty: then the latencies read from the file are kept when every subgraph has
/// one.
[[nodiscard]] Result<std::string> writeSchedule(const Problem& problem, const Schedule& schedule,
                                                std::span<const double> latencies = {});

} // namespace tilewright
