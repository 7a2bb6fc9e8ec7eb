// SPDX-License-Identifier: GPL-3.0-or-later
#include "panels/inspector/pane.h"

#include "theme/theme.h"

#include <QLabel>
#include <QVBoxLayout>

namespace tilewright::ui {

void clearLayout(QLayout* layout)
{
    while (QLayoutItem* item = layout->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater();
        }
        delete item;
    }
}

QLabel* paragraph(QWidget* parent)
{
    auto* label = new QLabel(parent);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    label->setFocusPolicy(Qt::NoFocus);                               // Tab goes from field to field
    QSizePolicy policy(QSizePolicy::Ignored, QSizePolicy::Preferred); // as wide as the pane, not as its words
    policy.setHeightForWidth(true);
    label->setSizePolicy(policy);
    return label;
}

QVBoxLayout* section(const QString& title, QWidget* page, QVBoxLayout* into)
{
    QLabel* heading = paragraph(page);
    heading->setText(title);
    heading->setFont(uiFont(1.0, QFont::DemiBold));
    heading->setContentsMargins(0, 6, 0, 0);
    into->addWidget(heading);
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    into->addLayout(column);
    return column;
}

} // namespace tilewright::ui
