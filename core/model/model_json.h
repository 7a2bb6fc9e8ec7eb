// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <string>
#include <string_view>

namespace tilewright::model {

/// Reads a model file; the format is described at the top of model_json.cpp. The Error names file, field and
/// reason.
[[nodiscard]] Result<Model> readModel(std::string_view text, const std::string& file);
/// Returns the text of a model file. readModel() reads it back as an equal model.
[[nodiscard]] std::string writeModel(const Model& model);

/// Gives each kv_append a cache of its own, since several may share one in the file. The part of a cache that
/// its kv_append does not write is read from the previous cache or from a graph input.
void adoptCaches(Model& model);
/// Marks the constants of a model that does not name them. These are tensors that no operator writes, if a
/// product, convolution or normalisation reads them as an operand other than the first, or if they are row
/// vectors of elementwise operators.
void markConstants(Model& model);

} // namespace tilewright::model
