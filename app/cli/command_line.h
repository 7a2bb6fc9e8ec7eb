// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <iosfwd>

namespace tilewright::cli {

/// The whole program as a call: parses the arguments, runs the verb and gives the exit code (Exit, in
/// verbs.h). What the verbs print comes to `out` and `err`. Memory that cannot be had is bad input; any other
/// exception is a defect and leaves the call.
[[nodiscard]] int runCommandLine(int argc, char** argv, std::ostream& out, std::ostream& err);

} // namespace tilewright::cli
