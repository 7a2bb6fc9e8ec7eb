// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/shortcut_sheet.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QScreen>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

/// Shows only rows that contain all words of `text` in a column or in the name of their group.
void showMatches(QTreeWidget& tree, const QString& text)
{
    const QStringList words = text.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (int g = 0; g < tree.topLevelItemCount(); ++g) {
        QTreeWidgetItem* group = tree.topLevelItem(g);
        int shown = 0;
        for (int i = 0; i < group->childCount(); ++i) {
            QTreeWidgetItem* row = group->child(i);
            const QString all =
                QStringList{group->text(0), row->text(0), row->text(1), row->text(2)}.join(QLatin1Char('\n'));
            const bool matches = std::all_of(words.begin(), words.end(), [&](const QString& word) {
                return all.contains(word, Qt::CaseInsensitive);
            });
            row->setHidden(!matches);
            shown += matches ? 1 : 0;
        }
        group->setHidden(shown == 0);
    }
}

} // namespace

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
    // Commands of the whole window come before commands of single views.
    for (const QAction* action : actions.all())
        if (action->shortcutContext() == Qt::WindowShortcut)
            group(Actions::menuOf(action));
    for (const QAction* action : actions.all()) {
        QString text = action->text();
        text.remove(QLatin1Char('&'));
        new QTreeWidgetItem(group(Actions::menuOf(action)),
                            {text, Actions::keysOf(action), action->whatsThis()});
    }
    tree->expandAll();
    // The sheet is as wide as its longest row, but not wider than the screen.
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
    auto* filter = new QLineEdit(this);
    filter->setPlaceholderText(tr("Filter: a command, a key or a view"));
    filter->setClearButtonEnabled(true);
    filter->setAccessibleName(tr("Filter"));
    connect(filter, &QLineEdit::textChanged, tree, [tree](const QString& text) { showMatches(*tree, text); });
    auto* column = new QVBoxLayout(this);
    column->addWidget(filter);
    column->addWidget(tree, 1);
    column->addWidget(buttons);
    filter->setFocus();
}

} // namespace tilewright::ui
