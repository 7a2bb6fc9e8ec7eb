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
    Bytes,           ///< moved to and from the external memory
    Picojoules,      ///< energy
    TokensPerSecond, ///< throughput of a step of a language model, one chip
    Plain,           ///< a number whose column names no unit; not of measured sets
};
/// "ms", "cycles", "bytes", "pJ", "tokens/s", "".
[[nodiscard]] std::string_view unitOf(Quantity quantity) noexcept;

/// A column of measurements. Its unit is a word of its name: ns, us, ms, s, cycles, kb, bytes, pj, nj, uj or
/// tokens_per_s.
struct MeasuredColumn
{
    std::string name; ///< name as in the file
    Quantity quantity = Quantity::Milliseconds;
    double scale = 1; ///< value of one unit of the file
};
/// The column with this name; nullopt: the name has no unit.
[[nodiscard]] std::optional<MeasuredColumn> measuredColumn(std::string_view name);
/// The column with this unit ("us"); nullopt: it is none.
[[nodiscard]] std::optional<MeasuredColumn> columnInUnit(std::string_view unit);
/// The units, for messages.
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
/// Returns the column with this name, whose unit must be known; with an empty name the one with a time or
/// cycles that its name prefers.
[[nodiscard]] Result<ChosenColumn> chosenColumn(const RowCells& row, const std::string& name);

/// A condition on the rows: a column, "=", "!=", "<" or ">", and a value.
struct Condition
{
    std::size_t column = 0;
    char sign = '='; ///< '!' for "!="
    std::string value;

    [[nodiscard]] bool holds(std::string_view cell) const;
};
/// Reads the values of the option --where; the columns are those of the row. The Error names the option.
[[nodiscard]] Result<std::vector<Condition>> readConditions(std::span<const std::string> texts,
                                                            const RowCells& row);
[[nodiscard]] bool meets(const RowCells& row, std::span<const Condition> conditions);

} // namespace tilewright::validation
