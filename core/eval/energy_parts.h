// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "eval/evaluation.h"

namespace tilewright {

/// Energy of one subgraph by its causes (R17), in pJ.
struct EnergyParts
{
    double slow = 0;   ///< energy of slow memory, for the elements loaded and stored
    double fast = 0;   ///< energy of fast memory
    double mac = 0;    ///< energy of the multiply-accumulates
    double vector = 0; ///< energy of the elements of Pointwises
};
/// Splits the energy of a structurally valid subgraph of an evaluated schedule. Evaluates it twice.
[[nodiscard]] EnergyParts energyParts(const Problem& problem, const Schedule& schedule,
                                      const Evaluation& evaluation, SubgraphId id);

} // namespace tilewright
