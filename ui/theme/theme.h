// SPDX-License-Identifier: GPL-3.0-or-later
// Colours by role, and the widget style that uses them.
#pragma once

#include <QColor>
#include <QFont>
#include <QPalette>

#include <array>
#include <cstddef>

class QPainter;
class QRectF;
class QStyle;

namespace tilewright::ui {

/// All colours of the program by role. No other file contains hexadecimal colours (docs/design.md 4.8).
struct Theme
{
    bool dark = false;

    QColor canvas, panel, raised, text, muted, accent, error, warning, ok;
    QColor grid;                           ///< hairlines on the canvas
    QColor outline;                        ///< outlines of shapes; contrast at least 3:1 on the canvas
    QColor selection;                      ///< background of selected items
    QColor ink = QColor(0x11, 0x11, 0x11); ///< text on categorical colours, the same in both themes

    QColor memoryBound, computeBound, balanced;
    /// Colours for kinds of data in fast memory and for the parts of a time bar.
    QColor resident, input, output, accumulator, retained, interior;
    QColor computeTime, loadTime, storeTime;

    std::array<QColor, 8> categorical;
    std::array<QColor, 9> sequential; ///< colour ramp from low to high values
    std::array<QColor, 9> diverging;  ///< colour ramp from better (blue) to worse (orange)

    [[nodiscard]] static const Theme& light();
    [[nodiscard]] static const Theme& darkTheme();

    [[nodiscard]] const QColor& category(std::size_t i) const { return categorical[i % categorical.size()]; }
    /// Border colour for a categorical fill on the canvas.
    [[nodiscard]] QColor categoryBorder(std::size_t i) const;
    /// Colour of the sequential ramp at x in 0..1, interpolated.
    [[nodiscard]] QColor ramp(double x) const;
    /// Colour of a difference: x from -1 (better) to 1 (worse).
    [[nodiscard]] QColor difference(double x) const;
    /// Text colour, near-black or near-white, with the better contrast on `background`.
    [[nodiscard]] QColor inkOn(const QColor& background) const;
    /// Opaque mix of two colours: `top` with opacity `alpha` over `bottom`.
    [[nodiscard]] static QColor mix(const QColor& bottom, const QColor& top, double alpha);

    [[nodiscard]] QPalette palette() const;
};

/// WCAG contrast ratio of two opaque colours (1..21).
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

/// Fonts relative to the application font (docs/design.md 4.9); never under 8 pt.
[[nodiscard]] QFont uiFont(double scale = 1.0, int weight = QFont::Normal);
[[nodiscard]] QFont numberFont(double scale = 1.0);

/// Colour of the hatch of a halo (R1.8) on the colours of buffers.
[[nodiscard]] QColor haloColour(const Theme& theme);
/// Fills a rectangle with a grey 45 degree hatch, which marks what does not fit.
void fillHatch(QPainter& painter, const QRectF& rect, const Theme& theme);

/// Fusion style with visible check boxes on dark panels (Fusion draws their frames darker than the window).
/// `reduceMotion`: disables the animations of the style.
[[nodiscard]] QStyle* makeStyle(bool reduceMotion = false);

/// Returns the size of toolbar icons in pixels for the current font: 20 for usual fonts.
[[nodiscard]] int toolIconSize();

} // namespace tilewright::ui
