// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

namespace tilewright::manual {

/// Version text: "0.1.0 (commit 9b7dce49af)"; "0.1.0 (commit 9b7dce49af, changed)" if there were uncommitted
/// edits; "0.1.0" if the commit is unknown.
[[nodiscard]] std::string versionText();

} // namespace tilewright::manual
