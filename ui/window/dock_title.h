// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QDockWidget>
#include <QToolButton>

namespace tilewright::ui {

/// The title bar of a dock: its name, and buttons to maximise the dock, to detach it from the window and to
/// close it.
class DockTitle : public QWidget
{
    Q_OBJECT
public:
    explicit DockTitle(QDockWidget& dock);
    void setMaximised(bool maximised);

Q_SIGNALS:
    void maximiseClicked();

protected:
    void changeEvent(QEvent* event) override;

private:
    QToolButton* m_maximise;
};

} // namespace tilewright::ui
