// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "sweep/slurm.h"

#include <string>

namespace tilewright::cli {

/// Path of this program.
[[nodiscard]] std::string ownPath();

/// Writes the scripts into the folder and submits both; prints the ids, and how to watch and cancel.
[[nodiscard]] Status submitToSlurm(const sweep::SlurmJob& job);

} // namespace tilewright::cli
