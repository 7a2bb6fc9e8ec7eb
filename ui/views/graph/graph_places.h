// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "views/graph/graph_shapes.h"

#include <QHash>
#include <QRectF>
#include <QSizeF>

#include <initializer_list>
#include <optional>
#include <vector>

namespace tilewright::ui {

/// Finds places on lines for what must cover neither nodes nor tabs nor one another.
class PlacesOnLines
{
public:
    void take(const QRectF& rect);
    /// Tries the given parts of the last curve of the route, which the line shares with no other, and takes
    /// the first that is free.
    [[nodiscard]] std::optional<QRectF> place(const LayoutRoute& route, const QSizeF& size,
                                              std::initializer_list<double> at);
    /// Around such a part, free or not.
    [[nodiscard]] static QRectF around(const LayoutRoute& route, const QSizeF& size, double at);

private:
    [[nodiscard]] bool isFree(const QRectF& rect) const;

    QHash<quint64, std::vector<QRectF>> m_cells;
};

} // namespace tilewright::ui
