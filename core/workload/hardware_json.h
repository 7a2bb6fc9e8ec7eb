// SPDX-License-Identifier: GPL-3.0-or-later
// Included from *_json.cpp files only, like base/json_document.h.
#pragma once

#include "base/json_reader.h"
#include "workload/problem.h"

#include <utility>
#include <vector>

namespace tilewright {

/// Writes the hardware with the field names of a problem file.
[[nodiscard]] inline Json hardwareJson(const Hardware& hardware)
{
    std::vector<std::int64_t> native{hardware.nativeWidth, hardware.nativeHeight};
    if (hardware.nativeDepth)
        native.push_back(*hardware.nativeDepth);
    return {{"fast_memory_capacity", hardware.fastMemoryCapacity},
            {"slow_memory_bandwidth", hardware.slowMemoryBandwidth},
            {"native_granularity", std::move(native)}};
}

} // namespace tilewright
