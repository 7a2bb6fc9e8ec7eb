// SPDX-License-Identifier: GPL-3.0-or-later
#include "solve/proof/master_rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tilewright {

namespace {

std::uint64_t deliveryKey(TensorId t, OpId reader)
{
    return std::uint64_t{t.value} << 32 | reader.value;
}

} // namespace

MasterRows::MasterRows(const Problem& problem, const Rules& rules, const std::vector<OpId>& ops,
                       const std::vector<std::uint32_t>& classes)
    : m_problem(problem), m_rules(rules), m_keepsInputs(rules.retainInputs == Rules::RetainInputs::Allow),
      m_isCovered(problem.opCount(), 0), m_runs(problem.opCount(), 0), m_written(problem.tensorCount()),
      m_handedOver(problem.tensorCount())
{
    enum class Kind : std::uint8_t { Runs, Written, Reaches, HandedOver };
    std::map<std::tuple<Kind, std::uint32_t, std::uint32_t>, Row> rows;
    const auto classOf = [&](OpId o) { return classes.empty() ? o.value : classes[o.index()]; };
    const auto add = [&](Kind kind, OpId o, OpId reader, double demand) {
        const auto [it, isNew] = rows.try_emplace({kind, classOf(o), classOf(reader)}, m_demands.size());
        if (isNew) {
            m_demands.push_back(0);
            m_rowOps.emplace_back();
        }
        m_demands[it->second] += demand;
        m_rowOps[it->second].push_back(o);
        return it->second;
    };
    for (const OpId o : ops) {
        m_isCovered[o.index()] = 1;
        m_runs[o.index()] = add(Kind::Runs, o, o, 1);
        const TensorId t = problem.op(o).output;
        const bool isReadThroughView = std::ranges::any_of(
            // true if an op reads the tensor through a view (R1.7)
            problem.viewsOf(t), [&](TensorId view) { return !problem.consumers(view).empty(); });
        if (problem.isGraphOutput(t) || isReadThroughView)
            m_written[t.index()] = add(Kind::Written, o, o, 1);
        for (const OpId c : problem.consumers(t))
            m_reaches.emplace(deliveryKey(t, c), add(Kind::Reaches, o, c, 1));
        if (mayBeResident(t) && !m_keepsInputs && !problem.consumers(t).empty())
            m_handedOver[t.index()] = add(Kind::HandedOver, o, o, 0);
    }
}

std::optional<MasterRows::Row> MasterRows::reaches(TensorId t, OpId reader) const
{
    const auto it = m_reaches.find(deliveryKey(t, reader));
    return it == m_reaches.end() ? std::nullopt : std::optional(it->second);
}

bool MasterRows::mayBeResident(TensorId t) const
{
    // A step needs at least one element besides the retained tensor, unless all its tensors are retained or
    // it may reuse their memory.
    const bool fits = m_problem.tensor(t).elements() + (m_keepsInputs || m_rules.donation ? 0 : 1) <=
                      m_problem.hardware().fastMemoryCapacity;
    return fits && !m_problem.isView(t) && (m_problem.producer(t) || m_keepsInputs);
}

} // namespace tilewright
