// SPDX-License-Identifier: GPL-3.0-or-later
// A valid schedule whose buffers cannot be placed. With one-step residency (R3.3) none is known: what is kept
// for one more subgraph can lie at the two ends of the memory in turn. With inputs that stay (R9.7) any
// placement problem of lives of two points and more is one of a schedule.
#pragma once

#include "place_cases.h"
#include "rules/rules.h"
#include "schedule/schedule.h"
#include "workload/problem.h"

#include <numeric>

namespace tilewright::place_cases {

struct Unplaceable
{
    ProblemPtr problem;
    Schedule schedule;
    Rules rules;
};

/// One element of the small problem is `scale` elements; what each subgraph needs beside is far less.
inline Unplaceable unplaceable(std::uint64_t seed, std::int64_t scale = 100)
{
    Engine rnd(seed);
    Items items;
    std::int64_t peak = 0;
    const auto hasGap = [&] {
        std::int64_t end = 0;
        for (const PlacementItem& i : items) {
            if (i.narrows() || i.upper - i.lower < 2)
                return false;
            end = std::max(end, i.upper);
        }
        peak = 0;
        for (std::int64_t t = 0; t < end; ++t)
            peak = std::max(peak, std::accumulate(items.begin(), items.end(), std::int64_t{0},
                                                  [&](std::int64_t sum, const PlacementItem& i) {
                                                      return sum + (i.lower <= t && t < i.upper ? i.size : 0);
                                                  }));
        return EveryOrder(items).height() > peak;
    };
    do
        items = small(rnd);
    while (!hasGap());

    // Tensors: a factor of one element, an input and an output of each item; one of each more for an op that
    // every subgraph runs.
    Problem::Data data;
    data.tensors.push_back({1, 1, "S"});
    std::int64_t end = 0;
    for (std::size_t i = 0; i <= items.size(); ++i) {
        const std::int64_t rows = i < items.size() ? items[i].size * scale : 1;
        data.tensors.push_back({1, rows, i < items.size() ? "A" + std::to_string(i) : "F"});
        data.tensors.push_back({1, rows, i < items.size() ? "B" + std::to_string(i) : "G"});
        data.ops.push_back({OpType::MatMul, {TensorId(2 * i + 1), TensorId(0)}, TensorId(2 * i + 2), 10, {}});
        if (i < items.size())
            end = std::max(end, items[i].upper);
    }
    data.hardware = {peak * scale + scale / 2, 10, 4, 4, {}};
    Unplaceable out{*Problem::build(std::move(data)), {}, Rules::final()};
    out.rules.retainInputs = Rules::RetainInputs::Allow;
    for (std::int64_t t = 0; t < end; ++t) {
        Subgraph s;
        s.granularity = {1, 4, 1};
        for (std::size_t i = 0; i < items.size(); ++i)
            if (items[i].lower <= t && t < items[i].upper - 1) {
                s.ops.emplace_back(i);
                s.retain.emplace_back(2 * i + 1);
            }
        s.ops.emplace_back(items.size());
        out.schedule.subgraphs.push_back(std::make_shared<const Subgraph>(std::move(s)));
    }
    return out;
}

} // namespace tilewright::place_cases
