// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "sweep/sweep.h"

#include <functional>
#include <stop_token>

namespace tilewright::sweep {

/// Every `of`-th point, from the `index`-th on: 1/1 is all.
struct Part
{
    std::size_t index = 1;
    std::size_t of = 1;
};
/// "3/8"
[[nodiscard]] Result<Part> partFromText(std::string_view text);

/// How far a run is.
struct RunState
{
    std::size_t points = 0;   ///< of the part
    std::size_t before = 0;   ///< of them done before the run
    std::size_t computed = 0; ///< by this run, failed ones included
    std::size_t failed = 0;   ///< of these
    std::size_t byOthers = 0; ///< done meanwhile by another run in the same folder
    double seconds = 0;       ///< since it began
    bool stopped = false;

    [[nodiscard]] std::size_t done() const noexcept { return before + computed + byOthers; }
    [[nodiscard]] std::size_t toGo() const noexcept { return points - done(); }
    /// Nothing before the first point.
    [[nodiscard]] std::optional<double> secondsLeft() const noexcept;
};

/// Where results go: a folder, or the memory of a view. Both are called by several threads, by more than
/// compute: a file that is not on disk yet holds up nobody.
struct Sink
{
    std::function<bool(std::size_t index)> has;
    std::function<Status(std::size_t index, const PointResult&, double seconds)> put;
};

struct RunOptions
{
    int threads = 0; ///< points computed at once; 0: as many as the machine has threads
    Part part;
    std::stop_token stop; ///< points in work are given up
    /// From the calling thread, about ten times a second and at the end.
    std::function<void(const RunState&)> onState;
};

/// Computes the points that the sink lacks, one thread a point, in constant memory. The Error is the sink's;
/// what it had taken before stays.
[[nodiscard]] Result<RunState> runSweep(const Sweep& sweep, const Sink& sink, const RunOptions& options);

} // namespace tilewright::sweep
