// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a file and operators of a model (docs/rules/validation.md 5).
#pragma once

#include "lower/on_machine.h"
#include "overlay/named_values.h"

namespace tilewright::overlay {

/// How a name of a file was matched with an operator.
enum class MatchKind : std::uint8_t {
    Exact,    ///< the name is the name of the operator
    Op,       ///< the name is the name of an op to which the operator was lowered
    Ending,   ///< an ending of the name belongs to no other operator and to no other name
    Position, ///< the name is the index of the operator among the products, from 0
};
/// Text of the kind: "name", "op", "ending", "position".
[[nodiscard]] std::string_view titleOf(MatchKind kind) noexcept;

/// The value of an operator: that of its name, or the sum of the values of its ops.
struct Match
{
    OperatorId op;
    MatchKind kind = MatchKind::Exact;
    std::vector<std::size_t> values; ///< indices in NamedValues::values
    std::size_t ops = 1;             ///< MatchKind::Op: number of ops of the operator
    std::string ending;              ///< MatchKind::Ending: the common ending of both names

    /// Text of the match: "name", "2 of its 3 ops", "ending conv1", "position 4".
    [[nodiscard]] std::string text() const;
};

/// A value for which no operator was found, with the reason.
struct UnmatchedValue
{
    std::size_t value = 0;
    std::string reason;
};

struct Matches
{
    std::vector<Match> matches; ///< per operator that has a value
    std::vector<UnmatchedValue> values;
    std::vector<OperatorId> operators; ///< operators with work for which no value was found
};

/// Finds the operator for every name: first by the exact name, then by the names of ops, then by the shortest
/// ending of whole parts that belongs to only one operator and only one name. The separators "/", "." and ":"
/// between parts are equivalent.
[[nodiscard]] Matches matchNames(const NamedValues& values, const lower::ModelOnMachine& model);

} // namespace tilewright::overlay
