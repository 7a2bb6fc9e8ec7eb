// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep/slurm.h"

#include "base/text.h"

namespace tilewright::sweep {

namespace {

/// Escapes '%' in a path, because sbatch replaces patterns such as %a.
std::string outputPath(const std::string& path)
{
    std::string out;
    for (const char c : path)
        out += c == '%' ? std::string("%%") : std::string(1, c);
    return out;
}

std::string header(const SlurmJob& job, const std::string& name, const std::string& log)
{
    std::string out = "#!/bin/bash\n#SBATCH --job-name=" + name + "\n#SBATCH --output=\"" +
                      outputPath(job.folder) + "/log/" + log + "\"\n#SBATCH --open-mode=append\n";
    if (!job.sbatch.empty())
        out += "#SBATCH " + job.sbatch + "\n";
    return out;
}

} // namespace

Status checkJob(const SlurmJob& job)
{
    if (job.sbatch.find_first_of("\r\n") != std::string::npos)
        return Error{ErrorCode::Refused, "the options of sbatch must stand in one line", "--sbatch", {}};
    if (job.folder.find_first_of("\r\n\"\\") != std::string::npos)
        return Error{ErrorCode::Refused,
                     "a batch script cannot name a folder with a line break, a quotation mark or a backslash",
                     "--output", job.folder};
    return Unit{};
}

std::string slurmScript(const SlurmJob& job)
{
    const std::string tasks = std::to_string(job.tasks);
    std::string out = header(job, "tilewright-sweep", "slurm-%A_%a.txt");
    out += "#SBATCH --array=1-" + tasks + "\n#SBATCH --requeue\n#SBATCH --signal=B:USR1@60\n";
    out +=
        "# Written by tilewright-cli sweep --slurm. Results that are there are skipped, so a task that is\n"
        "# killed, requeued or out of time goes on where it stopped.\n";
    out += "threads=${SLURM_CPUS_PER_TASK:-${SLURM_CPUS_ON_NODE:-1}}\nagain=0\n";
    out += shellQuoted(job.program) + " sweep " + shellQuoted(job.plan) + " -o " + shellQuoted(job.folder) +
           " --part \"$SLURM_ARRAY_TASK_ID/" + tasks + "\" --threads \"$threads\"" +
           (job.arguments.empty() ? "" : " " + job.arguments) + " &\nwork=$!\n";
    out += "# A minute before the time limit: give up the points in work and queue the task again.\n"
           "trap 'again=1; kill -TERM \"$work\"' USR1\n"
           "wait \"$work\"\ncode=$?\n"
           "while kill -0 \"$work\" 2>/dev/null; do wait \"$work\"; code=$?; done\n"
           "if [ \"$again\" = 1 ]; then\n"
           "    scontrol requeue \"${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}\"\n"
           "fi\n"
           "exit \"$code\"\n";
    return out;
}

std::string slurmCollectScript(const SlurmJob& job)
{
    return header(job, "tilewright-collect", "collect-%j.txt") + shellQuoted(job.program) +
           " sweep --collect " + shellQuoted(job.folder) + " -o " + shellQuoted(job.folder + "/table.csv") +
           "\n";
}

} // namespace tilewright::sweep
