// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QTabBar;

namespace tilewright::ui {

/// How the tab bars of stacked panes behave.
class DockTabs : public QObject
{
public:
    using QObject::QObject;
    /// Tab bars come and go with the stacks: each is adopted when it appears.
    void adopt(QTabBar& tabs);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_pressedAmong = 0; ///< tabs there were when the button went down
};

} // namespace tilewright::ui
