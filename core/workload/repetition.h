// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// Blocks of ops that follow one another and are equal: the layers of a transformer, the blocks of a stage.
/// Op i of a block corresponds to op i of every other one: same type, base cost, shapes and operands, where
/// an operand comes from the corresponding op of the same block, from that of the block as far before, from
/// the same op or graph input outside, or from a graph input of its own. The first block may read something
/// else in the place of the one before.
struct Repetition
{
    std::string name;                      ///< "layer"; "block" where names do not tell
    std::vector<std::vector<OpId>> blocks; ///< in order; each in topological order
    std::vector<std::int64_t> numbers;     ///< what the names call them, else 0, 1, …
    [[nodiscard]] std::size_t count() const { return blocks.size(); }
    [[nodiscard]] std::size_t period() const { return blocks.empty() ? 0 : blocks.front().size(); } ///< ops
    [[nodiscard]] std::string label(std::size_t block) const; ///< "layer 17"
    bool operator==(const Repetition&) const = default;
};

/// The repeating blocks of a problem, found from its structure alone and checked op by op; names only choose
/// between cuts that are equally good, and name the result. No op is in two of them; where blocks repeat
/// inside blocks, the outer ones count. Ordered by where they begin. Nearly linear in the ops.
[[nodiscard]] std::vector<Repetition> findRepetitions(const Problem& problem);

} // namespace tilewright
