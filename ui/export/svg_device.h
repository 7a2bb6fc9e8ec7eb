// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace tilewright::ui {

inline constexpr int kLogicalDpi = 96; ///< logical resolution of all exported pictures in dots per inch

/// Draws `paint` into an SVG document. QSvgGenerator supports neither clipping nor drawing a part of an
/// image, so everything is clipped before it reaches the generator. Enlarged images keep hard edges.
[[nodiscard]] QByteArray svgOf(const QString& title, const QSize& size, int dpi,
                               const std::function<void(QPainter&)>& paint);

/// Draws `paint` into an <svg> element for an HTML page. `idPrefix`: prefix of all ids, unique in the page.
[[nodiscard]] QByteArray svgElement(const QString& title, const QSize& size, int dpi, const QString& idPrefix,
                                    const std::function<void(QPainter&)>& paint);

} // namespace tilewright::ui
