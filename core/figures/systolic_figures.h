// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a model on one array, by the places that `systolic --json` gives them.
#pragma once

#include "figures/figure.h"
#include "verbs/systolic.h"

#include <memory>

namespace tilewright::figures {

/// Returns the figures of the products of a workload.
[[nodiscard]] Figures systolicFigures(std::shared_ptr<const verbs::NetworkAnswer> answer);
/// Returns the figures of one product, by the places that `systolic --gemm --json` gives them. Not those of a
/// program of it (--pipeline).
[[nodiscard]] Figures productFigures(std::shared_ptr<const verbs::SystolicAnswer> answer);

} // namespace tilewright::figures
