// SPDX-License-Identifier: GPL-3.0-or-later
#include "shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

ShortcutSheet::ShortcutSheet(const Actions& actions, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Commands and shortcuts"));
    resize(760, 640);
    auto* tree = new QTreeWidget(this);
    tree->setAccessibleName(windowTitle());
    tree->setHeaderLabels({tr("Command"), tr("Keys"), tr("What it does")});
    tree->setRootIsDecorated(false);
    tree->setAlternatingRowColors(true);
    QMap<QString, QTreeWidgetItem*> groups;
    const auto group = [&](const QString& name) {
        if (!groups.contains(name)) {
            auto* item = new QTreeWidgetItem(tree, {name});
            QFont font = item->font(0);
            font.setBold(true);
            item->setFont(0, font);
            groups[name] = item;
        }
        return groups[name];
    };
    for (const QAction* action : actions.all()) {
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        new QTreeWidgetItem(group(Actions::menuOf(action)),
                            {text, QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
                             action->statusTip()});
    }
    auto* canvas = group(tr("In every picture"));
    for (const auto& [what, keys] : {std::pair{tr("Zoom"), tr("wheel, + and −")},
                                     {tr("Pan"), tr("drag with the right or middle button, arrow keys")},
                                     {tr("Show all, show the selection"), tr("Home or Shift+F, F")},
                                     {tr("Exact values"), tr("rest the mouse on anything")}})
        new QTreeWidgetItem(canvas, {what, keys});
    tree->expandAll();
    tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tree, 1);
    column->addWidget(buttons);
}

} // namespace tilewright::ui
