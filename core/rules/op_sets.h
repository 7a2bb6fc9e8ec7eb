// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <span>
#include <vector>

namespace tilewright {

/// R4.5: groups of ops that are connected by common tensors, each in the given order. One group means
/// connected.
[[nodiscard]] std::vector<std::vector<OpId>> connectedGroups(const Problem& problem,
                                                             std::span<const OpId> ops);

/// Returns the ops with producers before consumers (R4.4), otherwise in the given order as far as possible.
[[nodiscard]] std::vector<OpId> inTopologicalOrder(const Problem& problem, std::span<const OpId> ops);

} // namespace tilewright
