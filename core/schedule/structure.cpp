// SPDX-License-Identifier: GPL-3.0-or-later
#include "schedule/structure.h"

#include "base/text.h"
#include "schedule/grid.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <unordered_map>

namespace tilewright {

namespace {

bool contains(std::span<const TensorId> list, TensorId t)
{
    return std::find(list.begin(), list.end(), t) != list.end();
}

std::string num(std::int64_t v)
{
    return formatGrouped(v);
}

/// Where a tensor that is missing was last seen.
struct Fate
{
    enum class Kind : std::uint8_t { Nowhere, Interior, Retained } kind = Kind::Nowhere;
    std::size_t subgraph = 0;
};

class Checker
{
public:
    Checker(const Problem& problem, const Schedule& schedule, const StructureRules& rules,
            SubgraphNames names)
        : m_problem(problem), m_schedule(schedule), m_rules(rules), m_names(names),
          m_slow(problem.tensorCount(), 0), m_fate(problem.tensorCount(), Fate{}),
          m_first(problem.opCount(), schedule.size()), m_inside(problem.opCount(), 0),
          m_listed(problem.opCount(), 0)
    {
        for (const TensorId t : problem.graphInputs())
            m_slow[t] = 1;
        for (std::size_t i = schedule.size(); i-- > 0;)
            for (const OpId o : schedule.subgraphs[i]->ops)
                m_first[o] = i;
    }

    std::vector<StructureIssue> run()
    {
        for (m_index = 0; m_index < m_schedule.size(); ++m_index) {
            const Subgraph& s = *m_schedule.subgraphs[m_index];
            for (const OpId o : s.ops)
                m_inside[o] = m_index + 1;
            m_boundary = boundaryOf(m_problem, s.ops);
            sizes(s);
            opOrder(s);
            connected(s);
            retained(s);
            prologue(s);
            traversal(s);
            inputs(s);
            leave(s);
        }
        end();
        return std::move(m_issues);
    }

private:
    [[nodiscard]] std::string nameOf(std::size_t i) const
    {
        if (m_names == SubgraphNames::Places)
            return "subgraph " + std::to_string(i);
        constexpr std::size_t kNamed = 3;
        const std::vector<OpId>& ops = m_schedule.subgraphs[i]->ops;
        const std::size_t named = ops.size() <= kNamed ? ops.size() : kNamed - 1;
        std::string text = "the subgraph of ";
        for (std::size_t j = 0; j < named; ++j) {
            if (j > 0)
                text += j + 1 == ops.size() ? " and " : ", ";
            text += m_problem.opName(ops[j]);
        }
        return named == ops.size() ? text : text + " and " + std::to_string(ops.size() - named) + " more";
    }

    /// Where a tensor that no earlier subgraph gives is computed later; interior when none of them gives it
    /// to others, so that no order helps.
    [[nodiscard]] Fate later(TensorId t) const
    {
        const auto p = m_problem.producer(t);
        Fate fate;
        fate.subgraph = p ? m_first[*p] : m_schedule.size();
        for (std::size_t i = fate.subgraph; i < m_schedule.size(); ++i) {
            const Subgraph& s = *m_schedule.subgraphs[i];
            if (std::ranges::find(s.ops, *p) == s.ops.end())
                continue;
            if (!contains(boundaryOf(m_problem, s.ops).interior, t))
                return {Fate::Kind::Nowhere, i};
            fate.kind = Fate::Kind::Interior;
        }
        return fate;
    }

    StructureIssue& add(Defect defect, std::string text)
    {
        StructureIssue& issue = m_issues.emplace_back();
        issue.defect = defect;
        issue.subgraph = SubgraphId(m_index);
        issue.text = std::move(text);
        return issue;
    }

    /// The op of the current subgraph that produces t.
    [[nodiscard]] std::optional<OpId> insideProducer(TensorId t) const
    {
        const auto p = m_problem.producer(t);
        return p && m_inside[*p] == m_index + 1 ? p : std::nullopt;
    }

    void sizes(const Subgraph& s)
    {
        const Hardware& hw = m_problem.hardware();
        const bool anyMatMul =
            std::ranges::any_of(s.ops, [&](OpId o) { return m_problem.op(o).type == OpType::MatMul; });
        const auto limit = [&](const char* axis, std::int64_t value, std::int64_t native) {
            if (value > native)
                add(Defect::SuperNative, std::string(axis) + " = " + num(value) + " is above the native " +
                                             axis + " of " + num(native));
        };
        if (!m_rules.superNative) {
            limit("w", s.granularity.w, hw.nativeWidth);
            limit("h", s.granularity.h, hw.nativeHeight);
            if (anyMatMul)
                limit("k", s.granularity.k, hw.nativeK());
        }
        if (m_rules.kAboveK)
            return;
        for (const OpId o : s.ops)
            if (m_problem.op(o).type == OpType::MatMul && s.granularity.k > m_problem.reductionSize(o)) {
                add(Defect::KTooLarge, "k = " + num(s.granularity.k) + " is above the reduction size " +
                                           num(m_problem.reductionSize(o)) + " of " + m_problem.opName(o))
                    .op = o;
                return;
            }
    }

