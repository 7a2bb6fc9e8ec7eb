// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/exclusion.h"
#include "npu/hardware.h"
#include "npu/model.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::npu {

/// An operator whose requested tile does not fit into the SPM, with the smaller tile that replaces it.
struct CutAnew
{
    std::size_t op = 0; ///< index in the model
    TileSizes before, now;
    bool operator==(const CutAnew&) const = default;
};

/// A model whose requested tiles were replaced by smaller ones where they did not fit into the SPM.
struct FittedModel
{
    NpuModel model;
    std::vector<CutAnew> changed; ///< replaced tiles, ascending by operator; empty: the model is unchanged

    /// Sentence for messages: "The tiles of 7 operators do not fit into the 524 288 bytes of SPM and are cut
    /// anew: q m 128, n 256, k 256 (n 512 in the model), …". Empty if nothing was changed.
    [[nodiscard]] std::string text(const NpuHardware& hardware) const;
};

/// Replaces requested tiles that do not fit into the SPM of a core by smaller ones (docs/rules/npu.md 2.6). A
/// tile of which no smaller one fits is not changed; buildGraph() then reports it. `kept`: operators whose
/// tiles are never changed; empty = none. The model has passed checkModel(), the hardware checkHardware().
[[nodiscard]] FittedModel fitTiles(NpuModel model, const NpuHardware& hardware,
                                   const std::vector<bool>& kept = {});

/// Bytes of SPM that the largest node of an operator needs with these tile sizes (0: by the default rule);
/// nullopt if it has too many nodes to compute the need.
[[nodiscard]] std::optional<std::int64_t> spmOfLargestNode(const NpuModel& model, const NpuHardware& hardware,
                                                           std::size_t op, const TileSizes& tile);

/// Finds the smallest set of limits that excludes every tile of an operator. Limits are the size of the SPM
/// and the tile sizes that the model requests (docs/rules/npu.md 2.6). Returns nothing if a tile fits, or if
/// there are too many nodes to decide this.
[[nodiscard]] std::optional<Exclusion> whyNoTile(const NpuModel& model, const NpuHardware& hardware,
                                                 std::size_t op);

} // namespace tilewright::npu
