// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, as json_reader.h.
#pragma once

#include "base/json_reader.h"

#include <span>
#include <string>
#include <string_view>

namespace tilewright {

/// The fields of the object that are not among `known`, as the text of one JSON object; empty when there are
/// none. What a format does not know survives a round trip this way.
[[nodiscard]] std::string unknownFields(const Json& object, std::span<const std::string_view> known);

/// Appends the fields of an unknownFields() text; a field that is there already is left alone.
void addFields(Json& object, const std::string& extra);

/// The object with one field a line and each value compact; ends with a newline. Invalid UTF-8 is replaced.
[[nodiscard]] std::string dumpByField(const Json& object);

/// The number as JSON: an integer when it is one (6548, not 6548.0); null when it is not finite.
[[nodiscard]] Json jsonNumber(double value);

} // namespace tilewright
