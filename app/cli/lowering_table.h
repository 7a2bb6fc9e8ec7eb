// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/lowered.h"

namespace tilewright::cli {

/// What became of the model: totals, MACs by type, the ten largest of what is not there as it is in the
/// model.
void printLowering(const lower::LoweringReport& report);

} // namespace tilewright::cli
