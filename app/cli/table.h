// SPDX-License-Identifier: GPL-3.0-or-later
// Tables on the terminal: any table, the subgraphs of a schedule, the report of a lowering.
#pragma once

#include "base/table.h"
#include "eval/evaluation.h"
#include "lower/lens_coverage.h"
#include "schedule/schedule.h"

#include <cstddef>
#include <string>

namespace tilewright::cli {

/// Prints the table with columns as wide as their widest cell. Columns of numbers are aligned to the right.
void print(const Table& table);

/// Returns the text padded to `width` characters, aligned to the right or to the left.
[[nodiscard]] std::string padded(const std::string& text, std::size_t width, bool right = true);

/// Prints a row for each subgraph, in the order of the schedule. If there are more than `most`, prints those
/// with the largest latencies, and the number of the others.
void printSubgraphs(const Problem& problem, const Schedule& schedule, const Evaluation& evaluation,
                    std::size_t most);

/// Prints the report of a lowering: totals, coverage of every lens, MACs by operator type, and the ten
/// largest operators that are approximated or dropped.
void printLowering(const lower::LoweringReport& report, const std::vector<lower::LensCoverage>& lenses);
/// Prints a line for each note.
void printLensNotes(const std::vector<std::string>& notes);

} // namespace tilewright::cli
