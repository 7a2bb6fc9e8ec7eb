// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "rules/rules.h"
#include "schedule/schedule.h"

#include <cstdint>

namespace tilewright {

/// R8: the factors that do not change during a subgraph. Both evaluators multiply in the same order, so that
/// a step's compute time is the same double in both.
struct StepCosts
{
    double spatialRows = 1; ///< f of a spatial row axis (above 1 only with supernative=ceil)
    double spatialCols = 1;
    double nativeHeight = 1;
    double nativeWidth = 1;
    double nativeK = 1;
    bool scaleByNativeK = false;

    StepCosts(const Hardware& hw, const Granularity& g, const Rules& rules)
        : nativeHeight(static_cast<double>(hw.nativeHeight)),
          nativeWidth(static_cast<double>(hw.nativeWidth)), nativeK(static_cast<double>(hw.nativeK())),
          scaleByNativeK(rules.kScaling == Rules::KScaling::Native)
    {
        if (rules.superNative == Rules::SuperNative::Ceil) {
            spatialRows = static_cast<double>(ceilDiv(g.h, hw.nativeHeight));
            spatialCols = static_cast<double>(ceilDiv(g.w, hw.nativeWidth));
        }
    }

    /// f of a row axis: reduction-derived ones are charged by their extent.
    [[nodiscard]] double rows(bool reduction, std::int64_t extent) const noexcept
    {
        return reduction ? static_cast<double>(extent) / nativeHeight : spatialRows;
    }
    [[nodiscard]] double cols(bool reduction, std::int64_t extent) const noexcept
    {
        return reduction ? static_cast<double>(extent) / nativeWidth : spatialCols;
    }
    /// g of a MatMul with reduction size K over a k range of this length; Pointwise ops pass 1, 1.
    [[nodiscard]] double depth(std::int64_t length, std::int64_t reductionSize) const noexcept
    {
        return static_cast<double>(length) / (scaleByNativeK ? nativeK : static_cast<double>(reductionSize));
    }
};

/// R10.1: the time of what moves between the memories.
struct MemoryCosts
{
    double bandwidth = 1; ///< elements per unit of time

    explicit MemoryCosts(const Hardware& hw) : bandwidth(static_cast<double>(hw.slowMemoryBandwidth)) {}

    /// The elements that take time: summed before they are divided, so that sums stay exact.
    [[nodiscard]] std::int64_t timed(std::int64_t load, std::int64_t store) const noexcept
    {
        return saturatingAdd(load, store);
    }
    [[nodiscard]] double time(std::int64_t load, std::int64_t store) const noexcept
    {
        return static_cast<double>(timed(load, store)) / bandwidth;
    }
};

} // namespace tilewright
