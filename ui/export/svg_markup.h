// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QSize>
#include <QString>

namespace tilewright::ui {

/// Rewrites the output of QSvgGenerator into an <svg> element that looks the same on other machines and can
/// be used several times in one page: size in pixels, fallback fonts, fixed text widths (`textWidths`, in the
/// order of the texts), ids with `idPrefix`, no attributes with default values.
[[nodiscard]] QByteArray portableSvg(const QByteArray& generated, const QString& title, const QSize& size,
                                     const QList<double>& textWidths, const QString& idPrefix);

} // namespace tilewright::ui
