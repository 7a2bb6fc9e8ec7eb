// SPDX-License-Identifier: GPL-3.0-or-later
// The report of an ONNX model by the nodes of its file.
#include "lower/workload.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright::lower {

namespace {

NodeReport reportOf(const onnx::ImportedNode& node, const std::vector<NodeReport>& operators)
{
    NodeReport out{node.name, node.type, NodeStatus::Folded, 0, node.bytes, node.note, 0};
    const NodeReport* op = node.op ? &operators[node.op->index()] : nullptr;
    switch (node.fate) {
    case onnx::Fate::Operator:
        if (op != nullptr) {
            out = *op;
            out.name = node.name;
            out.type = node.type;
        }
        break;
    case onnx::Fate::Part:
        out.status = NodeStatus::Approximated;
        out.macs = node.macs;
        if (op != nullptr && !op->note.empty())
            out.note += ": " + op->note;
        break;
    case onnx::Fate::Folded:
        break;
    case onnx::Fate::Dropped:
        out.status = NodeStatus::Dropped;
        out.dependents = op == nullptr ? 0 : op->dependents;
        out.note += "; " + percent(out.dependents) + " of the MACs depend on it";
        break;
    }
    return out;
}

} // namespace

LoweringReport reportOf(const Workload& workload, LoweringReport report)
{
    if (!workload.import)
        return report;
    std::vector<NodeReport> nodes;
    for (const onnx::ImportedNode& node : workload.import->nodes)
        nodes.push_back(reportOf(node, report.nodes));
    report.nodes = std::move(nodes);
    report.operators = report.nodes.size();
    report.leftOutBytes = saturatingAdd(report.leftOutBytes, workload.import->leftOutBytes);
    report.notes.insert(report.notes.end(), workload.import->notes.begin(), workload.import->notes.end());
    tellTotals(report);
    return report;
}

} // namespace tilewright::lower
