// SPDX-License-Identifier: GPL-3.0-or-later
// Names of a file and operators of a model (docs/rules/validation.md 5).
#pragma once

#include "lower/on_machine.h"
#include "overlay/named_values.h"

namespace tilewright::overlay {

/// Method by which a name was matched.
enum class MatchKind : std::uint8_t {
    Exact,    ///< the name is that of the operator
    Op,       ///< the name is that of an op to which the operator is lowered
    Ending,   ///< no other operator, and no other name, has this ending
    Position, ///< the name is the position of the operator among the products, from 0
};
/// "name", "op", "ending", "position".
[[nodiscard]] std::string_view titleOf(MatchKind kind) noexcept;

/// The value of an operator: that of its name, or the sum of those of its ops.
struct Match
{
    OperatorId op;
    MatchKind kind = MatchKind::Exact;
    std::vector<std::size_t> values; ///< indices in NamedValues::values
    std::size_t ops = 1;             ///< for Op: number of ops of the operator
    std::string ending;              ///< for Ending: the common ending of both names

    /// "name", "2 of its 3 ops", "ending conv1", "position 4".
    [[nodiscard]] std::string text() const;
};

/// A value without an operator, and why.
struct UnmatchedValue
{
    std::size_t value = 0;
    std::string reason;
};

struct Matches
{
    std::vector<Match> matches; ///< by operator
    std::vector<UnmatchedValue> values;
    std::vector<OperatorId> operators; ///< operators that run and have no value
};

/// Finds the operator of every name: by the exact name, then by the names of ops, then by the shortest ending
/// of whole parts ("/", "." and ":" are the same between them) that belongs to one operator and to one name
/// only.
[[nodiscard]] Matches matchNames(const NamedValues& values, const lower::ModelOnMachine& model);

} // namespace tilewright::overlay
