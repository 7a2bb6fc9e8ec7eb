// SPDX-License-Identifier: GPL-3.0-or-later
#include "rules/check.h"

#include "base/text.h"
#include "rules/op_sets.h"

#include <algorithm>

namespace tilewright {

namespace {

bool contains(std::span<const TensorId> list, TensorId t)
{
    return std::ranges::find(list, t) != list.end();
}

std::string nameByOps(const Problem& problem, std::span<const OpId> ops)
{
    constexpr std::size_t kNamed = 3;
    const std::size_t named = ops.size() <= kNamed ? ops.size() : kNamed - 1;
    std::string text = "the subgraph of ";
    for (std::size_t j = 0; j < named; ++j) {
        if (j > 0)
            text += j + 1 == ops.size() ? " and " : ", ";
        text += problem.opName(ops[j]);
    }
    return named == ops.size() ? text : text + " and " + std::to_string(ops.size() - named) + " more";
}

/// Checks R4 and R5.3 for one subgraph after another. Its arrays by op are reused.
class StructureChecker
{
public:
    StructureChecker(const Problem& problem, const Rules& rules, SubgraphNames names)
        : m_problem(problem), m_rules(rules), m_names(names), m_inside(problem.opCount(), 0),
          m_listed(problem.opCount(), 0)
    {
    }

    void check(const Subgraph& s, SubgraphId id, std::span<const TensorId> resident,
               std::vector<Issue>& issues)
    {
        m_id = id;
        m_resident = resident;
        m_issues = &issues;
        ++m_mark;
        for (const OpId o : s.ops)
            m_inside[o] = m_mark;
        nativeSize(s);
        reductionDepth(s);
        opOrder(s);
        connected(s);
        retained(s);
        prologue(s);
        traversal(s);
    }

private:
    Issue& add(IssueCode code, std::string text)
    {
        Issue& issue = m_issues->emplace_back();
        issue.code = code;
        issue.subgraph = m_id;
        issue.text = std::move(text);
        return issue;
    }

    /// Adds an issue. `need` is the value that breaks the rule, `have` the limit.
    Issue& add(IssueCode code, std::string text, std::int64_t need, std::int64_t have)
    {
        Issue& issue = add(code, std::move(text));
        issue.need = need;
        issue.have = have;
        return issue;
    }

    /// Name of the subgraph in an issue about itself.
    [[nodiscard]] std::string ownName(const Subgraph& s) const
    {
        return m_names == SubgraphNames::Places ? "the subgraph" : nameByOps(m_problem, s.ops);
    }

    /// Returns the op of the current subgraph that produces t.
    [[nodiscard]] std::optional<OpId> insideProducer(TensorId t) const
    {
        const auto p = m_problem.producer(t);
        return p && m_inside[*p] == m_mark ? p : std::nullopt;
    }

    // Checks R4.1 and R4.2: w, h and k are at most the native sizes.
    void nativeSize(const Subgraph& s)
    {
        if (m_rules.superNative == Rules::SuperNative::Ceil)
            return;
        const Hardware& hw = m_problem.hardware();
        const auto limit = [&](const char* axis, std::int64_t value, std::int64_t native) {
            if (value > native)
                add(IssueCode::SuperNative,
                    std::string(axis) + " = " + formatGrouped(value) + " is above the native " + axis +
                        " of " + formatGrouped(native),
                    value, native);
        };
        limit("w", s.granularity.w, hw.nativeWidth);
        limit("h", s.granularity.h, hw.nativeHeight);
        if (m_rules.kLimit == Rules::KLimit::Native &&
            std::ranges::any_of(s.ops, [&](OpId o) { return m_problem.op(o).type == OpType::MatMul; }))
            limit("k", s.granularity.k, hw.nativeK());
    }

    // Checks R4.3: k is at most the smallest reduction size.
    void reductionDepth(const Subgraph& s)
    {
        if (m_rules.kAboveK == Rules::KAboveK::Clamp)
            return;
        for (const OpId o : s.ops) {
            const std::int64_t depth = m_problem.reductionSize(o);
            if (m_problem.op(o).type != OpType::MatMul || s.granularity.k <= depth)
                continue;
            add(IssueCode::KTooLarge,
                "k = " + formatGrouped(s.granularity.k) + " is above the reduction size " +
                    formatGrouped(depth) + " of " + m_problem.opName(o),
                s.granularity.k, depth)
                .op = o;
            return;
        }
    }

