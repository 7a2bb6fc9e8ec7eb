// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <span>
#include <vector>

namespace tilewright {

/// R4.5: the groups of ops that touch common tensors, each in the given order; one group = connected.
[[nodiscard]] std::vector<std::vector<OpId>> connectedGroups(const Problem& problem,
                                                             std::span<const OpId> ops);

/// The ops reordered as little as possible so that producers precede their consumers (R4.4).
[[nodiscard]] std::vector<OpId> inTopologicalOrder(const Problem& problem, std::span<const OpId> ops);

} // namespace tilewright
