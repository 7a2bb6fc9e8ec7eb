// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/scroll_pane.h"

#include <QCoreApplication>
#include <QEvent>
#include <QScopedValueRollback>

namespace tilewright::ui {

bool ScrollPane::event(QEvent* event)
{
    if (event->type() == QEvent::Resize)
        setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    return QScrollArea::event(event);
}

bool ScrollPane::eventFilter(QObject* watched, QEvent* event)
{
    if (watched != widget() || event->type() != QEvent::Resize)
        return QScrollArea::eventFilter(watched, event);
    constexpr int kBackAndForth = 4;
    const QScopedValueRollback resizing(m_resizing, m_resizing + 1);
    if (m_resizing == kBackAndForth) {
        setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
        // Request one more layout after the nested resizes, each of which has set the range of the bar.
        QCoreApplication::postEvent(this, new QEvent(QEvent::LayoutRequest));
    }
    return m_resizing < kBackAndForth && QScrollArea::eventFilter(watched, event);
}

} // namespace tilewright::ui
