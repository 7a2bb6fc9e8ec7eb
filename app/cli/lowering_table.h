// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/lowered.h"

namespace tilewright::cli {

/// Prints the report of a lowering: totals, MACs by type, the ten largest operators that are approximated or
/// dropped.
void printLowering(const lower::LoweringReport& report);

} // namespace tilewright::cli
