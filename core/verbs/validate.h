// SPDX-License-Identifier: GPL-3.0-or-later
// Predictions of a lens beside measurements (docs/rules/validation.md).
#pragma once

#include "base/progress.h"
#include "validation/comparison.h"
#include "verbs/summary.h"

#include <map>

namespace tilewright::verbs {

/// Names of all predictors: "floor", "array", and the rows of the Summary.
[[nodiscard]] std::vector<std::string_view> validationLenses();

/// The options of `validate`.
struct ValidateCall
{
    std::string measurements; ///< file of the measured set
    WorkloadCall workload;    ///< only its machine is used
    std::string lens = "npu"; ///< one of validationLenses()
    std::string measured;     ///< name of the column of measured values; empty: found by its name
    std::string operatorKind;
    std::vector<std::string> where;
    double bits = 0; ///< width of the operands in bits; 0: that of the machine
    int cores = 0;   ///< number of cores; 0: all cores of the machine
    bool noLaunch = false;
    bool defaultTiles = false; ///< true: ignores the tiles that the table names

    std::string text; ///< text of the file; readFiles() fills it
    /// Language models of rows that are steps. Key: line of the row. Filled in by readFiles().
    std::map<std::size_t, std::shared_ptr<const lower::Workload>> steps;
};
void bindOptions(OptionList& o, ValidateCall& call);
[[nodiscard]] Status readFiles(ValidateCall& call);

/// Predicts every row of a set with the same calls as the Summary. A row that the lens cannot compute gets an
/// error. If the call is stopped, the remaining rows are missing. The Error names the set, or what the lens
/// does not state.
[[nodiscard]] Result<validation::Comparison> validate(const ValidateCall& call,
                                                      const Progress& progress = {});

} // namespace tilewright::verbs
