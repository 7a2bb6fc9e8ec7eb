// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

namespace tilewright {

/// Energy of one subgraph by its causes (R17), in pJ.
struct EnergyParts
{
    double slow = 0;   ///< slow memory: elements loaded and stored
    double fast = 0;   ///< fast memory
    double mac = 0;    ///< multiply-accumulates
    double vector = 0; ///< elements of Pointwises
};
/// Splits the energy of a structurally valid subgraph of an evaluated schedule. Evaluates it twice.
[[nodiscard]] EnergyParts energyParts(const Problem& problem, const Schedule& schedule,
                                      const Evaluation& evaluation, SubgraphId id);

} // namespace tilewright
