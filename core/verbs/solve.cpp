// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/solve.h"

#include "solve/proof/prove.h"

namespace tilewright::verbs {

Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem)
{
    const auto rules = call.rules.rules();
    if (!rules)
        return rules.error();
    SolveOptions out;
    out.rules = *rules;
    out.seconds = call.seconds;
    out.threads = call.threads;
    out.seed = call.seed;
    out.iterations = call.iterations;
    out.placeable = call.placeable;
    out.start = call.start;
    if (call.startFile.empty())
        return out;
    auto loaded = loadSchedule(problem, call.startFile);
    if (!loaded)
        return loaded.error();
    auto start = startOf(std::move(*loaded), call.startFile);
    if (!start)
        return start.error();
    out.start = std::move(*start);
    return out;
}

void proveAfter(const SolveCall& call, const Problem& problem, const SolveOptions& options,
                SolveResult& result, const std::function<void(double, double)>& report)
{
    if (call.prove <= 0 || result.provenOptimal || options.stop.stop_requested())
        return;
    ProofLimits limits;
    limits.seconds = call.prove;
    limits.keepGoing = [token = options.stop] { return !token.stop_requested(); };
    if (report)
        limits.onProgress = [&report, searched = result.seconds](const ProofProgress& p) {
            report(searched + p.seconds, p.lowerBound);
        };
    // A better schedule is not looked for under a person's locks, nor for addresses.
    proveResult(problem, options.rules, result, limits, !options.placeable && !options.start);
}

} // namespace tilewright::verbs
