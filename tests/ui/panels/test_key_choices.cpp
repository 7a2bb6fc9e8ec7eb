// SPDX-License-Identifier: GPL-3.0-or-later
// Keys of a person's own choice: chosen in Preferences, told everywhere, kept.
#include "panels/solver/solver_options.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "views/graph/graph_view.h"
#include "window/command_palette.h"
#include "window/preferences.h"
#include "window/sheets.h"
#include "window/tour.h"
#include "window_fixture.h"

#include <QAbstractButton>
#include <QKeySequenceEdit>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QRegularExpression>
#include <QTabWidget>
#include <QTimer>
#include <QTreeWidget>

namespace test_key_choices {

using namespace tilewright;
using namespace tilewright::ui;

class TestKeyChoices : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static QAction* action(MainWindow& window, const char* id)
    {
        QAction* found = window.state().actions.find(QLatin1String(id));
        Q_ASSERT(found);
        return found;
    }
    template <typename T> static T* part(QWidget& dialog, const char* name)
    {
        T* found = dialog.findChild<T*>(QLatin1String(name));
        Q_ASSERT(found);
        return found;
    }
    static QString message(QWidget& dialog) { return part<QLabel>(dialog, "keys.message")->text(); }
    static void click(QWidget& dialog, const char* name)
    {
        QTest::mouseClick(part<QAbstractButton>(dialog, name), Qt::LeftButton);
    }
    /// The command that the typed words leave first.
    static QString search(QWidget& dialog, const char* words)
    {
        auto* filter = part<QLineEdit>(dialog, "keys.filter");
        filter->setFocus();
        filter->selectAll();
        QTest::keyClicks(filter, QLatin1String(words));
        const QTreeWidgetItem* row = part<QTreeWidget>(dialog, "keys.list")->currentItem();
        return row ? row->text(0) : QString();
    }
    static void press(QWidget& dialog, Qt::Key key, Qt::KeyboardModifiers held = {})
    {
        auto* edit = part<QKeySequenceEdit>(dialog, "keys.key");
        edit->setFocus();
        QTest::keyClick(edit, key, held);
    }
    /// Opens Preferences as a person does, goes to the keys, does that, and accepts.
    static void inPreferences(MainWindow& window, const std::function<void(QWidget&)>& run)
    {
        bool seen = false;
        QTimer::singleShot(0, &window, [&] {
            auto* dialog = qobject_cast<PreferencesDialog*>(QApplication::activeModalWidget());
            if (!dialog)
                return;
            seen = true;
            dialog->findChild<QTabWidget*>(QStringLiteral("pages"))->setCurrentIndex(1);
            run(*dialog);
            dialog->accept();
        });
        window.state().actions.find(QStringLiteral("edit.preferences"))->trigger();
        QVERIFY(seen);
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void aCommandGetsAnotherKeyAndKeepsIt()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        inPreferences(window, [&](QWidget& dialog) {
            QCOMPARE(search(dialog, "auto-solve"), QStringLiteral("Auto-solve"));
            press(dialog, Qt::Key_F8);
            QVERIFY2(message(dialog).contains(QStringLiteral("F9")), qPrintable(message(dialog)));
        });
        const QAction* solve = action(window, "solve.auto");
        QCOMPARE(solve->shortcut(), QKeySequence(Qt::Key_F8));
        QVERIFY(solve->toolTip().contains(QStringLiteral("(F8)")));
        // What was told before is told anew: the sheet, the palette, the tour.
        const ShortcutSheet sheet(window.state().actions);
        const auto* tree = sheet.findChild<QTreeWidget*>();
        const auto rows =
            tree->findItems(QStringLiteral("Auto-solve"), Qt::MatchExactly | Qt::MatchRecursive);
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.front()->text(1), QStringLiteral("F8"));
        CommandPalette palette(window.state().context(), &window);
        QTest::keyClicks(palette.findChild<QLineEdit*>(), QStringLiteral("auto-solve"));
        QCOMPARE(palette.findChild<QListWidget*>()->item(0)->data(Qt::UserRole).toString(),
                 QStringLiteral("F8"));
        QCOMPARE(window.state().actions.withKeys(QStringLiteral("Press {solve.auto}.")),
                 QStringLiteral("Press F8."));
        for (const Tour& tour : guidedTours(window)) {
            QStringList texts{tour.end};
            for (const TourStep& step : tour.steps)
                texts << step.text;
            for (const QString& text : texts)
                QVERIFY2(!window.state().actions.withKeys(text).contains(QLatin1Char('{')), qPrintable(text));
        }

