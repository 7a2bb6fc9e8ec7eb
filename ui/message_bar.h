// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;
class QToolButton;

namespace tilewright::ui {

/// Non-modal notices above the graph: text, an icon, one optional action, a close button.
class MessageBar : public QWidget
{
    Q_OBJECT
public:
    enum class Kind { Info, Warning, Error };
    explicit MessageBar(const ViewContext& context, QWidget* parent = nullptr);

    void show(Kind kind, const QString& text, const QString& actionText = {},
              std::function<void()> action = {});
    void dismiss();
    /// Dismisses what an edit outdates: anything but errors and questions.
    void dismissNotice();
    [[nodiscard]] QString text() const;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    ViewContext m_context;
    Kind m_kind = Kind::Info;
    QLabel* m_icon;
    QLabel* m_text;
    QToolButton* m_action;
    std::function<void()> m_run;
};

} // namespace tilewright::ui
