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

/// An operator of the one model beside its counterpart in the other.
struct OperatorPair
{
    OperatorChange change = OperatorChange::Same;
    std::optional<OperatorId> before, after;
    bool byName = false;                 ///< else by what stands around it
    std::array<std::int64_t, 2> macs{};  ///< before, after; 0 where it is not
    std::array<std::int64_t, 2> bytes{}; ///< of its operands and results
};

/// Two models side by side.
struct ModelComparison
{
    std::vector<OperatorPair> operators; ///< in the order of the later model, what is gone where it stood
    std::array<std::int64_t, 2> macs{}, bytes{};
    std::size_t same = 0, changed = 0, added = 0, gone = 0;
};

/// Operators are counterparts when they have the same name and kind, else when the same kind stands between
/// counterparts, else when kind and shapes are the same, in order.
[[nodiscard]] ModelComparison compareModels(const Model& before, const Model& after);

} // namespace tilewright::model