    void opOrder(const Subgraph& s)
    {
        if (!m_rules.opOrder)
            return;
        const bool inOrder = std::ranges::all_of(s.ops, [&](OpId o) {
            const bool ready = std::ranges::all_of(m_problem.op(o).inputs, [&](TensorId t) {
                const auto p = insideProducer(t);
                return !p || m_listed[*p] == m_index + 1;
            });
            m_listed[o] = m_index + 1;
            return ready;
        });
        if (inOrder)
            return;
        add(Defect::OpOrder, "the ops of " + nameOf(m_index) + " are not listed producers first");
    }

    void connected(const Subgraph& s)
    {
        if (s.ops.size() < 2)
            return;
        const auto groups = connectedGroups(m_problem, s.ops);
        if (groups.size() > 1)
            add(Defect::Disconnected, m_problem.opName(groups[1].front()) + " shares no tensor with " +
                                          m_problem.opName(groups[0].front()) +
                                          " or what is connected to it in the same subgraph")
                .op = groups[1].front();
    }

    void retained(const Subgraph& s)
    {
        for (const TensorId t : s.retain) {
            const bool input = contains(m_boundary.inputs, t);
            if (insideProducer(t) || (input && m_rules.retainInputs))
                continue;
            add(Defect::Retain,
                m_problem.tensorName(t) + " cannot be retained: " +
                    (input ? "it is an input of " + nameOf(m_index) + ", only what it produces can be"
                           : nameOf(m_index) + " does not produce it"))
                .tensor = t;
        }
    }

    void prologue(const Subgraph& s)
    {
        if (!m_rules.prologue)
            return;
        for (const OpId o : s.ops) {
            const Op& op = m_problem.op(o);
            if (op.type != OpType::MatMul)
                continue;
            const std::int64_t depth = m_problem.reductionSize(o);
            for (const bool left : {true, false}) {
                const auto p = insideProducer(op.inputs[left ? 0 : 1]);
                const std::int64_t extent = left ? s.granularity.w : s.granularity.h;
                if (!p || m_problem.op(*p).type != OpType::Pointwise || extent >= depth)
                    continue;
                const Hardware& hw = m_problem.hardware();
                const bool never = !m_rules.superNative && depth > (left ? hw.nativeWidth : hw.nativeHeight);
                add(Defect::Prologue,
                    "the Pointwise " + m_problem.opName(*p) + " feeds the " + (left ? "LHS" : "RHS") +
                        " of " + m_problem.opName(o) + ", so " + (left ? "w" : "h") +
                        " must be at least its reduction size " + num(depth) +
                        (never ? ", which is more than the native size" : ", but it is " + num(extent)))
                    .op = o;
            }
        }
    }

    void traversal(const Subgraph& s)
    {
        if (s.traversal.kind() != TraversalKind::Custom)
            return;
        const auto order = s.traversal.explicitOrder();
        const TileGrid grid = tileGrid(m_problem, s.ops, s.granularity);
        const auto n = static_cast<std::int64_t>(order.size());
        std::string reason;
        if (n != grid.tiles()) {
            reason = "the order lists " + num(n) + " tiles, but the grid has " + num(grid.rows) + " x " +
                     num(grid.cols);
        } else {
            std::vector<bool> seen(order.size(), false);
            for (const std::int64_t tile : order) {
                if (tile < 0 || tile >= n)
                    reason = "tile " + std::to_string(tile) + " does not exist";
                else if (seen[static_cast<std::size_t>(tile)])
                    reason = "tile " + std::to_string(tile) + " is visited twice";
                if (!reason.empty())
                    break;
                seen[static_cast<std::size_t>(tile)] = true;
            }
        }
        if (!reason.empty())
            add(Defect::Traversal, reason);
    }

    void inputs(const Subgraph& s)
    {
        for (const TensorId t : m_boundary.inputs) {
            if (m_slow[t] || contains(m_resident, t))
                continue;
            const auto reader =
                std::ranges::find_if(s.ops, [&](OpId o) { return contains(m_problem.op(o).inputs, t); });
            const bool places = m_names == SubgraphNames::Places;
            const std::string what = m_problem.opName(*reader) + (places ? " in " + nameOf(m_index) : "") +
                                     " needs " + m_problem.tensorName(t) + ", ";
            std::string why;
            const Fate fate = m_fate[t].kind == Fate::Kind::Nowhere ? later(t) : m_fate[t];
            switch (fate.kind) {
            case Fate::Kind::Nowhere:
                why = fate.subgraph < m_schedule.size()
                          ? "which " + nameOf(fate.subgraph) + " computes only later"
                          : "which nothing computes";
                break;
            case Fate::Kind::Interior:
                why = "which is computed and used up inside " + nameOf(fate.subgraph) +
                      (places ? " (recompute it or split that subgraph)"
                              : " (move " + m_problem.opName(*reader) + " there too, or recompute)");
                break;
            case Fate::Kind::Retained:
                why = "which " + nameOf(fate.subgraph) + " retains for the next subgraph only";
                break;
            }
            StructureIssue& issue = add(Defect::Dependency, what + why);
            issue.tensor = t;
            issue.op = *reader;
        }
    }

