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

/// A verb that is ready to be called once.
struct VerbTool
{
    std::string name, meaning;
    verbs::OptionList* list = nullptr;
    std::function<VerbOutput()> run; ///< with the values of the list
};

/// Calls `use` with fresh tools, which are valid until it returns: those named, or all if the name is empty.
using WithTools =
    std::function<void(std::string_view name, const std::function<void(std::vector<VerbTool>&)>& use)>;

/// Answers the messages of one client, one JSON object a line (JSON-RPC 2.0), until the input ends. A call is
/// answered before the next message is read. Without `allowWrites` calls that would write a file are refused.
void serveMcp(std::istream& in, std::ostream& out, const WithTools& withTools, bool allowWrites);

} // namespace tilewright::cli
