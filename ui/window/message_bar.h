// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QTimer>

class QLabel;
class QToolButton;

namespace tilewright::ui {

/// Non-modal message with an icon, a text, up to two buttons and a close button. It has a row of its own at
/// the bottom of the window, so that it never covers anything.
class MessageBar : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    /// `parent`: widget to whose layout the row is added.
    MessageBar(const ViewContext& context, QWidget* parent);

    void show(Kind kind, const QString& text, const QString& actionText = {},
              std::function<void()> action = {}, const QString& otherText = {},
              std::function<void()> other = {});
    /// Height of a message with one line. This height is always reserved, so that a message moves nothing.
    [[nodiscard]] int usualHeight() const;
    void dismiss();
    /// Dismisses the message after an edit, unless it is an error or has buttons.
    void dismissNotice();
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fitHeight();
    void fitText();
    void showIcon();
    void setExpanded(bool expanded);
    ViewContext m_context;
    Kind m_kind = Kind::Info;
    QLabel* m_icon;
    QLabel* m_text;
    QToolButton* m_more; ///< button that shows the whole text if it is too long for the row
    QString m_full;
    QToolButton* m_action;
    QToolButton* m_other;
    std::function<void()> m_run;
    std::function<void()> m_runOther;
    QTimer m_hideTimer;
};

} // namespace tilewright::ui
