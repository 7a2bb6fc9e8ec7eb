// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "canvas/view.h"

#include <QImage>

#include <functional>

namespace tilewright::ui {

struct ExportOptions
{
    QSize size;       ///< logical pixels; empty = View::exportSize()
    double scale = 1; ///< PNG: device pixels per logical pixel
    const Theme* theme = &Theme::light();
};

[[nodiscard]] QImage renderToImage(View& view, const ExportOptions& options);

/// Writes a view as PNG, SVG or PDF, depending on the ending of the file.
[[nodiscard]] Status exportView(View& view, const QString& path, const ExportOptions& options);

/// Writes what `paint` draws into (0, 0, size) as PNG, SVG or PDF. Ignores options.size.
[[nodiscard]] Status exportPicture(const QString& path, const QString& title, const QSize& size,
                                   const ExportOptions& options, const std::function<void(QPainter&)>& paint);

} // namespace tilewright::ui
