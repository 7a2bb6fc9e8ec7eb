// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright {

/// A range of bytes of a text: [begin, end).
struct TextPlace
{
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const TextPlace&) const = default;
};

/// Returns the range of the value at `path` in a JSON text. The path has the form of JsonCursor
/// ("inputs[3][0]"). If the value does not exist, returns the innermost existing value around it; empty if
/// the first part of the path does not exist or the path is empty.
[[nodiscard]] std::optional<TextPlace> placeOfPath(std::string_view json, std::string_view path);

/// Returns the range to which an Error refers, found by its path, or by line and column in its message.
[[nodiscard]] std::optional<TextPlace> placeOfError(std::string_view json, const Error& error);

} // namespace tilewright
