// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "schedule/schedule.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tilewright {

/// The readings on which structural validity depends (docs/rules/schedule.md 11); the defaults are rule set
/// `final`.
struct StructureRules
{
    bool superNative = false;  ///< granularities above the native ones are allowed
    bool kAboveK = false;      ///< k above the reduction size is allowed
    bool retainInputs = false; ///< boundary inputs may be retained
    bool prologue = true;      ///< R4.7 holds
    bool opOrder = true;       ///< R4.4 holds
    bool operator==(const StructureRules&) const = default;
};

enum class Defect : std::uint8_t {
    SuperNative,  ///< R4.1, R4.2
    KTooLarge,    ///< R4.3
    OpOrder,      ///< R4.4
    Disconnected, ///< R4.5
    Retain,       ///< R4.6
    Prologue,     ///< R4.7
    Traversal,    ///< R5.3
    Dependency,   ///< R3.2
    Coverage,     ///< R3.5
    Output,       ///< R3.6
};

/// A broken rule that can be told without running any step.
struct StructureIssue
{
    Defect defect = Defect::Coverage;
    std::optional<SubgraphId> subgraph;
    std::optional<OpId> op;
    std::optional<TensorId> tensor;
    std::string text; ///< one clause that says what is wrong and why
};

/// How texts name a subgraph: by its place, or by its ops where the schedule is one that nobody sees (what a
/// refused edit would have led to).
enum class SubgraphNames : std::uint8_t { Places, Ops };

/// Every structural defect, per subgraph in the order of R10.4, then Coverage and Output. This is what edits
/// compare before and after; verdicts of a schedule come from core/eval. Ids must be in range.
[[nodiscard]] std::vector<StructureIssue> structureIssues(const Problem& problem, const Schedule& schedule,
                                                          const StructureRules& rules,
                                                          SubgraphNames names = SubgraphNames::Places);

/// R4.5: the groups of ops that touch common tensors, each in the given order; one group = connected.
[[nodiscard]] std::vector<std::vector<OpId>> connectedGroups(const Problem& problem,
                                                             std::span<const OpId> ops);

/// The ops reordered as little as possible so that producers precede their consumers (R4.4).
[[nodiscard]] std::vector<OpId> inTopologicalOrder(const Problem& problem, std::span<const OpId> ops);

} // namespace tilewright
