// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/exclusion.h"
#include "base/json_reader.h"

#include <optional>
#include <string>
#include <vector>

namespace tilewright {

[[nodiscard]] Json limitsJson(const std::vector<ExcludingLimit>& limits);
/// Returns an object with the fields `limits` (each with `limit`, `value` and `would_do`), `because` and
/// `proven`.
[[nodiscard]] Json exclusionJson(const Exclusion& exclusion);
/// The object `error` of a document: code NONE, the message, and the fields of exclusionJson() if the reason
/// is known.
[[nodiscard]] Json noneJson(const std::string& message, const std::optional<Exclusion>& why);

} // namespace tilewright
