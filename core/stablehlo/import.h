// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/import.h"

#include <string>
#include <string_view>

namespace tilewright::stablehlo {

/// Reads a program in the text form of StableHLO (docs/rules/workload.md 7), as jax and stablehlo-opt print
/// it. The model consists of the function `main` and the functions that it calls. The Error contains line and
/// reason.
[[nodiscard]] Result<onnx::Imported> importModel(std::string_view text, const std::string& file);

} // namespace tilewright::stablehlo
