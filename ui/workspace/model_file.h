// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "lower/workload.h"
#include "workspace/lens_document.h"

#include <memory>
#include <vector>

namespace tilewright::ui {

/// A model read from a file, with its free dimensions and their sizes.
struct ModelFile
{
    std::shared_ptr<const lower::Workload> workload;
    std::vector<onnx::FreeDimension> free;
    onnx::Dimensions dimensions;
};
/// Reads a model. Size of a free dimension: that in `first`, otherwise the user's last one for this file,
/// otherwise the default.
[[nodiscard]] Result<ModelFile> readModelFile(std::string_view text, const QString& path,
                                              const onnx::Dimensions& first = {});

} // namespace tilewright::ui
