// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "base/json_document.h"
#include "model/machine.h"

namespace tilewright {

/// Returns the fields that a machine file states, with their sources.
[[nodiscard]] Json givenFields(const Machine& machine);
/// Reads a machine; `file` names it in errors.
[[nodiscard]] Result<Machine> machineOf(Json json, const std::string& file);

} // namespace tilewright
