// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "rules/rules.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <cstdint>

namespace tilewright {

/// How one axis of a matrix product is cut into pieces that an array computes one after another (R8.2).
struct ArrayAxis
{
    double folds = 1;  ///< number of arrays needed for each piece, rounded up, summed over the pieces
    double pieces = 1; ///< number of pieces
    double used = 1;   ///< array extent occupied by each piece, summed over the pieces

    [[nodiscard]] static ArrayAxis whole(std::int64_t extent, std::int64_t native) noexcept
    {
        return {static_cast<double>(ceilDiv(extent, native)), 1,
                static_cast<double>(std::min(extent, native))};
    }
    [[nodiscard]] static ArrayAxis tiled(std::int64_t extent, std::int64_t tile, std::int64_t native) noexcept
    {
        // number of pieces except the last, which may be clipped
        const std::int64_t full = ceilDiv(extent, tile) - 1;
        const ArrayAxis last = whole(extent - full * tile, native);
        if (full == 0)
            return last;
        const ArrayAxis one = whole(tile, native);
        const auto n = static_cast<double>(full);
        return {n * one.folds + last.folds, n + 1, n * one.used + last.used};
    }
};

/// R8.2: cycles of all runs of a product, given the cuts of its rows and columns and the number of parts
/// (`chunks`) of its reduction. For a single run: whole(), whole(), its k range, 1. A finer cut never takes
/// fewer cycles.
[[nodiscard]] inline double arrayCycles(const ArrayAxis& rows, const ArrayAxis& cols, std::int64_t reduction,
                                        double chunks = 1) noexcept
{
    return rows.folds * cols.folds * static_cast<double>(reduction) +
           chunks * (cols.pieces * rows.used + rows.pieces * cols.used - 2 * rows.pieces * cols.pieces);
}

/// R8: the cost factors that are constant during a subgraph. Both evaluators multiply in the same order, so
/// the compute time of a step is the same double in both.
struct StepCosts
{
    double spatialRows = 1; ///< factor f of a spatial row axis; above 1 only with supernative=ceil
    double spatialCols = 1;
    double nativeHeight = 1;
    double nativeWidth = 1;
    double nativeK = 1;
    bool scaleByNativeK = false;
    bool array = false;
    std::int64_t arrayRows = 1, arrayCols = 1;

    StepCosts(const Hardware& hw, const Granularity& g, const Rules& rules)
        : nativeHeight(static_cast<double>(hw.nativeHeight)),
          nativeWidth(static_cast<double>(hw.nativeWidth)), nativeK(static_cast<double>(hw.nativeK())),
          scaleByNativeK(rules.kScaling == Rules::KScaling::Native),
          array(rules.compute == Rules::Compute::Array), arrayRows(hw.nativeHeight), arrayCols(hw.nativeWidth)
    {
        if (rules.superNative == Rules::SuperNative::Ceil) {
            spatialRows = static_cast<double>(ceilDiv(g.h, hw.nativeHeight));
            spatialCols = static_cast<double>(ceilDiv(g.w, hw.nativeWidth));
        }
    }

    /// One axis of a run: its extent, and whether it comes from a reduction (R6) and is charged by its
    /// extent.
    struct Extent
    {
        bool reduction;
        std::int64_t extent;
    };

    [[nodiscard]] double pointwise(double baseCost, Extent r, Extent c) const noexcept
    {
        return baseCost * rows(r) * cols(c) * 1.0;
    }
    /// Cost of a MatMul with reduction size K over a k range of this length.
    [[nodiscard]] double matMul(double baseCost, Extent r, Extent c, std::int64_t length,
                                std::int64_t reductionSize) const noexcept
    {
        if (array)
            return baseCost * cycles(r.extent, c.extent, length) / wholeTile(reductionSize);
        return baseCost * rows(r) * cols(c) *
               (static_cast<double>(length) /
                (scaleByNativeK ? nativeK : static_cast<double>(reductionSize)));
    }
    /// R8.2: returns the cycles of one run.
    [[nodiscard]] double cycles(std::int64_t rows, std::int64_t cols, std::int64_t length) const noexcept
    {
        return arrayCycles(ArrayAxis::whole(rows, arrayRows), ArrayAxis::whole(cols, arrayCols), length);
    }
    /// R8.2: returns the cycles of a native tile over the whole reduction.
    [[nodiscard]] double wholeTile(std::int64_t reductionSize) const noexcept
    {
        return cycles(arrayRows, arrayCols, reductionSize);
    }

private:
    [[nodiscard]] double rows(Extent r) const noexcept
    {
        return r.reduction ? static_cast<double>(r.extent) / nativeHeight : spatialRows;
    }
    [[nodiscard]] double cols(Extent c) const noexcept
    {
        return c.reduction ? static_cast<double>(c.extent) / nativeWidth : spatialCols;
    }
};

/// R10.1: memory time, i.e. the time of transfers between the memories.
struct MemoryCosts
{
    double bandwidth = 1; ///< elements per unit of time

    explicit MemoryCosts(const Hardware& hw) : bandwidth(static_cast<double>(hw.slowMemoryBandwidth)) {}

    /// Returns the number of elements whose transfer takes time. They are added before the division, so that
    /// sums stay exact.
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
