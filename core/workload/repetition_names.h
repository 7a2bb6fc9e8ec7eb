// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/repetition.h"

#include <optional>
#include <string_view>

namespace tilewright {

/// The number in which a name differs from the corresponding name of another block, with the text before it:
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
