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

/// What the inspector tells about a subgraph beyond the snapshot; found in the background.
struct InspectorFacts
{
    std::uint64_t revision = 0;
    SubgraphId subgraph;
    LatencyArithmetic arithmetic;
    struct Retain
    {
        RetainCandidate candidate;
        std::optional<double>
            change;         ///< of the total, when toggled; none when that leads to an illegal state
        std::string broken; ///< what is then wrong with a state that is valid now
    };
    std::vector<Retain> retain;
    Explanation explanation;             ///< what binds
    std::vector<Suggestion> suggestions; ///< the single changes that help
};

[[nodiscard]] InspectorFacts inspectorFacts(const Snapshot& snapshot, SubgraphId subgraph,
                                            std::stop_token stop);

} // namespace tilewright::ui
