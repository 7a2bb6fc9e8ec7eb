// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

enum class IfThere : bool { Replace, Keep };

/// Writes a file so that even a power failure leaves either nothing or all of it: a temporary file in
/// `temporaries` (a folder of the same file system), fsync, rename, fsync of the folder. Several programs on
/// several machines may write the same file at once. True when it was written; false when with `Keep` it was
/// there already.
[[nodiscard]] Result<bool> writeFileDurably(const std::string& path, std::string_view content,
                                            const std::string& temporaries,
                                            IfThere ifThere = IfThere::Replace);

} // namespace tilewright
