// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/systolic/wavefront_model.h"

#include <QImage>
#include <QRectF>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// Positions of the parts of the wavefront player.
struct WavefrontPlaces
{
    QRectF header, array, chart, facts;
    double cell = 1;            ///< side length of a shown PE in pixels
    QPointF origin;             ///< position of PE (0, 0) in pixels
    double gap = 0;             ///< pixels between the array and the operands outside, for the FIFOs
    std::int64_t leadWest = 0;  ///< number of operand columns that are shown west of the array
    std::int64_t leadNorth = 0; ///< number of operand rows that are shown north of the array

    [[nodiscard]] QRectF pe(std::int64_t r, std::int64_t c) const
    {
        return {origin.x() + static_cast<double>(c) * cell, origin.y() + static_cast<double>(r) * cell, cell,
                cell};
    }
};

[[nodiscard]] WavefrontPlaces wavefrontPlaces(const QRectF& area, const WavefrontModel& model);

struct WavefrontOverlay
{
    std::optional<PePosition> pinned; ///< pinned PE, numbered in the array and not among the shown PEs
    std::optional<PePosition> hovered;
    std::optional<PeFacts> facts;
};

void paintWavefront(QPainter& painter, const WavefrontModel& model, const WavefrontPlaces& places,
                    PeColour colour, const WavefrontOverlay& overlay, const Theme& theme);

} // namespace tilewright::ui
