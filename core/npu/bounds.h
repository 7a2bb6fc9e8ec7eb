// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/graph.h"
#include "npu/run.h"

#include <string>

namespace tilewright::npu {

/// Lower bounds of any run on the hardware, in cycles (docs/rules/npu.md 4).
struct Bounds
{
    Cycle criticalPath = 0; ///< over compute cycles only
    Cycle tensor = 0;       ///< tensor work / cores
    Cycle vector = 0;       ///< vector work / cores
    Cycle dram = 0;         ///< compulsory bytes / total bandwidth
    std::int64_t compulsoryBytes = 0;
    std::int64_t intermediateBytes =
        0;                ///< results that are read again: written through (docs/rules/npu.md 5.2)
    Cycle lowerBound = 0; ///< the largest

    /// "critical_path", "tensor", "vector" or "dram": the largest, the first of equals.
    [[nodiscard]] std::string_view binding() const noexcept;
};
[[nodiscard]] Bounds lowerBounds(const NpuGraph& graph, const NpuHardware& hardware);

/// What held the run back, in one sentence with figures ("DRAM binds: ...").
[[nodiscard]] std::string explainRun(const NpuGraph& graph, const NpuRun& run, const Bounds& bounds);

} // namespace tilewright::npu
