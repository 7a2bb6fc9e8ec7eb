// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

namespace tilewright::ui {

/// A bar with two handles for a range of values on a linear or logarithmic scale; a tick marks the current
/// value. Arrow keys move the handle that was used last; Home chooses the lower handle, End the upper one.
class RangeBar : public QWidget
{
    Q_OBJECT
public:
    RangeBar(ThemeSource& themes, QWidget* parent);

    void setScale(double least, double most, double now, bool logarithmic, bool whole);
    void setRange(double from, double to);
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    /// Position of a handle, in widget coordinates.
    [[nodiscard]] QPointF handle(bool upper) const;
    [[nodiscard]] QSize sizeHint() const override;

Q_SIGNALS:
    void changed(double from, double to);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    [[nodiscard]] double share(double value) const;
    [[nodiscard]] double valueAt(double share) const;
    void move(double share);
    void step(int by);

    ThemeSource& m_themes;
    double m_minimum = 1, m_maximum = 2, m_now = 1, m_from = 1, m_to = 2;
    bool m_logarithmic = true;
    bool m_whole = true;
    bool m_upper = true; ///< the handle that keys and mouse move
    bool m_dragging = false;
};

} // namespace tilewright::ui
