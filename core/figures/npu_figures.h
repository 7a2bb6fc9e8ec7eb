// SPDX-License-Identifier: GPL-3.0-or-later
// The figures of a run of the NPU lens, by the places that `npu --json` gives them.
#pragma once

#include "figures/figure.h"
#include "verbs/npu.h"

#include <memory>

namespace tilewright::figures {

/// A run as the command line and the window show it.
struct NpuSubject
{
    std::shared_ptr<const npu::NpuGraph> graph;
    std::shared_ptr<const npu::NpuRun> run;
    npu::Bounds bounds;
    std::vector<npu::OpReport> reports;
    std::optional<double> floor; ///< NpuAnswer::floor
    std::vector<npu::PolicyRun> schedulers;
};
[[nodiscard]] NpuSubject subjectOf(const verbs::NpuAnswer& answer);

/// Returns the figures of a finished run.
[[nodiscard]] Figures npuFigures(NpuSubject subject);

} // namespace tilewright::figures
