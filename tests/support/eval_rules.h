// SPDX-License-Identifier: GPL-3.0-or-later
// What the tests of the rules of the schedule lens share: small graphs, both forms of the evaluator at once.
#pragma once

#include "eval/fast_evaluator.h"
#include "eval/trace.h"

#include <QtTest>

#include <cmath>

namespace tilewright::test {

using Ids = std::vector<std::size_t>;

struct Graph
{
    Problem::Data data;

    Graph() { data.hardware = {1'000'000, 1, 4, 4, {}}; }
    std::size_t tensor(std::int64_t height, std::int64_t width)
    {
        data.tensors.push_back({width, height, {}});
        return data.tensors.size() - 1;
    }
    std::size_t add(OpType type, const Ids& in, std::int64_t height, std::int64_t width, std::int64_t cost)
    {
        Op op;
        op.type = type;
        for (const std::size_t i : in)
            op.inputs.emplace_back(i);
        op.output = TensorId(tensor(height, width));
        op.baseCost = cost;
        data.ops.push_back(op);
        return op.output.index();
    }
    std::size_t mm(std::size_t lhs, std::size_t rhs, std::int64_t cost = 0)
    {
        return add(OpType::MatMul, {lhs, rhs}, data.tensors[TensorId(lhs)].height,
                   data.tensors[TensorId(rhs)].width, cost);
    }
    std::size_t pw(const Ids& in, std::int64_t cost = 0)
    {
        const Tensor& t = data.tensors[TensorId(in[0])];
        return add(OpType::Pointwise, in, t.height, t.width, cost);
    }
    void view(std::size_t tensor, const Ids& bases)
    {
        TensorView v{TensorId(tensor), {}};
        for (const std::size_t b : bases)
            v.bases.emplace_back(b);
        data.views.push_back(std::move(v));
    }
    [[nodiscard]] ProblemPtr build() const
    {
        auto built = Problem::build(data);
        if (!built)
            qFatal("%s", built.error().text().c_str());
        return *built;
    }
};

inline Subgraph sub(const Ids& ops, Granularity g, const Ids& retain = {}, Traversal t = {})
{
    Subgraph s;
    for (const std::size_t o : ops)
        s.ops.emplace_back(o);
    s.granularity = g;
    for (const std::size_t r : retain)
        s.retain.emplace_back(r);
    s.traversal = std::move(t);
    return s;
}

inline Evaluation run(const Graph& g, const std::vector<Subgraph>& subgraphs, const Rules& rules = {})
{
    const ProblemPtr p = g.build();
    Schedule s;
    for (const Subgraph& x : subgraphs)
        s.subgraphs.push_back(std::make_shared<const Subgraph>(x));
    Evaluation fast = evaluate(*p, s, rules);
    const Evaluation slow = evaluateByTrace(*p, s, rules);
    if (fast.issues != slow.issues || std::abs(fast.total - slow.total) > 1e-9 * std::max(1.0, slow.total))
        QTest::qFail("the two forms differ", __FILE__, __LINE__);
    for (std::size_t i = 0; i < s.size(); ++i)
        if (fast.subgraphs[i].peakWorkingSet != slow.subgraphs[i].peakWorkingSet ||
            fast.subgraphs[i].loadElements != slow.subgraphs[i].loadElements ||
            fast.subgraphs[i].storeElements != slow.subgraphs[i].storeElements)
            QTest::qFail("the two forms differ", __FILE__, __LINE__);
    return fast;
}

inline std::vector<Step> trace(const Graph& g, const Subgraph& s, const Ids& resident = {},
                               const Rules& rules = {})
{
    std::vector<TensorId> res;
    for (const std::size_t r : resident)
        res.emplace_back(r);
    std::vector<Step> steps;
    traceSubgraph(*g.build(), s, res, rules, [&](const Step& step) {
        steps.push_back(step);
        return true;
    });
    return steps;
}

/// "OOM 0", "COVERAGE -", "valid"
inline QString verdict(const Evaluation& e)
{
    if (e.valid())
        return QStringLiteral("valid");
    const Issue& i = *e.verdict();
    return QString::fromLatin1(issueCodeName(i.code).data(), static_cast<int>(issueCodeName(i.code).size())) +
           (i.subgraph ? QStringLiteral(" %1").arg(i.subgraph->index()) : QStringLiteral(" -"));
}

inline Rules with(const char* name, const char* value)
{
    Rules r;
    if (!setRule(r, name, value))
        qFatal("%s", name);
    return r;
}

inline const StepBuffer* buffer(const Step& s, std::size_t tensor, Role role)
{
    for (const StepBuffer& b : s.buffers)
        if (b.tensor.index() == tensor && b.role == role)
            return &b;
    return nullptr;
}

} // namespace tilewright::test

#define VERDICT(evaluation, text) QCOMPARE(verdict(evaluation), QStringLiteral(text))
