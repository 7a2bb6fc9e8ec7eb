// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "npu/hardware.h"
#include "npu/model.h"

#include <cstddef>
#include <vector>

namespace tilewright::npu {

/// All tile sizes that the search tries for an operator; `current` is first. For a small operator the list
/// contains every tile, so that an uninterrupted search is exact.
[[nodiscard]] std::vector<TileSizes> tileCandidates(const NpuModel& model, const NpuHardware& hardware,
                                                    std::size_t op, const TileSizes& current);

/// Lower bound on the cycles of any run of the operator alone with this tile.
[[nodiscard]] Cycle boundAlone(const NpuModel& model, const NpuHardware& hardware, std::size_t op,
                               const TileSizes& tile);
/// Estimated cycles of a run of the operator alone with this tile. The search tries candidates in ascending
/// order of it.
[[nodiscard]] Cycle estimatedAlone(const NpuModel& model, const NpuHardware& hardware, std::size_t op,
                                   const TileSizes& tile);

} // namespace tilewright::npu
