// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/take_snapshot.h"

#include <chrono>

namespace tilewright {

SnapshotPtr takeSnapshot(ProblemPtr problem, const Schedule& schedule, const Rules& rules, double lowerBound,
                         std::uint64_t revision)
{
    const auto start = std::chrono::steady_clock::now();
    auto snapshot = std::make_shared<Snapshot>();
    snapshot->evaluation = evaluate(*problem, schedule, rules);
    snapshot->problem = std::move(problem);
    snapshot->schedule = schedule;
    snapshot->lowerBound = lowerBound;
    snapshot->revision = revision;
    snapshot->evaluationMs =
        std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return snapshot;
}

} // namespace tilewright
