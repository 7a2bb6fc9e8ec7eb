// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>

class QLabel;

namespace tilewright::ui {

/// A pointer over the window that is not the mouse, with a line that says what it does. The mouse goes
/// through both.
class Hand : public QWidget
{
    Q_OBJECT
public:
    explicit Hand(QWidget& window);
    void goTo(QPoint tip, int milliseconds); ///< in the window
    void say(const QString& caption);
    void setDown(bool down); ///< a button is held
    void leave();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void moveTip(QPoint tip);

    QLabel* m_caption;
    QVariantAnimation m_way;
    QPoint m_tip; ///< where it points, in the window
    bool m_down = false;
};

} // namespace tilewright::ui
