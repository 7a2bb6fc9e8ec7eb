// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/architecture.h"
#include "mapping/method.h"

#include <string>
#include <string_view>

namespace tilewright::mapping {

/// One method of one layer on one machine: what the lens edits.
struct Setup
{
    Layer layer;
    Architecture architecture;
    Method method;

    bool operator==(const Setup&) const = default;
};

/// As a file (NAME.mapping.json): {"layer", "architecture", "method"}, each as in a file of its own, so that
/// it can be given wherever a method is read.
[[nodiscard]] Result<Setup> readSetup(std::string_view text, const std::string& file);
[[nodiscard]] std::string writeSetup(const Setup& setup);

} // namespace tilewright::mapping
