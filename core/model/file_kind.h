// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

/// What a file that a person opens or drops is.
enum class FileKind {
    Model, ///< operators on tensors, or a topology table: what every lens is lowered from
    Machine,
    Problem,
    Schedule,
    MappingLayer,
    MappingModel,
    MappingMethod,
    MappingArchitecture,
    MappingSetup,
    NpuModel, ///< of the NPU lens alone: generated there, or with hardware and a run of its own
    SystolicHierarchy,
    SystolicSettings
};

/// Told by the top-level fields, a method also by the nested tuples of the printed form; Errors when the
/// file cannot be read, is no JSON or none of these.
[[nodiscard]] Result<FileKind> fileKind(const std::string& path);
/// The same of a text; `file` is used in errors.
[[nodiscard]] Result<FileKind> fileKindOf(std::string_view text, const std::string& file);

} // namespace tilewright
