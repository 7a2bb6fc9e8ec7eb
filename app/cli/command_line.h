// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mcp.h"

#include <functional>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace tilewright::cli {

/// Parses the arguments, runs the verb and returns the exit code (Exit, in verbs.h). The verbs print to `out`
/// and `err`. A failed allocation counts as bad input. Any other exception is a defect and is passed on.
[[nodiscard]] int runCommandLine(int argc, char** argv, std::ostream& out, std::ostream& err);

/// The verbs as tools, but for serve (WithTools).
void withVerbTools(std::string_view name, const std::function<void(std::vector<VerbTool>&)>& use);

/// Has an allocation that fails in a destructor, behind which nothing can be caught (the JSON library
/// allocates there), end the program with the same message and exit code as any other.
void endWithoutMemoryInWords();

} // namespace tilewright::cli
