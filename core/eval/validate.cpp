// SPDX-License-Identifier: GPL-3.0-or-later
#include "eval/validate.h"

#include "base/integer.h"
#include "base/text.h"

#include <algorithm>
#include <numeric>

namespace tilewright {

namespace {

std::string num(std::int64_t v)
{
    return formatGrouped(v);
}

struct Checker
{
    const Problem& problem;
    const Subgraph& subgraph;
    const Rules& rules;
    SubgraphId id;
    Boundary boundary;
    std::vector<Issue> issues;

    Issue make(IssueCode code, std::string text) const
    {
        Issue issue;
        issue.code = code;
        issue.subgraph = id;
        issue.text = std::move(text);
        return issue;
    }

    /// The op of this subgraph that produces t, if any.
    std::optional<OpId> inside(TensorId t) const
    {
        const auto p = problem.producer(t);
        return p && std::find(subgraph.ops.begin(), subgraph.ops.end(), *p) != subgraph.ops.end()
                   ? p
                   : std::nullopt;
    }

    void nativeSize()
    {
        if (rules.superNative == Rules::SuperNative::Ceil)
            return;
        const Hardware& hw = problem.hardware();
        const Granularity& g = subgraph.granularity;
        const bool hasMatMul = std::any_of(subgraph.ops.begin(), subgraph.ops.end(),
                                           [&](OpId o) { return problem.op(o).type == OpType::MatMul; });
        const auto check = [&](const char* axis, std::int64_t value, std::int64_t limit) {
            if (value <= limit || !issues.empty())
                return;
            Issue issue =
                make(IssueCode::SuperNative, std::string(axis) + " = " + num(value) +
                                                 " is above the native " + axis + " of " + num(limit));
            issue.need = value;
            issue.have = limit;
            issues.push_back(std::move(issue));
        };
        check("w", g.w, hw.nativeWidth);
        check("h", g.h, hw.nativeHeight);
        if (hasMatMul)
            check("k", g.k, hw.nativeK());
    }

    void reductionDepth()
    {
        if (rules.kAboveK == Rules::KAboveK::Clamp)
            return;
        for (const OpId o : subgraph.ops) {
            const std::int64_t depth = problem.reductionSize(o);
            if (problem.op(o).type != OpType::MatMul || subgraph.granularity.k <= depth)
                continue;
            Issue issue = make(IssueCode::KTooLarge, "k = " + num(subgraph.granularity.k) +
                                                         " is above the reduction size " + num(depth) +
                                                         " of " + problem.opName(o));
            issue.op = o;
            issue.need = subgraph.granularity.k;
            issue.have = depth;
            issues.push_back(std::move(issue));
            return;
        }
    }

    void opOrder()
    {
        if (rules.opOrder == Rules::OpOrder::Ignore)
            return;
        for (std::size_t i = 0; i < subgraph.ops.size(); ++i)
            for (const TensorId t : problem.op(subgraph.ops[i]).inputs) {
                const auto p = problem.producer(t);
                if (!p || std::find(subgraph.ops.begin() + static_cast<std::ptrdiff_t>(i), subgraph.ops.end(),
                                    *p) == subgraph.ops.end())
                    continue;
                Issue issue =
                    make(IssueCode::OpOrder, problem.opName(subgraph.ops[i]) + " is listed before " +
                                                 problem.opName(*p) + ", which produces its input " +
                                                 problem.tensorName(t));
                issue.op = subgraph.ops[i];
                issue.tensor = t;
                issues.push_back(std::move(issue));
                return;
            }
    }

