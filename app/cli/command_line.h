// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iosfwd>

namespace tilewright::cli {

/// Parses the arguments, runs the verb and returns the exit code (Exit, in verbs.h). The verbs print to `out`
/// and `err`. A failed allocation counts as bad input. Any other exception is a defect and is passed on.
[[nodiscard]] int runCommandLine(int argc, char** argv, std::ostream& out, std::ostream& err);

} // namespace tilewright::cli
