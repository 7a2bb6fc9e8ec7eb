// SPDX-License-Identifier: GPL-3.0-or-later
// Repeating blocks of a problem, and their names.
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Equal blocks of ops that follow one another, for example the layers of a transformer. Op i of a block
/// corresponds to op i of every other block: they have the same type, base cost, shapes and operand sources.
/// The source of an operand is the corresponding op of the same block, the corresponding op of an earlier
/// block at the same distance, an op or graph input outside that all blocks share, or a graph input of the
/// block. The first block may read another tensor in place of a result of a previous block.
struct Repetition
{
    std::string name;                      ///< "layer"; "block" if the op names have no common prefix
    std::vector<std::vector<OpId>> blocks; ///< blocks in execution order, ops of a block in topological order
    std::vector<std::int64_t> numbers;     ///< numbers of the blocks in the op names; else 0, 1, …
    [[nodiscard]] std::size_t count() const { return blocks.size(); }
    /// Number of ops per block.
    [[nodiscard]] std::size_t period() const { return blocks.empty() ? 0 : blocks.front().size(); }
    [[nodiscard]] std::string label(std::size_t block) const; ///< name of a block, for example "layer 17"
    bool operator==(const Repetition&) const = default;
};

/// Finds the repeating blocks of a problem from its structure and verifies them op by op. Names are only used
/// to decide between equally good boundaries, and to name the result. No op is in two repetitions. Of nested
/// repetitions, the outer one is returned. The result is sorted by the first op. The run time is nearly
/// linear in the number of ops.
[[nodiscard]] std::vector<Repetition> findRepetitions(const Problem& problem);

/// The number in which a name differs from the corresponding name of another block, and the text before it:
/// "layer" and 17 for "layer17.q".
struct NumberInName
{
    std::string prefix;
    std::int64_t number = 0;
};
[[nodiscard]] std::optional<NumberInName> numberInName(std::string_view name, std::string_view other);

/// Number in the name of each op of the last block; -1 for a name without number.
[[nodiscard]] std::vector<std::int64_t> numbersOfOps(const Problem& problem, const Repetition& repetition);

/// Sets `name` and `numbers` of the repetition.
void nameBlocks(const Problem& problem, Repetition& repetition);

} // namespace tilewright
