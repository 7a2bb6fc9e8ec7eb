// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/on_machine.h"

namespace tilewright::lower {

/// Bytes of an element of the lowered problem (R1.9).
[[nodiscard]] inline double elementBytes(const ModelOnMachine& model)
{
    return static_cast<double>(
               model.problem->data().elementBits.value_or(8 * kPartsOfBit * model.machine.elementBytes)) /
           8 / static_cast<double>(kPartsOfBit);
}

} // namespace tilewright::lower
