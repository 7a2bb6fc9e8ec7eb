// SPDX-License-Identifier: GPL-3.0-or-later
// Parts of the nest model: functions for both cost models, and functions for an architecture with levels.
#pragma once

#include "views/mapping/nest_model.h"

namespace tilewright::ui {

/// Returns a bar for a loop with this factor. It becomes the next bar of the column.
[[nodiscard]] NestBar nestBar(const mapping::LoopNest& nest, const NestColumn& column, int loop,
                              std::int64_t factor);
/// Sets the names of the loops of the column that have no bar.
void foldLoops(NestColumn& column, const mapping::LoopNest& nest, const std::vector<int>& loops);
/// Returns the bar of an item in a column; null if there is none.
[[nodiscard]] const NestBar* barOf(const NestColumn& column, const NestItem& item);
/// Text of a move: "M ×2: DRAM → SPM".
[[nodiscard]] QString moveText(const mapping::LoopNest& nest, int loop, std::int64_t factor,
                               const QString& from, const QString& to);
/// Text of a change of the order: "M inside C at DRAM".
[[nodiscard]] QString reorderText(const NestColumn& column, std::size_t from, std::size_t slot);

// The functions below require a setup with levels.

/// Adds the operands and the columns of all levels. Each level has one column for its loops, then one for
/// each axis.
void addLevels(NestModel& out, const MappingDocument& state);
[[nodiscard]] std::optional<NestDrop> dropOnPlace(const MappingDocument& state, const NestItem& item,
                                                  std::size_t to);
[[nodiscard]] std::optional<NestDrop> dropInOrderOfLevel(const MappingDocument& state, const NestItem& item,
                                                         std::size_t slot);

} // namespace tilewright::ui
