// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

struct LoadedSchedule
{
    /// The readable part of the file. If there are formatIssues, this schedule can be shown and repaired, but
    /// its evaluation does not hold for the file.
    Schedule schedule;
    /// Violations of R2.2 in the order of that rule, each with a path. The first one is the verdict.
    std::vector<Issue> formatIssues;
};

/// Reads a schedule file (R2). Returns an Error if the text is not JSON, or a field is missing or has the
/// wrong type. Violations of R2.2 are returned as formatIssues. An explicit order that equals a preset
/// becomes that preset. Extensions of this program: `locked` (a list of booleans), `op_names` and
/// `tensor_names`. If these names differ from those of the problem, ops and tensors are matched by name. What
/// the problem does not have is left out; a notice() reports it. Other unknown fields are kept in
/// Schedule::extra.
[[nodiscard]] Result<LoadedSchedule> readSchedule(const Problem& problem, std::string_view text,
                                                  const std::string& file);

/// Reads a schedule from a file.
[[nodiscard]] Result<LoadedSchedule> loadSchedule(const Problem& problem, const std::string& path);

/// Largest total number of tiles in the preset orders that are written to one file.
inline constexpr std::int64_t kMaxListedTiles = 5'000'000;

/// Returns the schedule as the text of a schedule file, one field per line. Presets other than raster (null)
/// are written as explicit permutations; returns an Error if these list more than kMaxListedTiles tiles.
/// `latencies` has one value per subgraph or is empty. If it is empty, the latencies that were read from a
/// file are written, provided that every subgraph has one.
[[nodiscard]] Result<std::string> writeSchedule(const Problem& problem, const Schedule& schedule,
                                                std::span<const double> latencies = {});

} // namespace tilewright
