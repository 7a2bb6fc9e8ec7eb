// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/array_work.h"

#include "lower/floor.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace tilewright::lower {

namespace {

constexpr std::array<std::pair<std::string_view, ArrayLoop>, 10> kLoopNames{{{"N", ArrayLoop::N},
                                                                             {"M", ArrayLoop::M},
                                                                             {"C", ArrayLoop::C},
                                                                             {"Ox", ArrayLoop::Ox},
                                                                             {"Oy", ArrayLoop::Oy},
                                                                             {"Fx", ArrayLoop::Fx},
                                                                             {"Fy", ArrayLoop::Fy},
                                                                             {"X", ArrayLoop::Ox},
                                                                             {"Y", ArrayLoop::M},
                                                                             {"K", ArrayLoop::C}}};

std::vector<ArrayLoop> loopsOf(const std::vector<std::string>& names)
{
    std::vector<ArrayLoop> out;
    for (const std::string& name : names)
        if (const auto* it = std::ranges::find(kLoopNames, name, [](const auto& n) { return n.first; });
            it != kLoopNames.end())
            out.push_back(it->second);
    return out;
}

/// Rounds cycles up. A small tolerance avoids that rounding errors of the quotient add a cycle.
std::int64_t wholeCycles(double cycles)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(cycles * (1 - 1e-12))));
}

ArrayUse useOf(const ModelOnMachine& model, const std::optional<FixedArray>& array, OpId id)
{
    ArrayUse out;
    out.arrays = model.machine.arrays;
    const Op& op = model.lowered.data.ops[id];
    const auto bits = [&](TensorId t) {
        const std::int64_t own = model.lowered.data.tensors[t].bits;
        return static_cast<double>(own > 0 ? own : model.lowered.data.elementBits.value_or(0)) / kPartsOfBit;
    };
    const model::Operator& source = model.model().operators[model.operatorOf(id)];
    out.rate = model.machine.macsPerCycle(bits(op.inputs[0]), bits(op.inputs[1])) *
               winogradOf(model.model(), source, model.machine);
    if (!array)
        return out;
    const ArrayWork work = arrayWorkOf(model, id);
    // The products of a depthwise convolution share the cycles of all its groups.
    out.fixedCycles = ceilDiv(arrayCycles(*array, work), work.groups);
    return out;
}

} // namespace

std::optional<FixedArray> fixedArrayOf(const Machine& m)
{
    if (m.kind == ArrayKind::Systolic)
        return std::nullopt;
    FixedArray out;
    out.kind = m.kind == ArrayKind::DotProduct ? FixedArray::Kind::DotProduct : FixedArray::Kind::Loops;
    out.rows = m.rows;
    out.cols = m.cols;
    out.rowGranule = m.rowGranule;
    out.colGranule = m.colGranule;
    out.arrays = m.arrays;
    out.rowLoops = loopsOf(m.rowLoops);
    out.colLoops = loopsOf(m.colLoops);
    return out;
}

ArrayWork arrayWorkOf(const ModelOnMachine& model, OpId id)
{
    const systolic::Gemm gemm = gemmOf(model.lowered, id).value_or(systolic::Gemm{1, 1, 1});
    ArrayWork product = productWork(gemm.m, gemm.n, gemm.k);
    const model::Operator& op = model.model().operators[model.operatorOf(id)];
    if (op.kind != model::OperatorKind::Conv2d)
        return product;
    const auto& window = op.as<model::WindowAttributes>();
    const model::Shape& weights = model.model().shape(op.inputs[1]);
    const model::Shape& result = model.model().shape(op.outputs[0]);
    if (weights.size() != 4 || result.size() != 4)
        return product;
    const std::int64_t taps = weights[2] * weights[3], pixels = result[0] * result[2] * result[3];
    // Only a product that is a whole convolution has the loops of the convolution; other products are parts
    // of one.
    if (gemm.k % taps != 0 || gemm.m != pixels || gemm.n * window.groups != weights[0])
        return product;
    ArrayWork out;
    out.trips = {result[0], gemm.n, gemm.k / taps, result[2], result[3], weights[2], weights[3]};
    out.strides = window.stride[0] * window.stride[1];
    out.groups = window.groups > 1 && gemm.k == taps ? window.groups : 1;
    return out;
}

std::vector<GemmLayer> gemmsOnMachine(const ModelOnMachine& model)
{
    std::vector<GemmLayer> out;
    const auto array = fixedArrayOf(model.machine);
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double>, std::size_t> known;
    for (std::size_t i = 0; i < model.lowered.data.ops.size(); ++i) {
        const auto gemm = gemmOf(model.lowered, OpId(i));
        if (!gemm)
            continue;
        const ArrayUse use = useOf(model, array, OpId(i));
        const auto [it, isNew] = known.emplace(
            std::tuple(gemm->m, gemm->n, gemm->k, use.fixedCycles.value_or(0), use.rate), out.size());
        if (isNew)
            out.push_back({*gemm, 0, {}, use});
        GemmLayer& layer = out[it->second];
        ++layer.count;
        const std::string& name = model.lowered.report.nodes[model.lowered.source[i].index()].name;
        if (layer.operators.empty() || layer.operators.back() != name)
            layer.operators.push_back(name);
    }
    return out;
}

systolic::ArrayTiming timingOf(const GemmLayer& layer, const systolic::ArrayShape& array,
                               const systolic::TimingOptions& options)
{
    systolic::ArrayTiming out = systolic::arrayTiming(layer.gemm, array, options);
    const ArrayUse& use = layer.use;
    if (use.isPlain())
        return out;
    if (use.fixedCycles) {
        out.cycles = *use.fixedCycles;
    } else if (use.arrays > 1) { // the folds are distributed; the array with most folds counts
        const systolic::FoldPlan plan(layer.gemm, array, options);
        const std::int64_t most = ceilDiv(plan.folds(), use.arrays);
        out.cycles = plan.start(most - 1) + plan.cycles() - plan.start(plan.folds() - 1);
    }
    out.cycles = wholeCycles(static_cast<double>(out.cycles) / use.rate);
    out.utilization = static_cast<double>(systolic::macs(layer.gemm)) /
                      (static_cast<double>(array.rows * array.cols * use.arrays) * use.rate *
                       static_cast<double>(out.cycles));
    if (use.fixedCycles)
        out.mappingEfficiency = out.utilization;
    return out;
}

} // namespace tilewright::lower
