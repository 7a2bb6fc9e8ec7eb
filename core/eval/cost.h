// SPDX-License-Identifier: GPL-3.0-or-later
// The costs of a step by the rules, and their sums over steps.
#pragma once

#include "base/integer.h"
#include "eval/evaluation.h"
#include "rules/rules.h"
#include "schedule/schedule.h"

#include <algorithm>
#include <cstdint>
#include <limits>

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

/// Sums over steps, as both evaluators accumulate them; the fast evaluator multiplies them by the number of
/// equal steps. The type is trivial, so uninitialised arrays of it cost no time; write Tally{} for zeros.
struct Tally
{
    double computeBoundTime; ///< compute time of the compute-bound steps
    /// Elements transferred in the memory-bound steps; divided by the bandwidth only once, to stay exact.
    std::int64_t memoryBoundTraffic;
    double memoryBoundElements; ///< memoryBoundTraffic as a rounded sum, for values beyond 63 bits
    double compute;
    std::int64_t load;
    std::int64_t store;
    std::int64_t peak;
    std::int64_t steps;
    std::int64_t computeBound;

    /// Adds the values of one step (R10.1).
    void step(double stepCompute, std::int64_t loaded, std::int64_t stored, std::int64_t workingSet,
              const MemoryCosts& costs)
    {
        const std::int64_t traffic = costs.timed(loaded, stored);
        const double memory = static_cast<double>(traffic) / costs.bandwidth;
        if (stepCompute >= memory)
            computeBoundTime += stepCompute;
        else {
            memoryBoundTraffic = saturatingAdd(memoryBoundTraffic, traffic);
            memoryBoundElements += static_cast<double>(traffic);
        }
        compute += stepCompute;
        load = saturatingAdd(load, loaded);
        store = saturatingAdd(store, stored);
        peak = std::max(peak, workingSet);
        ++steps;
        computeBound += stepCompute >= memory;
    }

    void add(const Tally& t)
    {
        computeBoundTime += t.computeBoundTime;
        memoryBoundTraffic = saturatingAdd(memoryBoundTraffic, t.memoryBoundTraffic);
        memoryBoundElements += t.memoryBoundElements;
        compute += t.compute;
        load = saturatingAdd(load, t.load);
        store = saturatingAdd(store, t.store);
        peak = std::max(peak, t.peak);
        steps = saturatingAdd(steps, t.steps);
        computeBound = saturatingAdd(computeBound, t.computeBound);
    }

    void add(const Tally& t, std::int64_t count)
    {
        const auto n = static_cast<double>(count);
        computeBoundTime += t.computeBoundTime * n;
        memoryBoundTraffic = saturatingAdd(memoryBoundTraffic, saturatingMul(t.memoryBoundTraffic, count));
        memoryBoundElements += t.memoryBoundElements * n;
        compute += t.compute * n;
        load = saturatingAdd(load, saturatingMul(t.load, count));
        store = saturatingAdd(store, saturatingMul(t.store, count));
        peak = std::max(peak, t.peak);
        steps = saturatingAdd(steps, saturatingMul(t.steps, count));
        computeBound = saturatingAdd(computeBound, saturatingMul(t.computeBound, count));
    }

    [[nodiscard]] double latency(const MemoryCosts& costs) const noexcept
    {
        const bool exact = memoryBoundTraffic < std::numeric_limits<std::int64_t>::max();
        return computeBoundTime +
               (exact ? static_cast<double>(memoryBoundTraffic) : memoryBoundElements) / costs.bandwidth;
    }

    /// Fills the sums of a structurally valid subgraph. The caller sets the grid and `reserved`.
    void finish(SubgraphEvaluation& out, const Hardware& hw, const MemoryCosts& costs) const
    {
        out.structurallyValid = true;
        out.fits = peak <= hw.fastMemoryCapacity;
        out.latency = latency(costs);
        out.compute = compute;
        out.memory = costs.time(load, store);
        out.loadElements = load;
        out.storeElements = store;
        out.peakWorkingSet = peak;
        out.steps = steps;
        out.computeBoundSteps = computeBound;
        out.bound = out.compute > out.memory   ? Bound::Compute
                    : out.compute < out.memory ? Bound::Memory
                                               : Bound::Balanced;
    }
};

} // namespace tilewright
