// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, as base/json_document.h.
#pragma once

#include "base/json_reader.h"
#include "snapshot/snapshot.h"

#include <string_view>

namespace tilewright {

/// The fields of `evaluate --json` (docs/design.md 3.2). Other documents contain them and add their own.
[[nodiscard]] Json evaluationDocument(const Snapshot& snapshot, std::string_view rulesReason);

} // namespace tilewright
