// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QTimer>

class QBoxLayout;
class QLabel;
class QToolButton;

namespace tilewright::ui {

/// Non-modal message with an icon, a text, up to two buttons and a close button. It floats over its parent,
/// so that nothing moves when it appears or disappears.
class MessageBar : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    /// `edge`: bottom edge of the parent, or top edge for a second bar.
    MessageBar(const ViewContext& context, QWidget* parent, Qt::Edge edge = Qt::BottomEdge);

    void show(Kind kind, const QString& text, const QString& actionText = {},
              std::function<void()> action = {}, const QString& otherText = {},
              std::function<void()> other = {});
    void dismiss();
    /// Dismisses the message after an edit, unless it is an error or has buttons.
    void dismissNotice();
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;
    void changeEvent(QEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void place();
    ViewContext m_context;
    Qt::Edge m_edge;
    Kind m_kind = Kind::Info;
    QLabel* m_icon;
    QBoxLayout* m_lines;
    QLabel* m_text;
    QToolButton* m_action;
    QToolButton* m_other;
    std::function<void()> m_run;
    std::function<void()> m_runOther;
    QTimer m_hideTimer;
};

} // namespace tilewright::ui
