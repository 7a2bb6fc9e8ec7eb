// SPDX-License-Identifier: GPL-3.0-or-later
#include "message_bar.h"

#include "theme/icon.h"

#include <QAccessible>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QToolButton>

namespace tilewright::ui {

MessageBar::MessageBar(const ViewContext& context, QWidget* parent) : QWidget(parent), m_context(context)
{
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(12, 6, 8, 6);
    m_icon = new QLabel(this);
    m_text = new QLabel(this);
    m_text->setWordWrap(true);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_action = new QToolButton(this);
    auto* close = new QToolButton(this);
    close->setText(QStringLiteral("✕"));
    close->setAutoRaise(true);
    close->setAccessibleName(tr("Dismiss"));
    row->addWidget(m_icon);
    row->addWidget(m_text, 1);
    row->addWidget(m_action);
    row->addWidget(close);
    connect(close, &QToolButton::clicked, this, &MessageBar::dismiss);
    connect(m_action, &QToolButton::clicked, this, [this] {
        const auto run = m_run;
        dismiss();
        if (run)
            run();
    });
    setAccessibleName(tr("Message"));
    hide();
}

void MessageBar::show(Kind kind, const QString& text, const QString& actionText, std::function<void()> action)
{
    m_kind = kind;
    m_run = std::move(action);
    m_icon->setPixmap(icon(kind == Kind::Info      ? QStringLiteral("help")
                           : kind == Kind::Warning ? QStringLiteral("problem")
                                                   : QStringLiteral("error"))
                          .pixmap(20, 20));
    m_text->setText(text.toHtmlEscaped());
    m_action->setText(actionText);
    m_action->setVisible(!actionText.isEmpty());
    setVisible(true);
    update();
    QAccessibleEvent event(this, QAccessible::Alert);
    QAccessible::updateAccessibility(&event);
}

void MessageBar::dismiss()
{
    m_run = nullptr;
    setVisible(false);
}

void MessageBar::dismissNotice()
{
    if (m_kind != Kind::Error && !m_run)
        dismiss();
}

QString MessageBar::text() const
{
    return isHidden() ? QString() : m_text->text();
}

void MessageBar::paintEvent(QPaintEvent*)
{
    const Theme& theme = m_context.themes.theme();
    const QColor edge = m_kind == Kind::Info      ? theme.accent
                        : m_kind == Kind::Warning ? theme.warning
                                                  : theme.error;
    QPainter painter(this);
    painter.fillRect(rect(), Theme::mix(theme.panel, edge, 0.12));
    painter.fillRect(QRect(0, 0, 4, height()), edge);
}

} // namespace tilewright::ui
