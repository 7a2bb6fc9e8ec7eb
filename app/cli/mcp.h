// SPDX-License-Identifier: GPL-3.0-or-later
// The verbs as tools of the Model Context Protocol.
#pragma once

#include "verbs/options.h"

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::cli {

/// Longest message that is read, in bytes; a longer one is answered with an error.
inline constexpr std::size_t kMostMessageBytes = std::size_t{4} << 20;

/// The output of a verb.
struct VerbOutput
{
    int code = 0;
    std::string out, err;
};

/// A verb whose arguments are not read yet. Its run() can be called once.
struct VerbTool
{
    std::string name, meaning;
    verbs::OptionList* list = nullptr;
    std::function<VerbOutput()> run; ///< runs the verb with the values that were read into `list`
};

/// Creates tools and calls `use` with them: the tool `name`, or all tools if the name is empty. The tools are
/// valid until `use` returns.
using WithTools =
    std::function<void(std::string_view name, const std::function<void(std::vector<VerbTool>&)>& use)>;

/// Answers the messages of one client, one JSON object a line (JSON-RPC 2.0), until the input ends. A call is
/// answered before the next message is read. Without `allowWrites` calls that would write a file are refused.
void serveMcp(std::istream& in, std::ostream& out, const WithTools& withTools, bool allowWrites);

} // namespace tilewright::cli
