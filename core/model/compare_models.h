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
    Changed, ///< other shapes, sizes or attributes
    New,
    Gone,
};
[[nodiscard]] std::string_view toString(OperatorChange change) noexcept;

/// An operator of one model and its counterpart in the other model.
struct OperatorPair
{
    OperatorChange change = OperatorChange::Same;
    std::optional<OperatorId> before, after;
    /// true if the operators were paired by name; false: by the operators around them
    bool byName = false;
    /// in the earlier and the later model; 0 if the operator is not in that model
    std::array<std::int64_t, 2> macs{};
    std::array<std::int64_t, 2> bytes{}; ///< bytes of operands and results
};

/// The comparison of two models.
struct ModelComparison
{
    /// in the order of the later model; operators that are gone keep their place from the earlier one
    std::vector<OperatorPair> operators;
    std::array<std::int64_t, 2> macs{}, bytes{};
    std::size_t same = 0, changed = 0, added = 0, gone = 0;
};

/// Operators are counterparts when they have the same name and kind, else when the same kind stands between
/// counterparts, else when kind and shapes are the same, in order.
[[nodiscard]] ModelComparison compareModels(const Model& before, const Model& after);

} // namespace tilewright::model
