// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only.
#pragma once

#include "base/json_fields.h"
#include "npu/hardware.h"

namespace tilewright::npu {

/// The hardware object: a preset file's root, or a model's "hardware".
void bindFields(JsonFields& fields, NpuHardware& hardware);

} // namespace tilewright::npu
