// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only.
#pragma once

#include "base/json_reader.h"
#include "npu/hardware.h"

namespace tilewright::npu {

/// The hardware object at `cursor` (a preset file's root, or a model's "hardware").
[[nodiscard]] Result<NpuHardware> readHardware(const JsonCursor& cursor, const std::string& file);

} // namespace tilewright::npu
