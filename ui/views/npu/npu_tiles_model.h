// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workspace/npu_document.h"

#include <optional>
#include <vector>

namespace tilewright::ui {

/// The candidate tiles of one operator over two of its sizes; a cell shows its fastest candidate.
struct NpuTilesModel
{
    QString hint; ///< shown instead of a map
    QString title, subtitle;
    std::shared_ptr<const NpuTileSearch> search;
    const npu::OperatorTiles* tiles = nullptr; ///< part of `search`
    npu::OpType type = npu::OpType::MatMul;
    npu::TileField x{}, y{};
    std::vector<std::int64_t> widths, heights;
    std::vector<std::optional<std::size_t>>
        cells; ///< candidate index, by row * widths + column; nullopt: does not fit
    std::optional<std::size_t> before, fastest, chosen, current; ///< cell indices
    double lowest = 0, highest = 1;                              ///< ends of the colour ramp: log10 of cycles

    [[nodiscard]] const npu::TileCandidate& candidate(std::size_t cell) const
    {
        return tiles->candidates[*cells[cell]];
    }
    /// 0 for the fastest, 1 for the slowest candidate shown.
    [[nodiscard]] double intensity(npu::Cycle cycles) const;
    /// "m 512 n 384 k 64: 12 345 cycles alone …"
    [[nodiscard]] QString readout(std::size_t cell) const;
    [[nodiscard]] QString asText() const;
};

/// `op`: the operator whose candidates are shown, among those that were searched.
[[nodiscard]] NpuTilesModel buildNpuTiles(const NpuDocument& state, std::size_t op);

} // namespace tilewright::ui
