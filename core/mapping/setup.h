// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::mapping {

/// One method of one layer on one machine: what the lens edits.
struct Setup
{
    Layer layer;
    Architecture architecture;
    Method method;
    std::vector<std::string> factors; ///< asked for of the search, as parseConstraints() reads them

    bool operator==(const Setup&) const = default;
};

/// As a file (NAME.mapping.json): {"layer", "architecture", "method"}, each as in a file of its own, so that
/// it can be given wherever a method is read; and "factors" when some are asked for.
[[nodiscard]] Result<Setup> readSetup(std::string_view text, const std::string& file);
[[nodiscard]] std::string writeSetup(const Setup& setup);

} // namespace tilewright::mapping
