// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "panels/inspector/latency_text.h"
#include "schedule/edits.h"

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
            change; ///< of the total, when toggled; none when that leads to an illegal state
    };
    std::vector<Retain> retain;
    std::string binds; ///< sentence: what binds this subgraph
    struct Change
    {
        std::string text;
        double gain = 0; ///< of the total; positive = better
        Schedule schedule;
    };
    std::optional<Change> best;
};

[[nodiscard]] InspectorFacts inspectorFacts(const Snapshot& snapshot, SubgraphId subgraph,
                                            std::stop_token stop);

} // namespace tilewright::ui
