// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of core/tables as columns of values.
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
    /// Returns a dict from table name to a list of (column name, values). Values are an array of integers, an
    /// array of doubles (also for integers if some are missing), or a list of str and None.
    [[nodiscard]] py::dict arrays() const;

private:
    std::map<const tables::Schema*, std::vector<std::vector<TableValue>>> m_columns;
};

} // namespace tilewright::python
