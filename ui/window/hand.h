// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QVariantAnimation>
#include <QWidget>

class QLabel;

namespace tilewright::ui {

/// The pointer that the demo moves over the window, with a caption. Mouse events pass through both.
class Hand : public QWidget
{
    Q_OBJECT
public:
    explicit Hand(QWidget& window);
    void goTo(QPoint tip, int milliseconds); ///< moves the tip to this point of the window
    void say(const QString& caption);
    void setDown(bool down); ///< shows whether a mouse button is held down
    void leave();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    void moveTip(QPoint tip);

    QLabel* m_caption;
    QVariantAnimation m_move;
    QPoint m_tip; ///< position of the tip in the window
    bool m_down = false;
};

} // namespace tilewright::ui
