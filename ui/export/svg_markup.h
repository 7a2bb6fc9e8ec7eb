// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QList>
#include <QSize>
#include <QString>

namespace tilewright::ui {

/// The <svg> element of what QSvgGenerator wrote, for readers on other machines and beside other pictures in
/// one page: its size in pixels, fonts with their substitutes, every text as wide as it was measured here
/// (`textWidths`, in the order of the texts), ids behind `idPrefix`, and nothing said that is so anyway.
[[nodiscard]] QByteArray portableSvg(const QByteArray& generated, const QString& title, const QSize& size,
                                     const QList<double>& textWidths, const QString& idPrefix);

} // namespace tilewright::ui