    void connected()
    {
        // Union-find over the ops; two ops meet when they touch a common tensor.
        const std::size_t n = subgraph.ops.size();
        std::vector<std::size_t> parent(n);
        std::iota(parent.begin(), parent.end(), std::size_t{0});
        const auto root = [&](std::size_t i) {
            while (parent[i] != i)
                i = parent[i] = parent[parent[i]];
            return i;
        };
        std::vector<std::pair<TensorId, std::size_t>> touches;
        for (std::size_t i = 0; i < n; ++i) {
            const Op& op = problem.op(subgraph.ops[i]);
            touches.emplace_back(op.output, i);
            for (const TensorId t : op.inputs)
                touches.emplace_back(t, i);
        }
        std::sort(touches.begin(), touches.end());
        for (std::size_t i = 1; i < touches.size(); ++i)
            if (touches[i].first == touches[i - 1].first)
                parent[root(touches[i].second)] = root(touches[i - 1].second);
        for (std::size_t i = 1; i < n; ++i) {
            if (root(i) == root(0))
                continue;
            Issue issue = make(IssueCode::Disconnected,
                               problem.opName(subgraph.ops[i]) + " is not connected to " +
                                   problem.opName(subgraph.ops[0]) + " through tensors of this subgraph");
            issue.op = subgraph.ops[i];
            issues.push_back(std::move(issue));
            return;
        }
    }

    void retained()
    {
        for (const TensorId t : subgraph.retain) {
            const bool input = std::binary_search(boundary.inputs.begin(), boundary.inputs.end(), t);
            if (inside(t) || (input && rules.retainInputs == Rules::RetainInputs::Allow))
                continue;
            Issue issue = make(IssueCode::Retain,
                               problem.tensorName(t) + " cannot be retained: " +
                                   (input ? "it is an input of the subgraph, only its products can be"
                                          : "the subgraph does not produce it"));
            issue.tensor = t;
            issues.push_back(std::move(issue));
            return;
        }
    }

    void prologue()
    {
        if (rules.prologue == Rules::Prologue::Off)
            return;
        for (const OpId o : subgraph.ops) {
            const Op& op = problem.op(o);
            if (op.type != OpType::MatMul)
                continue;
            const std::int64_t depth = problem.reductionSize(o);
            for (std::size_t side = 0; side < 2; ++side) {
                const auto p = inside(op.inputs[side]);
                const std::int64_t extent = side == 0 ? subgraph.granularity.w : subgraph.granularity.h;
                if (!p || problem.op(*p).type != OpType::Pointwise || extent >= depth)
                    continue;
                Issue issue = make(IssueCode::Prologue,
                                   problem.opName(*p) + " feeds the " + (side == 0 ? "LHS" : "RHS") + " of " +
                                       problem.opName(o) + " inside the subgraph, so " +
                                       (side == 0 ? "w" : "h") + " must be at least its reduction size " +
                                       num(depth) + ", but it is " + num(extent));
                issue.op = o;
                issue.tensor = op.inputs[side];
                issue.need = depth;
                issue.have = extent;
                issues.push_back(std::move(issue));
                return;
            }
        }
    }

    void traversal()
    {
        if (subgraph.traversal.kind() != TraversalKind::Custom)
            return;
        const TileGrid grid = tileGrid(problem, subgraph.ops, subgraph.granularity);
        const auto order = subgraph.traversal.explicitOrder();
        std::string reason;
        // Compared with the (bounded) list first, so that a huge grid allocates nothing.
        if (checkedMul(grid.rows, grid.cols) != static_cast<std::int64_t>(order.size())) {
            reason = "it has " + num(static_cast<std::int64_t>(order.size())) + " entries for a grid of " +
                     num(grid.rows) + " x " + num(grid.cols) + " tiles";
        } else {
            std::vector<bool> seen(order.size(), false);
            for (const std::int64_t tile : order) {
                if (tile < 0 || tile >= static_cast<std::int64_t>(order.size()))
                    reason = "tile " + std::to_string(tile) + " does not exist";
                else if (seen[static_cast<std::size_t>(tile)])
                    reason = "tile " + std::to_string(tile) + " occurs twice";
                if (!reason.empty())
                    break;
                seen[static_cast<std::size_t>(tile)] = true;
            }
        }
        if (!reason.empty())
            issues.push_back(make(IssueCode::Traversal,
                                  "the traversal order is not a permutation of the tiles: " + reason));
    }
};

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
                                  const Rules& rules)
{
    Checker checker{problem, subgraph, rules, id, boundaryOf(problem, subgraph.ops), {}};
    checker.nativeSize();
    checker.reductionDepth();
    checker.opOrder();
    checker.connected();
    checker.retained();
    checker.prologue();
    checker.traversal();
    return std::move(checker.issues);
}

} // namespace tilewright
