// SPDX-License-Identifier: GPL-3.0-or-later
// A picture that can be explored outside the program: what is painted, and beside it what its places are.
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

/// A place in a picture that can be pointed at.
struct PicturePart
{
    QRectF rect;            ///< pixels of the picture
    QStringList keys = {};  ///< what stands there, the most special first; the same in all pictures of a page
    QString tooltip = {};   ///< rich text, as on the screen
    QPolygonF outline = {}; ///< inside `rect`, where it is no rectangle
};

/// A state that a player shows: a place and what happens there.
struct PictureFrame
{
    QRectF rect;
    QStringList lines; ///< cells are parted by tabs
};

struct LivePicture
{
    QString title;
    QString key; ///< of several pictures: shown when this is selected, and what its frames are steps of
    QSize size;
    std::function<void(QPainter&, const Theme&)> paint;
    std::vector<PicturePart> parts;
    std::vector<PictureFrame> frames = {};
    std::int64_t frameCount = 0; ///< with those that are left out
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
