// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "hierarchy/architecture.h"
#include "hierarchy/mapping.h"

#include <string>
#include <string_view>

// Readers and writers of architectures and mappings with any number of levels (docs/rules/hierarchy.md 1 and
// 2). Layers have the files of `mapping/files.h`. `file` is only used in error messages.

namespace tilewright::hierarchy {

/// True if the text is an architecture for this cost model: a JSON object with the field "levels".
[[nodiscard]] bool hasLevels(std::string_view text);

/// Reads an architecture. The Error names the first field that is missing, wrong or contradicts another one.
[[nodiscard]] Result<Architecture> readArchitecture(std::string_view text, const std::string& file);

/// Reads a mapping of this nest on this architecture. Returns an Error for unknown levels or loops and for
/// factors below 1. Everything else is checked by checkMapping().
[[nodiscard]] Result<Mapping> readMapping(std::string_view text, const std::string& file,
                                          const LoopNest& nest, const Architecture& architecture);

/// Returns the architecture with another value of one field: "levels.buffer.bytes",
/// "levels.buffer.axes.rows.size", "bits.W". Levels and axes are selected by name. The value is text as in
/// the file: "64", "tree", "null". The Error says why there is no such architecture.
[[nodiscard]] Result<Architecture> withField(const Architecture& architecture, std::string_view path,
                                             std::string_view value);

/// Text of an architecture file. Operands are written as I, W and O, which stand for A, B and C of a gemm.
[[nodiscard]] std::string writeArchitecture(const Architecture& architecture);
[[nodiscard]] std::string writeMapping(const LoopNest& nest, const Architecture& architecture,
                                       const Mapping& mapping);

} // namespace tilewright::hierarchy
