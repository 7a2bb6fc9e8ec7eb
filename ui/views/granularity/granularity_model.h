// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/granularity/granularity_cube.h"
#include "workspace/selection.h"

#include <QString>

namespace tilewright::ui {

/// The contents of the map: one depth of the cube, or the best depth of every tile shape.
struct GranularityModel
{
    QString hint;
    QString owner; ///< "Subgraph 3"
    QString title;
    QString subtitle;
    std::optional<SubgraphId> subgraph;
    std::shared_ptr<const GranularityCube> cube; ///< null while it is being computed
    std::vector<std::size_t> shown;              ///< cell of each position (height * widths + width)
    std::optional<std::size_t> current;          ///< position in `shown` of the current granularity
    std::size_t here = 0;                        ///< position of the current w and h, for any k
    std::optional<std::size_t> best;             ///< position in `shown` of the fastest cell that fits
    double currentLatency = 0;
    std::int64_t capacity = 0;
    double low = 0, high = 0; ///< latencies of the cells in `shown` that fit

    [[nodiscard]] const CubeCell& cell(std::size_t position) const { return cube->cells[shown[position]]; }
    /// Position on a logarithmic scale: 0 (fastest) .. 1.
    [[nodiscard]] double intensity(double latency) const;
};

/// `depth`: the k to show; nullopt for the best k of every tile shape.
[[nodiscard]] GranularityModel buildGranularity(const Snapshot* snapshot, std::optional<SubgraphId> subgraph,
                                                std::shared_ptr<const GranularityCube> cube,
                                                std::optional<std::int64_t> depth);
/// A cell in one line, for keyboard users: size, latency, change, working set, or the reason why it cannot be
/// used.
[[nodiscard]] QString granularityReadout(const GranularityModel& model, std::size_t position);
[[nodiscard]] QString granularityTooltip(const GranularityModel& model, std::size_t position);
[[nodiscard]] QString granularityAsText(const GranularityCube& cube);

} // namespace tilewright::ui