        MainWindow next;
        next.restoreSession();
        QCOMPARE(action(next, "solve.auto")->shortcut(), QKeySequence(Qt::Key_F8));
        QCOMPARE(action(next, "solve.selection")->shortcut(), QKeySequence(Qt::SHIFT | Qt::Key_F9));
    }
    void theNewKeyIsPressed()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        inPreferences(window, [&](QWidget& dialog) {
            QCOMPARE(search(dialog, "pin baseline"), QStringLiteral("Pin as baseline"));
            press(dialog, Qt::Key_F4, Qt::ControlModifier | Qt::ShiftModifier);
        });
        QTest::keyClick(&window, Qt::Key_B);
        QVERIFY(window.state().document.baselines().empty());
        QTest::keyClick(&window, Qt::Key_F4, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(window.state().document.baselines().size(), std::size_t(1));
    }
    void theKeysOfPicturesToo()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto* graph = viewOf<GraphView>(window, "graph");
        graph->setFocus();
        inPreferences(window, [&](QWidget& dialog) {
            QCOMPARE(search(dialog, "every view zoom in"), QStringLiteral("Zoom in"));
            press(dialog, Qt::Key_Z);
            QCOMPARE(search(dialog, "graph toggle selection"), QStringLiteral("Toggle selection"));
            press(dialog, Qt::Key_X);
        });
        const double before = graph->viewport().scale;
        QTest::keyClick(graph, Qt::Key_Plus);
        QCOMPARE(graph->viewport().scale, before);
        QTest::keyClick(graph, Qt::Key_Z);
        QVERIFY(graph->viewport().scale > before);
        graph->setFocus();
        QTest::keyClick(graph, Qt::Key_Space);
        QVERIFY(window.state().selection.state().ops.empty());
        QTest::keyClick(graph, Qt::Key_X);
        QCOMPARE(window.state().selection.state().ops.size(), std::size_t(1));
        QTest::keyClick(graph, Qt::Key_X);
        QVERIFY(window.state().selection.state().ops.empty());
    }
    void aKeyThatAnotherHasIsToldAndTakenOnlyThen()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        inPreferences(window, [&](QWidget& dialog) {
            QCOMPARE(search(dialog, "reload"), QStringLiteral("Reload"));
            press(dialog, Qt::Key_K, Qt::ControlModifier);
            QCOMPARE(message(dialog),
                     QStringLiteral("Ctrl+K is already the key of “Command palette…” (Edit)."));
        });
        QCOMPARE(action(window, "file.reload")->shortcut(), QKeySequence(Qt::Key_F5)); // nothing was said to
        QCOMPARE(action(window, "edit.palette")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_K));
        inPreferences(window, [&](QWidget& dialog) {
            search(dialog, "reload");
            press(dialog, Qt::Key_K, Qt::ControlModifier);
            click(dialog, "keys.take");
        });
        QCOMPARE(action(window, "file.reload")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_K));
        QVERIFY(action(window, "edit.palette")->shortcuts().isEmpty());
    }
    void whatCannotBeGivenAwayIsTold()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        inPreferences(window, [&](QWidget& dialog) {
            search(dialog, "graph toggle selection");
            press(dialog, Qt::Key_Left); // scrolls every picture
            QVERIFY2(message(dialog).contains(QStringLiteral("That key is fixed")),
                     qPrintable(message(dialog)));
            QVERIFY(!part<QAbstractButton>(dialog, "keys.take")->isVisible());
        });
        QCOMPARE(action(window, "graph.toggle")->shortcut(), QKeySequence(Qt::Key_Space));
    }
    void oneIsResetAndAllAre()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        inPreferences(window, [&](QWidget& dialog) {
            search(dialog, "reload");
            click(dialog, "keys.none");
            search(dialog, "export view");
            press(dialog, Qt::Key_F2);
            search(dialog, "fuse selection");
            press(dialog, Qt::Key_F3);
        });
        QVERIFY(action(window, "file.reload")->shortcuts().isEmpty());
        QCOMPARE(action(window, "file.export")->shortcut(), QKeySequence(Qt::Key_F2));
        inPreferences(window, [&](QWidget& dialog) {
            search(dialog, "fuse selection");
            click(dialog, "keys.reset");
        });
        QCOMPARE(action(window, "schedule.fuse")->shortcuts(),
                 (QList{QKeySequence(Qt::Key_G), QKeySequence(Qt::CTRL | Qt::Key_J)}));
        QCOMPARE(action(window, "file.export")->shortcut(), QKeySequence(Qt::Key_F2));
        inPreferences(window, [&](QWidget& dialog) { click(dialog, "keys.resetAll"); });
        QCOMPARE(action(window, "file.reload")->shortcut(), QKeySequence(Qt::Key_F5));
        QCOMPARE(action(window, "file.export")->shortcut(), QKeySequence(Qt::CTRL | Qt::Key_E));
        QVERIFY(window.preferences().keys.empty());
    }
    void everyCommandIsFoundInTheList()
    {
        MainWindow window;
        KeysPage page(window.state().actions);
        const auto* list = part<QTreeWidget>(page, "keys.list");
        QSet<QString> ids;
        for (int i = 0; i < list->topLevelItemCount(); ++i)
            ids.insert(list->topLevelItem(i)->data(0, Qt::UserRole).toString());
        for (const QAction* known : window.state().actions.all())
            QCOMPARE(ids.contains(known->objectName()), window.state().actions.mayHaveOtherKeys(known));
        QVERIFY(ids.size() > 150);
        search(page, "xyzzy");
        QVERIFY(!part<QKeySequenceEdit>(page, "keys.key")->isEnabled());
    }
    /// No two commands that meet come with the same key, but where a picture gives one a meaning of its own.
    void keysAreNotGivenTwice()
    {
        MainWindow window;
        const auto& all = window.state().actions.all();
        for (std::size_t i = 0; i < all.size(); ++i)
            for (std::size_t j = i + 1; j < all.size(); ++j)
                if (all[i]->shortcutContext() == Qt::WindowShortcut &&
                    all[j]->shortcutContext() == Qt::WindowShortcut)
                    for (const QKeySequence& key : all[i]->shortcuts())
                        QVERIFY2(!all[j]->shortcuts().contains(key),
                                 qPrintable(all[i]->objectName() + QLatin1Char(' ') + all[j]->objectName()));
    }
    void hintsTellTheChosenKeys()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        // Each of these keys stood in some hint.
        KeyChoices choices;
        int n = 1;
        for (const char* id : {"solve.auto", "compare.pin", "graph.find", "npu-graph.find", "schedule.fuse",
                               "view.graph", "view.dock.rules", "canvas.fitSelection", "tiles.append"}) {
            QVERIFY2(window.state().actions.find(QLatin1String(id)), id);
            choices[QLatin1String(id)] = {
                QKeySequence(QStringLiteral("Ctrl+Alt+Shift+%1").arg(QChar(u'0' + n++)))};
        }
        window.state().actions.setKeyChoices(choices);
        // No tooltip and no sentence of the window names a key that no command has.
        QStringList known;
        for (const QAction* action : window.state().actions.all())
            for (const QKeySequence& keys : action->shortcuts())
                known << keys.toString(QKeySequence::NativeText);
        // "(F9)", "press G", "Ctrl+Alt+1"; not what the mouse does with a modifier.
        static const QRegularExpression form(QStringLiteral(
            "\\(((?:F[0-9]+|[A-Z]))[,)]|[Pp]ress "
            "([A-Z]|F[0-9]+)\\b|(?<![+\\w])((?:(?:Ctrl|Alt|Shift)\\+)+(?:F[0-9]+|[A-Z0-9]))\\b"));
        const auto check = [&](const QString& text, const QString& of) {
            QVERIFY2(!text.contains(QLatin1Char('{')), qPrintable(of + QStringLiteral(": ") + text));
            for (auto it = form.globalMatch(text); it.hasNext();) {
                const QRegularExpressionMatch match = it.next();
                const QString key = match.captured(match.lastCapturedIndex());
                QVERIFY2(known.contains(key), qPrintable(of + QStringLiteral(": ") + text));
            }
        };
        for (const QAction* action : window.state().actions.all()) {
            check(action->toolTip(), action->objectName());
            check(action->whatsThis(), action->objectName());
        }
        for (const QWidget* widget : window.findChildren<QWidget*>()) {
            check(widget->toolTip(), widget->objectName());
            check(widget->accessibleDescription(), widget->objectName());
            const auto* label = qobject_cast<const QLabel*>(widget);
            if (label && label->text().contains(QLatin1Char('.'))) // a sentence; "M (X)" is a loop
                check(label->text(), QStringLiteral("label"));
        }
        const auto* solver = viewOf<SolverView>(window, "solver");
        QVERIFY(solver->options().run()->toolTip().contains(
            action(window, "solve.auto")->shortcut().toString(QKeySequence::NativeText)));
    }
};

TILEWRIGHT_TEST(TestKeyChoices)

} // namespace test_key_choices
#include "test_key_choices.moc"
