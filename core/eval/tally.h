// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/integer.h"
#include "eval/cost.h"
#include "eval/evaluation.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace tilewright {

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
