// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/table.h"
#include "lower/compare_on_machine.h"
#include "report/compare.h"

#include <QList>

#include <array>
#include <set>
#include <vector>

namespace tilewright::ui {

/// The ops and the bar of a row of differences.
struct DifferenceRow
{
    double amount = 0;                 ///< -1 (better) .. 1 (worse): length of the bar in barColumn
    std::array<std::set<OpId>, 2> ops; ///< in A and in B
    bool differs = true;
};
/// The contents of a list of differences, as plain data.
struct DifferenceTable
{
    Table cells;
    std::vector<DifferenceRow> rows;
    QList<int> stretched; ///< columns that take the remaining width
    int barColumn = 0;
};

/// The differences of two schedules, in the order in which they are applied.
[[nodiscard]] DifferenceTable differencesOf(const Comparison& comparison);
/// The operators of two models, in the order of the later one.
[[nodiscard]] DifferenceTable differencesOf(const lower::ModelsOnMachine& models);

} // namespace tilewright::ui
