// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

namespace tilewright::ui {

/// A range of values as a bar with two handles, over a linear or logarithmic scale, with what is in force as
/// a tick. Arrow keys move the handle that was used last, Tab inside the bar is not needed: Home and End
/// choose the lower and the upper one.
class RangeBar : public QWidget
{
    Q_OBJECT
public:
    RangeBar(ThemeSource& themes, QWidget* parent);

    void setScale(double least, double most, double now, bool logarithmic, bool whole);
    void setRange(double from, double to);
    [[nodiscard]] double from() const { return m_from; }
    [[nodiscard]] double to() const { return m_to; }
    /// Where a handle is, in its own pixels.
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
    double m_least = 1, m_most = 2, m_now = 1, m_from = 1, m_to = 2;
    bool m_logarithmic = true;
    bool m_whole = true;
    bool m_upper = true; ///< the handle that is moved
    bool m_dragging = false;
};

} // namespace tilewright::ui
