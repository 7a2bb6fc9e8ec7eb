// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::model {

enum class OperatorChange : std::uint8_t {
    Same,
    Changed, ///< shapes, sizes or attributes differ
    New,
    Gone,
};
[[nodiscard]] std::string_view toString(OperatorChange change) noexcept;

/// An operator of one model and its counterpart in the other model.
struct OperatorPair
{
    OperatorChange change = OperatorChange::Same;
    std::optional<OperatorId> before, after;
    /// True if the operators were paired by name; false if by the operators around them.
    bool byName = false;
    /// Multiply-accumulates in the earlier and in the later model; 0 if the operator is not in that model.
    std::array<std::int64_t, 2> macs{};
    /// Bytes of operands and results, in the earlier and in the later model.
    std::array<std::int64_t, 2> bytes{};
};

/// The comparison of two models.
struct ModelComparison
{
    /// Operators in the order of the later model. Removed operators keep their place from the earlier model.
    std::vector<OperatorPair> operators;
    std::array<std::int64_t, 2> macs{}, bytes{};
    std::size_t same = 0, changed = 0, added = 0, gone = 0;
};

/// Pairs the operators of two models. Operators are counterparts if they have the same name and kind, else if
/// they have the same kind and stand between counterparts, else if kind and shapes are the same, in order.
[[nodiscard]] ModelComparison compareModels(const Model& before, const Model& after);

} // namespace tilewright::model
