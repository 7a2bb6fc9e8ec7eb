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
                            {text, QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText),
                             action->whatsThis()});
    }
    const auto also = [&](const QString& name, const QList<std::pair<QString, QString>>& rows) {
        QTreeWidgetItem* parent = group(name);
        for (const auto& [what, keys] : rows)
            new QTreeWidgetItem(parent, {what, keys});
    };
    also(tr("In every picture"), {{tr("Zoom"), tr("wheel (Ctrl: finer), +, −")},
                                  {tr("Pan"), tr("right or middle drag, arrows")},
                                  {tr("Show all"), tr("Home, Shift+F")},
                                  {tr("Go to the selection, then enlarge it"), tr("F, F again")},
                                  {tr("Back and forward"), tr("Alt+Left, Alt+Right, side buttons")},
                                  {tr("Exact values"), tr("hover, Shift+F1")}});
    also(tr("In pictures of time"), {{tr("Zoom"), tr("W and S")},
                                     {tr("Earlier and later"), tr("A and D")},
                                     {tr("Previous and next step, tile or subgraph"), tr("comma, full stop")},
                                     {tr("Measure"), tr("drag (Alt: no snapping)")}});
    also(tr("In the graph"), {{tr("Neighbours"), tr("arrows (Shift: add)")},
                              {tr("Select or not"), tr("Space")},
                              {tr("Inspector"), tr("Enter")},
                              {tr("Previous and next subgraph"), tr("comma, full stop")},
                              {tr("Producer and consumer"), tr("[ and ]")},
                              {tr("Recompute there, force"), tr("drag with Ctrl, with Alt")}});
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
