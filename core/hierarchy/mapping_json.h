// SPDX-License-Identifier: GPL-3.0-or-later
// Include this header in *_json.cpp files only.
#pragma once

#include "base/json_reader.h"
#include "hierarchy/mapping.h"

namespace tilewright::hierarchy {

[[nodiscard]] Json mappingJson(const LoopNest& nest, const Architecture& architecture,
                               const Mapping& mapping);

} // namespace tilewright::hierarchy
