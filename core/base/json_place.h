// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <cstddef>
#include <optional>
#include <string_view>

namespace tilewright {

/// Bytes of a text, from `begin` to before `end`.
struct TextPlace
{
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const TextPlace&) const = default;
};

/// Where the value at `path` ("inputs[3][0]", as JsonCursor writes it) stands in a JSON text: the value, or
/// the innermost one around it that exists. Nothing when not even the first part of the path does, or for no
/// path.
[[nodiscard]] std::optional<TextPlace> placeOfPath(std::string_view json, std::string_view path);

/// What an Error about this text speaks of: its path, or the line and column its message names.
[[nodiscard]] std::optional<TextPlace> placeOfError(std::string_view json, const Error& error);

} // namespace tilewright
