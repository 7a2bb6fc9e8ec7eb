// SPDX-License-Identifier: GPL-3.0-or-later
// What the files that compute rows of the Summary share.
#pragma once

#include "verbs/summary.h"

#include <string>
#include <utility>
#include <vector>

namespace tilewright::verbs {

inline void setFigure(SummaryRow& row, SummaryFigure figure, ExplainedValue value)
{
    row.figures[static_cast<std::size_t>(figure)] = std::move(value);
}
/// Returns the row with a sentence that says why it has no figures.
[[nodiscard]] inline SummaryRow failedRow(SummaryRow row, std::string sentence)
{
    row.state = SummaryRow::State::Failed;
    row.error = std::move(sentence);
    return row;
}

// Functions that fill in the rows of the Schedule lens.
[[nodiscard]] SummaryRow scheduleRow(SummaryRow row, const SummarySubject& subject);
[[nodiscard]] SummaryRow runRow(SummaryRow row, const SummarySubject& subject, const Progress& progress);
[[nodiscard]] SummaryRow solvedRow(SummaryRow row, const SummarySubject& subject, const Progress& progress);

/// Adds the cycles of the whole model to a row of a language model (docs/rules/llm.md 7).
void addWhole(SummaryRow& row, const SummarySubject& subject);

} // namespace tilewright::verbs
