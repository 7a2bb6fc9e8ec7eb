// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <string>

namespace tilewright::sweep {

/// A sweep as a Slurm job array (docs/rules/sweep.md 5). Paths are absolute.
struct SlurmJob
{
    std::string program; ///< path of tilewright-cli
    std::string plan, folder;
    std::size_t tasks = 1;
    std::string sbatch;    ///< sbatch options of the user, as on the command line
    std::string arguments; ///< additional arguments of the program, quoted for the shell
};

/// Errors for what cannot stand in the head of a batch script: sbatch has no sign to quote it with.
[[nodiscard]] Status checkJob(const SlurmJob& job);
/// Batch script of the job array. Each task computes its part.
[[nodiscard]] std::string slurmScript(const SlurmJob& job);
/// Batch script of the dependent job that writes FOLDER/table.csv.
[[nodiscard]] std::string slurmCollectScript(const SlurmJob& job);

} // namespace tilewright::sweep
