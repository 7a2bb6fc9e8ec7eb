// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/compare_on_machine.h"
#include "report/compare.h"

#include <QString>
#include <QStringList>

#include <array>
#include <optional>
#include <set>
#include <vector>

namespace tilewright::ui {

/// What a list of differences shows, as plain data.
struct DifferenceColumn
{
    QString title;
    QString tip;
    bool isFigure = false;  ///< to the right
    bool stretches = false; ///< takes the room that is left
};
struct DifferenceRow
{
    QStringList cells;
    QStringList copied;                        ///< figures with everything there is
    std::vector<std::optional<double>> values; ///< what a column sorts by; nothing: its text
    QStringList tips;                          ///< of the cells; empty: none
    double amount = 0;                         ///< -1 (better) .. 1 (worse): the bar in the table's barColumn
    std::array<std::set<OpId>, 2> ops;         ///< that it is about, in A and in B
    bool differs = true;
};
struct DifferenceTable
{
    std::vector<DifferenceColumn> columns;
    std::vector<DifferenceRow> rows;
    std::size_t barColumn = 0;
    QStringList copiedTitles;
};

/// The differences of two schedules, in the order in which they are applied.
[[nodiscard]] DifferenceTable differencesOf(const Comparison& comparison);
/// The operators of two models, in the order of the later one.
[[nodiscard]] DifferenceTable differencesOf(const lower::ModelsOnMachine& models);

} // namespace tilewright::ui
