// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/version.h"

namespace tilewright {
extern const char* const kCommit; ///< of the file that cmake/commit.cmake writes
} // namespace tilewright

namespace tilewright::manual {

std::string versionText()
{
    const std::string commit = kCommit;
    return commit.empty() ? TILEWRIGHT_VERSION : TILEWRIGHT_VERSION " (commit " + commit + ")";
}

} // namespace tilewright::manual
