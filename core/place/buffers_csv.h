// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "place/placement.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Buffers of a CSV file with the columns id, lower, upper and size in any order (docs/rules/place.md 3.2).
struct Buffers
{
    std::vector<std::string> ids; ///< texts of the column id
    std::vector<PlacementItem> items;
};

[[nodiscard]] Result<Buffers> readBuffers(std::string_view text);
/// The CSV text of the buffers with an additional column offset.
[[nodiscard]] std::string writeBuffers(const Buffers& buffers, const std::vector<std::int64_t>& offsets);

} // namespace tilewright
