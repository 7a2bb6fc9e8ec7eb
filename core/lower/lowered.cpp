// SPDX-License-Identifier: GPL-3.0-or-later
// Sums of a lowering report: operators by type, and what depends on operators that were left out.
#include "lower/lowered.h"

#include "base/text.h"
#include "lower/problem_lowering.h"

#include <algorithm>
#include <bit>

namespace tilewright::lower {

std::vector<TypeReport> typesOf(const LoweringReport& report)
{
    std::map<std::string, TypeReport> types;
    for (const NodeReport& n : report.nodes) {
        TypeReport& t = types[n.type];
        ++t.nodes;
        t.macs = saturatingAdd(t.macs, n.macs);
        t.bytes = saturatingAdd(t.bytes, n.bytes);
        ++t.became[static_cast<std::size_t>(n.status)];
    }
    std::vector<TypeReport> out;
    for (auto& [type, t] : types) {
        t.type = type;
        out.push_back(std::move(t));
    }
    return out;
}

/// Adds to the note of each dropped operator the share of the MACs that reads what it gives, directly or not.
void ProblemLowering::tellDependents()
{
    constexpr std::size_t kAtOnce = 64, kMost = 4096; ///< bits of a pass; operators that are told about
    std::vector<OperatorId> dropped;
    for (std::size_t i = 0; i < m_out.report.nodes.size() && dropped.size() < kMost; ++i)
        if (m_out.report.nodes[i].status == NodeStatus::Dropped)
            dropped.emplace_back(i);
    if (dropped.empty() || m_out.report.macs == 0)
        return;
    const auto order = model::operatorOrder(m_model);
    for (std::size_t first = 0; first < dropped.size(); first += kAtOnce) {
        const std::size_t count = std::min(kAtOnce, dropped.size() - first);
        std::vector<std::uint64_t> behind(m_model.tensors.size(), 0);
        std::array<std::int64_t, kAtOnce> macs{};
        for (const OperatorId o : order) {
            const model::Operator& op = m_model.operators[o];
            std::uint64_t mask = 0;
            for (const ModelTensorId t : op.inputs)
                mask |= behind[t.index()];
            for (std::uint64_t rest = mask; rest != 0; rest &= rest - 1)
                macs[static_cast<std::size_t>(std::countr_zero(rest))] += m_out.report.nodes[o.index()].macs;
            const auto own = std::find(dropped.begin() + static_cast<std::ptrdiff_t>(first),
                                       dropped.begin() + static_cast<std::ptrdiff_t>(first + count), o) -
                             dropped.begin() - static_cast<std::ptrdiff_t>(first);
            if (own < static_cast<std::ptrdiff_t>(count))
                mask |= std::uint64_t{1} << own;
            for (const ModelTensorId t : op.outputs)
                behind[t.index()] = mask;
        }
        for (std::size_t i = 0; i < count; ++i) {
            NodeReport& node = m_out.report.nodes[dropped[first + i].index()];
            node.dependents = static_cast<double>(macs[i]) / static_cast<double>(m_out.report.macs);
            node.note += "; " + percent(node.dependents) + " of the MACs depend on it";
        }
    }
}

} // namespace tilewright::lower
