// SPDX-License-Identifier: GPL-3.0-or-later
// Values by the names of operators: a profiler's table, another tool's report, an own column
// (docs/rules/validation.md 5).
#pragma once

#include "validation/measured_column.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright::overlay {

/// A value, and its name in the file.
struct NamedValue
{
    std::string name;
    std::size_t line = 0; ///< line in the file, from 1; for JSON, the number of the entry
    double value = 0;     ///< value in the unit of the quantity; several rows with the same name are combined
};

/// Format of a file of values.
enum class Form : std::uint8_t {
    Table,        ///< CSV with a column of names
    Document,     ///< JSON document
    MeasuredSet,  ///< table of shapes without names (validation/measured_set.h)
    ScaleSim,     ///< COMPUTE_REPORT.csv of SCALE-Sim, whose names are indices of layers
    TimeloopStats ///< statistics of Timeloop for one layer, which is named by the file
};
/// Title of the form: "table", "JSON", "measured set", "report of SCALE-Sim", "statistics of Timeloop".
[[nodiscard]] std::string_view titleOf(Form form) noexcept;
/// Text of the place of a value in its file: "line 3"; in JSON "entry 3".
[[nodiscard]] std::string placeOf(Form form, std::size_t line);

/// The values of one column of a file.
struct NamedValues
{
    std::string file;
    Form form = Form::Table;
    std::vector<std::string> head; ///< comments at the top of the file
    validation::MeasuredColumn column;
    std::vector<NamedValue> values;
    std::int64_t leftOut = 0; ///< number of rows that a condition excludes or that have no value
};

/// What happens to rows with the same name.
enum class Repeated : std::uint8_t { Refused, Sum, Mean };

/// Options for reading a file of values; each member has a default.
struct ReadOptions
{
    std::string column;             ///< column of the values; empty: chosen by its name
    std::string nameColumn;         ///< column of the names; empty: found by its name
    std::string unit;               ///< unit of a column whose name contains none: "us"
    std::vector<std::string> where; ///< conditions on rows, written as for a measured set
    Repeated repeated = Repeated::Refused;
};

/// True if the text is a file of named values, and not of another kind that the program reads.
[[nodiscard]] bool isNamedValues(std::string_view text);
/// Reads a file of values. Its form is recognised by the content. Values must be finite and not negative. The
/// Error names file, line or field, and the reason.
[[nodiscard]] Result<NamedValues> readNamedValues(std::string_view text, const std::string& file,
                                                  const ReadOptions& options = {});

} // namespace tilewright::overlay
