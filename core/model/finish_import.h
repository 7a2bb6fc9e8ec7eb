// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of models of other programs have in common: names, and the size of an element.
#pragma once

#include "model/model.h"

#include <unordered_map>

namespace tilewright::model {

/// Number of uses of each name.
using NameUses = std::unordered_map<std::string, std::size_t>;
/// Returns the name, with a number appended ("x#1") if it is already in use.
[[nodiscard]] std::string freshName(NameUses& names, const std::string& name);

/// Sets the element size of the model to that of most elements. Tensors of another size keep their own.
void chooseElementBytes(Model& model);

/// Name of a model: `name`, the one in the file, or that of the file if it is empty or of the kind that every
/// exporter writes ("main").
[[nodiscard]] std::string nameOfModel(const std::string& name, const std::string& file);

} // namespace tilewright::model
