// SPDX-License-Identifier: GPL-3.0-or-later
#include "manual/version.h"

#include "base/version.h"

namespace tilewright {
extern const char* const kCommit; ///< defined in the file that cmake/commit.cmake generates
} // namespace tilewright

namespace tilewright::manual {

std::string versionText()
{
    const std::string commit = kCommit;
    const std::string version(programVersion());
    return commit.empty() ? version : version + " (commit " + commit + ")";
}

} // namespace tilewright::manual
