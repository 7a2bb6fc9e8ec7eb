// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/repetition.h"

#include <optional>
#include <string_view>

namespace tilewright {

/// "layer" and 17 of "layer17.q": the number in which the name differs from the corresponding one of another
/// block.
struct NumberInName
{
    std::string prefix;
    std::int64_t number = 0;
};
[[nodiscard]] std::optional<NumberInName> numberInName(std::string_view name, std::string_view other);

/// Per op of the last block the number in its name, -1 without one.
[[nodiscard]] std::vector<std::int64_t> numbersOfColumns(const Problem& problem,
                                                         const Repetition& repetition);

/// Fills name and numbers.
void nameBlocks(const Problem& problem, Repetition& repetition);

} // namespace tilewright
