// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/solve.h"

#include "base/wall_clock.h"
#include "verbs/bound.h"

namespace tilewright::verbs {

Result<SolveOptions> solveOptions(const SolveCall& call, const Problem& problem)
{
    const auto rules = call.rules.rules();
    if (!rules)
        return rules.error();
    SolveOptions out;
    out.rules = *rules;
    out.seconds = call.seconds.value_or(suggestedSeconds(problem.opCount()));
    out.stagnation = call.patience;
    out.threads = call.threads;
    out.seed = call.seed;
    out.iterations = call.iterations;
    out.placeable = call.placeable;
    out.start = call.start;
    out.selection = call.selection;
    if (call.start || call.startFile.empty())
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
    const double begun = wallClock();
    ProofCallbacks callbacks;
    if (report)
        callbacks.onBound = [&report, begun, searched = result.seconds](const LowerBound& bound) {
            report(searched + wallClock() - begun, bound.value);
        };
    ProofRunLimits limits = proofLimits({.seconds = call.prove, .threads = call.threads}, options.stop);
    limits.total = result.total;
    limits.findsSchedule = false;
    const ProofRunResult proof = runProof(problem, options.rules, limits, callbacks);
    // A better schedule of the proof may violate locks of the start schedule, or its buffers may have no
    // addresses.
    applyProof(result, proof, !options.placeable && !options.start, wallClock() - begun);
    result.stopped = result.stopped || options.stop.stop_requested();
}

} // namespace tilewright::verbs
