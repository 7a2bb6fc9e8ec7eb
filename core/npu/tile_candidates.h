// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/hardware.h"
#include "npu/model.h"

#include <cstddef>
#include <vector>

namespace tilewright::npu {

/// All sizes that are tried for an operator, the ones in force first. Of small operators these are all there
/// are, so that a search which was not stopped is exact.
[[nodiscard]] std::vector<TileSizes> tileCandidates(const NpuModel& model, const NpuHardware& hardware,
                                                    std::size_t op, const TileSizes& inForce);

/// No run of the operator alone, cut like this, is shorter.
[[nodiscard]] Cycle boundAlone(const NpuModel& model, const NpuHardware& hardware, std::size_t op,
                               const TileSizes& tile);
/// About how long a run of it is: the order in which candidates are tried.
[[nodiscard]] Cycle likelyAlone(const NpuModel& model, const NpuHardware& hardware, std::size_t op,
                                const TileSizes& tile);

} // namespace tilewright::npu
