// SPDX-License-Identifier: GPL-3.0-or-later
// The keys of the views: what presses mean, and that the shortcut sheet and the palette tell of them.
#include "canvas/canvas_keys.h"
#include "test_main.h"
#include "views/memory/memory_view.h"
#include "views/systolic/systolic_view.h"
#include "views/tiles/tiles_view.h"
#include "window/command_palette.h"
#include "window/sheets.h"
#include "window_fixture.h"

#include <QDockWidget>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QRegularExpression>
#include <QTextDocumentFragment>
#include <QTreeWidget>

namespace test_keys {

using namespace tilewright;
using namespace tilewright::systolic;
using namespace tilewright::ui;

class TestKeys : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static bool press(const KeyTable& table, Qt::Key key, Qt::KeyboardModifiers held = {})
    {
        return table.press(QKeyEvent(QEvent::KeyPress, key, held));
    }
    static void run(MainWindow& window, const char* typed)
    {
        CommandPalette palette(window.state().context(), &window);
        auto* query = palette.findChild<QLineEdit*>();
        QTest::keyClicks(query, QLatin1String(typed));
        QTest::keyClick(query, Qt::Key_Return);
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void shiftMayBeHeldBesideAKey()
    {
        KeyTable table;
        QStringList seen;
        table.add(arrowKeys(), [&](const KeyUse& use) {
            seen << QStringLiteral("%1 %2 %3").arg(use.arrow().x()).arg(use.arrow().y()).arg(use.shift());
        });
        QVERIFY(press(table, Qt::Key_Left));
        QVERIFY(press(table, Qt::Key_Down, Qt::ShiftModifier));
        QVERIFY(!press(table, Qt::Key_Left, Qt::AltModifier)); // looks back
        QVERIFY(!press(table, Qt::Key_Left, Qt::ControlModifier));
        QVERIFY(press(table, Qt::Key_Up, Qt::KeypadModifier));
        QCOMPARE(seen,
                 (QStringList{QStringLiteral("-1 0 0"), QStringLiteral("0 1 1"), QStringLiteral("0 -1 0")}));
    }
    void theViewsMeaningPrecedesTheCommonOne()
    {
        KeyTable table;
        QString last;
        table.add({QKeySequence(Qt::Key_Home), QKeySequence(Qt::SHIFT | Qt::Key_F)},
                  [&](const KeyUse&) { last = QStringLiteral("all"); });
        table.add({QKeySequence(Qt::Key_F)}, [&](const KeyUse&) { last = QStringLiteral("selection"); });
        press(table, Qt::Key_F, Qt::ShiftModifier); // named exactly by the earlier entry
        QCOMPARE(last, QStringLiteral("all"));
        press(table, Qt::Key_F);
        QCOMPARE(last, QStringLiteral("selection"));
        table.add({QKeySequence(Qt::Key_Home)}, [&](const KeyUse&) { last = QStringLiteral("own"); });
        press(table, Qt::Key_Home);
        QCOMPARE(last, QStringLiteral("own"));
        table.add({QKeySequence(Qt::Key_Return)}, [&](const KeyUse&) { last = QStringLiteral("enter"); });
        QVERIFY(press(table, Qt::Key_Enter, Qt::KeypadModifier));
        QCOMPARE(last, QStringLiteral("enter"));
    }
    void theSheetTellsTheKeysOfEveryView()
    {
        MainWindow window;
        const ShortcutSheet sheet(window.state().actions);
        const auto* tree = sheet.findChild<QTreeWidget*>();
        const auto keysOf = [&](const QString& place, const QString& text) {
            for (const QTreeWidgetItem* group : tree->findItems(place, Qt::MatchExactly))
                for (int i = 0; i < group->childCount(); ++i)
                    if (group->child(i)->text(0) == text)
                        return group->child(i)->text(1);
            return QString();
        };
        const struct
        {
            const char *place, *text, *keys;
        } rows[] = {
            {"In every view", "Scroll", "arrows, right or middle drag"},
            {"In every view", "Show all", "Home, Shift+F"},
            {"In charts over time", "Earlier", "A"},
            {"Graph", "Go to a neighbour", "arrows"},
            {"Timeline", "Go to the peak", "P"},
            {"Timeline", "Next step", "full stop"},
            {"Timeline", "Measure", "drag (Alt: no snapping)"},
            {"Tile grid", "Play the steps", "Space"},
            {"Tile grid", "Draw an order", "drag across the tiles"},
            {"Tile grid", "Remove the last tile", "Backspace"},
            {"Roofline", "Previous subgraph", "comma"},
            {"Latency", "Next bar", "full stop"},
            {"Compare", "Next difference", "F7"},
            {"Granularity map", "Apply the chosen granularity", "Return, Space, Alt+Return"},
            {"Wavefront", "Play the wavefront", "Space"},
            {"Wavefront", "Move from PE to PE", "arrows"},
            {"Systolic pipeline", "16 cycles forward", ">"},
            {"Systolic tile search", "Choose a tile", "arrows"},
            {"NPU", "Core below", "PgDown"},
            {"NPU tile graph", "Next operator", "N"},
            {"NPU scaling", "One core more", "full stop, Right"},
            {"Mapping", "Move a loop or factor", "Ctrl+arrows"},
            {"Mapping", "Undo in the mapping", "Ctrl+Z here"},
            {"Mapping search", "Move along the front", "Left, Right"},
        };
        for (const auto& row : rows)
            QVERIFY2(keysOf(QLatin1String(row.place), QLatin1String(row.text)) == QLatin1String(row.keys),
                     qPrintable(QLatin1String(row.place) + QLatin1String(": ") + QLatin1String(row.text) +
                                QLatin1String(" has ") +
                                keysOf(QLatin1String(row.place), QLatin1String(row.text))));
    }
    void theSheetIsFiltered()
    {
        MainWindow window;
        ShortcutSheet sheet(window.state().actions);
        sheet.show();
        QVERIFY(QTest::qWaitForWindowActive(&sheet));
        const auto* tree = sheet.findChild<QTreeWidget*>();
        QCOMPARE(tree->topLevelItem(0)->text(0), QStringLiteral("File"));
        const auto shown = [&] {
            QStringList rows;
            for (int g = 0; g < tree->topLevelItemCount(); ++g)
                for (int i = 0; i < tree->topLevelItem(g)->childCount(); ++i)
                    if (!tree->topLevelItem(g)->isHidden() && !tree->topLevelItem(g)->child(i)->isHidden())
                        rows << tree->topLevelItem(g)->text(0) + QStringLiteral(": ") +
                                    tree->topLevelItem(g)->child(i)->text(0);
            return rows;
        };
        const qsizetype all = shown().size();
        auto* filter = sheet.findChild<QLineEdit*>();
        QVERIFY(filter->hasFocus());
        QTest::keyClicks(filter, QStringLiteral("memory peak"));
        QCOMPARE(shown(), QStringList{QStringLiteral("Timeline: Go to the peak")});
        filter->clear();
        QTest::keyClicks(filter, QStringLiteral("ctrl+k"));
        QCOMPARE(shown().size(), 1);
        filter->clear();
        QCOMPARE(shown().size(), all);
    }
    void thePaletteRunsAKeyOfAViewThatIsHidden()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3A.solution.json")}));
        auto* memory = viewOf<MemoryView>(window, "memory");
        memory->settle();
        window.findChild<QDockWidget*>(QStringLiteral("dock.memory"))->hide();
        run(window, "memory peak");
        QVERIFY(memory->isVisible());
        QVERIFY(memory->hasFocus());
        QCOMPARE(memory->model().cursor, memory->model().timeline->peakTime);
        QTest::keyClick(memory, Qt::Key_Comma);
        QVERIFY(memory->model().cursor != memory->model().timeline->peakTime);
        QTest::keyClick(memory, Qt::Key_P);
        QCOMPARE(memory->model().cursor, memory->model().timeline->peakTime);
    }
    void thePaletteLeadsToWhereArrowsAct()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3A.solution.json")}));
        auto* tiles = viewOf<TilesView>(window, "tiles");
        window.findChild<QDockWidget*>(QStringLiteral("dock.tiles"))->hide();
        run(window, "tile grid choose a tile");
        QVERIFY(tiles->isVisible());
        QVERIFY(tiles->hasFocus());
        // Of several panes the one in the lens, behind its tab.
        window.applyPerspective(QStringLiteral("Hardware"));
        run(window, "wavefront move from pe");
        auto* systolic = viewOf<SystolicView>(window, "systolic");
        QVERIFY(systolic->pane(QStringLiteral("systolic-wavefront"))->hasFocus());
        run(window, "systolic pipeline next stall");
        QVERIFY(systolic->isVisible());
    }
    void keysShowAndHideDocks()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json"), example("ex3A.solution.json")}));
        auto* memory = viewOf<MemoryView>(window, "memory");
        auto* tiles = viewOf<TilesView>(window, "tiles");
        const QAction* action = window.state().actions.find(QStringLiteral("view.dock.memory"));
        const auto* dock = window.findChild<QDockWidget*>(QStringLiteral("dock.memory"));
        QVERIFY(memory->isSeen());
        QVERIFY(action->isChecked());
        QTest::keySequence(&window, QKeySequence(QStringLiteral("Alt+3"))); // in front: goes
        QVERIFY(!dock->isVisible());
        QVERIFY(!action->isChecked());
        QTest::keySequence(&window, QKeySequence(QStringLiteral("Alt+3")));
        QVERIFY(memory->isSeen());
        QVERIFY(memory->hasFocus());
        QVERIFY(action->isChecked());
        QTest::keySequence(&window, QKeySequence(QStringLiteral("Alt+4"))); // behind another: comes
        QVERIFY(tiles->isSeen());
        QVERIFY(tiles->hasFocus());
        QVERIFY(action->isChecked());
        QTest::keySequence(&window, QKeySequence(QStringLiteral("Alt+4"))); // goes, the keyboard to the graph
        QVERIFY(!tiles->isVisible());
        QVERIFY(window.view(QStringLiteral("graph"))->hasFocus());
        const ShortcutSheet sheet(window.state().actions);
        const auto found = sheet.findChild<QTreeWidget*>()->findItems(
            QStringLiteral("Alt+3"), Qt::MatchRecursive | Qt::MatchExactly, 1);
        QCOMPARE(found.size(), 1);
        QCOMPARE(found.front()->text(0), QStringLiteral("Timeline"));
        QVERIFY(action->toolTip().contains(QStringLiteral("Alt+3")));
    }
    void numbersStayTogetherInEveryLabel()
    {
        // Rich text takes thin spaces for spaces unless told otherwise: rich().
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().selection.selectSubgraph(SubgraphId(2));
        for (const char* name : {"graph", "subgraphs", "solver", "rules", "bound", "inspector"}) {
            window.showView(QLatin1String(name));
            window.view(QLatin1String(name))->catchUp();
        }
        static const QRegularExpression broken(QStringLiteral("[0-9] [0-9]{3}(?![0-9])"));
        int numbers = 0;
        for (const QLabel* label : window.findChildren<QLabel*>()) {
            QString text = label->text();
            if (label->textFormat() == Qt::RichText ||
                (label->textFormat() == Qt::AutoText && Qt::mightBeRichText(text)))
                text = QTextDocumentFragment::fromHtml(text).toPlainText();
            QVERIFY2(!broken.match(text).hasMatch(), qPrintable(text));
            numbers += text.contains(QChar(0x202F)) ? 1 : 0;
        }
        QVERIFY(numbers > 3);
    }
};

TILEWRIGHT_TEST(TestKeys)

} // namespace test_keys
#include "test_keys.moc"
