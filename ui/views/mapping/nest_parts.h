// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the nest model: what both cost models share, and what an architecture with levels adds.
#pragma once

#include "views/mapping/nest_model.h"

namespace tilewright::ui {

/// The next bar of the column, for a loop with this factor.
[[nodiscard]] NestBar nestBar(const mapping::LoopNest& nest, const NestColumn& column, int loop,
                              std::int64_t factor);
/// Names the loops that have no bar.
void foldLoops(NestColumn& column, const mapping::LoopNest& nest, const std::vector<int>& loops);
/// The bar of an item in its column; null if there is none.
[[nodiscard]] const NestBar* barOf(const NestColumn& column, const NestItem& item);
/// "M ×2: DRAM → SPM"
[[nodiscard]] QString moveText(const mapping::LoopNest& nest, int loop, std::int64_t factor,
                               const QString& from, const QString& to);
/// "M inside C at DRAM"
[[nodiscard]] QString reorderText(const NestColumn& column, std::size_t from, std::size_t slot);

// Precondition of the functions below: the setup has levels.

/// Adds the columns and operands: of each level its loops, then one column for each axis.
void addLevels(NestModel& out, const MappingDocument& state);
[[nodiscard]] std::optional<NestDrop> dropOnPlace(const MappingDocument& state, const NestItem& item,
                                                  std::size_t to);
[[nodiscard]] std::optional<NestDrop> dropInOrderOfLevel(const MappingDocument& state, const NestItem& item,
                                                         std::size_t slot);

} // namespace tilewright::ui
