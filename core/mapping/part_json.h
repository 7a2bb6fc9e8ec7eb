// SPDX-License-Identifier: GPL-3.0-or-later
// Include this header in *_json.cpp files only.
#pragma once

#include "base/json_reader.h"

#include <string>

namespace tilewright::mapping {

/// Reads a member as if it were a file of its own. Its error messages contain the name of the member.
template <typename Read>
auto readPart(const JsonCursor& root, const char* key, const Read& read) -> decltype(read(std::string()))
{
    const auto member = root.member(key);
    if (!member)
        return member.error();
    auto part = read(jsonText(member->node()));
    if (part)
        return part;
    Error error = part.error();
    error.path = error.path.empty() ? key : std::string(key) + "." + error.path;
    return error;
}

} // namespace tilewright::mapping
