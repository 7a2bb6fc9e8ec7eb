// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/memory/timeline.h"

#include <QString>

namespace tilewright::ui {

/// One tensor in the timeline: its use of fast memory in every step.
struct TensorTrack
{
    struct Part
    {
        std::vector<MemoryUse> byShape; ///< index = shape of the step; empty: never in memory
        std::int64_t high = 0;          ///< maximum over its steps
        double time = 0;                ///< time during which it is in memory
    };
    TensorId tensor;
    std::vector<Part> parts; ///< index = part of the timeline
    std::int64_t high = 0;
    double time = 0;

    [[nodiscard]] bool isIn(std::size_t part) const { return !parts[part].byShape.empty(); }
    [[nodiscard]] MemoryUse use(const Timeline& timeline, std::size_t part, std::int64_t step) const;
};

[[nodiscard]] std::shared_ptr<const TensorTrack> trackTensor(const Timeline& timeline, TensorId tensor);

/// "1–3, 7": the subgraphs in which it is in fast memory.
[[nodiscard]] QString subgraphsText(const TensorTrack& track);

} // namespace tilewright::ui
