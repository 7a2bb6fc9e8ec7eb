// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QSize>
#include <QString>

#include <functional>

class QPainter;

namespace tilewright::ui {

inline constexpr int kLogicalDpi = 96; ///< of all exported pictures

/// What `paint` draws, as SVG. QSvgGenerator knows no clipping and draws whole images where a part is asked
/// for; here everything is cut before it reaches the generator, and enlarged images keep their hard edges.
[[nodiscard]] QByteArray svgOf(const QString& title, const QSize& size, int dpi,
                               const std::function<void(QPainter&)>& paint);

/// The same as an element for a page: ids begin with `idPrefix`, so that several do not meet.
[[nodiscard]] QByteArray svgElement(const QString& title, const QSize& size, int dpi, const QString& idPrefix,
                                    const std::function<void(QPainter&)>& paint);

} // namespace tilewright::ui
