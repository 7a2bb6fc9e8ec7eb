// SPDX-License-Identifier: GPL-3.0-or-later
// docs/rules/bound.md 8 proves that this is a lower bound.
#include "eval/energy_bound.h"

#include "base/integer.h"
#include "eval/cost.h"

#include <algorithm>

namespace tilewright {

OpEnergy leastEnergy(const Problem& problem, OpId op, std::int64_t least)
{
    const StepEnergy energy(problem);
    const Op& o = problem.op(op);
    const Tensor& out = problem.tensor(o.output);
    const auto elements = static_cast<double>(least);
    if (o.type == OpType::Pointwise) {
        const double compute = problem.energyOf(op) * elements;
        return {energy.pointwise(problem, op, 1, least) - compute, compute};
    }
    const auto depth = static_cast<double>(problem.reductionSize(op));
    // A row of the LHS is read once for each native width of results, a column of the RHS once for each
    // native height. If only a part of the result is computed, only its area is known.
    const auto strips = [&](std::int64_t extent, std::int64_t across, std::int64_t native) {
        return least == out.elements()
                   ? static_cast<double>(extent) * static_cast<double>(ceilDiv(across, native))
                   : elements / static_cast<double>(native);
    };
    // With one k range, an element of the result is written once with the width of the result. With several k
    // ranges, it is written, read and written again with the width of the accumulator.
    const std::int64_t width = std::min(problem.units(o.output), 3 * problem.accumulatorUnits(o.output));
    const double fast = depth * (strips(out.height, out.width, energy.nativeWidth) *
                                     static_cast<double>(problem.units(o.inputs[0])) +
                                 strips(out.width, out.height, energy.nativeHeight) *
                                     static_cast<double>(problem.units(o.inputs[1]))) +
                        elements * static_cast<double>(width);
    return {energy.fast * fast, problem.energyOf(op) * elements * depth};
}

EnergyBound energyBound(const Problem& problem, const Rules& rules, const LowerBound& quick)
{
    EnergyBound out;
    if (!problem.hasEnergy())
        return out;
    const StepEnergy energy(problem);
    out.trafficUnits = quick.memory * static_cast<double>(problem.bandwidthUnits());
    out.slow = energy.slow * out.trafficUnits;
    out.fast = energy.fast * out.trafficUnits;
    const std::vector<SpatialAxes> axes = spatialAxes(problem, rules);
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        const OpEnergy op = leastEnergy(problem, OpId(i), axes[i].least);
        out.fast += op.fast;
        (problem.op(OpId(i)).type == OpType::MatMul ? out.mac : out.vector) += op.compute;
    }
    constexpr double kRounding = 1e-11; // sums and products of the parts are rounded
    out.value = (out.slow + out.fast + out.mac + out.vector) * (1 - kRounding);
    return out;
}

} // namespace tilewright
