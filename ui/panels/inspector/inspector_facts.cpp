// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/inspector_facts.h"

#include "workspace/schedule_edits.h"

namespace tilewright::ui {

InspectorFacts inspectorFacts(const Snapshot& snapshot, SubgraphId subgraph, std::stop_token stop)
{
    InspectorFacts out;
    out.revision = snapshot.revision;
    out.subgraph = subgraph;
    out.arithmetic = latencyArithmetic(snapshot, subgraph, stop);
    const EditOptions options = editOptions(snapshot.evaluation.rules);
    for (RetainCandidate& candidate :
         retainCandidates(*snapshot.problem, snapshot.schedule, subgraph, options)) {
        InspectorFacts::Retain row{std::move(candidate), std::nullopt, {}};
        if (row.candidate.refusal.empty() && !stop.stop_requested()) {
            const auto toggled = edit::toggleRetain(*snapshot.problem, snapshot.schedule, subgraph,
                                                    row.candidate.tensor, options);
            if (toggled) {
                const Evaluation e = evaluate(*snapshot.problem, *toggled, snapshot.evaluation.rules);
                if (e.valid() && snapshot.evaluation.valid())
                    row.change = e.total - snapshot.evaluation.total;
                else if (snapshot.evaluation.valid())
                    row.broken = e.verdict()->text;
            }
        }
        out.retain.push_back(std::move(row));
    }
    out.explanation = whatBinds(*snapshot.problem, snapshot.schedule, snapshot.evaluation, subgraph);
    out.suggestions = suggestions(*snapshot.problem, snapshot.schedule, snapshot.evaluation, subgraph, stop);
    return out;
}

} // namespace tilewright::ui
