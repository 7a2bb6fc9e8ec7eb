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

Coverage coverageOf(std::span<const NodeReport> nodes)
{
    Coverage c;
    std::int64_t all = 0;
    for (const NodeReport& node : nodes) {
        const auto s = static_cast<std::size_t>(node.status);
        ++c.operators[s];
        c.macs[s] = saturatingAdd(c.macs[s], node.macs);
        all = saturatingAdd(all, node.macs);
        c.unknown += node.macsKnown ? 0 : 1;
        c.missing += node.status == NodeStatus::Dropped && node.needed ? 1 : 0;
    }
    const auto share = [&](NodeStatus s) {
        return all == 0 ? 0.0
                        : static_cast<double>(c.macs[static_cast<std::size_t>(s)]) / static_cast<double>(all);
    };
    c.mapped = all == 0 ? 1.0 : share(NodeStatus::Mapped);
    c.approximated = share(NodeStatus::Approximated);
    c.dropped = share(NodeStatus::Dropped);
    c.folded = nodes.empty()
                   ? 0
                   : static_cast<double>(c.count(NodeStatus::Folded)) / static_cast<double>(nodes.size());
    return c;
}

std::string droppedText(const Coverage& c)
{
    if (c.unknown == 0)
        return percent(c.dropped);
    return "an unknown share (" + formatGrouped(c.unknown) + (c.unknown == 1 ? " operator" : " operators") +
           " without known MACs)";
}

std::string missingText(std::span<const NodeReport> nodes)
{
    constexpr std::size_t kNamed = 3;
    std::size_t count = 0;
    std::string names;
    for (const NodeReport& node : nodes)
        if (node.status == NodeStatus::Dropped && node.needed && ++count <= kNamed)
            names += (names.empty() ? "" : ", ") + node.type + " \"" + node.name + "\"";
    if (count == 0)
        return {};
    if (count > kNamed)
        names += " and " + formatGrouped(count - kNamed) + " more";
    const bool one = count == 1;
    return (one ? "1 operator is" : formatGrouped(count) + " operators are") +
           " dropped although the model needs " + (one ? "its" : "their") + " results (" + names +
           "): every figure leaves out " + (one ? "its" : "their") + " work and what follows from it";
}

void tellTotals(LoweringReport& r)
{
    r.macs = 0;
    r.byType.clear();
    for (const NodeReport& node : r.nodes) {
        r.macs += node.macs;
        if (node.macs > 0)
            r.byType[node.type] += node.macs;
    }
    r.coverage = coverageOf(r.nodes);
    r.droppedMacs = r.coverage.macs[static_cast<std::size_t>(NodeStatus::Dropped)];
}

std::string dependentsText(double share, const NodeReport& node, bool allKnown)
{
    if (!node.needed)
        return "; nothing reads its results";
    if (share > 0 || allKnown)
        return "; " + percent(share) +
               (allKnown ? " of the MACs depend on it" : " of the known MACs depend on it");
    return "; how many MACs depend on it is not known";
}

/// Adds to the note of each dropped operator the share of the MACs that depend on its results, directly or
/// through other operators.
void ProblemLowering::tellDependents()
{
    /// Bits of one pass; largest number of operators with such a note.
    constexpr std::size_t kAtOnce = 64, kMost = 4096;
    std::vector<OperatorId> dropped;
    for (std::size_t i = 0; i < m_out.report.nodes.size() && dropped.size() < kMost; ++i)
        if (m_out.report.nodes[i].status == NodeStatus::Dropped)
            dropped.emplace_back(i);
    if (dropped.empty())
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
            node.dependents = static_cast<double>(macs[i]) /
                              static_cast<double>(std::max<std::int64_t>(1, m_out.report.macs));
            node.note += dependentsText(node.dependents, node, m_out.report.coverage.unknown == 0);
        }
    }
}

} // namespace tilewright::lower
