// SPDX-License-Identifier: GPL-3.0-or-later
// A valid schedule whose buffers cannot be placed. With one-step residency (R3.3) none is known: what is kept
// for one more subgraph can lie at the two ends of the memory in turn. With inputs that stay (R9.7) any
// placement problem of lives of two points and more is one of a schedule.
#pragma once

#include "place_cases.h"
#include "schedule/schedule.h"
#include "workload/problem.h"
#include "workload/rules.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

namespace tilewright::place_cases {

struct Unplaceable
{
    ProblemPtr problem;
    Schedule schedule;
    Rules rules;
};

/// Eight lives that need 17 where never more than 16 are alive at once; the least that were found.
inline const Items kEightWithAGap{{5, 7, 4, 5, 0}, {3, 7, 4, 3, 0}, {7, 9, 8, 7, 0}, {3, 6, 2, 3, 0},
                                  {6, 8, 6, 6, 0}, {0, 2, 9, 0, 0}, {5, 9, 1, 5, 0}, {1, 5, 7, 1, 0}};
inline constexpr std::int64_t kPeakOfEight = 16;

/// They as inputs that stay, a unit as `scale` elements; what each subgraph needs beside is far less.
inline Unplaceable unplaceable(std::int64_t scale = 100)
{
    const Items& items = kEightWithAGap;
    const std::int64_t peak = kPeakOfEight;
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
