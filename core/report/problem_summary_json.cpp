// SPDX-License-Identifier: GPL-3.0-or-later
#include "report/summary.h"

#include "base/json_document.h"
#include "eval/energy_bound.h"

#include <algorithm>

namespace tilewright {

ProblemSummary summarise(const Problem& problem)
{
    ProblemSummary s;
    std::vector<std::size_t> depth(problem.opCount(), 1);
    for (const OpId o : problem.topologicalOrder()) {
        ++(problem.op(o).type == OpType::MatMul ? s.matMuls : s.pointwise);
        for (const TensorId t : problem.op(o).inputs)
            for (const OpId p : problem.sources(t))
                depth[o.index()] = std::max(depth[o.index()], depth[p.index()] + 1);
        s.depth = std::max(s.depth, depth[o.index()]);
    }
    std::vector<char> isOperand(problem.tensorCount(), 0);
    for (std::size_t i = 0; i < problem.opCount(); ++i)
        for (const TensorId t : problem.operands(OpId(i)))
            isOperand[t.index()] = 1;
    for (std::size_t i = 0; i < problem.tensorCount(); ++i) {
        const TensorId t(i);
        const std::int64_t size = problem.volume(t);
        s.largestTensor = std::max(s.largestTensor, size);
        if (problem.isGraphInput(t))
            s.inputElements += size;
        else if (problem.isGraphOutput(t))
            s.outputElements += size;
        else if (problem.producer(t))
            s.intermediateElements += size;
        else if (problem.isView(t) && isOperand[t.index()] != 0) {
            ++s.views;
            s.mappedViews += problem.map(t) != nullptr;
            s.viewElements += size;
        } else
            ++s.unusedTensors;
    }
    return s;
}

std::string summaryJson(const Problem& problem, const ProblemSummary& s, double lowerBound)
{
    const Hardware& hw = problem.hardware();
    Json native = {hw.nativeWidth, hw.nativeHeight};
    if (hw.nativeDepth)
        native.push_back(*hw.nativeDepth);
    Json out = {{"name", problem.name()},
                {"ops", problem.opCount()},
                {"matmuls", s.matMuls},
                {"pointwise", s.pointwise},
                {"depth", s.depth},
                {"tensors", problem.tensorCount()},
                {"graph_inputs", problem.graphInputs().size()},
                {"graph_outputs", problem.graphOutputs().size()},
                {"views", s.views},
                {"mapped_views", s.mappedViews},
                {"unused_tensors", s.unusedTensors},
                {"input_elements", s.inputElements},
                {"output_elements", s.outputElements},
                {"intermediate_elements", s.intermediateElements},
                {"view_elements", s.viewElements},
                {"largest_tensor", s.largestTensor},
                {"fast_memory_capacity", hw.fastMemoryCapacity},
                {"slow_memory_bandwidth", hw.slowMemoryBandwidth},
                {"native_granularity", std::move(native)},
                {"lower_bound", jsonNumber(lowerBound)}};
    if (problem.hasEnergy()) {
        const double energy = energyBound(problem, problem.rules()).value;
        out["energy_bound_pj"] = jsonNumber(energy);
        out["edp_bound"] = jsonNumber(energy * lowerBound);
    }
    return dumpByField(out);
}

} // namespace tilewright
