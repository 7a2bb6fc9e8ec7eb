// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/schedule_walk.h"

#include "base/text.h"
#include "eval/validate.h"

#include <algorithm>

namespace tilewright {

namespace {

/// Where a tensor was last seen, to explain why it is not there (R3.2).
struct Fate
{
    enum class Kind : std::uint8_t { Nowhere, Interior, Retained } kind = Kind::Nowhere;
    std::size_t subgraph = 0;
};

/// Only what can be there: retaining anything else is an Issue already (R4.6).
std::vector<TensorId> residentAfter(const Problem& problem, const Subgraph& s, const Rules& rules)
{
    const auto touched = [&](TensorId t) {
        return std::any_of(s.ops.begin(), s.ops.end(), [&](OpId o) {
            if (o.index() >= problem.opCount())
                return false;
            const Op& op = problem.op(o);
            return op.output == t || (rules.retainInputs == Rules::RetainInputs::Allow &&
                                      std::find(op.inputs.begin(), op.inputs.end(), t) != op.inputs.end());
        });
    };
    std::vector<TensorId> out;
    for (const TensorId t : s.retain)
        if (t.index() < problem.tensorCount() && touched(t))
            out.push_back(t);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

class ScheduleWalk
{
public:
    ScheduleWalk(const Problem& problem, const Schedule& schedule, const Rules& rules)
        : m_problem(problem), m_schedule(schedule), m_slow(problem.tensorCount(), false),
          m_covered(problem.opCount(), false), m_touched(problem.tensorCount(), 0),
          m_fate(problem.tensorCount(), Fate{})
    {
        m_out.rules = rules;
        for (const TensorId t : problem.graphInputs())
            m_slow[t] = true;
    }

    Evaluation run(const EvaluateSubgraph& evaluateSubgraph)
    {
        const std::size_t n = m_schedule.size();
        m_out.subgraphs.resize(n);
        std::vector<bool> wellFormed(n);
        for (std::size_t i = 0; i < n; ++i) {
            auto issues = checkFormat(m_problem, *m_schedule.subgraphs[i], SubgraphId(i));
            wellFormed[i] = issues.empty();
            append(std::move(issues));
        }
        for (std::size_t i = 0; i < n; ++i) {
            const Subgraph& s = *m_schedule.subgraphs[i];
            SubgraphEvaluation& e = m_out.subgraphs[i];
            if (wellFormed[i]) {
                e = evaluateSubgraph(SubgraphId(i), m_resident);
                if (!e.structurallyValid)
                    append(checkStructure(m_problem, s, SubgraphId(i), m_out.rules));
            }
            findProducts(s);
            checkInputs(s, i);
            if (e.structurallyValid) {
                m_out.total += e.latency;
                if (!e.fits)
                    outOfMemory(i, e);
            }
            leave(s, i);
        }
        checkEnd();
        return std::move(m_out);
    }

private:
    enum Touch : std::uint8_t { kProduced = 1, kConsumed = 2 };

    void append(std::vector<Issue> issues)
    {
        m_out.issues.insert(m_out.issues.end(), std::make_move_iterator(issues.begin()),
                            std::make_move_iterator(issues.end()));
    }

    [[nodiscard]] bool exists(OpId o) const { return o.index() < m_problem.opCount(); }

    void findProducts(const Subgraph& s)
    {
        for (const TensorId t : m_touchedList)
            m_touched[t] = 0;
        m_touchedList.clear();
        const auto touch = [&](TensorId t, Touch how) {
            if (m_touched[t] == 0)
                m_touchedList.push_back(t);
            m_touched[t] = static_cast<std::uint8_t>(m_touched[t] | how);
        };
        for (const OpId o : s.ops) {
            if (!exists(o))
                continue;
            m_covered[o.index()] = true;
            touch(m_problem.op(o).output, kProduced);
            for (const TensorId t : m_problem.op(o).inputs)
                touch(t, kConsumed);
        }
        std::sort(m_touchedList.begin(), m_touchedList.end());
    }

    // R3.2
    void checkInputs(const Subgraph& s, std::size_t i)
    {
        for (const TensorId t : m_touchedList) {
            if (m_touched[t] != kConsumed || m_slow[t] ||
                std::binary_search(m_resident.begin(), m_resident.end(), t))
                continue;
            Issue issue;
            issue.code = IssueCode::Dependency;
            issue.subgraph = SubgraphId(i);
            issue.tensor = t;
            for (const OpId o : s.ops)
                if (exists(o) && !issue.op &&
                    std::count(m_problem.op(o).inputs.begin(), m_problem.op(o).inputs.end(), t) > 0)
                    issue.op = o;
            const std::string name = m_problem.tensorName(t);
            issue.text = m_problem.opName(*issue.op) + " needs " + name + ", which is not available: ";
            const std::string where = "subgraph " + std::to_string(m_fate[t].subgraph);
            switch (m_fate[t].kind) {
            case Fate::Kind::Nowhere:
                issue.text += "no earlier subgraph produces it";
                break;
            case Fate::Kind::Interior:
                issue.text += "it is interior to " + where + " and never reaches slow memory";
                break;
            case Fate::Kind::Retained:
                issue.text += "it was only retained after " + where + " and dropped without being written";
                break;
            }
            m_out.issues.push_back(std::move(issue));
        }
    }

    void outOfMemory(std::size_t i, const SubgraphEvaluation& e)
    {
        Issue issue;
        issue.code = IssueCode::OutOfMemory;
        issue.subgraph = SubgraphId(i);
        issue.need = e.peakWorkingSet;
        issue.have = m_problem.hardware().fastMemoryCapacity;
        issue.text = "the working set needs up to " + formatGrouped(issue.need) + " elements, " +
                     formatGrouped(issue.need - issue.have) + " more than the fast memory of " +
                     formatGrouped(issue.have);
        if (e.reserved > 0)
            issue.text += " (" + formatGrouped(e.reserved) + " of them for resident and retained tensors)";
        m_out.issues.push_back(std::move(issue));
    }

    // R3.3, R3.4
    void leave(const Subgraph& s, std::size_t i)
    {
        const auto retains = [&](TensorId t) {
            return std::find(s.retain.begin(), s.retain.end(), t) != s.retain.end();
        };
        for (const TensorId t : m_touchedList) {
            if (!(m_touched[t] & kProduced))
                continue;
            if (retains(t))
                m_fate[t] = {Fate::Kind::Retained, i};
            else if (m_touched[t] & kConsumed)
                m_fate[t] = {Fate::Kind::Interior, i};
            else
                m_slow[t] = true;
        }
        m_resident = residentAfter(m_problem, s, m_out.rules);
    }

    // R3.5, R3.6
    void checkEnd()
    {
        for (std::size_t o = 0; o < m_covered.size(); ++o) {
            if (m_covered[o])
                continue;
            Issue issue;
            issue.code = IssueCode::Coverage;
            issue.op = OpId(o);
            issue.text = m_problem.opName(OpId(o)) + " is in no subgraph";
            m_out.issues.push_back(std::move(issue));
        }
        for (const TensorId t : m_problem.graphOutputs()) {
            if (m_slow[t])
                continue;
            Issue issue;
            issue.code = IssueCode::Output;
            issue.tensor = t;
            issue.text = "the graph output " + m_problem.tensorName(t) + " never reaches slow memory" +
                         (m_fate[t].kind == Fate::Kind::Retained
                              ? ": subgraph " + std::to_string(m_fate[t].subgraph) + " retains it"
                              : ": no subgraph writes it");
            m_out.issues.push_back(std::move(issue));
        }
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    Evaluation m_out;
    IdVector<TensorId, char> m_slow;  // SLOW
    std::vector<TensorId> m_resident; // RES, ascending
    std::vector<bool> m_covered;
    IdVector<TensorId, std::uint8_t> m_touched; // by the current subgraph
    std::vector<TensorId> m_touchedList;        // ascending
    IdVector<TensorId, Fate> m_fate;
};

} // namespace

Evaluation walkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                        const EvaluateSubgraph& evaluateSubgraph)
{
    return ScheduleWalk(problem, schedule, rules).run(evaluateSubgraph);
}

std::vector<TensorId> residentBefore(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     SubgraphId subgraph)
{
    return subgraph.index() == 0 ? std::vector<TensorId>{}
                                 : residentAfter(problem, *schedule.subgraphs[subgraph.index() - 1], rules);
}

std::int64_t reservedElements(const Problem& problem, std::span<const TensorId> resident,
                              std::span<const TensorId> retain)
{
    std::int64_t sum = 0;
    for (const TensorId t : resident)
        sum += problem.tensor(t).elements();
    for (const TensorId t : retain)
        if (std::find(resident.begin(), resident.end(), t) == resident.end())
            sum += problem.tensor(t).elements();
    return sum;
}

} // namespace tilewright
