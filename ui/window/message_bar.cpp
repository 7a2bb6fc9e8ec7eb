// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/message_bar.h"

#include "theme/icon.h"
#include "theme/text.h"
#include "theme/theme.h"

#include <QAccessible>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

#include <algorithm>

namespace tilewright::ui {

namespace {
constexpr int kShownMs = 6000; ///< time in milliseconds after which a message without buttons disappears
} // namespace

MessageBar::MessageBar(const ViewContext& context, QWidget* parent)
    : QWidget(parent), m_context(context), m_hideTimer(this)
{
    parent->layout()->addWidget(this);
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 2, 8, 2);
    m_icon = new QLabel(this);
    m_text = new QLabel(this);
    m_text->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_text->setTextFormat(Qt::PlainText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_more = new QToolButton(this);
    m_more->setText(tr("Show all"));
    m_more->setToolTip(tr("Show the whole message."));
    connect(m_more, &QToolButton::clicked, this, [this] { setExpanded(true); });
    m_action = new QToolButton(this);
    m_other = new QToolButton(this);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    for (QToolButton* button : {m_more, m_action, m_other, close})
        row->addWidget(button);
    connect(close, &QToolButton::clicked, this, &MessageBar::dismiss);
    for (const auto& [button, what] : {std::pair{m_action, &m_run}, {m_other, &m_runOther}})
        connect(button, &QToolButton::clicked, this, [this, what = what] {
            const auto run = *what;
            dismiss();
            if (run)
                run();
        });
    m_hideTimer.setSingleShot(true);
    connect(&m_hideTimer, &QTimer::timeout, this,
            [this] { underMouse() ? m_hideTimer.start(kShownMs) : dismiss(); });
    m_action->hide();
    m_other->hide();
    hide();
}

void MessageBar::fitHeight()
{
    if (const int height = layout()->totalHeightForWidth(width()); height > 0 && height != minimumHeight())
        setFixedHeight(height);
}

int MessageBar::usualHeight() const
{
    const QMargins margins = layout()->contentsMargins();
    return std::max({m_text->fontMetrics().height(), m_action->sizeHint().height(), toolIconSize()}) +
           margins.top() + margins.bottom();
}

void MessageBar::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitText();
}

void MessageBar::fitText()
{
    if (!m_text->wordWrap()) {
        // The text is measured with the button hidden: the button is shown only if the text is too long.
        m_more->setVisible(false);
        layout()->activate();
        const bool fits = m_text->fontMetrics().horizontalAdvance(m_full) <= m_text->width();
        m_more->setVisible(!fits);
        layout()->activate();
        m_text->setText(m_text->fontMetrics().elidedText(m_full, Qt::ElideRight, m_text->width()));
    }
    fitHeight();
}

void MessageBar::showIcon()
{
    m_icon->setPixmap(icon(m_kind == Kind::Info      ? QStringLiteral("ok")
                           : m_kind == Kind::Warning ? QStringLiteral("problem")
                                                     : QStringLiteral("error"))
                          .pixmap(toolIconSize(), toolIconSize()));
}

void MessageBar::setExpanded(bool expanded)
{
    m_text->setWordWrap(expanded);
    m_text->setText(m_full);
    m_more->setVisible(false);
    fitText();
}

void MessageBar::changeEvent(QEvent* event)
{
    if (event->type() == QEvent::PaletteChange && !isHidden())
        showIcon();
    if (event->type() == QEvent::FontChange && !isHidden())
        fitText();
    QWidget::changeEvent(event);
}

void MessageBar::show(Kind kind, const QString& text, const QString& actionText, std::function<void()> action,
                      const QString& otherText, std::function<void()> other)
{
    m_kind = kind;
    m_run = std::move(action);
    m_runOther = std::move(other);
    showIcon();
    m_full = sentence(text);
    m_text->setToolTip(plain(m_full));
    m_action->setText(actionText);
    m_action->setVisible(!actionText.isEmpty());
    m_other->setText(otherText);
    m_other->setVisible(!otherText.isEmpty());
    // Screen readers announce the text itself, with its severity.
    setAccessibleName(kind == Kind::Info      ? text
                      : kind == Kind::Warning ? tr("Warning: %1").arg(text)
                                              : tr("Error: %1").arg(text));
    setVisible(true);
    setExpanded(false);
    update();
    // A message without buttons disappears after a while, unless it is an error.
    kind != Kind::Error && !m_run && !m_runOther
        // Warnings are shown twice as long as information.
        ? m_hideTimer.start(kind == Kind::Info ? kShownMs : 2 * kShownMs)
        : m_hideTimer.stop();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::dismiss()
{
    m_run = nullptr;
    m_runOther = nullptr;
    setVisible(false);
}

void MessageBar::dismissNotice()
{
    if (m_kind != Kind::Error && !m_run && !m_runOther)
        dismiss();
}

QString MessageBar::text() const
{
    return isHidden() ? QString() : m_full;
}

void MessageBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_context.themes.theme();
    const QColor edge = m_kind == Kind::Info      ? theme.accent
                        : m_kind == Kind::Warning ? theme.warning
                                                  : theme.error;
    QPainter painter(this);
    painter.setPen(edge);
    painter.setBrush(Theme::mix(theme.panel, edge, 0.12));
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
    painter.fillRect(QRect(0, 0, 4, height()), edge);
}

} // namespace tilewright::ui
