// SPDX-License-Identifier: GPL-3.0-or-later
// Include this header in *_json.cpp files only.
#pragma once

#include "base/json_reader.h"
#include "mapping/method.h"

namespace tilewright::mapping {

[[nodiscard]] Json methodJson(const LoopNest& nest, const Method& method);

} // namespace tilewright::mapping