    // Checks R4.4: producers are listed before their consumers.
    void opOrder(const Subgraph& s)
    {
        if (m_rules.opOrder == Rules::OpOrder::Ignore)
            return;
        for (const OpId o : s.ops) {
            for (const TensorId t : m_problem.op(o).inputs) {
                const auto p = insideProducer(t);
                if (!p || m_listed[*p] == m_mark)
                    continue;
                Issue& issue = add(IssueCode::OpOrder,
                                   m_problem.opName(o) + " is listed before " + m_problem.opName(*p) +
                                       ", which produces its input " + m_problem.tensorName(t));
                issue.op = o;
                issue.tensor = t;
                return;
            }
            m_listed[o] = m_mark;
        }
    }

    // Checks R4.5: the ops are connected by common tensors.
    void connected(const Subgraph& s)
    {
        if (s.ops.size() < 2)
            return;
        const auto groups = connectedGroups(m_problem, s.ops);
        if (groups.size() > 1)
            add(IssueCode::Disconnected, m_problem.opName(groups[1].front()) + " shares no tensor with " +
                                             m_problem.opName(groups[0].front()) +
                                             " or with ops connected to it in the same subgraph")
                .op = groups[1].front();
    }

    // Checks R4.6: a subgraph retains only tensors that it produces.
    void retained(const Subgraph& s)
    {
        for (const TensorId t : s.retain) {
            if (insideProducer(t))
                continue;
            const bool input =
                std::ranges::any_of(s.ops, [&](OpId o) { return contains(m_problem.op(o).inputs, t); });
            if (mayRetainInput(m_problem, m_rules, t, input, m_resident))
                continue;
            add(IssueCode::Retain, m_problem.tensorName(t) + " cannot be retained: " +
                                       (m_problem.isView(t) ? "it is a view, which is read from slow memory"
                                        : input             ? "it is an input of " + ownName(s) +
                                                      "; a subgraph can retain only tensors that it produces"
                                                : ownName(s) + " does not produce it"))
                .tensor = t;
        }
    }

    // Checks R4.7: tiles of a Pointwise in front of a MatMul span the reduction.
    void prologue(const Subgraph& s)
    {
        const Hardware& hw = m_problem.hardware();
        const auto producer = [&](TensorId t) { return insideProducer(t); };
        for (const OpId o : s.ops)
            forEachPrologue(m_problem, o, m_rules, producer, [&](const Prologue& p) {
                const std::int64_t extent = p.left ? s.granularity.w : s.granularity.h;
                const bool ifSplit = m_rules.prologue == Rules::Prologue::SplitOnly;
                if (extent >= p.least || (ifSplit && s.granularity.k >= p.least))
                    return;
                const bool never = m_rules.superNative == Rules::SuperNative::Error &&
                                   p.least > (p.left ? hw.nativeWidth : hw.nativeHeight);
                Issue& issue = add(
                    IssueCode::Prologue,
                    "the Pointwise " + m_problem.opName(p.pointwise) + " feeds the " +
                        (p.left ? "LHS" : "RHS") + " of " + m_problem.opName(o) + ", so " +
                        (p.left ? "w" : "h") + " must be at least its reduction size " +
                        formatGrouped(p.least) +
                        (never ? ", which is more than the native size"
                               : ", but it is " + formatGrouped(extent)) +
                        (ifSplit ? " (k = " + formatGrouped(s.granularity.k) + " splits the reduction)" : ""),
                    p.least, extent);
                issue.op = o;
                issue.tensor = m_problem.op(p.pointwise).output;
            });
    }

    // Checks R5.3: an explicit order is a permutation of the tiles.
    void traversal(const Subgraph& s)
    {
        if (s.traversal.kind() != TraversalKind::Custom)
            return;
        std::string fault =
            orderFault(s.traversal.explicitOrder(), tileGrid(m_problem, s.ops, s.granularity));
        if (!fault.empty())
            add(IssueCode::Traversal, std::move(fault));
    }

