// SPDX-License-Identifier: GPL-3.0-or-later
// Facts on a subgraph that are computed in the background, and the text on its latency.
#pragma once

#include "edit/edits.h"
#include "edit/suggestions.h"
#include "eval/energy_parts.h"
#include "eval/explain.h"
#include "eval/step_kinds.h"
#include "snapshot/snapshot.h"

#include <QFont>
#include <QString>

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace tilewright::ui {

/// The sum that gives a latency: groups of equal steps, costliest first. `complete` is false if counting
/// ended at a million steps or was stopped.
struct LatencyArithmetic
{
    std::vector<StepKind> groups;
    bool complete = true;
    std::int64_t unitsPerElement = 1; ///< time units per element moved (R1.9)
};
[[nodiscard]] LatencyArithmetic latencyArithmetic(const Snapshot& snapshot, SubgraphId subgraph,
                                                  const std::stop_token& stop);

/// Layout of the text, by available width.
enum class LatencyForm : std::uint8_t {
    Lines,     ///< "93 × max(64, 204.8) = 19 046.4", wrapped
    Table,     ///< one row per kind of step
    WideTable, ///< Table plus the elements that a step moves in and out
};

/// Returns rich text: for each kind of step the count × max(compute, memory), the larger one in bold, and the
/// sum.
[[nodiscard]] QString latencyText(const LatencyArithmetic& arithmetic, double total, LatencyForm form);
/// Chooses the form of the text by the width of a pane. Usual figures must fit as well as the actual ones, so
/// that the form is mostly the same for all subgraphs.
class LatencyTexts
{
public:
    /// Returns the most detailed form that is at most `width` pixels wide in the application's font.
    [[nodiscard]] QString fitting(const LatencyArithmetic& arithmetic, double total, int width);

private:
    QFont m_font;
    std::vector<double> m_usual; ///< widths of the tables with usual figures in m_font
};

/// Facts on a subgraph that the snapshot does not have, computed in the background.
struct InspectorFacts
{
    std::uint64_t revision = 0;
    SubgraphId subgraph;
    LatencyArithmetic arithmetic;
    EnergyParts energy;
    struct Retain
    {
        RetainCandidate candidate;
        std::optional<double> change; ///< change of the total when retention is toggled; nullopt if toggling
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
