// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/import.h"

#include <QString>

namespace tilewright::ui {

/// Sizes that the user chose last for the free dimensions of this model file.
[[nodiscard]] onnx::Dimensions rememberedDimensions(const QString& path);
void rememberDimensions(const QString& path, const onnx::Dimensions& dimensions);

} // namespace tilewright::ui
