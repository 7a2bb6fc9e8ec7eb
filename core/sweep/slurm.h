// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>

namespace tilewright::sweep {

/// A sweep as a job array of Slurm (docs/rules/sweep.md 5); paths are absolute.
struct SlurmJob
{
    std::string program; ///< tilewright-cli
    std::string plan, folder;
    std::size_t tasks = 1;
    std::string sbatch;    ///< options of the person, as on the command line of sbatch
    std::string arguments; ///< further ones of the program, as words of a shell
};

/// The array: each task computes its part.
[[nodiscard]] std::string slurmScript(const SlurmJob& job);
/// The job that depends on it and writes FOLDER/table.csv.
[[nodiscard]] std::string slurmCollectScript(const SlurmJob& job);

/// As one word of a shell.
[[nodiscard]] std::string shellWord(const std::string& text);

} // namespace tilewright::sweep
