// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"

#include <string>
#include <string_view>

namespace tilewright {

/// Kind of a file that the user opens or drops.
enum class FileKind {
    Model, ///< operators on tensors, a topology table or a language model: input for every lens
    Machine,
    Problem,
    Schedule,
    MappingLayer,
    MappingModel,
    MappingMethod,
    MappingArchitecture,
    MappingSetup,
    NpuModel, ///< model for the NPU lens only: generated for it, or with fields for hardware and run options
    SystolicHierarchy,
    SystolicSettings,
    Measurements ///< measured operators (validation::isMeasuredSet()); fileKindOf() never returns this kind
};

/// Returns the kind of a file. It is recognised by the top-level fields; a method also by the nested tuples
/// of the printed form. Returns an Error if the file cannot be read, is not JSON, or is of another kind.
[[nodiscard]] Result<FileKind> fileKind(const std::string& path);
/// Returns the kind of a text. `file` is the name of the file in errors.
[[nodiscard]] Result<FileKind> fileKindOf(std::string_view text, const std::string& file);
/// True if the text is the configuration of a language model (config.json of Hugging Face).
[[nodiscard]] bool isLanguageModel(std::string_view text);

} // namespace tilewright
