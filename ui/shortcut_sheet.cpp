// SPDX-License-Identifier: GPL-3.0-or-later
#include "shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QScreen>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace tilewright::ui {

ShortcutSheet::ShortcutSheet(const Actions& actions, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Commands and shortcuts"));
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
                            {text, Actions::keysOf(action), action->whatsThis()});
    }
    tree->expandAll();
    // As wide as its longest line: nothing is elided while the screen has room.
    tree->setTextElideMode(Qt::ElideNone);
    tree->header()->setStretchLastSection(false);
    tree->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
    tree->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    int width = 64;
    for (int column = 0; column < tree->columnCount(); ++column) {
        tree->resizeColumnToContents(column);
        width += tree->columnWidth(column);
    }
    const QSize room = screen() ? screen()->availableSize() * 0.9 : QSize(1200, 800);
    resize(QSize(width, std::max(640, fontMetrics().height() * 40)).boundedTo(room));
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(tree, 1);
    column->addWidget(buttons);
}

} // namespace tilewright::ui
