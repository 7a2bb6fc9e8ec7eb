// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "canvas/view.h"

#include <QUndoView>
#include <QVBoxLayout>

namespace tilewright::ui {

/// All edits of the lens worked in since its file was opened; click to go back or forward to any of them.
class HistoryView : public View
{
    Q_OBJECT
public:
    explicit HistoryView(const ViewContext& context, QWidget* parent = nullptr)
        : View(context, QStringLiteral("history"), tr("History"), parent)
    {
        auto* list = new QUndoView(&workspace().undoGroup(), this);
        list->setEmptyLabel(tr("As opened"));
        list->setAccessibleName(tr("History of edits"));
        list->setFrameShape(QFrame::NoFrame);
        list->setUniformItemSizes(true); // otherwise every edit measures all edits before it
        auto* column = new QVBoxLayout(this);
        column->setContentsMargins(0, 0, 0, 0);
        column->addWidget(list);
    }
};

} // namespace tilewright::ui
