// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/control_bar.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr int kMargin = 8;
constexpr int kGap = 8;
constexpr int kRowGap = 4;
} // namespace

ControlBar::ControlBar(QWidget* parent) : QWidget(parent)
{
    setAutoFillBackground(true);
}

QComboBox* ControlBar::addChoice(const QString& label, const QStringList& choices, const QString& tip)
{
    auto* text = new QLabel(label, this);
    auto* combo = new QComboBox(this);
    combo->addItems(choices);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    text->setBuddy(combo);
    add(combo, label, tip);
    m_items.back().label = text;
    return combo;
}

QToolButton* ControlBar::addButton(QAction* action)
{
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setIconSize({20, 20});
    QString plain = action->text();
    plain.remove(QLatin1Char('&'));
    add(button, plain, action->toolTip());
    return button;
}

void ControlBar::add(QWidget* control, const QString& name, const QString& tip, bool stretch)
{
    control->setParent(this);
    control->setAccessibleName(name);
    control->setAccessibleDescription(tip);
    control->setToolTip(tip);
    control->setFocusPolicy(Qt::StrongFocus);
    control->installEventFilter(this);
    m_items.push_back({nullptr, control, stretch});
    updateGeometry();
}

int ControlBar::arrange(int width, bool apply) const
{
    int y = kRowGap;
    std::size_t first = 0;
    const auto widthOf = [](const Item& item) {
        return item.control->sizeHint().width() + (item.label ? item.label->sizeHint().width() + 4 : 0);
    };
    while (first < m_items.size()) {
        int used = -kGap;
        int height = 0;
        int stretches = 0;
        std::size_t last = first;
        for (; last < m_items.size(); ++last) {
            const Item& item = m_items[last];
            if (item.control->isHidden())
                continue;
            const int w = widthOf(item);
            if (used >= 0 && used + kGap + w > width - 2 * kMargin)
                break;
            used += kGap + w;
            height = std::max(height, item.control->sizeHint().height());
            stretches += item.stretch;
        }
        const int room = std::max(0, width - 2 * kMargin - used);
        int x = kMargin;
        for (std::size_t i = first; i < last && apply; ++i) {
            const Item& item = m_items[i];
            if (item.control->isHidden())
                continue;
            if (item.label) {
                const QSize s = item.label->sizeHint();
                item.label->setGeometry(x, y + (height - s.height()) / 2, s.width(), s.height());
                x += s.width() + 4;
            }
            const QSize s = item.control->sizeHint();
            const int w = s.width() + (item.stretch ? std::min(room / stretches, 420) : 0);
            item.control->setGeometry(x, y + (height - s.height()) / 2, w, s.height());
            x += w + kGap;
        }
        if (last == first)
            break;
        first = last;
        y += height + kRowGap;
    }
    return y;
}

int ControlBar::heightForWidth(int width) const
{
    return arrange(width, false);
}

QSize ControlBar::sizeHint() const
{
    return {400, heightForWidth(400)};
}

void ControlBar::resizeEvent(QResizeEvent*)
{
    arrange(width(), true);
}

bool ControlBar::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::Wheel && !static_cast<QWidget*>(watched)->hasFocus()) {
        event->ignore();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

bool ControlBar::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange)
        arrange(width(), true);
    return QWidget::event(event);
}

ControlBar& ToolCanvas::bar()
{
    if (!m_bar)
        m_bar = new ControlBar(this);
    return *m_bar;
}

void ToolCanvas::paint(QPainter& painter, const QRectF& area, const Theme& theme, bool exporting)
{
    paintContent(painter, exporting ? area : contentArea(), theme, exporting);
}

QRectF ToolCanvas::contentArea() const
{
    const double top = m_bar ? m_bar->height() : 0;
    return {0, top, static_cast<double>(width()), std::max(0.0, height() - top)};
}

void ToolCanvas::placeBar()
{
    if (m_bar)
        m_bar->setGeometry(0, 0, width(), m_bar->heightForWidth(width()));
}

void ToolCanvas::resizeEvent(QResizeEvent* event)
{
    Canvas::resizeEvent(event);
    placeBar();
    contentResized();
}

bool ToolCanvas::event(QEvent* event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange ||
        event->type() == QEvent::Polish) {
        placeBar();
        contentResized();
    }
    return Canvas::event(event);
}

} // namespace tilewright::ui
