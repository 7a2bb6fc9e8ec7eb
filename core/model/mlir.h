// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string_view>

namespace tilewright::model {

/// True if a text begins as a module or function of MLIR does, after any comments and aliases (`#loc = …`).
[[nodiscard]] bool isMlir(std::string_view text);

} // namespace tilewright::model
