// SPDX-License-Identifier: GPL-3.0-or-later
// Random problems and op sets for the solver's tests.
#pragma once

#include "workload/problem.h"
#include "workload/problem_json.h"
#include "workload/rules.h"

#include <algorithm>
#include <random>

namespace tilewright::testing {

using Random = std::mt19937_64;

inline std::int64_t pick(Random& rng, std::int64_t low, std::int64_t high)
{
    return low + static_cast<std::int64_t>(rng() % static_cast<std::uint64_t>(high - low + 1));
}

template <typename T> const T& oneOf(Random& rng, const std::vector<T>& values)
{
    return values[rng() % values.size()];
}

/// All switches with their values.
inline std::string named(const Rules& rules)
{
    std::string out;
    for (const RuleSwitch& rule : ruleSwitches())
        out += std::string(rule.name) + "=" + std::string(ruleValue(rules, rule.name)) + " ";
    return out;
}

/// What a comparison with brute force says when it fails.
inline std::string differenceText(const Problem& problem, const Rules& rules, double found, double optimum)
{
    return "solver " + std::to_string(found) + ", brute force " + std::to_string(optimum) + ", " +
           named(rules) + "\n" + writeProblem(problem);
}

/// The example of docs/rules/bound.md 5: its optimum is 52,428.8.
inline Problem::Data twoProductsAndTheirSum()
{
    Problem::Data data;
    for (int i = 0; i < 6; ++i)
        data.tensors.push_back({256, 256, {}});
    const auto t = [](std::size_t i) { return TensorId(i); };
    data.ops.push_back({OpType::MatMul, {t(0), t(1)}, t(3), 100, {}});
    data.ops.push_back({OpType::MatMul, {t(0), t(2)}, t(4), 100, {}});
    data.ops.push_back({OpType::Pointwise, {t(3), t(4)}, t(5), 10, {}});
    data.hardware = {40000, 10, 128, 128, {}};
    return data;
}

/// A random graph of `ops` operations over extents drawn from `extents`; inputs are shared often.
inline ProblemPtr randomProblem(Random& rng, int ops, const std::vector<std::int64_t>& extents,
                                Hardware hardware)
{
    Problem::Data data;
    data.name = "random";
    data.hardware = hardware;
    std::vector<Tensor> tensors;
    std::vector<bool> usable;
    const auto find = [&](std::int64_t height, std::int64_t width) {
        // 0 = any (negative); an existing tensor of this shape in three of four cases, else a new input
        std::vector<std::size_t> matching;
        for (std::size_t i = 0; i < tensors.size(); ++i)
            if ((height < 0 || tensors[i].height == height) && (width < 0 || tensors[i].width == width))
                matching.push_back(i);
        if (!matching.empty() && rng() % 4 != 0)
            return rng() % 2 == 0 ? matching.back() : matching[rng() % matching.size()];
        tensors.push_back(
            {width < 0 ? oneOf(rng, extents) : width, height < 0 ? oneOf(rng, extents) : height, {}});
        return tensors.size() - 1;
    };
    for (int i = 0; i < ops; ++i) {
        Op op;
        op.baseCost = oneOf(rng, std::vector<std::int64_t>{0, 1, 10, 40, 100, 700});
        if (rng() % 5 < 3) {
            op.type = OpType::MatMul;
            std::size_t left = 0;
            std::size_t right = 0;
            if (rng() % 3 == 0) {
                right = find(-1, -1);
                left = find(-1, tensors[right].height);
            } else {
                left = find(-1, -1);
                right = find(tensors[left].width, -1);
            }
            op.inputs = {TensorId(left), TensorId(right)};
            tensors.push_back({tensors[right].width, tensors[left].height, {}});
        } else {
            const std::size_t first = find(-1, -1);
            op.inputs.push_back(TensorId(first));
            for (std::uint64_t extra = rng() % 3; extra > 0; --extra)
                op.inputs.push_back(TensorId(find(tensors[first].height, tensors[first].width)));
            tensors.push_back({tensors[first].width, tensors[first].height, {}});
        }
        op.output = TensorId(tensors.size() - 1);
        data.ops.push_back(op);
    }
    data.tensors = IdVector<TensorId, Tensor>(tensors);
    auto built = Problem::build(std::move(data));
    return built ? built.value() : nullptr;
}

/// One of up to four ops that plain search can settle (solve_brute_force.h).
inline ProblemPtr smallProblem(Random& rng)
{
    const Hardware hw{pick(rng, 6, 40), pick(rng, 1, 4), pick(rng, 2, 4), pick(rng, 2, 4), {}};
    return randomProblem(rng, static_cast<int>(pick(rng, 1, 4)), {1, 2, 3, 4, 6}, hw);
}

/// The problem with some of its graph inputs made views (R1.7) of what earlier ops produce.
inline ProblemPtr withViews(Random& rng, const Problem& problem)
{
    Problem::Data data = problem.data();
    for (const TensorId t : problem.graphInputs()) {
        const std::size_t first = problem.consumers(t).front().index();
        if (first == 0 || rng() % 3 == 0)
            continue;
        TensorView view{t, {}};
        for (std::uint64_t n = 1 + rng() % 2; n > 0; --n)
            if (const TensorId base = data.ops[OpId(rng() % first)].output;
                std::ranges::find(view.bases, base) == view.bases.end())
                view.bases.push_back(base);
        data.views.push_back(std::move(view));
    }
    return Problem::build(std::move(data)).value();
}

/// Smallest capacity at which every op can run alone at granularity [1, 1, 1].
inline std::int64_t smallestCapacity(const Problem& problem)
{
    std::int64_t need = 3;
    for (const Op& op : problem.ops())
        need = std::max(need, static_cast<std::int64_t>(op.inputs.size()) + 1);
    return need;
}

/// A random set of ops connected by shared tensors (R4.5), in topological order.
inline std::vector<OpId> randomOpSet(Random& rng, const Problem& problem, std::size_t size)
{
    std::vector<OpId> set{OpId(rng() % problem.opCount())};
    const auto touches = [&](OpId a, OpId b) {
        const auto tensorsOf = [&](OpId o) {
            std::vector<TensorId> t = problem.op(o).inputs;
            t.push_back(problem.op(o).output);
            return t;
        };
        for (const TensorId x : tensorsOf(a))
            for (const TensorId y : tensorsOf(b))
                if (x == y)
                    return true;
        return false;
    };
    for (int tries = 0; tries < 40 && set.size() < size; ++tries) {
        const OpId next(rng() % problem.opCount());
        if (std::ranges::find(set, next) == set.end() &&
            std::ranges::any_of(set, [&](OpId o) { return touches(o, next); }))
            set.push_back(next);
    }
    std::vector<OpId> ordered;
    for (const OpId o : problem.topologicalOrder())
        if (std::ranges::find(set, o) != set.end())
            ordered.push_back(o);
    return ordered;
}

} // namespace tilewright::testing
