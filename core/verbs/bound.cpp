// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/bound.h"

#include <cmath>

namespace tilewright::verbs {

std::string BoundAnswer::json() const
{
    return boundJson(*on.problem, bound, best ? &*best : nullptr);
}

ProofRunLimits proofLimits(const BoundCall& call, std::stop_token stop)
{
    return {
        .seconds = call.seconds, .threads = static_cast<std::size_t>(call.threads), .stop = std::move(stop)};
}

Result<BoundAnswer> boundOf(BoundCall& call, const std::stop_token& interrupt)
{
    auto on = readProblem(call.workload);
    if (!on)
        return on.error();
    const auto rules = call.rules.rules();
    if (!rules)
        return rules.error();
    BoundAnswer out{std::move(*on), {}, {}};
    const Problem& problem = *out.on.problem;
    if (call.seconds <= 0) {
        out.bound = lowerBound(problem, *rules);
        return out;
    }
    ProofRunResult proof = runProof(problem, *rules, proofLimits(call, interrupt));
    out.bound = std::move(proof.bound);
    if (std::isfinite(proof.state.best))
        out.best = BoundedBest{proof.state.best, proof.state.optimal, proof.state.space};
    return out;
}

} // namespace tilewright::verbs
