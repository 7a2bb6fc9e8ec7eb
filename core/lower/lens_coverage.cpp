// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/lens_coverage.h"

#include "base/text.h"

namespace tilewright::lower {

std::vector<NodeReport> nodesOfFile(const Workload& workload, std::vector<NodeReport> nodes)
{
    LoweringReport report;
    report.nodes = std::move(nodes);
    return reportOf(workload, std::move(report)).nodes;
}

namespace {

/// A width of a tensor of the operator that differs from the width of the machine's elements, in 1/1024 bit;
/// 0 if there is none. The Systolic and the Mapping lens count all elements with the width of the machine.
std::int64_t otherWidth(const ModelOnMachine& model, const model::Operator& op)
{
    for (const auto* list : {&op.inputs, &op.outputs})
        for (const ModelTensorId t : *list)
            if (const std::int64_t bits = model.model().tensors[t].ownBits();
                bits > 0 && bits != 8 * kPartsOfBit * model.machine.elementBytes)
                return bits;
    return 0;
}

/// Reports for lenses that have only products and convolutions, from the reports of the Schedule lens.
std::vector<NodeReport> productNodes(const ModelOnMachine& model, bool mapping)
{
    std::vector<NodeReport> nodes = model.lowered.report.nodes;
    std::vector<char> hasProduct(nodes.size(), 0), hasWork(nodes.size(), 0);
    const Problem::Data& data = model.lowered.data;
    for (std::size_t i = 0; i < data.ops.size(); ++i) {
        const std::size_t o = model.lowered.source[i].index();
        hasWork[o] = 1;
        if (data.ops[OpId(i)].type == OpType::MatMul && !model.lowered.helper[i])
            hasProduct[o] = 1;
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        NodeReport& node = nodes[i];
        const model::Operator& op = model.model().operators[OperatorId(i)];
        if (node.status == NodeStatus::Dropped || node.status == NodeStatus::Folded)
            continue;
        if (hasProduct[i] != 0 || (mapping && op.kind == model::OperatorKind::Conv2d)) {
            const std::int64_t bits = otherWidth(model, op);
            if (bits > 0 && node.status == NodeStatus::Mapped) {
                node.status = NodeStatus::Approximated;
                node.note = "elements of " + formatNumber(static_cast<double>(bits) / kPartsOfBit) +
                            " bits count as " + formatNumber(8 * model.machine.elementBytes);
            }
            continue;
        }
        node.status = hasWork[i] != 0 ? NodeStatus::Dropped : NodeStatus::Folded;
        node.note = hasWork[i] != 0 ? "vector work, which this lens does not have"
                                    : "a view, which is no work of this lens";
        node.needed = false;
    }
    return nodes;
}

} // namespace

Result<std::vector<NodeReport>> lensNodes(const ModelOnMachine& model, MachineLens lens)
{
    std::vector<NodeReport> nodes;
    switch (lens) {
    case MachineLens::Schedule:
        nodes = model.lowered.report.nodes;
        break;
    case MachineLens::Npu: {
        auto npu = npuOf(model);
        if (!npu)
            return npu.error();
        nodes = std::move(npu->nodes);
        break;
    }
    case MachineLens::Systolic:
    case MachineLens::Mapping:
        nodes = productNodes(model, lens == MachineLens::Mapping);
        break;
    }
    return nodesOfFile(*model.workload, std::move(nodes));
}

std::vector<LensCoverage> lensCoverage(const ModelOnMachine& model)
{
    std::vector<LensCoverage> out;
    for (const MachineLens lens :
         {MachineLens::Schedule, MachineLens::Systolic, MachineLens::Npu, MachineLens::Mapping})
        if (const auto nodes = lensNodes(model, lens))
            out.push_back({lens, coverageOf(*nodes)});
    return out;
}

std::string leftOutText(const std::vector<NodeReport>& nodes)
{
    const Coverage c = coverageOf(nodes);
    // The note has a reason only if it is the same for all of them.
    const auto reason = [&](NodeStatus status) {
        const std::string* common = nullptr;
        for (const NodeReport& node : nodes)
            if (node.status == status) {
                if (common != nullptr && *common != node.note)
                    return std::string();
                common = &node.note;
            }
        return common == nullptr || common->empty() ? std::string() : " (" + *common + ")";
    };
    std::string out;
    for (const auto& [status, word] :
         {std::pair{NodeStatus::Approximated, " approximated"}, std::pair{NodeStatus::Dropped, " dropped"}})
        if (const std::size_t n = c.count(status); n > 0)
            out += (out.empty() ? "" : " and ") + formatGrouped(n) + (n == 1 ? " is" : " are") + word +
                   reason(status);
    if (out.empty())
        return out;
    if (c.unknown > 0)
        out += "; the multiply-accumulates of " + formatGrouped(c.unknown) + " are not known";
    return "of " + formatGrouped(nodes.size()) + " operators " + out;
}

} // namespace tilewright::lower
