// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/constraints.h"

#include <string>
#include <string_view>

namespace tilewright::hierarchy {

/// Document of the Mapping lens with an architecture with levels: one mapping of one layer on one machine.
/// The document for four levels is mapping::Setup.
struct Setup
{
    mapping::Layer layer;
    Architecture architecture;
    Mapping mapping;
    ConstraintTexts asked = {}; ///< constraints of the search, as texts

    bool operator==(const Setup&) const = default;
};

/// Reads the constraints of a document. The Error names `file` and the field.
[[nodiscard]] Result<Constraints> constraintsOf(const LoopNest& nest, const Architecture& architecture,
                                                const ConstraintTexts& asked, const std::string& file = {});

/// True if the text is a document with levels: a JSON object with an "architecture" that has "levels".
[[nodiscard]] bool isSetup(std::string_view text);

/// Reads a document (NAME.mapping.json): {"layer", "architecture", "mapping"}, each in the form of its own
/// file. If there are constraints, it also has "factors" and "orders".
[[nodiscard]] Result<Setup> readSetup(std::string_view text, const std::string& file);
[[nodiscard]] std::string writeSetup(const Setup& setup);

} // namespace tilewright::hierarchy
