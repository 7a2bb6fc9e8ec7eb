// SPDX-License-Identifier: GPL-3.0-or-later
// Costs of a step by the rules (R8, R10, R17), and their sums over steps.
#pragma once

#include "base/integer.h"
#include "eval/evaluation.h"
#include "schedule/schedule.h"
#include "workload/rules.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tilewright {

/// How one axis of a matrix product is cut into pieces that an array computes one after another (R8.2).
struct ArrayAxis
{
    double folds = 1;  ///< extent of each piece in array extents, rounded up; summed over the pieces
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
/// (`chunks`) of its reduction. For a single run, pass whole() for both axes, the length of its k range, and
/// 1. A finer cut never takes fewer cycles.
[[nodiscard]] inline double arrayCycles(const ArrayAxis& rows, const ArrayAxis& cols, std::int64_t reduction,
                                        double chunks = 1) noexcept
{
    return rows.folds * cols.folds * static_cast<double>(reduction) +
           chunks * (cols.pieces * rows.used + rows.pieces * cols.used - 2 * rows.pieces * cols.pieces);
}

/// A time as a quotient of integers.
struct ExactTime
{
    Int128 numerator = 0;
    Int128 denominator = 1;
};

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
    bool array = false;    ///< true if compute=array (R8.2)
    bool elements = false; ///< true if vector=elements (R8.3)
    std::int64_t arrayRows = 1, arrayCols = 1;
    ComputeArray shape;

    StepCosts(const Hardware& hw, const Granularity& g, const Rules& rules)
        : nativeHeight(static_cast<double>(hw.nativeHeight)),
          nativeWidth(static_cast<double>(hw.nativeWidth)), nativeK(static_cast<double>(hw.nativeK())),
          scaleByNativeK(rules.kScaling == Rules::KScaling::Native),
          array(rules.compute == Rules::Compute::Array), elements(rules.vector == Rules::Vector::Elements),
          arrayRows(hw.nativeHeight), arrayCols(hw.nativeWidth), shape(hw.array)
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
        if (elements)
            return baseCost * (static_cast<double>(r.extent) * static_cast<double>(c.extent)) /
                   (nativeHeight * nativeWidth);
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
    /// pointwise() without rounding. The denominator depends on the kinds of the axes only.
    [[nodiscard]] ExactTime exactPointwise(std::int64_t baseCost, Extent r, Extent c) const noexcept
    {
        if (elements)
            return {static_cast<Int128>(baseCost) * r.extent * c.extent,
                    static_cast<Int128>(arrayRows) * arrayCols};
        return {baseCost * numerator(r, spatialRows) * numerator(c, spatialCols),
                denominator(r, arrayRows) * denominator(c, arrayCols)};
    }
    /// matMul() without rounding. The denominator depends on the kinds of the axes and on K only.
    [[nodiscard]] ExactTime exactMatMul(std::int64_t baseCost, Extent r, Extent c, std::int64_t length,
                                        std::int64_t reductionSize) const noexcept
    {
        if (array)
            return {static_cast<Int128>(baseCost) *
                        static_cast<std::int64_t>(cycles(r.extent, c.extent, length)),
                    static_cast<std::int64_t>(wholeTile(reductionSize))};
        const ExactTime t{baseCost * numerator(r, spatialRows) * numerator(c, spatialCols) * length,
                          denominator(r, arrayRows) * denominator(c, arrayCols)};
        return {t.numerator, t.denominator * (scaleByNativeK ? static_cast<Int128>(nativeK) : reductionSize)};
    }
    /// R8.2, R8.4: returns the cycles of one run.
    [[nodiscard]] double cycles(std::int64_t rows, std::int64_t cols, std::int64_t length) const noexcept
    {
        if (shape.kind == ComputeArray::Kind::DotProduct)
            return static_cast<double>(rows) * static_cast<double>(ceilDiv(length, shape.inputs)) *
                   static_cast<double>(ceilDiv(ceilDiv(cols, shape.outputs), shape.arrays));
        if (shape.arrays > 1) // the folds are spread over the arrays; the array with most folds counts
            return static_cast<double>(
                       ceilDiv(ceilDiv(rows, arrayRows) * ceilDiv(cols, arrayCols), shape.arrays)) *
                       static_cast<double>(length) +
                   static_cast<double>(std::min(rows, arrayRows) + std::min(cols, arrayCols) - 2);
        return arrayCycles(ArrayAxis::whole(rows, arrayRows), ArrayAxis::whole(cols, arrayCols), length);
    }
    /// True if the array is one systolic array, for which arrayCycles() holds.
    [[nodiscard]] bool isPlainArray() const noexcept
    {
        return shape.kind == ComputeArray::Kind::Systolic && shape.arrays == 1;
    }
    /// Lower bound of the cycles of runs that compute this many elements over the whole reduction.
    [[nodiscard]] double leastCycles(std::int64_t elements, std::int64_t length) const noexcept
    {
        const bool dots = shape.kind == ComputeArray::Kind::DotProduct;
        const double atOnce = dots ? static_cast<double>(shape.outputs)
                                   : static_cast<double>(arrayRows) * static_cast<double>(arrayCols);
        return static_cast<double>(elements) / (atOnce * static_cast<double>(shape.arrays)) *
               static_cast<double>(dots ? ceilDiv(length, shape.inputs) : length);
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
    [[nodiscard]] static Int128 numerator(Extent e, double spatial) noexcept
    {
        return e.reduction ? static_cast<Int128>(e.extent) : static_cast<Int128>(spatial);
    }
    [[nodiscard]] static Int128 denominator(Extent e, std::int64_t native) noexcept
    {
        return e.reduction ? native : 1;
    }
};

/// R17: energy of the runs and transfers of one subgraph, in pJ. Sizes are in units (R1.9).
struct StepEnergy
{
    double slow = 0, fast = 0; ///< energy in pJ of moving one unit (R1.9) into or out of the memory
    std::int64_t nativeHeight = 1, nativeWidth = 1;

