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

/// Offers all verbs except `serve` as tools (WithTools in mcp.h).
void withVerbTools(std::string_view name, const std::function<void(std::vector<VerbTool>&)>& use);

/// Makes a failed allocation in a destructor end the program with the usual message and exit code. No handler
/// can catch it there, and the JSON library allocates in destructors.
void endWithoutMemoryInWords();

} // namespace tilewright::cli
