// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/on_machine.h"

#include "lower/floor.h"

#include "base/table.h"
#include "base/text.h"
#include "edit/fit.h"
#include "eval/fast_evaluator.h"
#include "lower/collectives.h"
#include "lower/floor.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace tilewright::lower {

namespace {

mapping::Layer productLayer(const Problem& problem, OpId op)
{
    const Tensor& out = problem.tensor(problem.op(op).output);
    mapping::Layer layer;
    layer.kind = mapping::LayerKind::Gemm;
    layer.name = problem.opName(op);
    layer.m = out.height;
    layer.n = out.width;
    layer.k = problem.reductionSize(op);
    return layer;
}

/// Replaces tensors, ops and views of a problem that was lowered from a problem file by those of the file,
/// with the ids of the file.
void keepIds(LoweredProblem& lowered, const Problem& file)
{
    Problem::Data data = file.data();
    data.hardware = lowered.data.hardware;
    data.energy = lowered.data.energy;
    if (data.energy)
        data.energy->vector.resize(file.opCount());
    for (std::size_t i = 0; i < lowered.data.ops.size(); ++i) {
        data.ops[OpId(lowered.source[i].index())].baseCost = lowered.data.ops[OpId(i)].baseCost;
        if (data.energy)
            data.energy->vector[lowered.source[i].index()] = lowered.data.energy->vector[i];
    }
    if (const auto machine = lowered.data.elementBits) {
        if (!data.elementBits)
            data.elementBits = machine;
        // The file counts elements of another width than the machine's elements, so sizes are converted.
        const auto counted = [&](std::int64_t elements) {
            return std::max<std::int64_t>(
                1, static_cast<std::int64_t>(
                       std::floor(static_cast<double>(elements) * static_cast<double>(*machine) /
                                  static_cast<double>(*data.elementBits))));
        };
        data.hardware.fastMemoryCapacity = counted(data.hardware.fastMemoryCapacity);
        data.hardware.slowMemoryBandwidth = counted(data.hardware.slowMemoryBandwidth);
    }
    lowered.data = std::move(data);
    lowered.source.resize(file.opCount());
    for (std::size_t i = 0; i < lowered.source.size(); ++i)
        lowered.source[i] = OperatorId(i);
    lowered.helper.assign(file.opCount(), 0);
}

} // namespace

std::vector<OpId> ModelOnMachine::opsOf(OperatorId op) const
{
    std::vector<OpId> out;
    for (std::size_t i = 0; i < lowered.source.size(); ++i)
        if (lowered.source[i] == op)
            out.emplace_back(i);
    return out;
}

Result<ModelOnMachinePtr> putOnMachine(std::shared_ptr<const Workload> workload, const Machine& machine)
{
    if (workload->noModel)
        return *workload->noModel;
    if (workload->language)
        if (Status linked = checkLinks(workload->language->options, machine); !linked)
            return linked.error();
    auto lowered = lowerToProblem(workload->model, machine);
    if (!lowered)
        return lowered.error();
    if (workload->problem)
        keepIds(*lowered, *workload->problem);
    auto problem = Problem::build(lowered->data);
    if (!problem)
        return problem.error();
    ModelOnMachine out{std::move(workload), machine, std::move(*lowered), std::move(*problem)};
    out.problem =
        out.problem->withFloor(floorOf(out, 1).cycles.value / static_cast<double>(out.lowered.timeUnit));
    return std::make_shared<const ModelOnMachine>(std::move(out));
}

bool sameGraph(const Problem& a, const Problem& b)
{
    if (a.opCount() != b.opCount() || a.tensorCount() != b.tensorCount())
        return false;
    for (std::size_t i = 0; i < a.opCount(); ++i) {
        const Op &x = a.op(OpId(i)), &y = b.op(OpId(i));
        if (x.type != y.type || x.inputs != y.inputs || x.output != y.output)
            return false;
    }
    return true;
}

