// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/hardware.h"

#include <algorithm>

namespace tilewright::npu {

std::int64_t NpuHardware::bandwidthAlone() const noexcept
{
    return std::min({linkBytesPerCycle, rateOfAllCores(), dramBytesPerCycle()});
}

DramPlace placeOf(const DramHardware& dram, std::int64_t address) noexcept
{
    const std::int64_t block = address / dram.interleaveBytes;
    DramPlace place;
    place.channel = static_cast<int>(block % dram.channels);
    place.bank = static_cast<int>((block / dram.channels) % dram.banks);
    const std::int64_t local =
        block / dram.channels / dram.banks * dram.interleaveBytes + address % dram.interleaveBytes;
    place.row = local / dram.rowBytes;
    return place;
}

} // namespace tilewright::npu
