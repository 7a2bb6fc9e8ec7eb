// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/on_machine.h"
#include "model/compare_models.h"

namespace tilewright::lower {

/// The comparison of two models on one machine (docs/rules/workload.md 6.6).
struct ModelsOnMachine
{
    std::array<ModelOnMachinePtr, 2> models; ///< before, after
    model::ModelComparison comparison;
    /// for each of comparison.operators, in both models; 0 if it is not in that model
    std::vector<std::array<double, 2>> cycles;
    std::array<double, 2> totalCycles{};

    [[nodiscard]] const model::Operator& operatorOf(std::size_t side, OperatorId op) const
    {
        return models[side]->model().operators[op];
    }
};
using ModelsOnMachinePtr = std::shared_ptr<const ModelsOnMachine>;

/// Returns, for each operator of the model, the cycles of its ops in the start schedule.
[[nodiscard]] std::vector<double> startCycles(const ModelOnMachine& model);

/// Compares two models. Both must have been lowered for the same machine.
[[nodiscard]] ModelsOnMachine compareOnMachine(ModelOnMachinePtr before, ModelOnMachinePtr after);

/// Returns the comparison as one JSON document.
[[nodiscard]] std::string comparisonJson(const ModelsOnMachine& models);
/// Returns the comparison as CSV: a row for each operator, and a total.
[[nodiscard]] std::string comparisonCsv(const ModelsOnMachine& models);

} // namespace tilewright::lower
