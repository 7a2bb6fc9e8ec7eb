// SPDX-License-Identifier: GPL-3.0-or-later
// The verb explain: what a figure of a schedule is, and how it came about.
#pragma once

#include "figures/figure.h"
#include "figures/what_if.h"
#include "verbs/schedule.h"

#include <string>
#include <vector>

namespace tilewright::figures {

/// Options of explain, as tilewright-cli and Python set them.
struct ExplainCall
{
    verbs::WorkloadCall workload;
    /// A schedule file and the address of a figure; either may be missing. Without a schedule, the start
    /// schedule is used, with one op per subgraph.
    std::vector<std::string> asked;
    verbs::RulesCall rules = verbs::RulesCall::ofFile();
    /// Lens of the figures. "npu", "systolic" and "mapping" stand for the run, the table or the best method
    /// that the verb of this name computes.
    std::string lens = "schedule";
    bool whatIf = false; ///< true: also compute how 10 % more of each value of the machine changes the figure
};
void bindOptions(verbs::OptionList& o, ExplainCall& call);

/// Answer of the verb explain: the requested figure, and all figures that can be explained.
struct ExplainAnswer
{
    Figures figures;
    std::optional<Figure> figure; ///< empty: no figure was named
    std::vector<WhatIf> whatIf;   ///< filled in if the call asks for it
};
/// Reads the files and explains the figure. The Error names a figure that is unknown.
[[nodiscard]] Result<ExplainAnswer> explain(ExplainCall& call);

/// Returns the JSON document of a verb with a figure of it as the field `explain`, as explainJson() has it.
[[nodiscard]] std::string withExplanation(const std::string& document, const Figure& figure);

/// Number of elements of each group that a list of figures shows.
inline constexpr std::size_t kListedElements = 2;
/// The JSON document of explain: the figure, or the list of all: [{"address", "value", "unit", "title"}].
[[nodiscard]] std::string explainJson(const ExplainAnswer& answer);

} // namespace tilewright::figures
