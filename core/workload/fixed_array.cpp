// SPDX-License-Identifier: GPL-3.0-or-later
#include "workload/fixed_array.h"

#include <algorithm>

namespace tilewright {

namespace {

std::int64_t clamped(Int128 cycles) noexcept
{
    constexpr Int128 kMost = std::int64_t{1} << 62;
    return static_cast<std::int64_t>(std::min(cycles, kMost));
}

std::int64_t dotProductCycles(const FixedArray& a, const ArrayWork& w) noexcept
{
    const auto trips = [&w](ArrayLoop loop) { return static_cast<Int128>(w.of(loop)); };
    // In a depthwise convolution every output has an input of its own, so only one lane of inputs works.
    const bool depthwise = w.groups > 1 && w.of(ArrayLoop::C) == 1;
    const std::int64_t outputs = depthwise ? w.groups * w.of(ArrayLoop::M) : w.of(ArrayLoop::M);
    const Int128 padded =
        static_cast<Int128>(ceilDiv(ceilDiv(outputs, a.colGranule), a.arrays)) * a.colGranule;
    // The input positions within a stride count as channels of one position.
    const Int128 channels =
        depthwise ? static_cast<Int128>(a.rows) * w.strides
                  : static_cast<Int128>(ceilDiv(w.of(ArrayLoop::C) * w.strides, a.rowGranule)) * a.rowGranule;
    const Int128 once = trips(ArrayLoop::N) * trips(ArrayLoop::Ox) * trips(ArrayLoop::Oy) *
                        trips(ArrayLoop::Fx) * trips(ArrayLoop::Fy) * channels * padded;
    const Int128 perCycle = static_cast<Int128>(a.rows) * a.cols * w.strides;
    return clamped((once + perCycle - 1) / perCycle * (depthwise ? 1 : w.groups));
}

/// Unrolls the loops on an axis: of each loop as many iterations as still fit.
void unroll(const std::vector<ArrayLoop>& loops, std::int64_t room, ArrayWork& left) noexcept
{
    for (const ArrayLoop loop : loops) {
        std::int64_t& trips = left.of(loop);
        const std::int64_t passes = ceilDiv(trips, std::min(trips, room));
        room /= ceilDiv(trips, passes);
        trips = passes;
        if (room <= 1)
            return;
    }
}

} // namespace

std::int64_t arrayCycles(const FixedArray& array, const ArrayWork& work) noexcept
{
    if (array.kind == FixedArray::Kind::DotProduct)
        return dotProductCycles(array, work);
    ArrayWork left = work;
    left.of(ArrayLoop::M) = ceilDiv(left.of(ArrayLoop::M), array.arrays);
    unroll(array.rowLoops, array.rows, left);
    unroll(array.colLoops, array.cols, left);
    Int128 cycles = work.groups;
    for (const std::int64_t trips : left.trips)
        cycles *= trips;
    return clamped(cycles);
}

} // namespace tilewright
