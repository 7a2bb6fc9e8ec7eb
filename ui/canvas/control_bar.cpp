// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/control_bar.h"

#include "canvas/form.h"
#include "theme/theme.h"
#include "workspace/actions.h"

#include <QAction>
#include <QComboBox>
#include <QEvent>
#include <QKeyEvent>
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
    auto* combo = new QComboBox(this);
    combo->addItems(choices);
    combo->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    addLabelled(label, combo, tip);
    return combo;
}

void ControlBar::addLabelled(const QString& label, QWidget* control, const QString& tip)
{
    auto* text = new QLabel(label, this);
    text->setBuddy(control);
    add(control, QString(label).remove(QLatin1Char('&')), tip);
    m_items.back().label = text;
}

QToolButton* ControlBar::addButton(QAction* action)
{
    auto* button = new QToolButton(this);
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setIconSize(QSize(toolIconSize(), toolIconSize()));
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
    FormGuard::protect(control);
    m_items.push_back({nullptr, control, stretch});
    updateGeometry();
}

void ControlBar::setShown(QWidget* control, bool shown)
{
    for (const Item& item : m_items)
        if (item.control == control && item.control->isHidden() == shown) {
            item.control->setVisible(shown);
            if (item.label)
                item.label->setVisible(shown);
            updateGeometry();
        }
}

int ControlBar::arrange(int width, bool apply) const
{
    int y = kRowGap;
    std::size_t first = 0;
    const int room = std::max(0, width - 2 * kMargin);
    const auto labelWidth = [](const Item& item) {
        return item.label ? item.label->sizeHint().width() + 4 : 0;
    };
    const auto sizeOf = [](const QWidget* control) {
        return control->sizeHint().boundedTo(control->maximumSize());
    };
    // If a label and its control do not fit side by side, the label is above the control.
    const auto stacked = [&](const Item& item) {
        return item.label && labelWidth(item) + sizeOf(item.control).width() > room;
    };
    const auto widthOf = [&](const Item& item) {
        const int control = sizeOf(item.control).width();
        return std::min(room,
                        stacked(item) ? std::max(control, labelWidth(item)) : control + labelWidth(item));
    };
    const auto heightOf = [&](const Item& item) {
        return sizeOf(item.control).height() + (stacked(item) ? item.label->sizeHint().height() : 0);
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
            if (used >= 0 && used + kGap + w > room)
                break;
            used += kGap + w;
            height = std::max(height, heightOf(item));
            stretches += item.stretch;
        }
        const int left = std::max(0, room - used);
        int x = kMargin;
        for (std::size_t i = first; i < last && apply; ++i) {
            const Item& item = m_items[i];
            if (item.control->isHidden())
                continue;
            int top = y + (height - heightOf(item)) / 2;
            if (item.label) {
                const QSize s = item.label->sizeHint();
                if (stacked(item)) {
                    item.label->setGeometry(x, top, s.width(), s.height());
                    top += s.height();
                } else {
                    item.label->setGeometry(x, y + (height - s.height()) / 2, s.width(), s.height());
                    x += s.width() + 4;
                }
            }
            const QSize s = sizeOf(item.control);
            const int w = std::min(room, s.width() + (item.stretch ? std::min(left / stretches, 420) : 0));
            item.control->setGeometry(x, top, w, s.height());
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

bool ControlBar::event(QEvent* event)
{
    if (event->type() == QEvent::FontChange)
        for (const Item& item : m_items)
            if (auto* button = qobject_cast<QToolButton*>(item.control))
                button->setIconSize(QSize(toolIconSize(), toolIconSize()));
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::FontChange) {
        arrange(width(), true);
        updateGeometry(); // the controls may need another row of the bar
    }
    return QWidget::event(event);
}

ControlBar& ToolCanvas::bar()
{
    if (!m_bar)
        m_bar = new ControlBar(this);
    return *m_bar;
}

QAction* ToolCanvas::addBarCommand(const QString& id, const QString& text, const QString& iconName,
                                   const QList<QKeySequence>& keys, const QString& tip,
                                   const std::function<void()>& run)
{
    QAction* action = addCommand({id, title(), text, iconName, keys, tip}, [run](bool) { run(); });
    QToolButton* button = bar().addButton(action);
    if (iconName.isEmpty())
        button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    return action;
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

SearchField::SearchField(ControlBar& bar, const QString& placeholder, const QString& name, const QString& tip,
                         Actions& actions)
    : QLineEdit(&bar), m_hits(new QLabel(this))
{
    setPlaceholderText(placeholder);
    setClearButtonEnabled(true);
    bar.add(this, name, tip, true);
    actions.explain(this, tip);
    m_hits->setAccessibleName(tr("Number of the shown match, and of all matches"));
    m_hits->setForegroundRole(QPalette::PlaceholderText);
    m_hits->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_hits->hide();
}

void SearchField::setHits(std::size_t current, std::optional<std::size_t> count)
{
    m_hits->setVisible(count.has_value());
    m_hits->setText(count ? QStringLiteral("%1/%2").arg(*count == 0 ? 0 : current + 1).arg(*count)
                          : QString());
    placeHits();
}

void SearchField::placeHits()
{
    constexpr int kSpace = 4; // pixels between the count of hits and the button that clears the field
    const QSize size = m_hits->isHidden() ? QSize(0, 0) : m_hits->sizeHint() + QSize(kSpace, 0);
    setTextMargins(0, 0, size.width(), 0);
    const int clear = height(); // width of the button at the right that clears the field
    m_hits->setGeometry(width() - clear - size.width(), (height() - size.height()) / 2, size.width(),
                        size.height());
}

void SearchField::resizeEvent(QResizeEvent* event)
{
    QLineEdit::resizeEvent(event);
    placeHits();
}

void SearchField::keyPressEvent(QKeyEvent* event)
{
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        Q_EMIT next(event->modifiers() & Qt::ShiftModifier ? -1 : 1);
    } else if (event->key() == Qt::Key_Escape) {
        clear();
        Q_EMIT left();
    } else {
        QLineEdit::keyPressEvent(event);
    }
}

} // namespace tilewright::ui
