// SPDX-License-Identifier: GPL-3.0-or-later
// The column of a table that has the measurements, and conditions on its rows (docs/rules/validation.md 1).
#pragma once

#include "validation/row_cells.h"

#include <cstdint>
#include <span>

namespace tilewright::validation {

/// The quantity that a column measures.
enum class Quantity : std::uint8_t {
    Milliseconds,
    Cycles,
    Bytes,           ///< bytes moved to and from the external memory
    Picojoules,      ///< energy
    TokensPerSecond, ///< throughput of a step of a language model, one chip
    Plain,           ///< a number whose column states no unit; not used in measured sets
};
/// Text of the unit: "ms", "cycles", "bytes", "pJ", "tokens/s", "".
[[nodiscard]] std::string_view unitOf(Quantity quantity) noexcept;

/// A column of measurements. Its unit is one word of its name: ns, us, ms, s, cycles, kb, bytes, pj, nj, uj
/// or tokens_per_s.
struct MeasuredColumn
{
    std::string name; ///< name as in the file
    Quantity quantity = Quantity::Milliseconds;
    double scale = 1; ///< factor from the unit of the file to the unit of the quantity
};
/// Returns the column with this name; nullopt if the name contains no unit.
[[nodiscard]] std::optional<MeasuredColumn> measuredColumn(std::string_view name);
/// Returns a column with this unit ("us"); nullopt if the text is not a unit.
[[nodiscard]] std::optional<MeasuredColumn> columnInUnit(std::string_view unit);
/// Text that lists the units, for messages.
inline constexpr std::string_view kUnitWords =
    "ns, us, ms, s, cycles, kb, bytes, pj, nj, uj and tokens_per_s";

/// A column and its position in the table.
struct ChosenColumn
{
    std::size_t at = 0;
    MeasuredColumn column;
};
/// Returns the position of a column. The Error lists the columns.
[[nodiscard]] Result<std::size_t> columnNamed(const RowCells& row, const std::string& name);
/// Returns the column with this name, which must contain a unit. With an empty name, returns the column with
/// a time or cycles whose name contains the most preferred word.
[[nodiscard]] Result<ChosenColumn> chosenColumn(const RowCells& row, const std::string& name);

/// A condition on rows: a column, "=", "!=", "<" or ">", and a value.
struct Condition
{
    std::size_t column = 0;
    char sign = '='; ///< '!' for "!="
    std::string value;

    [[nodiscard]] bool holds(std::string_view cell) const;
};
/// Reads the conditions of the option --where. The columns are those of `row`. The Error names the option.
[[nodiscard]] Result<std::vector<Condition>> readConditions(std::span<const std::string> texts,
                                                            const RowCells& row);
[[nodiscard]] bool meets(const RowCells& row, std::span<const Condition> conditions);

} // namespace tilewright::validation
