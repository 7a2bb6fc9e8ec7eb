// SPDX-License-Identifier: GPL-3.0-or-later
// A picture for interactive reports: a paint function and the parts with tooltips.
#pragma once

#include "base/ids.h"

#include <QPolygonF>
#include <QRectF>
#include <QSize>
#include <QStringList>

#include <cstdint>
#include <functional>
#include <vector>

class QPainter;

namespace tilewright::ui {

struct Theme;

/// A part of a picture with a tooltip.
struct PicturePart
{
    QRectF rect; ///< bounds in pixels of the picture
    QStringList keys =
        {}; ///< keys of the items there, most specific first; link parts of all pictures in a page
    QString tooltip = {};   ///< rich text, as in the window
    QPolygonF outline = {}; ///< outline inside `rect`, if the part is not a rectangle
};

/// One frame of a playback: a position and its description.
struct PictureFrame
{
    QRectF rect;
    QStringList lines; ///< description; cells are separated by tabs
};

struct LivePicture
{
    QString title;
    QString
        key; ///< key of the item that this picture and its frames belong to, if a view has several pictures
    QSize size;
    std::function<void(QPainter&, const Theme&)> paint;
    std::vector<PicturePart> parts;
    std::vector<PictureFrame> frames = {};
    std::int64_t frameCount = 0; ///< number of all frames, including omitted ones
};

[[nodiscard]] inline QString keyOf(OpId op)
{
    return QStringLiteral("o%1").arg(op.value);
}
[[nodiscard]] inline QString keyOf(TensorId tensor)
{
    return QStringLiteral("t%1").arg(tensor.value);
}
[[nodiscard]] inline QString keyOf(SubgraphId subgraph)
{
    return QStringLiteral("s%1").arg(subgraph.value);
}
[[nodiscard]] inline QString keyOf(SubgraphId subgraph, std::int64_t step)
{
    return QStringLiteral("s%1.%2").arg(subgraph.value).arg(step);
}

} // namespace tilewright::ui
