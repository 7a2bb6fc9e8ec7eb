// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "report/compare.h"
#include "views/graph/graph_model.h"

#include <memory>
#include <stop_token>

namespace tilewright::ui {

/// Baseline (A) against current state (B): what moved, what each change contributed, both pictures.
struct CompareData
{
    SnapshotPtr a;
    SnapshotPtr b;
    Comparison comparison;
    GraphModel graphA;
    GraphModel graphB;
};

/// Found in the background: the contributions are exact evaluations, the pictures need layouts.
[[nodiscard]] std::shared_ptr<const CompareData>
compareData(const SnapshotPtr& a, const SnapshotPtr& b, const GraphMetrics& metrics, std::stop_token stop);

} // namespace tilewright::ui
