// SPDX-License-Identifier: GPL-3.0-or-later
// Include this header in *_json.cpp files only.
#pragma once

#include "base/json_fields.h"
#include "npu/hardware.h"

namespace tilewright::npu {

/// Binds the fields of the hardware object: the root of a preset file, or the "hardware" of a model.
void bindFields(JsonFields& fields, NpuHardware& hardware);

} // namespace tilewright::npu
