// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

enum class IfThere : bool { Replace, Keep };

/// Writes a file so that after a power failure it is either complete or unchanged: writes a temporary file in
/// the folder `temporaries` (same file system), then fsync, rename, fsync of the folder. Several programs on
/// several machines may write the same file at the same time. Returns true if the file was written, false if
/// it existed and `ifThere` is Keep.
[[nodiscard]] Result<bool> writeFileDurably(const std::string& path, std::string_view content,
                                            const std::string& temporaries,
                                            IfThere ifThere = IfThere::Replace);

} // namespace tilewright
