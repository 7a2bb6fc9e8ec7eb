// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/dock_title.h"

#include "theme/icon.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

namespace tilewright::ui {

DockTitle::DockTitle(QDockWidget& dock) : QWidget(&dock), m_maximise(new QToolButton(this))
{
    // The dock handles mouse events outside of the buttons: drags and double clicks.
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(6, 1, 2, 1);
    row->setSpacing(0);
    auto* name = new QLabel(dock.windowTitle(), this);
    name->setTextFormat(Qt::PlainText);
    row->addWidget(name, 1);
    auto* detach = new QToolButton(this);
    auto* close = new QToolButton(this);
    detach->setIcon(icon(QStringLiteral("detach")));
    close->setIcon(icon(QStringLiteral("close")));
    m_maximise->setIcon(icon(QStringLiteral("maximise")));
    m_maximise->setCheckable(true);
    m_maximise->setObjectName(QStringLiteral("maximise"));
    const int size = fontMetrics().height();
    for (const auto& [button, tip] : {std::pair{m_maximise, tr("Show only %1, or all views again")},
                                      {detach, tr("Detach %1 from the window, or put it back")},
                                      {close, tr("Close %1 (View > Panes shows it again)")}}) {
        button->setAutoRaise(true);
        button->setFocusPolicy(Qt::NoFocus);
        button->setIconSize({size, size});
        button->setToolTip(tip.arg(dock.windowTitle()));
        button->setAccessibleName(button->toolTip());
        row->addWidget(button);
    }
    connect(m_maximise, &QToolButton::clicked, this, &DockTitle::maximiseClicked);
    connect(detach, &QToolButton::clicked, &dock, [&dock] { dock.setFloating(!dock.isFloating()); });
    connect(close, &QToolButton::clicked, &dock, &QDockWidget::close);
}

void DockTitle::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange)
        for (auto* button : findChildren<QToolButton*>())
            button->setIconSize({fontMetrics().height(), fontMetrics().height()});
}

void DockTitle::setMaximised(bool maximised)
{
    m_maximise->setChecked(maximised);
}

} // namespace tilewright::ui
