// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/bound_json.h"
#include "solve/search/proof_run.h"
#include "verbs/evaluate.h"

#include <stop_token>

namespace tilewright::verbs {

/// Options of a lower bound, as tilewright-cli, Python and the Lower bound pane of the window set them.
struct BoundCall
{
    WorkloadCall workload = {};
    RulesCall rules = {};
    double seconds = 0; ///< time limit in seconds of a proof; 0 = only the quick bound
    int threads = 0;    ///< number of threads of the proof; 0 = all hardware threads
};
void bindOptions(OptionList& o, BoundCall& call);

/// Time limit of a proof in the window, in seconds. The window differs from the default of BoundCall, since
/// it always shows the quick bound, and its pane only runs proofs.
inline constexpr double kWindowProofSeconds = 10;

/// Returns the limits of the proof of a call; a stop request ends the proof.
[[nodiscard]] ProofRunLimits proofLimits(const BoundCall& call, std::stop_token stop);

struct BoundAnswer
{
    ProblemOnHardware on;
    LowerBound bound;
    std::optional<BoundedBest> best; ///< the best known schedule; only after a proof
    [[nodiscard]] std::string json() const;
};
/// Reads the problem and computes its bound. After `interrupt`, the result is the best bound so far.
[[nodiscard]] Result<BoundAnswer> boundOf(BoundCall& call, const std::stop_token& interrupt);

} // namespace tilewright::verbs
