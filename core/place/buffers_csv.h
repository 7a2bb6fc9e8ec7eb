// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "place/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// The bare problem of a CSV file: columns id, lower, upper, size in any order (docs/rules/place.md 3.2).
struct Buffers
{
    std::vector<std::string> ids; ///< as in the file
    std::vector<PlacementItem> items;
};

[[nodiscard]] Result<Buffers> readBuffers(std::string_view text);
/// The same with a column offset.
[[nodiscard]] std::string writeBuffers(const Buffers& buffers, const std::vector<std::int64_t>& offsets);

} // namespace tilewright