    void leave(const Subgraph& s)
    {
        for (const TensorId t : m_boundary.sinks) {
            if (contains(s.retain, t))
                m_fate[t] = {Fate::Kind::Retained, m_index};
            else
                m_slow[t] = 1;
        }
        for (const TensorId t : m_boundary.interior)
            m_fate[t] = {contains(s.retain, t) ? Fate::Kind::Retained : Fate::Kind::Interior, m_index};
        m_resident.clear();
        for (const TensorId t : s.retain)
            if (insideProducer(t) || (m_rules.retainInputs && contains(m_boundary.inputs, t)))
                m_resident.push_back(t);
    }

    void end()
    {
        const auto addGlobal = [&](Defect defect, std::string text) -> StructureIssue& {
            StructureIssue& issue = add(defect, std::move(text));
            issue.subgraph.reset();
            return issue;
        };
        for (std::size_t o = 0; o < m_problem.opCount(); ++o)
            if (m_first[OpId(o)] == m_schedule.size())
                addGlobal(Defect::Coverage, m_problem.opName(OpId(o)) + " is in no subgraph").op = OpId(o);
        for (const TensorId t : m_problem.graphOutputs())
            if (!m_slow[t])
                addGlobal(Defect::Output, m_problem.tensorName(t) +
                                              " is an output of the graph and must reach slow memory" +
                                              (m_fate[t].kind == Fate::Kind::Retained
                                                   ? ", but " + nameOf(m_fate[t].subgraph) + " retains it"
                                                   : ""))
                    .tensor = t;
    }

    const Problem& m_problem;
    const Schedule& m_schedule;
    const StructureRules& m_rules;
    const SubgraphNames m_names;
    std::vector<StructureIssue> m_issues;
    IdVector<TensorId, char> m_slow;
    IdVector<TensorId, Fate> m_fate;
    IdVector<OpId, std::size_t> m_first;  ///< first subgraph with the op
    IdVector<OpId, std::size_t> m_inside; ///< last subgraph (plus one) that listed the op
    IdVector<OpId, std::size_t> m_listed; ///< the same, up to the op that opOrder() looks at
    std::vector<TensorId> m_resident;
    Boundary m_boundary;
    std::size_t m_index = 0;
};

} // namespace

std::vector<StructureIssue> structureIssues(const Problem& problem, const Schedule& schedule,
                                            const StructureRules& rules, SubgraphNames names)
{
    return Checker(problem, schedule, rules, names).run();
}

std::vector<std::vector<OpId>> connectedGroups(const Problem& problem, std::span<const OpId> ops)
{
    std::vector<std::size_t> parent(ops.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t i) {
        while (parent[i] != i)
            i = parent[i] = parent[parent[i]];
        return i;
    };
    std::unordered_map<TensorId, std::size_t> toucher;
    const auto touch = [&](TensorId t, std::size_t i) {
        const auto [it, isNew] = toucher.emplace(t, i);
        if (!isNew) {
            // The smaller root wins, so that groups come in the order of their first op.
            const std::size_t a = root(it->second);
            const std::size_t b = root(i);
            parent[std::max(a, b)] = std::min(a, b);
        }
    };
    for (std::size_t i = 0; i < ops.size(); ++i) {
        touch(problem.op(ops[i]).output, i);
        for (const TensorId t : problem.op(ops[i]).inputs)
            touch(t, i);
    }
    std::vector<std::vector<OpId>> groups;
    std::vector<std::size_t> groupOf(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        const std::size_t r = root(i);
        if (r == i) {
            groupOf[i] = groups.size();
            groups.emplace_back();
        }
        groups[groupOf[r]].push_back(ops[i]);
    }
    return groups;
}

std::vector<OpId> inTopologicalOrder(const Problem& problem, std::span<const OpId> ops)
{
    std::unordered_map<OpId, std::size_t> index;
    for (std::size_t i = 0; i < ops.size(); ++i)
        index.emplace(ops[i], i);
    std::vector<std::size_t> waiting(ops.size(), 0);
    std::vector<std::vector<std::size_t>> readers(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (const TensorId t : problem.op(ops[i]).inputs)
            if (const auto p = problem.producer(t))
                if (const auto it = index.find(*p); it != index.end()) {
                    ++waiting[i];
                    readers[it->second].push_back(i);
                }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < ops.size(); ++i)
        if (waiting[i] == 0)
            ready.push(i);
    std::vector<OpId> out;
    out.reserve(ops.size());
    while (!ready.empty()) {
        const std::size_t i = ready.top();
        ready.pop();
        out.push_back(ops[i]);
        for (const std::size_t r : readers[i])
            if (--waiting[r] == 0)
                ready.push(r);
    }
    return out;
}

} // namespace tilewright
