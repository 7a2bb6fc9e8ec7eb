// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/ids.h"
#include "npu/hardware.h"
#include "npu/model.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace tilewright::npu {

using NodeId = Id<struct NpuNodeTag>;
using TileId = Id<struct NpuTileTag>;
inline constexpr std::uint32_t kNone = 0xffffffffU;

/// A tensor in DRAM: row-major, packed, with its base aligned to the interleave (hence to the burst).
struct NpuTensor
{
    std::string name;
    int rank = 1;
    std::array<std::int64_t, kMaxRank> shape{1, 1, 1, 1};
    int dtypeBytes = 2;
    std::int64_t dramBase = 0;
    std::int64_t dramSize = 0; ///< size in bytes

    [[nodiscard]] std::int64_t elements() const noexcept { return shape[0] * shape[1] * shape[2] * shape[3]; }
};

/// `count` runs of `bytes` contiguous bytes, the first at `address`, `stride` bytes apart.
struct Segment
{
    std::int64_t address = 0, bytes = 0, count = 1, stride = 0;
    bool operator==(const Segment&) const = default;
};

/// A box of a tensor (docs/rules/npu.md 1). Dimensions beyond the rank of the tensor have offset 0 and
/// shape 1.
struct TileDesc
{
    std::uint32_t tensor = 0;
    bool accumulator = false; ///< elements have accumulatorBytes in SPM
    std::array<std::int64_t, kMaxRank> offset{0, 0, 0, 0};
    std::array<std::int64_t, kMaxRank> shape{1, 1, 1, 1};
    std::int64_t dramBase = 0;    ///< address of the first byte
    std::int64_t dramSize = 0;    ///< last byte - first byte + 1
    std::int64_t spmRequired = 0; ///< bytes in SPM
    /// Bytes of all its bursts (docs/rules/npu.md 2.5), moved by a load or store
    std::int64_t alignedBytes = 0;

    [[nodiscard]] std::int64_t elements() const noexcept { return shape[0] * shape[1] * shape[2] * shape[3]; }
};

/// The contiguous segments of the tile, ascending by address.
[[nodiscard]] std::vector<Segment> segmentsOf(const NpuTensor& tensor, const TileDesc& tile);

/// Fills dramBase, dramSize, spmRequired and alignedBytes from offset and shape.
void placeTile(const NpuTensor& tensor, std::int64_t burstBytes, int accumulatorBytes, TileDesc& tile);

/// True if both tiles belong to one tensor and share an element.
[[nodiscard]] bool overlap(const TileDesc& a, const TileDesc& b) noexcept;

/// A group of adjacent bursts of one tile within one interleave block, hence in one bank and row.
struct BurstGroup
{
    std::int64_t address = 0; ///< address of the first burst
    std::int64_t bursts = 0;
    DramPlace place;
};
[[nodiscard]] std::vector<BurstGroup> burstGroups(const DramHardware& dram, const NpuTensor& tensor,
                                                  const TileDesc& tile);

/// Calls f(address, bytes) for every contiguous run of the tile, ascending by address.
template <typename F> void forEachRun(const NpuTensor& tensor, const TileDesc& tile, F&& f)
{
    const auto& n = tensor.shape;
    const auto& s = tile.shape;
    const auto& o = tile.offset;
    // A run covers the innermost dimensions that the tile contains whole and the next dimension outwards.
    int inner = kMaxRank - 1;
    std::int64_t run = s[inner];
    while (inner > 0 && s[inner] == n[inner])
        run *= s[--inner];
    std::array<std::int64_t, kMaxRank> step{};
    step[3] = 1;
    for (int d = 2; d >= 0; --d)
        step[d] = step[d + 1] * n[d + 1];
    std::int64_t origin = 0;
    for (int d = 0; d < kMaxRank; ++d)
        origin += o[d] * step[d];
    std::array<std::int64_t, kMaxRank> count{1, 1, 1, 1};
    for (int d = 0; d < inner; ++d)
        count[d] = s[d];
    const std::int64_t bytes = run * tensor.dtypeBytes;
    for (std::int64_t a = 0; a < count[0]; ++a)
        for (std::int64_t b = 0; b < count[1]; ++b)
            for (std::int64_t c = 0; c < count[2]; ++c)
                f(tensor.dramBase + (origin + a * step[0] + b * step[1] + c * step[2]) * tensor.dtypeBytes,
                  bytes);
}

} // namespace tilewright::npu
