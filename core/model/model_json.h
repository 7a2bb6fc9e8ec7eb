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

} // namespace tilewright::model
