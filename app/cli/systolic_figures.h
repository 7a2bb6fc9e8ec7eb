// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "verbs/systolic.h"

#include <string>
#include <vector>

namespace tilewright::cli {

/// The lines up to the DRAM traffic; `note` follows the cycles.
void printSystolicFigures(const verbs::SystolicRequest& request, const verbs::SystolicFigures& f,
                          const std::string& note);
/// The L2 schedules, the roofs and the comparison of dataflows.
void printSystolicContext(const verbs::SystolicRequest& request, const verbs::SystolicFigures& f);
void printPipeline(const verbs::SystolicPipeline& pipeline);
void printPrograms(const std::vector<verbs::ProgramOfDataflow>& programs);

} // namespace tilewright::cli
