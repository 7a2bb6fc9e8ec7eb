// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/run.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::npu {

/// How the model of a file was last run, kept in its member "run", which readers of models pass over;
/// nothing when there is none.
[[nodiscard]] Result<std::optional<RunOptions>> runOptionsOf(std::string_view modelText,
                                                             const std::string& file);
/// The text of a model with these options in it.
[[nodiscard]] std::string withRunOptions(const std::string& modelText, const RunOptions& options);

} // namespace tilewright::npu
