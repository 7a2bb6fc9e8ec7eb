// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a file beside the figures of ours for the same operators (docs/rules/validation.md 5).
#pragma once

#include "eval/evaluation.h"
#include "overlay/match.h"
#include "validation/comparison.h"

#include <array>

namespace tilewright::overlay {

/// The figure of ours that values are compared with.
enum class Figure : std::uint8_t { Latency, DramBytes, Energy };
inline constexpr std::array kFigures{Figure::Latency, Figure::DramBytes, Figure::Energy};
/// Name for files: "latency", "dram_bytes", "energy".
[[nodiscard]] std::string_view toString(Figure figure) noexcept;
/// The figure that measures what a column does; the latency for one without a unit.
[[nodiscard]] Figure figureFor(validation::Quantity quantity) noexcept;

/// Figures of ours for operators that run together; one alone if nothing is fused.
struct OurFigures
{
    std::vector<OperatorId> operators;                 ///< ascending
    std::optional<double> cycles, dramBytes, energyPj; ///< empty: the lens does not state it
};
/// The figures of a valid schedule: operators whose ops are in one subgraph belong together.
[[nodiscard]] std::vector<OurFigures> figuresOf(const lower::ModelOnMachine& model, const Schedule& schedule,
                                                const Evaluation& evaluation);

/// The parts of one row of the comparison.
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
    validation::Comparison comparison;  ///< `predicted` is the figure of ours, in the unit of the column
    std::vector<RowParts> parts;        ///< parts of each row of the comparison
    std::vector<NamedValue> values;     ///< without an operator
    std::vector<std::string> reasons;   ///< reason of each of these
    std::vector<std::string> operators; ///< names of those that run and have no value

    /// The row of an operator; nullopt: it has none.
    [[nodiscard]] std::optional<std::size_t> rowOf(OperatorId op) const;
};

/// The way in which a value is shown beside our own figure.
enum class Shown : std::uint8_t { Value, Difference, Ratio };
inline constexpr std::array kShown{Shown::Value, Shown::Difference, Shown::Ratio};
/// The value of the file, ours less it, or ours divided by it; nullopt: the row has none.
[[nodiscard]] std::optional<double> shownValue(const validation::ComparedRow& row, Shown shown);

/// Sets the values beside the figures. `figure`: nullopt is figureFor() of the column. Times are converted by
/// the clock of the machine and contain the launches of the operators. The Error says which unit cannot be
/// compared with the figure.
[[nodiscard]] Result<Overlay> overlayOf(const NamedValues& values, const lower::ModelOnMachine& model,
                                        std::span<const OurFigures> ours, std::string lens,
                                        std::optional<Figure> figure = {});

/// The rows as a table: operator, line, value, ours, difference, ratio, found by.
[[nodiscard]] Table overlayTable(const Overlay& overlay);
/// Names without an operator, and operators without a value: side, name, line, reason.
[[nodiscard]] Table unmatchedTable(const Overlay& overlay);
/// "61 of 64 names found; 3 names without an operator, 2 operators without a value".
[[nodiscard]] std::string matchedText(const Overlay& overlay);
/// The rows of all files as CSV, with exact values.
[[nodiscard]] std::string overlaysCsv(std::span<const Overlay> overlays);
/// One JSON document with the member "overlays".
[[nodiscard]] std::string overlaysJson(std::span<const Overlay> overlays);

} // namespace tilewright::overlay