    const Problem& m_problem;
    const Rules& m_rules;
    const SubgraphNames m_names;
    SubgraphId m_id;
    std::span<const TensorId> m_resident;
    std::vector<Issue>* m_issues = nullptr;
    std::size_t m_mark = 0;
    IdVector<OpId, std::size_t> m_inside; ///< per op: equals m_mark for ops of the current subgraph
    /// Per op: equals m_mark for ops before the current one in opOrder().
    IdVector<OpId, std::size_t> m_listed;
};

/// Returns those retained tensors that can be resident. If a subgraph retains others, this already is an
/// issue (R4.6).
std::vector<TensorId> residentAfter(const Problem& problem, const Subgraph& s, const Rules& rules,
                                    std::span<const TensorId> resident)
{
    const auto anyOp = [&](const auto& holds) {
        return std::ranges::any_of(
            s.ops, [&](OpId o) { return o.index() < problem.opCount() && holds(problem.op(o)); });
    };
    std::vector<TensorId> out;
    for (const TensorId t : s.retain)
        if (t.index() < problem.tensorCount() &&
            (anyOp([&](const Op& op) { return op.output == t; }) ||
             mayRetainInput(problem, rules, t, anyOp([&](const Op& op) { return contains(op.inputs, t); }),
                            resident)))
            out.push_back(t);
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace

std::vector<Issue> checkFormat(const Problem& problem, const Subgraph& subgraph, SubgraphId id)
{
    std::vector<Issue> issues;
    const auto add = [&](IssueCode code, std::string text) -> Issue& {
        for (Issue& issue : issues)
            if (issue.code == code)
                return issue;
        Issue& issue = issues.emplace_back();
        issue.code = code;
        issue.subgraph = id;
        issue.text = std::move(text);
        return issue;
    };
    if (subgraph.ops.empty())
        add(IssueCode::Format, "the subgraph has no op");
    std::vector<OpId> ops = subgraph.ops;
    std::sort(ops.begin(), ops.end());
    for (std::size_t i = 0; i < ops.size(); ++i) {
        if (ops[i].index() >= problem.opCount())
            add(IssueCode::Format, "op " + std::to_string(ops[i].value) + " does not exist, there are " +
                                       std::to_string(problem.opCount()));
        else if (i > 0 && ops[i] == ops[i - 1])
            add(IssueCode::Format, problem.opName(ops[i]) + " is listed twice").op = ops[i];
    }
    const Granularity& g = subgraph.granularity;
    if (g.w < 1 || g.h < 1 || g.k < 1)
        add(IssueCode::Granularity, "the granularity [" + std::to_string(g.w) + ", " + std::to_string(g.h) +
                                        ", " + std::to_string(g.k) +
                                        "] must have three integers of at least 1");
    std::vector<TensorId> retain = subgraph.retain;
    std::sort(retain.begin(), retain.end());
    for (std::size_t i = 0; i < retain.size(); ++i) {
        if (retain[i].index() >= problem.tensorCount())
            add(IssueCode::Retain, "retained tensor " + std::to_string(retain[i].value) +
                                       " does not exist, there are " + std::to_string(problem.tensorCount()));
        else if (i > 0 && retain[i] == retain[i - 1])
            add(IssueCode::Retain, problem.tensorName(retain[i]) + " is retained twice").tensor = retain[i];
    }
    return issues;
}

std::vector<Issue> checkStructure(const Problem& problem, const Subgraph& subgraph, SubgraphId id,
                                  const Rules& rules, std::span<const TensorId> resident)
{
    std::vector<Issue> issues;
    StructureChecker(problem, rules, SubgraphNames::Places).check(subgraph, id, resident, issues);
    return issues;
}

std::vector<Issue> checkSchedule(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                 SubgraphNames names)
{
    std::vector<Issue> issues;
    StructureChecker structure(problem, rules, names);
    MemoryState memory(problem, schedule, rules, names);
    for (std::size_t i = 0; i < schedule.size(); ++i) {
        structure.check(*schedule.subgraphs[i], SubgraphId(i), memory.resident(), issues);
        memory.execute(issues);
    }
    memory.finish(issues);
    return issues;
}

std::string orderFault(std::span<const std::int64_t> order, const TileGrid& grid)
{
    const auto n = static_cast<std::int64_t>(order.size());
    // The length is compared first, so that a huge grid allocates nothing.
    if (n != grid.tiles())
        return "the order lists " + formatGrouped(n) + " tiles, but the grid has " +
               formatGrouped(grid.rows) + " x " + formatGrouped(grid.cols);
    std::vector<bool> seen(order.size(), false);
    for (const std::int64_t tile : order) {
        if (tile < 0 || tile >= n)
            return "tile " + std::to_string(tile) + " does not exist";
        if (seen[static_cast<std::size_t>(tile)])
            return "tile " + std::to_string(tile) + " is visited twice";
        seen[static_cast<std::size_t>(tile)] = true;
    }
    return {};
}

MemoryState::MemoryState(const Problem& problem, const Schedule& schedule, const Rules& rules,
                         SubgraphNames names)
    : m_problem(problem), m_schedule(schedule), m_rules(rules), m_names(names),
      m_slow(problem.tensorCount(), 0), m_lastPlace(problem.tensorCount(), LastPlace{}),
      m_covered(problem.opCount(), false), m_touched(problem.tensorCount(), 0)
{
    for (const TensorId t : problem.graphInputs())
        m_slow[t] = 1;
}

bool MemoryState::has(TensorId t) const
{
    return m_slow[t] || !missingTensor(t);
}

/// Returns the tensor that must reach fast or slow memory before t can be read: t itself or, if t is a view,
/// its first base that is not in slow memory (R1.7).
std::optional<TensorId> MemoryState::missingTensor(TensorId t) const
{
    const auto bases = m_problem.bases(t);
    if (bases.empty())
        return m_slow[t] || std::ranges::binary_search(m_resident, t) ? std::nullopt : std::optional(t);
    const auto it = std::ranges::find_if(bases, [&](TensorId base) { return !m_slow[base]; });
    return it == bases.end() ? std::nullopt : std::optional(*it);
}

void MemoryState::touchTensors(const Subgraph& s)
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
        if (o.index() >= m_problem.opCount())
            continue;
        m_covered[o.index()] = true;
        touch(m_problem.op(o).output, kProduced);
        for (const TensorId t : m_problem.op(o).inputs)
            touch(t, kConsumed);
    }
    std::ranges::sort(m_touchedList);
}

void MemoryState::execute(std::vector<Issue>& issues)
{
    const Subgraph& s = *m_schedule.subgraphs[m_next];
    touchTensors(s);
    for (const TensorId t : m_touchedList)
        if (m_touched[t] == kConsumed && !m_slow[t])
            if (const auto needed = missingTensor(t))
                issues.push_back(dependencyIssue(s, t, *needed));
    for (const TensorId t : m_touchedList) {
        if (!(m_touched[t] & kProduced))
            continue;
        if (contains(s.retain, t))
            m_lastPlace[t] = {LastPlace::Kind::Retained, m_next};
        else if (m_touched[t] & kConsumed)
            m_lastPlace[t] = {LastPlace::Kind::Interior, m_next};
        else
            m_slow[t] = 1;
    }
    m_resident = residentAfter(m_problem, s, m_rules, m_resident);
    ++m_next;
}

/// Finds a later subgraph that produces t. The result is Interior if every such subgraph also consumes t, so
/// that no reordering helps.
MemoryState::LastPlace MemoryState::findLaterProducer(TensorId t) const
{
    LastPlace place{LastPlace::Kind::Nowhere, m_schedule.size()};
    const auto p = m_problem.producer(t);
    for (std::size_t i = 0; p && i < m_schedule.size(); ++i) {
        const Subgraph& s = *m_schedule.subgraphs[i];
        if (std::ranges::find(s.ops, *p) == s.ops.end())
            continue;
        const bool usedUp = std::ranges::any_of(s.ops, [&](OpId o) {
            return o.index() < m_problem.opCount() && contains(m_problem.op(o).inputs, t);
        });
        if (!usedUp)
            return {LastPlace::Kind::Nowhere, i};
        if (place.kind == LastPlace::Kind::Nowhere)
            place = {LastPlace::Kind::Interior, i};
    }
    return place;
}

/// Issue for a tensor that is missing when it is read. `read` is `t`, or a view of `t`.
Issue MemoryState::dependencyIssue(const Subgraph& s, TensorId read, TensorId t) const
{
    const OpId reader = *std::ranges::find_if(s.ops, [&](OpId o) {
        return o.index() < m_problem.opCount() && contains(m_problem.op(o).inputs, read);
    });
    Issue issue;
    issue.code = IssueCode::Dependency;
    issue.subgraph = SubgraphId(m_next);
    issue.op = reader;
    issue.tensor = t;
    issue.text = m_problem.opName(reader) + " needs " + m_problem.tensorName(read) +
                 (read == t ? ", which " : ", a view of " + m_problem.tensorName(t) + ", which ");
    const LastPlace place =
        m_lastPlace[t].kind == LastPlace::Kind::Nowhere ? findLaterProducer(t) : m_lastPlace[t];
    switch (place.kind) {
    case LastPlace::Kind::Nowhere:
        issue.text += place.subgraph == m_next             ? "is not in slow memory yet"
                      : place.subgraph < m_schedule.size() ? nameOf(place.subgraph) + " computes only later"
                                                           : "no subgraph computes";
        break;
    case LastPlace::Kind::Interior:
        issue.text += "is computed and consumed only inside " + nameOf(place.subgraph);
        if (read == t)
            // The subgraph may already run this op, if the op is recomputed.
            issue.text += std::ranges::count(m_schedule.subgraphs[place.subgraph]->ops, reader) > 0
                              ? " (recompute " + m_problem.opName(*m_problem.producer(t)) + " here too)"
                              : " (move " + m_problem.opName(reader) + " there too, or recompute)";
        break;
    case LastPlace::Kind::Retained:
        issue.text += nameOf(place.subgraph) +
                      (read == t ? " retains for the next subgraph only" : " retains instead of writing it");
        break;
    }
    return issue;
}

std::string MemoryState::nameOf(std::size_t i) const
{
    return m_names == SubgraphNames::Places ? "subgraph " + std::to_string(i)
                                            : nameByOps(m_problem, m_schedule.subgraphs[i]->ops);
}

void MemoryState::finish(std::vector<Issue>& issues) const
{
    for (std::size_t o = 0; o < m_covered.size(); ++o) {
        if (m_covered[o])
            continue;
        Issue& issue = issues.emplace_back();
        issue.code = IssueCode::Coverage;
        issue.op = OpId(o);
        issue.text = m_problem.opName(OpId(o)) + " is in no subgraph";
    }
    for (const TensorId t : m_problem.graphOutputs()) {
        if (m_slow[t])
            continue;
        Issue& issue = issues.emplace_back();
        issue.code = IssueCode::Output;
        issue.tensor = t;
        issue.text = m_problem.tensorName(t) + " is an output of the graph and must reach slow memory, but " +
                     (m_lastPlace[t].kind == LastPlace::Kind::Retained
                          ? nameOf(m_lastPlace[t].subgraph) + " retains it"
                          : "no subgraph writes it");
    }
}

std::vector<TensorId> residentBefore(const Problem& problem, const Schedule& schedule, const Rules& rules,
                                     SubgraphId subgraph)
{
    // Only with retain_inputs=carry do the resident tensors depend on more than the previous subgraph.
    const std::size_t end = subgraph.index();
    std::size_t first = end > 0 ? end - 1 : 0;
    while (rules.retainInputs == Rules::RetainInputs::Carry && first > 0 &&
           !schedule.subgraphs[first - 1]->retain.empty())
        --first;
    std::vector<TensorId> resident;
    for (std::size_t i = first; i < end; ++i)
        resident = residentAfter(problem, *schedule.subgraphs[i], rules, resident);
    return resident;
}

bool mayRetainInput(const Problem& problem, const Rules& rules, TensorId t, bool isInput,
                    std::span<const TensorId> resident)
{
    return !problem.isView(t) &&
           ((isInput && rules.keepsInputs()) ||
            (rules.retainInputs == Rules::RetainInputs::Carry && contains(resident, t)));
}

} // namespace tilewright
