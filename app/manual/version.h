// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilewright::manual {

/// "0.1.0 (commit 9b7dce49af)", "0.1.0 (commit 9b7dce49af, changed)" with edits that are in no commit, or
/// "0.1.0" where none is known.
[[nodiscard]] std::string versionText();

} // namespace tilewright::manual
