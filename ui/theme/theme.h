// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>
#include <cstddef>

class QPainter;
class QRectF;

namespace tilewright::ui {

/// Every colour of the product; views read roles, and no other file contains a hex literal
/// (docs/design.md 4.8).
struct Theme
{
    bool dark = false;

    QColor canvas, panel, raised, text, muted, accent, error, warning, ok;
    QColor grid;                           ///< hairlines on the canvas
    QColor outline;                        ///< strokes of shapes, at least 3:1 on the canvas
    QColor selection;                      ///< fill behind selected things
    QColor ink = QColor(0x11, 0x11, 0x11); ///< text on categorical fills, same in both themes

    QColor memoryBound, computeBound, balanced;
    /// What occupies fast memory, and what a bar of time is made of.
    QColor resident, input, output, accumulator, retained;
    QColor computeTime, loadTime, storeTime;

    std::array<QColor, 8> categorical;
    std::array<QColor, 9> sequential; ///< low to high
    std::array<QColor, 9> diverging;  ///< better (blue) to worse (orange)

    [[nodiscard]] static const Theme& light();
    [[nodiscard]] static const Theme& darkTheme();

    [[nodiscard]] const QColor& category(std::size_t i) const { return categorical[i % categorical.size()]; }
    /// Border of a categorical fill on this theme's canvas.
    [[nodiscard]] QColor categoryBorder(std::size_t i) const;
    /// x in 0..1 along the sequential ramp, interpolated.
    [[nodiscard]] QColor ramp(double x) const;
    /// x in -1 (better) .. 1 (worse).
    [[nodiscard]] QColor difference(double x) const;
    /// Near-black or near-white, whichever reads better on `background`.
    [[nodiscard]] QColor inkOn(const QColor& background) const;
    /// `top` at `alpha` over `bottom`, opaque.
    [[nodiscard]] static QColor mix(const QColor& bottom, const QColor& top, double alpha);

    [[nodiscard]] QPalette palette() const;
};

/// WCAG contrast ratio of two opaque colours (1..21).
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

/// Fonts relative to the application font (docs/design.md 4.9); never under 8 pt.
[[nodiscard]] QFont uiFont(double scale = 1.0, int weight = QFont::Normal);
[[nodiscard]] QFont numberFont(double scale = 1.0);

/// 45 degree hatch in mid grey: "does not fit".
void fillHatch(QPainter& painter, const QRectF& rect, const Theme& theme);

} // namespace tilewright::ui
