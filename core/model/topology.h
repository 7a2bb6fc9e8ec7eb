// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <string>
#include <string_view>

namespace tilewright::model {

/// True if the first line is the header of a topology ("Layer name, IFMAP Height, ..." or "Layer, M, N, K").
[[nodiscard]] bool isTopology(std::string_view text);

/// Reads a SCALE-Sim topology (docs/rules/workload.md 1): a table of convolutions or GEMMs, each with its own
/// tensors. Output sizes are those of SCALE-Sim. An Error contains file and line.
[[nodiscard]] Result<Model> readTopology(std::string_view text, const std::string& file);

} // namespace tilewright::model
