// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <string>
#include <string_view>

namespace tilewright::model {

/// Is the first line the head of a topology table ("Layer name, IFMAP Height, ..." or "Layer, M, N, K")?
[[nodiscard]] bool isTopology(std::string_view text);

/// Reads a SCALE-Sim topology (docs/rules/workload.md 1): a table of convolutions or of GEMMs, each an
/// operator on tensors of its own. Extents are those that SCALE-Sim computes. The Error names file and line.
[[nodiscard]] Result<Model> readTopology(std::string_view text, const std::string& file);

} // namespace tilewright::model
