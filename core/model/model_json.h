// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/model.h"

#include <string>
#include <string_view>

namespace tilewright::model {

/// Reads a model file; the format stands at the top of model_json.cpp. The Error names file, field and
/// reason.
[[nodiscard]] Result<Model> readModel(std::string_view text, const std::string& file);
/// The text of a model file that readModel() gives the same model back from.
[[nodiscard]] std::string writeModel(const Model& model);

/// Gives each kv_append a cache of its own: what it does not write is the past, which is the cache before it
/// or a graph input. A file may name one cache for several of them.
void adoptCaches(Model& model);
/// Marks the constants of a model that does not name them: what no operator writes and a product, convolution
/// or norm reads behind its first operand, and row vectors of elementwise operators.
void markConstants(Model& model);

} // namespace tilewright::model
