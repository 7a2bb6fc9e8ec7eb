// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "onnx/import.h"

#include <QString>

namespace tilewright::ui {

/// Values that a person gave the free dimensions of a model before.
[[nodiscard]] onnx::Dimensions rememberedDimensions(const QString& path);
void rememberDimensions(const QString& path, const onnx::Dimensions& dimensions);

} // namespace tilewright::ui
