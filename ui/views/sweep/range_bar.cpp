// SPDX-License-Identifier: GPL-3.0-or-later
#include "views/sweep/range_bar.h"

#include "theme/theme.h"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>

#include <algorithm>
#include <cmath>

namespace tilewright::ui {

namespace {
constexpr int kWidth = 150;
constexpr double kRadius = 6;
constexpr double kSteps =
    64; ///< steps of a linear scale; a logarithmic scale has steps of a factor of the square root of 2
} // namespace

RangeBar::RangeBar(ThemeSource& themes, QWidget* parent) : QWidget(parent), m_themes(themes)
{
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    connect(&themes, &ThemeSource::changed, this, qOverload<>(&QWidget::update));
}

QSize RangeBar::sizeHint() const
{
    return {kWidth, std::max(22, fontMetrics().height() + 6)};
}

void RangeBar::setScale(double least, double most, double now, bool logarithmic, bool whole)
{
    m_logarithmic = logarithmic && least > 0;
    m_minimum = least;
    m_maximum = std::max(most, least + 1e-9);
    m_now = now;
    m_whole = whole;
    update();
}

void RangeBar::setRange(double from, double to)
{
    m_from = from;
    m_to = to;
    update();
}

double RangeBar::share(double value) const
{
    const double s = m_logarithmic
                         ? std::log(std::max(value, 1e-300) / m_minimum) / std::log(m_maximum / m_minimum)
                         : (value - m_minimum) / (m_maximum - m_minimum);
    return std::clamp(s, 0.0, 1.0);
}

double RangeBar::valueAt(double share) const
{
    share = std::clamp(share, 0.0, 1.0);
    double value = 0;
    if (m_logarithmic) {
        // Half powers of two of the current value: round numbers if that is round.
        const double base = m_now > 0 ? m_now : 1;
        const double exact = m_minimum * std::pow(m_maximum / m_minimum, share);
        value = base * std::exp2(std::round(2 * std::log2(exact / base)) / 2);
    } else {
        value = m_minimum + std::round(share * kSteps) / kSteps * (m_maximum - m_minimum);
    }
    if (m_whole)
        value = std::max(1.0, std::round(value));
    return std::clamp(value, m_minimum, m_maximum);
}

QPointF RangeBar::handle(bool upper) const
{
    return {kRadius + 1 + share(upper ? m_to : m_from) * (width() - 2 * kRadius - 2), height() / 2.0};
}

void RangeBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_themes.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const double y = height() / 2.0;
    painter.setPen(QPen(theme.outline, 3, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(QPointF(kRadius + 1, y), QPointF(width() - kRadius - 1, y));
    painter.setPen(QPen(theme.accent, 4, Qt::SolidLine, Qt::RoundCap));
    painter.drawLine(handle(false), handle(true));
    const double now = kRadius + 1 + share(m_now) * (width() - 2 * kRadius - 2);
    painter.setPen(QPen(theme.text, 1.5));
    painter.drawLine(QPointF(now, y - 8), QPointF(now, y + 8));
    for (const bool upper : {false, true}) {
        painter.setPen(QPen(hasFocus() && upper == m_upper ? theme.text : theme.accent, 2));
        painter.setBrush(theme.raised);
        painter.drawEllipse(handle(upper), kRadius - 1, kRadius - 1);
    }
}

void RangeBar::move(double to)
{
    const double value = valueAt(to);
    const double from = m_upper ? m_from : std::min(value, m_to);
    const double upto = m_upper ? std::max(value, m_from) : m_to;
    if (from == m_from && upto == m_to)
        return;
    setRange(from, upto);
    Q_EMIT changed(m_from, m_to);
}

void RangeBar::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton)
        return;
    const double x = event->position().x();
    const double lower = std::abs(x - handle(false).x());
    const double upper = std::abs(x - handle(true).x());
    m_upper = upper < lower || (upper == lower && x > handle(true).x());
    m_dragging = true;
    update();
}

void RangeBar::mouseMoveEvent(QMouseEvent* event)
{
    if (m_dragging)
        move((event->position().x() - kRadius - 1) / std::max(1.0, width() - 2 * kRadius - 2));
}

void RangeBar::mouseReleaseEvent(QMouseEvent* event)
{
    if (event->button() == Qt::LeftButton && std::exchange(m_dragging, false))
        move((event->position().x() - kRadius - 1) / std::max(1.0, width() - 2 * kRadius - 2));
}

void RangeBar::step(int by)
{
    const double now = m_upper ? m_to : m_from;
    const double next =
        m_logarithmic ? now * std::exp2(by / 2.0) : now + by * (m_maximum - m_minimum) / kSteps;
    move(share(std::clamp(next, m_minimum, m_maximum)));
}

void RangeBar::keyPressEvent(QKeyEvent* event)
{
    switch (event->key()) {
    case Qt::Key_Left:
    case Qt::Key_Down:
        return step(-1);
    case Qt::Key_Right:
    case Qt::Key_Up:
        return step(1);
    case Qt::Key_Home:
    case Qt::Key_End:
        m_upper = event->key() == Qt::Key_End;
        return update();
    default:
        QWidget::keyPressEvent(event);
    }
}

} // namespace tilewright::ui
