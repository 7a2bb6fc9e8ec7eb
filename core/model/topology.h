// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <string>
#include <string_view>

namespace tilewright::model {

/// Headers of topology tables, for messages.
inline constexpr std::string_view kTopologyColumns =
    "\"Layer, M, N, K\" or \"Layer name, IFMAP Height, IFMAP Width, Filter Height, Filter Width, Channels, "
    "Num "
    "Filter, Strides\"";

/// True if the first line is the header of a topology: most of the columns of kTopologyColumns, in any order,
/// separated by commas, semicolons or tabs.
[[nodiscard]] bool isTopology(std::string_view text);

/// Reads a SCALE-Sim topology (docs/rules/workload.md 1). It is a table of convolutions or GEMMs, each with
/// its own tensors, or a list of products (M, N, K, in any order, optionally with a count). Columns are
/// identified by their names. Output sizes are those of SCALE-Sim. An Error contains file and line.
[[nodiscard]] Result<Model> readTopology(std::string_view text, const std::string& file);

} // namespace tilewright::model
