// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_slurm.h"

#include "base/file.h"
#include "base/text.h"
#include "base/utf8.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>

#include <sys/wait.h>

namespace tilewright::cli {

namespace {

/// Output of the command; the Error has its exit code, its messages went to stderr.
Result<std::string> outputOf(const std::string& command)
{
    FILE* const pipe = ::popen(command.c_str(), "r");
    if (!pipe)
        return Error{ErrorCode::Io, "cannot be started", {}, command};
    std::string out;
    std::array<char, 256> buffer{};
    while (const std::size_t n = std::fread(buffer.data(), 1, buffer.size(), pipe))
        out.append(buffer.data(), n);
    const int status = ::pclose(pipe);
    constexpr int kNotFound = 127;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return out;
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotFound)
        return Error{ErrorCode::Io,
                     "sbatch was not found: is Slurm installed here? --dry-run prints the script",
                     "--slurm",
                     {}};
    return Error{ErrorCode::Io, "sbatch refused the job (its reason stands above)", "--slurm", {}};
}

/// The id of a submitted job: "--parsable" prints "123" or "123;cluster".
Result<std::string> submit(const std::string& arguments)
{
    auto out = outputOf("sbatch --parsable " + arguments);
    if (!out)
        return out.error();
    std::string id = out->substr(0, out->find_first_of(";\n"));
    if (id.empty() || id.find_first_not_of("0123456789") != std::string::npos)
        return Error{ErrorCode::Io, "sbatch printed no job id but \"" + *out + "\"", "--slurm", {}};
    return id;
}

} // namespace

std::string ownPath()
{
    std::error_code ec;
    const auto path = std::filesystem::read_symlink("/proc/self/exe", ec);
    return ec ? "tilewright-cli" : path.string();
}

Status submitToSlurm(const sweep::SlurmJob& job)
{
    const std::string script = job.folder + "/slurm.sh";
    const std::string collecting = job.folder + "/slurm-collect.sh";
    if (Status s = writeFileAtomically(script, sweep::slurmScript(job)); !s)
        return s;
    if (Status s = writeFileAtomically(collecting, sweep::slurmCollectScript(job)); !s)
        return s;
    const auto array = submit(shellQuoted(script));
    if (!array)
        return array.error();
    // Also after tasks that failed: the table says which points are missing.
    const auto collect = submit("--dependency=afterany:" + *array + " " + shellQuoted(collecting));
    if (!collect)
        return collect.error();
    std::cout << "array    " << *array << ", " << job.tasks << (job.tasks == 1 ? " task" : " tasks") << '\n'
              << "collect  " << *collect << ", writes " << printable(job.folder) << "/table.csv\n"
              << "watch    squeue -j " << *array << "," << *collect << '\n'
              << "status   tilewright-cli sweep --status " << shellQuoted(job.folder) << '\n'
              << "cancel   scancel " << *array << " " << *collect << '\n';
    return Unit{};
}

} // namespace tilewright::cli
