// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a method of the Mapping lens, by the places that `map --json` gives them.
#pragma once

#include "figures/figure.h"
#include "mapping/evaluate.h"

namespace tilewright::figures {

/// A method with four memory levels, and its cost.
struct MappingSubject
{
    mapping::LoopNest nest;
    mapping::MappingCost cost; ///< must have figures (MappingCost::hasNumbers)
    double macEnergy = 0;      ///< energy of a multiply-accumulate in pJ (Architecture)
};
/// Returns the figures of a method: energy and cycles by cause and operand.
[[nodiscard]] Figures mappingFigures(MappingSubject subject);

} // namespace tilewright::figures
