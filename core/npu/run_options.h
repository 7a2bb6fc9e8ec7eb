// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/run.h"

#include <optional>
#include <string>
#include <string_view>

namespace tilewright::npu {

/// The run options saved in the member "run" of a model file, which model readers ignore; nullopt if there
/// are none.
[[nodiscard]] Result<std::optional<RunOptions>> runOptionsOf(std::string_view modelText,
                                                             const std::string& file);
/// The text of a model file with these run options added.
[[nodiscard]] std::string withRunOptions(const std::string& modelText, const RunOptions& options);

} // namespace tilewright::npu
