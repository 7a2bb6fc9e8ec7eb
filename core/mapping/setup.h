// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

#include <string>
#include <string_view>
#include <vector>

namespace tilewright::mapping {

/// Document of the Mapping lens: one method of one layer on one machine.
struct Setup
{
    Layer layer;
    Architecture architecture;
    Method method;
    std::vector<std::string> factors; ///< constraints of the search, input of parseConstraints()

    bool operator==(const Setup&) const = default;
};

/// Reads a document (NAME.mapping.json): {"layer", "architecture", "method"}, each in the form of its own
/// file, and optionally "factors". Such a file is accepted wherever a method is read.
[[nodiscard]] Result<Setup> readSetup(std::string_view text, const std::string& file);
[[nodiscard]] std::string writeSetup(const Setup& setup);

} // namespace tilewright::mapping
