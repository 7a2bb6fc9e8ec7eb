// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/workload.h"
#include "workspace/lens_document.h"

#include <memory>
#include <vector>

namespace tilewright::ui {

/// A model as it is read from its file, with a size for everything that the file leaves free.
struct ModelFile
{
    std::shared_ptr<const lower::Workload> workload;
    std::vector<onnx::FreeDimension> free;
    onnx::Dimensions dimensions;
};
/// A free size is what `first` says of its name, else what a person gave it last time, else what is usual.
[[nodiscard]] Result<ModelFile> readModelFile(std::string_view text, const QString& path,
                                              const onnx::Dimensions& first = {});

} // namespace tilewright::ui
