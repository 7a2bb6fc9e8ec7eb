// SPDX-License-Identifier: GPL-3.0-or-later
#include "npu/hardware.h"

#include <algorithm>

namespace tilewright::npu {

std::int64_t NpuHardware::bandwidthAlone() const noexcept
{
    return std::min({linkBytesPerCycle, rateOfTrunk(), dramBytesPerCycle()});
}

std::int64_t channelOf(const DramHardware& dram, std::int64_t block) noexcept
{
    const std::int64_t channel = block % dram.channels;
    return dram.addressHash ? permuted(channel, dram.channels, block / dram.channels) : channel;
}

DramPlace placeOf(const DramHardware& dram, std::int64_t address) noexcept
{
    const std::int64_t block = address / dram.interleaveBytes;
    DramPlace place;
    place.channel = static_cast<int>(channelOf(dram, block));
    place.bank = static_cast<int>((block / dram.channels) % dram.banks);
    const std::int64_t local =
        block / dram.channels / dram.banks * dram.interleaveBytes + address % dram.interleaveBytes;
    place.row = local / dram.rowBytes;
    if (dram.addressHash)
        place.bank = static_cast<int>(permuted(place.bank, dram.banks, place.row));
    return place;
}

} // namespace tilewright::npu
