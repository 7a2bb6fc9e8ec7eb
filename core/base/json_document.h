// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "base/json_reader.h"

#include <span>
#include <string>
#include <string_view>

namespace tilewright {

/// Returns the fields that are not in `known` as the text of one JSON object; empty if there are none.
/// Unknown fields are kept in this way when a file is read and saved.
[[nodiscard]] std::string unknownFields(const Json& object, std::span<const std::string_view> known);

/// Adds the fields of an unknownFields() text to the object. Existing fields are not changed.
void addFields(Json& object, const std::string& extra);

/// Returns the object as text with one field per line and a final newline. Invalid UTF-8 is replaced.
[[nodiscard]] std::string dumpByField(const Json& object);

/// Returns a JSON number: an integer if the value is one (6548 instead of 6548.0), null if it is not finite.
[[nodiscard]] Json jsonNumber(double value);

} // namespace tilewright
