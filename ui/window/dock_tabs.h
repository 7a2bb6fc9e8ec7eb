// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>

class QTabBar;

namespace tilewright::ui {

/// Sets up the tab bars of stacked docks and works around a bug of QTabBar (see eventFilter()).
class DockTabs : public QObject
{
public:
    using QObject::QObject;
    /// Sets up a tab bar. To be called for every new one: Qt creates and deletes them with the stacks.
    void adopt(QTabBar& tabs);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    int m_tabCountAtPress = 0; ///< number of tabs when the mouse button was pressed
};

} // namespace tilewright::ui
