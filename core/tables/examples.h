// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string_view>

namespace tilewright::tables {

/// An example question of an architect, with its SELECT statement.
struct Example
{
    std::string_view question;
    std::string_view sql;
};
/// The examples of the Query pane and of the handbook (docs/handbook/query.md).
[[nodiscard]] std::span<const Example> examples();

} // namespace tilewright::tables
