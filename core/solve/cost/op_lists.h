// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <algorithm>
#include <vector>

namespace tilewright {

template <class T> [[nodiscard]] bool isIn(T value, const std::vector<T>& list)
{
    return std::ranges::find(list, value) != list.end();
}

// The following functions work on lists of distinct ops in any order.

[[nodiscard]] std::vector<OpId> without(const std::vector<OpId>& ops, const std::vector<OpId>& removed);
[[nodiscard]] std::vector<OpId> united(const std::vector<OpId>& ops, const std::vector<OpId>& added);
/// Returns `o` followed by its descendants (`down`) or ancestors (!down), along paths inside `ops`.
[[nodiscard]] std::vector<OpId> cone(const Problem& problem, const std::vector<OpId>& ops, OpId o, bool down);

} // namespace tilewright