Result<Machine> machineOf(const Problem& problem)
{
    constexpr std::int64_t kElementBytes = 2, kExternalBytes = std::int64_t{1} << 40;
    const Hardware& hw = problem.hardware();
    Machine m;
    m.name = "hardware of the problem";
    m.elementBytes = kElementBytes;
    m.rows = hw.nativeHeight;
    m.cols = hw.nativeWidth;
    // The scratchpad feeds the array at any rate, because a problem does not state one.
    m.at(MachineLevel::L3) = {1, saturatingMul(hw.fastMemoryCapacity, kElementBytes),
                              static_cast<double>(hw.nativeWidth + hw.nativeHeight) * kElementBytes};
    m.at(MachineLevel::External) = {1, kExternalBytes,
                                    static_cast<double>(hw.slowMemoryBandwidth) * kElementBytes};
    m.given = {"name",
               "element_bytes",
               "array.rows",
               "array.cols",
               "levels.l3.buffers",
               "levels.l3.bytes",
               "levels.l3.gb_per_s",
               "levels.external.buffers",
               "levels.external.bytes",
               "levels.external.gb_per_s"};
    return completeMachine(m, problem.name().empty() ? "problem" : problem.name());
}

std::optional<OpId> largestProduct(const Problem& problem, std::span<const OpId> ops)
{
    std::optional<OpId> out;
    std::int64_t most = 0;
    for (const OpId op : ops) {
        if (problem.op(op).type != OpType::MatMul)
            continue;
        const std::int64_t macs =
            saturatingMul(problem.tensor(problem.op(op).output).elements(), problem.reductionSize(op));
        if (macs > most) {
            most = macs;
            out = op;
        }
    }
    return out;
}

Result<mapping::Layer> layerOf(const Problem& problem, OpId op)
{
    if (problem.op(op).type == OpType::MatMul)
        return productLayer(problem, op);
    return Error{ErrorCode::Refused,
                 problem.opName(op) + " works element by element: only products and convolutions are mapped",
                 {},
                 {}};
}

Result<mapping::Layer> layerOf(const ModelOnMachine& model, OpId op)
{
    const model::Operator& source = model.model().operators[model.operatorOf(op)];
    if (source.kind != model::OperatorKind::Conv2d)
        return layerOf(*model.problem, op);
    mapping::Layer layer = convolutionLayer(model.model(), source);
    layer.name = model.lowered.report.nodes[model.operatorOf(op).index()].name;
    return layer;
}

Granularity tileOf(const mapping::LoopNest& nest, const mapping::Method& method, mapping::Level level)
{
    using mapping::Level;
    const auto extent = [&](std::string_view loop) {
        const int l = nest.loopByName(loop);
        if (l < 0)
            return std::int64_t{1};
        const auto at = static_cast<std::size_t>(l);
        std::int64_t out = method.at(Level::Rf)[at] * method.at(Level::Spatial)[at];
        if (level == Level::Spm)
            out = saturatingMul(out, method.at(Level::Spm)[at]);
        return std::min(out, nest.trips[at]);
    };
    if (nest.kind == mapping::LayerKind::Gemm)
        return {extent("Y"), extent("X"), extent("K")};
    // A row of the product is a pixel. Its depth is a channel at one tap of the kernel.
    return {extent("M"), saturatingMul(extent("N"), saturatingMul(extent("Ox"), extent("Oy"))),
            saturatingMul(extent("C"), saturatingMul(extent("Fx"), extent("Fy")))};
}

/// Sets for every operator the rate of the array, from the widths of its operands and the Winograd factor.
/// Weights that are transformed for Winograd get the larger width that they need (docs/rules/workload.md 2).
static void setRates(npu::NpuModel& npu, const std::vector<OperatorId>& source, const model::Model& model,
                     const Machine& machine)
{
    const auto bits = [&npu](std::size_t tensor) { return 8 * npu.bytesOf(tensor); };
    for (std::size_t i = 0; i < npu.ops.size(); ++i) {
        npu::ModelOp& op = npu.ops[i];
        if (op.type != npu::OpType::MatMul && op.type != npu::OpType::Conv2d &&
            op.type != npu::OpType::Attention)
            continue;
        op.rate = machine.macsPerCycle(bits(op.inputs[0]), bits(op.inputs[1]));
        if (source[i].index() < model.operators.size())
            op.rate *= winogradOf(model, model.operators[source[i]], machine);
    }
    if (machine.winogradWeights == 1)
        return;
    std::set<std::size_t> transformed; // weights that several convolutions share are stored once
    for (std::size_t i = 0; i < npu.ops.size(); ++i)
        if (npu.ops[i].type == npu::OpType::Conv2d && source[i].index() < model.operators.size() &&
            takesWinograd(model, model.operators[source[i]]))
            transformed.insert(npu.ops[i].inputs[1]);
    for (const std::size_t weights : transformed)
        npu.tensors[weights].bits = static_cast<std::int64_t>(
            std::llround(static_cast<double>(npu.bitsOf(weights)) * machine.winogradWeights));
}

