// SPDX-License-Identifier: GPL-3.0-or-later
// What the readers of models of other programs have in common: names, and the size of an element.
#pragma once

#include "model/model.h"

#include <unordered_map>

namespace tilewright::model {

/// How often each name is used.
using NameUses = std::unordered_map<std::string, std::size_t>;
/// Returns the name, with a number appended ("x#1") if it is already in use.
[[nodiscard]] std::string freshName(NameUses& names, const std::string& name);

/// Sets the model's default element size to the size of most elements. Tensors with another size state their
/// own.
void chooseElementBytes(Model& model);

/// Name of a model: `name`, which is the name in the file, or the file's name if `name` is empty or is one
/// that every exporter writes ("main").
[[nodiscard]] std::string nameOfModel(const std::string& name, const std::string& file);

} // namespace tilewright::model
