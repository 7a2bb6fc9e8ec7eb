// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like json_reader.h.
#pragma once

#include "base/constraint_cost.h"
#include "base/json_reader.h"

#include <span>

namespace tilewright {

/// The field constraint_costs of the documents of `solve` and `map`.
[[nodiscard]] Json constraintCostsJson(std::span<const ConstraintCost> costs);

} // namespace tilewright
