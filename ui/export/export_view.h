// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "base/result.h"
#include "canvas/view.h"

#include <QImage>

#include <functional>

namespace tilewright::ui {

struct ExportOptions
{
    QSize size;       ///< logical pixels; empty = the view's own export size
    double scale = 1; ///< PNG: device pixels per logical pixel
    const Theme* theme = &Theme::light();
};

[[nodiscard]] QImage renderToImage(View& view, const ExportOptions& options);

/// Writes PNG, SVG or PDF, told by the file's ending.
[[nodiscard]] Status exportView(View& view, const QString& path, const ExportOptions& options);

/// The same for anything that paints into (0, 0, size); options.size is not looked at.
[[nodiscard]] Status exportPicture(const QString& path, const QString& title, const QSize& size,
                                   const ExportOptions& options, const std::function<void(QPainter&)>& paint);

} // namespace tilewright::ui
