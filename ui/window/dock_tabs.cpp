// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/dock_tabs.h"

#include <QMouseEvent>
#include <QTabBar>

namespace tilewright::ui {

void DockTabs::adopt(QTabBar& tabs)
{
    tabs.setElideMode(Qt::ElideNone); // show titles in full; the bar scrolls instead
    tabs.setUsesScrollButtons(true);
    tabs.setAccessibleName(tr("Panes"));
    tabs.installEventFilter(this);
}

bool DockTabs::eventFilter(QObject* watched, QEvent* event)
{
    const auto* tabs = qobject_cast<const QTabBar*>(watched);
    if (event->type() == QEvent::MouseButtonPress)
        m_tabCountAtPress = tabs->count();
    const bool drags =
        event->type() == QEvent::MouseMove && static_cast<QMouseEvent*>(event)->buttons() != Qt::NoButton;
    // QTabBar drags the tab at the pressed index even if a dock has left the stack since: ignore such drags.
    if (drags && (tabs->count() != m_tabCountAtPress || !tabs->isVisible()))
        return true;
    return QObject::eventFilter(watched, event);
}

} // namespace tilewright::ui
