// SPDX-License-Identifier: GPL-3.0-or-later
// What each lens makes of the operators of a model.
#pragma once

#include "lower/on_machine.h"

#include <string>
#include <vector>

namespace tilewright::lower {

/// Converts reports on the operators of a model to reports on the operators of its file.
[[nodiscard]] std::vector<NodeReport> nodesOfFile(const Workload& workload, std::vector<NodeReport> nodes);

/// Status of each operator of the file in a lens (docs/rules/workload.md 3.4). The Systolic and the Mapping
/// lens support only products and convolutions: vector work is dropped there, and operators without work are
/// folded.
[[nodiscard]] Result<std::vector<NodeReport>> lensNodes(const ModelOnMachine& model, MachineLens lens);

struct LensCoverage
{
    MachineLens lens = MachineLens::Schedule;
    Coverage coverage;
};
/// The coverage of every lens. A lens that cannot convert the model has no entry.
[[nodiscard]] std::vector<LensCoverage> lensCoverage(const ModelOnMachine& model);

/// Returns a report of a lowering as one JSON document, with the coverage of every lens.
[[nodiscard]] std::string reportJson(const LoweringReport& report, const std::vector<LensCoverage>& lenses);

/// Returns a sentence without full stop on what a lens does not model: "of 69 operators 9 are approximated
/// and 3 are dropped (vector work)". Empty if the lens models everything.
[[nodiscard]] std::string leftOutText(const std::vector<NodeReport>& nodes);

} // namespace tilewright::lower
