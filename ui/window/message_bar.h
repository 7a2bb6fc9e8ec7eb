// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QTimer>

class QLabel;
class QToolButton;

namespace tilewright::ui {

/// Non-modal message with an icon, a text, up to two buttons and a close button: a row of its own at the foot
/// of the window, so that it never covers anything.
class MessageBar : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    /// `parent`: its layout takes the row.
    MessageBar(const ViewContext& context, QWidget* parent);

    void show(Kind kind, const QString& text, const QString& actionText = {},
              std::function<void()> action = {}, const QString& otherText = {},
              std::function<void()> other = {});
    /// Height of a message of one line. The row is kept free, so that a message moves nothing.
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
    QToolButton* m_more; ///< shows all of a text that is too long for the row
    QString m_full;
    QToolButton* m_action;
    QToolButton* m_other;
    std::function<void()> m_run;
    std::function<void()> m_runOther;
    QTimer m_hideTimer;
};

} // namespace tilewright::ui
