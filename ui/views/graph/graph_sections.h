// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "workload/problem.h"

#include <cstdint>
#include <vector>

namespace tilewright::ui {

/// Visible ops above which subgraphs are drawn as cards without being asked (docs/design.md 4.5), and cards
/// above which neighbouring subgraphs share one.
inline constexpr std::size_t kCardsAbove = 600;
inline constexpr std::size_t kSectionsAbove = 150;

/// Cuts the ops into runs of the topological order, about a hundred, where the names begin with another part
/// ("layer3." after "layer2.") if such a place is near. Depends on the problem alone, so that a card stays
/// what it is while the schedule is edited. Index = op.
[[nodiscard]] std::vector<std::uint32_t> sectionsOf(const Problem& problem);

} // namespace tilewright::ui