Result<LoweredNpu> npuOf(const Workload& workload, const Machine& machine)
{
    if (!workload.npu) {
        auto lowered = lowerToNpu(workload.model, machine);
        if (lowered)
            setRates(lowered->model, lowered->source, workload.model, machine);
        return lowered;
    }
    LoweredNpu out;
    out.model = *workload.npu;
    out.model.dtypeBytes = static_cast<int>(machine.elementBytes);
    for (std::size_t i = 0; i < out.model.ops.size(); ++i)
        out.source.emplace_back(i);
    setRates(out.model, out.source, workload.model, machine);
    return out;
}

Result<LoweredNpu> npuOf(const ModelOnMachine& model)
{
    auto out = npuOf(*model.workload, model.machine);
    if (out && model.workload->npu)
        out->nodes = model.lowered.report.nodes;
    return out;
}

std::vector<double> startCycles(const ModelOnMachine& model)
{
    std::vector<double> out(model.model().operators.size(), 0.0);
    const Rules rules = model.problem->rules();
    for (const SubgraphPtr& s : oneOpPerSubgraph(*model.problem).subgraphs)
        if (const SubgraphEvaluation e = evaluateSubgraph(*model.problem, *s, {}, rules); e.structurallyValid)
            out[model.operatorOf(s->ops.front()).index()] +=
                e.latency * static_cast<double>(model.lowered.timeUnit);
    return out;
}

ModelsOnMachine compareOnMachine(ModelOnMachinePtr before, ModelOnMachinePtr after)
{
    ModelsOnMachine out{{std::move(before), std::move(after)}, {}, {}, {}};
    out.comparison = model::compareModels(out.models[0]->model(), out.models[1]->model());
    const std::array cycles{startCycles(*out.models[0]), startCycles(*out.models[1])};
    for (const model::OperatorPair& p : out.comparison.operators) {
        const std::array sides{p.before, p.after};
        std::array<double, 2>& row = out.cycles.emplace_back();
        for (const std::size_t side : {0U, 1U})
            if (sides[side]) {
                row[side] = cycles[side][sides[side]->index()];
                out.totalCycles[side] += row[side];
            }
    }
    return out;
}

std::string comparisonCsv(const ModelsOnMachine& models)
{
    const model::ModelComparison& c = models.comparison;
    Table out = tableOf("change,operator_before,operator_after,type,macs_before,macs_after,bytes_before,"
                        "bytes_after,cycles_before,cycles_after");
    const auto add = [&out](const auto& change, const std::array<std::string, 2>& names, const auto& type,
                            const auto& macs, const auto& bytes, const auto& cycles) {
        out.add(change, names[0], names[1], type, macs[0], macs[1], bytes[0], bytes[1], cycles[0], cycles[1]);
    };
    for (std::size_t i = 0; i < c.operators.size(); ++i) {
        const model::OperatorPair& p = c.operators[i];
        const std::array sides{p.before, p.after};
        std::array<std::string, 2> names;
        for (const std::size_t side : {0U, 1U})
            if (sides[side])
                names[side] = models.operatorOf(side, *sides[side]).name;
        const std::size_t later = p.after ? 1 : 0;
        add(toString(p.change), names, models.operatorOf(later, *sides[later]).typeName(), p.macs, p.bytes,
            models.cycles[i]);
    }
    add("total", {}, "", c.macs, c.bytes, models.totalCycles);
    return csvOf(out);
}

} // namespace tilewright::lower
