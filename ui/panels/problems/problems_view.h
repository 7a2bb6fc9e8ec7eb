// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;
class QTreeWidget;
class QPushButton;

namespace tilewright::ui {

/// What is wrong with the schedule and what to do about it: double-click jumps, Fix repairs where it can.
class ProblemsView : public View
{
    Q_OBJECT
public:
    explicit ProblemsView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {900, 260}; }
    QString copyText() const override;
    [[nodiscard]] QTreeWidget* list() const { return m_list; }
    [[nodiscard]] QPushButton* fixButton() const { return m_fix; }

protected:
    void showEvent(QShowEvent* event) override;

public:
    void settle() override { refresh(); }

private:
    void refreshWhenSeen();
    void refresh();
    [[nodiscard]] const Issue* currentIssue() const;
    void jump();
    void fix();

    QTreeWidget* m_list;
    QLabel* m_hint;
    QPushButton* m_fix;
    QPushButton* m_fixAll;
};

} // namespace tilewright::ui
