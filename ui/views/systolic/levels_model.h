// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/systolic/painted_table.h"
#include "workspace/systolic_document.h"

#include <memory>

namespace tilewright::ui {

/// A card of the memory pane: a table, a bank map or the roofline.
struct LevelsCard
{
    enum class Kind { Table, Banks, Roofline, Capacities };
    Kind kind = Kind::Table;
    PaintedTable table; ///< the table of a card of kind Table; other kinds use only its title
    systolic::BankLayout layout = systolic::BankLayout::Split; ///< used by kind Banks
};

/// The memory traffic of the GEMM as cards, in reading order.
struct LevelsModel
{
    QString hint;
    std::shared_ptr<const LevelsResult> result;
    QString title;
    QString headline;
    std::vector<LevelsCard> cards;
};

/// Builds the cards. `printed`: adds the values that the source documents print, which belong to other GEMMs.
[[nodiscard]] LevelsModel buildLevels(const SystolicDocument& state, bool printed);

} // namespace tilewright::ui
