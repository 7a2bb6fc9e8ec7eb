// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a file beside the figures of ours for the same operators (docs/rules/validation.md 5).
#pragma once

#include "eval/evaluation.h"
#include "overlay/match.h"
#include "validation/comparison.h"

#include <array>

namespace tilewright::overlay {

/// The computed figure with which values are compared.
enum class Figure : std::uint8_t { Latency, DramBytes, Energy };
inline constexpr std::array kFigures{Figure::Latency, Figure::DramBytes, Figure::Energy};
/// Name of a figure in files: "latency", "dram_bytes", "energy".
[[nodiscard]] std::string_view toString(Figure figure) noexcept;
/// Returns the figure with the same quantity as a column; the latency if the column has no unit.
[[nodiscard]] Figure figureFor(validation::Quantity quantity) noexcept;

/// Computed figures of operators that run together; of a single operator if nothing is fused.
struct OurFigures
{
    std::vector<OperatorId> operators;                 ///< ascending
    std::optional<double> cycles, dramBytes, energyPj; ///< empty: the lens does not compute it
};
/// Returns the figures of a valid schedule. Operators whose ops are in one subgraph form one entry.
[[nodiscard]] std::vector<OurFigures> figuresOf(const lower::ModelOnMachine& model, const Schedule& schedule,
                                                const Evaluation& evaluation);

/// Texts on how one row of the comparison was made.
struct RowParts
{
    std::vector<OperatorId> operators;
    std::string how; ///< Match::text() of each operator that has a value
};

/// The values of a file beside the figures that this program computes for the same operators.
struct Overlay
{
    Form form = Form::Table;
    Figure figure = Figure::Latency;
    validation::Comparison comparison;  ///< `predicted` is the computed figure in the unit of the column
    std::vector<RowParts> parts;        ///< parts of each row of the comparison
    std::vector<NamedValue> values;     ///< values for which no operator was found
    std::vector<std::string> reasons;   ///< reason for each of these values
    std::vector<std::string> operators; ///< names of operators with work for which no value was found

    /// The row of an operator; nullopt if it has none.
    [[nodiscard]] std::optional<std::size_t> rowOf(OperatorId op) const;
};

/// What is shown for a row: the value of the file, or its comparison with the computed figure.
enum class Shown : std::uint8_t { Value, Difference, Ratio };
inline constexpr std::array kShown{Shown::Value, Shown::Difference, Shown::Ratio};
/// The value of the file, the computed figure minus it, or the computed figure divided by it; nullopt if the
/// row does not have these numbers.
[[nodiscard]] std::optional<double> shownValue(const validation::ComparedRow& row, Shown shown);

/// Compares the values with the figures. `figure`: nullopt means figureFor() of the column. Times are
/// converted by the clock of the machine and contain the launches of the operators. The Error says which unit
/// cannot be compared with the figure.
[[nodiscard]] Result<Overlay> overlayOf(const NamedValues& values, const lower::ModelOnMachine& model,
                                        std::span<const OurFigures> ours, std::string lens,
                                        std::optional<Figure> figure = {});

/// Table of the rows: operator, line, value, computed figure, difference, ratio, how the name was found.
[[nodiscard]] Table overlayTable(const Overlay& overlay);
/// Table of names without an operator and operators without a value: side, name, line, reason.
[[nodiscard]] Table unmatchedTable(const Overlay& overlay);
/// Text of the numbers of matches: "61 of 64 names found; 3 names without an operator, 2 operators without a
/// value".
[[nodiscard]] std::string matchedText(const Overlay& overlay);
/// CSV of the rows of all files, with exact values.
[[nodiscard]] std::string overlaysCsv(std::span<const Overlay> overlays);
/// JSON document with the member "overlays".
[[nodiscard]] std::string overlaysJson(std::span<const Overlay> overlays);

} // namespace tilewright::overlay
