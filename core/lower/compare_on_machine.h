// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/on_machine.h"
#include "model/compare_models.h"

namespace tilewright::lower {

/// Two models side by side on one machine (docs/rules/workload.md 6.6).
struct ModelsOnMachine
{
    std::array<ModelOnMachinePtr, 2> models; ///< before, after
    model::ModelComparison comparison;
    std::vector<std::array<double, 2>> cycles; ///< of each of comparison.operators; 0 where it is not
    std::array<double, 2> totalCycles{};

    [[nodiscard]] const model::Operator& operatorOf(std::size_t side, OperatorId op) const
    {
        return models[side]->model().operators[op];
    }
};
using ModelsOnMachinePtr = std::shared_ptr<const ModelsOnMachine>;

/// Per operator of the model: what its ops take in the start schedule, in cycles.
[[nodiscard]] std::vector<double> startCycles(const ModelOnMachine& model);

/// Both models stand on the same machine.
[[nodiscard]] ModelsOnMachine compareOnMachine(ModelOnMachinePtr before, ModelOnMachinePtr after);

/// As one JSON document.
[[nodiscard]] std::string comparisonJson(const ModelsOnMachine& models);
/// A row an operator and a total.
[[nodiscard]] std::string comparisonCsv(const ModelsOnMachine& models);

} // namespace tilewright::lower
