// SPDX-License-Identifier: GPL-3.0-or-later
// Rows of a table that are parts of a language model, or a step of a whole one (docs/rules/validation.md 1).
#pragma once

#include "model/model.h"
#include "validation/measured_set.h"
#include "validation/row_cells.h"

#include <set>

namespace tilewright::validation {

enum class LanguageRow : std::uint8_t { None, Step, Attention, Experts };
/// Returns the kind of row that the columns determine. Names of columns are in lower case.
[[nodiscard]] LanguageRow languageRowOf(const std::set<std::string>& columns);

/// Reads the configuration and the options of a step from a row.
[[nodiscard]] Status readStep(const RowCells& row, MeasuredRow& out);
/// Builds the attention of one layer, without its matrices. Sets the name of the row.
[[nodiscard]] Result<model::ModelBuilder> attentionOf(const RowCells& row, MeasuredRow& out);
/// Builds the products of all experts on one chip with one of their matrices. The name of the measured column
/// states which matrix: "up" or "down".
[[nodiscard]] Result<model::ModelBuilder> expertsOf(const RowCells& row, const std::string& measured,
                                                    MeasuredRow& out);

} // namespace tilewright::validation
