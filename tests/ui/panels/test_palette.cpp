// SPDX-License-Identifier: GPL-3.0-or-later
// The command palette, the shortcut sheet, and what actions say of themselves.
#include "test_main.h"
#include "window/command_palette.h"
#include "window/sheets.h"
#include "window_fixture.h"

#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QTreeWidget>

namespace test_palette {

using namespace tilewright;
using namespace tilewright::ui;

class TestPalette : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    struct Palette
    {
        CommandPalette dialog;
        QLineEdit* query = dialog.findChild<QLineEdit*>();
        QListWidget* hits = dialog.findChild<QListWidget*>();
        explicit Palette(MainWindow& window) : dialog(window.state().context(), &window) {}
        QString typed(const char* text)
        {
            query->clear();
            QTest::keyClicks(query, QLatin1String(text));
            return hits->count() > 0 ? hits->item(0)->text() : QString();
        }
    };

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void numbersJump()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Palette p(window);
        QVERIFY(p.typed("op 12").startsWith(QStringLiteral("op 12 ")));
        QVERIFY(p.typed("op12").startsWith(QStringLiteral("op 12 ")));
        QVERIFY(p.typed("t7").startsWith(QStringLiteral("t7 ")));
        QVERIFY(p.typed("tensor 7").startsWith(QStringLiteral("t7 ")));
        QCOMPARE(p.typed("subgraph 5"), QStringLiteral("Subgraph 5"));
        QCOMPARE(p.typed("s5"), QStringLiteral("Subgraph 5"));
        QVERIFY(!p.typed("op 99999").startsWith(QStringLiteral("op 99999")));
        p.typed("t7");
        QTest::keyClick(p.query, Qt::Key_Return);
        QCOMPARE(window.state().selection.state().tensor, std::optional(TensorId(7)));
        window.state().selection.selectSubgraph(SubgraphId(1));
        Palette again(window);
        QCOMPARE(again.typed("step 0"), QStringLiteral("Step 0 of subgraph 1"));
    }
    void commandsRunByTyping()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        Palette p(window);
        p.typed("pin base");
        QTest::keyClick(p.query, Qt::Key_Return);
        QVERIFY(window.state().document.baseline());
    }
    void aCommandOfThatNameComesBeforeThoseOfThatMenu()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        window.state().selection.selectOps({OpId(1)}); // a product: it has a tile on the array
        window.state().actions.refresh();
        Palette p(window);
        QVERIFY2(p.typed("wavefront").startsWith(QStringLiteral("Lens: Wavefront of the product")),
                 qPrintable(p.typed("wavefront")));
    }
    void opsComeBeforeTensorsOfTheSameName()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        Palette p(window);
        QVERIFY(p.typed("norm1").startsWith(QStringLiteral("op ")));
        QVERIFY(p.typed("layer0.norm1").startsWith(QStringLiteral("op ")));
        bool tensors = false;
        for (int i = 0; i < p.hits->count(); ++i) {
            const bool isTensor = p.hits->item(i)->text().startsWith(QLatin1Char('t'));
            QVERIFY(!(tensors && p.hits->item(i)->text().startsWith(QStringLiteral("op "))) || !isTensor);
            tensors = tensors || isTensor;
        }
        QVERIFY(tensors);
    }
    void keysAndReasonsAreShown()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        Palette p(window);
        p.typed("preferences");
        QCOMPARE(p.hits->item(0)->data(Qt::UserRole).toString(), QStringLiteral("Ctrl+,"));
        // A command that cannot be used now stands at the end, says why, and does nothing.
        p.typed("redo");
        QListWidgetItem* last = p.hits->item(p.hits->count() - 1);
        QCOMPARE(last->data(Qt::UserRole).toString(), QStringLiteral("There is no undone edit."));
        QVERIFY(!(last->flags() & Qt::ItemIsEnabled));
    }
    void disabledActionsSayWhy()
    {
        MainWindow window;
        window.show();
        for (const QAction* a : window.state().actions.all())
            if (!a->isEnabled())
                QVERIFY2(a->statusTip() != a->whatsThis() && a->toolTip().contains(a->statusTip()),
                         qPrintable(a->objectName()));
        QVERIFY(window.openPaths({example("ex3.problem.json")}));
        for (const QAction* a : window.state().actions.all())
            if (!a->isEnabled())
                QVERIFY2(a->statusTip() != a->whatsThis(), qPrintable(a->objectName()));
        QAction* fuse = window.state().actions.find(QStringLiteral("schedule.fuse"));
        QVERIFY(!fuse->isEnabled());
        QVERIFY(fuse->toolTip().contains(QStringLiteral("Select two or more")));
        window.state().selection.selectOps({OpId(0), OpId(1)});
        QVERIFY(fuse->isEnabled());
        QCOMPARE(fuse->statusTip(), fuse->whatsThis());
        for (const QAction* menu : window.menuBar()->actions())
            QVERIFY(menu->menu()->toolTipsVisible());
    }
    void theSheetShowsEveryCommandInFull()
    {
        MainWindow window;
        ShortcutSheet sheet(window.state().actions);
        auto* tree = sheet.findChild<QTreeWidget*>();
        sheet.show();
        int rows = 0;
        for (QTreeWidgetItemIterator it(tree); *it; ++it, ++rows)
            for (int column = 0; column < 3; ++column) {
                const int needed = tree->fontMetrics().horizontalAdvance((*it)->text(column));
                QVERIFY2(tree->columnWidth(column) >= needed, qPrintable((*it)->text(column)));
            }
        QVERIFY(rows > static_cast<int>(window.state().actions.all().size()));
        for (const char* text : {"Alt+Left", "Ctrl+0", "Shift+F1", "Ctrl+,"})
            QVERIFY2(
                !tree->findItems(QLatin1String(text), Qt::MatchContains | Qt::MatchRecursive, 1).isEmpty(),
                text);
    }
};

TILEWRIGHT_TEST(TestPalette)

} // namespace test_palette
#include "test_palette.moc"
