// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

class QLabel;
class QTreeWidget;

namespace tilewright::ui {

/// What the lower bound is made of and where this schedule is above it.
class BoundView : public View
{
    Q_OBJECT
public:
    explicit BoundView(const ViewContext& context, QWidget* parent = nullptr);
    QSize exportSize() const override { return {900, 320}; }
    void settle() override { refresh(); }
    QString copyText() const override;

protected:
    void bringUpToDate() override { refresh(); }

private:
    void refresh();

    QLabel* m_summary;
    QTreeWidget* m_parts;
};

} // namespace tilewright::ui
