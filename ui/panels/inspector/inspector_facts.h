// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "edit/edits.h"
#include "edit/suggestions.h"
#include "eval/explain.h"
#include "panels/inspector/latency_text.h"

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright::ui {

/// Facts on a subgraph that the snapshot does not have, computed in the background.
struct InspectorFacts
{
    std::uint64_t revision = 0;
    SubgraphId subgraph;
    LatencyArithmetic arithmetic;
    struct Retain
    {
        RetainCandidate candidate;
        std::optional<double> change; ///< change of the total when retention is toggled; nullopt if that
                                      ///< makes the schedule invalid
        std::string broken;           ///< the rule that toggling would break, if the schedule is valid now
    };
    std::vector<Retain> retain;
    Explanation explanation;             ///< what limits the latency
    std::vector<Suggestion> suggestions; ///< single changes that lower the latency
};

[[nodiscard]] InspectorFacts inspectorFacts(const Snapshot& snapshot, SubgraphId subgraph,
                                            std::stop_token stop);

} // namespace tilewright::ui
