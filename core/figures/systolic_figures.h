// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a model on one array, by the places that `systolic --json` gives them.
#pragma once

#include "figures/figure.h"
#include "verbs/systolic.h"

#include <memory>

namespace tilewright::figures {

/// Returns the figures of the products of a workload.
[[nodiscard]] Figures systolicFigures(std::shared_ptr<const verbs::NetworkAnswer> answer);

} // namespace tilewright::figures
