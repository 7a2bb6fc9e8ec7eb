// SPDX-License-Identifier: GPL-3.0-or-later
// Running a sweep: a part of its points here, or all as a Slurm job array.
#pragma once

#include "base/result.h"
#include "sweep/sweep.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>

namespace tilewright::sweep {

/// Part I/N of a sweep: every `of`-th point, starting with the `index`-th. Part 1/1 is the whole sweep.
struct Part
{
    std::size_t index = 1;
    std::size_t of = 1;
};
/// Reads a part such as "3/8".
[[nodiscard]] Result<Part> partFromText(std::string_view text);

/// Progress of a run.
struct RunState
{
    std::size_t points = 0;   ///< number of points of the part
    std::size_t before = 0;   ///< number of points that were done before the run
    std::size_t computed = 0; ///< number of points computed by this run, including failed ones
    std::size_t failed = 0;   ///< number of computed points that failed
    std::size_t byOthers = 0; ///< number of points that other runs completed in the same folder
    double seconds = 0;       ///< time since the start of the run
    bool stopped = false;

    [[nodiscard]] std::size_t done() const noexcept { return before + computed + byOthers; }
    [[nodiscard]] std::size_t toGo() const noexcept { return points - done(); }
    /// Estimated remaining time; nullopt before the first point is done.
    [[nodiscard]] std::optional<double> secondsLeft() const noexcept;
};

/// Destination of results: a folder, or the memory of a view. Its functions are called from several threads,
/// which are more than the computing threads, so that slow file writes do not delay the computation.
struct Sink
{
    std::function<bool(std::size_t index)> has;
    std::function<Status(std::size_t index, const PointResult&, double seconds)> put;
};

struct RunOptions
{
    int threads = 0; ///< number of points computed at the same time; 0 = number of hardware threads
    Part part;
    std::stop_token stop; ///< when stopped, points in progress are abandoned
    /// Called by the calling thread about ten times per second and at the end.
    std::function<void(const RunState&)> onState;
};

/// Computes the points that the sink does not have yet, one thread per point, in constant memory. Returns the
/// Error of the sink, if there is one; results stored before remain.
[[nodiscard]] Result<RunState> runSweep(const Sweep& sweep, const Sink& sink, const RunOptions& options);

/// A sweep as a Slurm job array (docs/rules/sweep.md 5). Paths are absolute.
struct SlurmJob
{
    std::string program; ///< path of tilewright-cli
    std::string plan, folder;
    std::size_t tasks = 1;
    std::string sbatch;    ///< sbatch options of the user, as on the command line
    std::string arguments; ///< additional arguments of the program, quoted for the shell
};

/// Returns an Error if a text cannot be written into the head of a batch script, since sbatch has no way to
/// quote it.
[[nodiscard]] Status checkJob(const SlurmJob& job);
/// Batch script of the job array. Each task computes its part.
[[nodiscard]] std::string slurmScript(const SlurmJob& job);
/// Batch script of the dependent job that writes FOLDER/table.csv.
[[nodiscard]] std::string slurmCollectScript(const SlurmJob& job);

} // namespace tilewright::sweep
