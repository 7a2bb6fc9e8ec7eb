// SPDX-License-Identifier: GPL-3.0-or-later
#include "window/sheets.h"

#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QScreen>
#include <QTextBrowser>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace tilewright::ui {

namespace {

struct Formula
{
    QString what, formula, rule;
};
struct Chapter
{
    QString title;
    std::vector<Formula> formulas;
};

std::vector<Chapter> chapters()
{
    const auto t = [](const char* text) { return FormulaSheet::tr(text); };
    return {{t("Tiles and steps"),
             {{t("Grid of a subgraph"),
               t("rows = ⌈H / h⌉, columns = ⌈W / w⌉; the largest grid of its outputs counts"),
               QStringLiteral("R5.1")},
              {t("Steps of a tile"), t("⌈K / k⌉ of the MatMul that computes the output; 1 if there is none"),
               QStringLiteral("R5.4, R5.5")},
              {t("Limits"), t("w ≤ native width, h ≤ native height, k ≤ native depth and k ≤ K"),
               QStringLiteral("R4.1–R4.3")},
              {t("Pointwise before a MatMul"), t("left operand: w ≥ K; right operand: h ≥ K"),
               QStringLiteral("R4.7")}}},
            {t("What a step moves"),
             {{t("Loads"), t("every slice that the step reads and the previous step did not have"),
               QStringLiteral("R7.1, R7.2")},
              {t("Not loaded"), t("tensors that the previous subgraph retained, and interior tensors"),
               QStringLiteral("R7.3, R6.5")},
              {t("Stores"), t("each output tile in its last step, unless the output is retained"),
               QStringLiteral("R7.4")},
              {t("Memory time"), t("(loaded + stored elements) / bandwidth"), QStringLiteral("R7.5")}}},
            {t("What a step computes"),
             {{t("MatMul"),
               t("base cost × length of the k range / K, independent of the tile's width and height"),
               QStringLiteral("R8")},
              {t("Pointwise"), t("base cost, once per tile"), QStringLiteral("R8")},
              {t("Extent from a k range"), t("× extent / native size"), QStringLiteral("R8")},
              {t("Repeated work"), t("a run that is identical to one of an earlier step costs no compute"),
               QStringLiteral("R8.1")}}},
            {t("What it costs"),
             {{t("Step"), t("max(compute time, memory time)"), QStringLiteral("R10.1")},
              {t("Subgraph, schedule"), t("sum of the steps of the subgraph; sum of all subgraphs"),
               QStringLiteral("R10.1")}}},
            {t("What must fit"),
             {{t("Working set of a step"),
               t("resident and retained tensors in full + slices in use + output tiles + accumulators behind "
                 "a pointwise output ≤ capacity"),
               QStringLiteral("R9.1")},
              {t("Interior tensors"), t("need no memory"), QStringLiteral("R9.2")}}}};
}

} // namespace

FormulaSheet::FormulaSheet(const Actions& keys, QWidget* parent) : QDialog(parent)
{
    setWindowTitle(tr("Formula sheet"));
    QString html;
    for (const Chapter& chapter : chapters()) {
        html += QStringLiteral("<h3>%1</h3><table width='100%' cellpadding='4'>").arg(chapter.title);
        for (const Formula& f : chapter.formulas)
            html +=
                QStringLiteral("<tr><td width='26%'><b>%1</b></td><td>%2</td><td width='16%'>%3</td></tr>")
                    .arg(f.what, f.formula, f.rule);
        html += QStringLiteral("</table>");
    }
    html += keys.withKeys(
        tr("<p>These are the default rules. The Rules view ({view.dock.rules|Alt+Shift+0}) changes "
           "single ones. Numbers such as R7.2 refer to docs/rules/schedule.md.</p>"));
    auto* text = new QTextBrowser(this);
    text->setAccessibleName(windowTitle());
    text->setHtml(html);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto* column = new QVBoxLayout(this);
    column->addWidget(text, 1);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 110, fontMetrics().height() * 40);
}

namespace {

/// Shows only rows that contain all words of `text`, in any column or in the name of their group.
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
