// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of core/tables, column by column.
#pragma once

#include "tables/tables.h"
#include "values.h"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <vector>

namespace tilewright::python {

/// The columns of all tables of a subject.
class TableColumns
{
public:
    /// Runs without the lock of the Python interpreter (GIL). Returns false if the work was stopped.
    [[nodiscard]] bool fill(const tables::Subject& subject, const Progress& progress);
    /// Lists of (name, values) by name of the table: arrays of integers (of doubles if any is missing) or
    /// doubles, or lists of texts and None.
    [[nodiscard]] py::dict arrays() const;

private:
    std::map<const tables::Schema*, std::vector<std::vector<TableValue>>> m_columns;
};

} // namespace tilewright::python
