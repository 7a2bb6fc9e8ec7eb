// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPointF>
#include <QRectF>
#include <QTransform>

#include <algorithm>

namespace tilewright::ui {

/// Transformation between scene and screen of a 2-D view: screen = scene * scale + offset.
struct Viewport
{
    double scale = 1;
    QPointF offset;

    [[nodiscard]] QPointF toScreen(QPointF p) const { return p * scale + offset; }
    [[nodiscard]] QRectF toScreen(const QRectF& r) const { return {toScreen(r.topLeft()), r.size() * scale}; }
    [[nodiscard]] QPointF toScene(QPointF p) const { return (p - offset) / scale; }
    [[nodiscard]] QRectF toScene(const QRectF& r) const { return {toScene(r.topLeft()), r.size() / scale}; }
    [[nodiscard]] QTransform transform() const { return {scale, 0, 0, scale, offset.x(), offset.y()}; }

    /// Zoomed viewport; the scene point at `anchor` (screen) keeps its position.
    [[nodiscard]] Viewport zoomed(double factor, QPointF anchor, double minScale, double maxScale) const
    {
        const double next = std::clamp(scale * factor, minScale, maxScale);
        return {next, anchor - toScene(anchor) * next};
    }
    [[nodiscard]] Viewport panned(QPointF by) const { return {scale, offset + by}; }

    /// Viewport that shows all of `scene` in `screen` with a margin, at most at maxScale.
    [[nodiscard]] static Viewport fit(const QRectF& scene, const QRectF& screen, double margin,
                                      double maxScale)
    {
        if (scene.isEmpty() || screen.width() <= 2 * margin || screen.height() <= 2 * margin)
            return {1, screen.center() - scene.center()};
        const double s = std::min({(screen.width() - 2 * margin) / scene.width(),
                                   (screen.height() - 2 * margin) / scene.height(), maxScale});
        return {s, screen.center() - scene.center() * s};
    }
    /// Viewport that shows `part` of the scene in `screen`; inverse of toScene(screen), for any size of the
    /// screen.
    [[nodiscard]] static Viewport showing(const QRectF& part, const QRectF& screen)
    {
        if (part.isEmpty() || screen.isEmpty())
            return {1, screen.center() - part.center()};
        const double s = std::min(screen.width() / part.width(), screen.height() / part.height());
        return {s, screen.center() - part.center() * s};
    }
    bool operator==(const Viewport&) const = default;
};

} // namespace tilewright::ui
