// SPDX-License-Identifier: GPL-3.0-or-later
#include "canvas/value_form.h"

#include "canvas/form_guard.h"

#include <QLabel>
#include <QPushButton>
#include <QScrollArea>

namespace tilewright::ui {

void setUpFormPane(QScrollArea& pane, const QString& name)
{
    pane.setAccessibleName(name);
    pane.setFrameShape(QFrame::NoFrame);
    pane.setWidgetResizable(true);
    pane.setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
}

void addFormRow(QFormLayout& form, const QString& label, QWidget* control, const QString& tip)
{
    control->setToolTip(tip);
    control->setAccessibleName(label);
    control->setAccessibleDescription(tip);
    FormGuard::protect(control);
    if (qobject_cast<QAbstractButton*>(control)) {
        form.addRow(control);
        return;
    }
    control->setMinimumWidth(40);
    control->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    auto* text = new QLabel(label, control->parentWidget());
    text->setBuddy(control);
    text->setToolTip(tip);
    form.addRow(text, control);
}

} // namespace tilewright::ui