    /// Requires problem.hasEnergy().
    explicit StepEnergy(const Problem& problem)
        : slow(problem.data().energy->slow * problem.bitsPerUnit()),
          fast(problem.data().energy->fast * problem.bitsPerUnit()),
          nativeHeight(problem.hardware().nativeHeight), nativeWidth(problem.hardware().nativeWidth)
    {
    }
    /// Energy of elements loaded and stored: each passes the slow memory once and the fast memory once.
    [[nodiscard]] double transfers(std::int64_t load, std::int64_t store) const noexcept
    {
        return (slow + fast) * (static_cast<double>(load) + static_cast<double>(store));
    }
    /// Energy of one run of a Pointwise on rows x cols elements.
    [[nodiscard]] double pointwise(const Problem& problem, OpId op, std::int64_t rows,
                                   std::int64_t cols) const
    {
        std::int64_t units = problem.units(problem.op(op).output);
        for (const TensorId t : problem.op(op).inputs)
            units += problem.units(t);
        const double elements = static_cast<double>(rows) * static_cast<double>(cols);
        return elements * (fast * static_cast<double>(units) + problem.energyOf(op));
    }
    /// Energy of one run of a MatMul on rows x cols results over `length` of its reduction. `adds` is true if
    /// the k range does not begin at 0, so that the partial results are read again.
    [[nodiscard]] double matMul(const Problem& problem, OpId op, std::int64_t rows, std::int64_t cols,
                                std::int64_t length, bool adds) const
    {
        const Op& o = problem.op(op);
        const auto r = static_cast<double>(rows), c = static_cast<double>(cols),
                   q = static_cast<double>(length);
        const double left =
            r * q * static_cast<double>(ceilDiv(cols, nativeWidth) * problem.units(o.inputs[0]));
        const double right =
            q * c * static_cast<double>(ceilDiv(rows, nativeHeight) * problem.units(o.inputs[1]));
        const bool split = length < problem.reductionSize(op);
        const auto width =
            static_cast<double>(split ? problem.accumulatorUnits(o.output) : problem.units(o.output));
        return fast * (left + right + r * c * width * (adds ? 2 : 1)) + problem.energyOf(op) * r * c * q;
    }
};

/// R10.1: memory time, i.e. the time of transfers between the memories. Sizes are in units (R1.9).
struct MemoryCosts
{
    double bandwidth = 1; ///< transferred units (R1.9) per unit of time

    explicit MemoryCosts(const Problem& problem) : bandwidth(static_cast<double>(problem.bandwidthUnits())) {}

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
    double energy; ///< energy in pJ (R17); 0 if the problem states no energies
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
        energy += t.energy;
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
        energy += t.energy * n;
        load = saturatingAdd(load, saturatingMul(t.load, count));
        store = saturatingAdd(store, saturatingMul(t.store, count));
        peak = std::max(peak, t.peak);
        steps = saturatingAdd(steps, saturatingMul(t.steps, count));
        computeBound = saturatingAdd(computeBound, saturatingMul(t.computeBound, count));
    }

    /// Returns an estimate of the sums over `allSteps` steps: scales up these sums, which cover only some of
    /// the steps.
    [[nodiscard]] Tally scaledTo(std::int64_t allSteps) const noexcept
    {
        constexpr double kMost = 9e18; // maximum of an integer sum; larger sums saturate
        const double n =
            static_cast<double>(allSteps) / static_cast<double>(std::max<std::int64_t>(1, steps));
        const auto scaled = [&](std::int64_t value) {
            const double product = static_cast<double>(value) * n;
            return product < kMost ? static_cast<std::int64_t>(product)
                                   : std::numeric_limits<std::int64_t>::max();
        };
        return {computeBoundTime * n,
                scaled(memoryBoundTraffic),
                memoryBoundElements * n,
                compute * n,
                energy * n,
                scaled(load),
                scaled(store),
                peak,
                allSteps,
                scaled(computeBound)};
    }

    [[nodiscard]] double latency(const MemoryCosts& costs) const noexcept
    {
        const bool exact = memoryBoundTraffic < std::numeric_limits<std::int64_t>::max();
        return computeBoundTime +
               (exact ? static_cast<double>(memoryBoundTraffic) : memoryBoundElements) / costs.bandwidth;
    }

    /// Fills the sums of a structurally valid subgraph. The caller sets the grid and `reserved`.
    void finish(SubgraphEvaluation& out, const Problem& problem) const
    {
        const MemoryCosts costs(problem);
        out.structurallyValid = true;
        out.fits = peak <= problem.capacityUnits();
        out.latency = latency(costs);
        out.compute = compute;
        out.energy = energy;
        out.memory = costs.time(load, store);
        out.loadElements = problem.elementsOf(load);
        out.storeElements = problem.elementsOf(store);
        out.peakWorkingSet = problem.elementsOf(peak);
        out.steps = steps;
        out.computeBoundSteps = computeBound;
        out.bound = out.compute > out.memory   ? Bound::Compute
                    : out.compute < out.memory ? Bound::Memory
                                               : Bound::Balanced;
    }
};

} // namespace tilewright
