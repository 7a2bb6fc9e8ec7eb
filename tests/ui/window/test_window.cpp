// SPDX-License-Identifier: GPL-3.0-or-later
#include "control_named.h"
#include "edit/edits.h"
#include "files.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/problems/problems_view.h"
#include "panels/solver/solver_view.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "test_main.h"
#include "window/main_window.h"
#include "window/message_bar.h"
#include "window/sheets.h"
#include "window/view_catalog.h"

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QDir>
#include <QDoubleSpinBox>
#include <QMimeData>
#include <QPushButton>
#include <QSettings>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeWidget>

namespace test_window {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// Types a value into a spin box as a person does.
void type(QSpinBox* box, const QString& value)
{
    box->setFocus();
    box->selectAll();
    QTest::keyClicks(box, value);
    QTest::keyClick(box, Qt::Key_Return);
}

} // namespace

class TestWindow : public QObject
{
    Q_OBJECT
    QTemporaryDir m_settings;

    template <typename V> V* view(MainWindow& window, const char* name)
    {
        V* v = qobject_cast<V*>(window.view(QLatin1String(name)));
        Q_ASSERT(v);
        window.showView(QLatin1String(name));
        return v;
    }
    void clickRow(SubgraphsView* list, int row, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
    {
        QTableView* table = list->table();
        const QRect cell = table->visualRect(table->model()->index(row, 1));
        QTest::mouseClick(table->viewport(), Qt::LeftButton, modifiers, cell.center());
    }
    double total(MainWindow& window)
    {
        window.state().document.waitForSnapshot();
        const Evaluation& e = window.state().document.snapshot()->evaluation;
        return e.valid() ? e.total : -1;
    }
    void open(MainWindow& window, const char* name)
    {
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(window.openPaths({example(name)}));
    }
    void setSize(MainWindow& window, const char* w, const char* h, const char* k)
    {
        auto* inspector = view<InspectorView>(window, "inspector");
        type(controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width")), QLatin1String(w));
        type(controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile height")), QLatin1String(h));
        if (auto* depth = controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Reduction depth"));
            depth->isEnabled())
            type(depth, QLatin1String(k));
    }
    void key(MainWindow& window, const char* action)
    {
        QAction* a = window.state().actions.find(QLatin1String(action));
        QVERIFY2(a, action);
        QVERIFY2(a->isEnabled(), action);
        QTest::keySequence(&window, a->shortcut());
    }

private Q_SLOTS:
    void initTestCase()
    {
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, m_settings.path());
        qApp->setProperty("tilewrightNoPrompts", true);
    }

    void init() // how one test leaves a file is nothing to the next
    {
        QSettings().clear();
        QDir(QFileInfo(QSettings().fileName()).path() + QStringLiteral("/sessions")).removeRecursively();
    }

    // -- the five worked examples of the seed, from an empty schedule (one op a subgraph) by mouse and keys
    void example1FusedAt128()
    {
        MainWindow window;
        open(window, "ex1.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        setSize(window, "128", "128", "1");
        clickRow(list, 1);
        setSize(window, "128", "128", "1");
        QCOMPARE(total(window), 6553.6); // strategy A
        clickRow(list, 0);
        clickRow(list, 1, Qt::ControlModifier);
        key(window, "schedule.fuse");
        QCOMPARE(total(window), 3276.8); // strategy B
        clickRow(list, 0);
        setSize(window, "64", "64", "1");
        QCOMPARE(total(window), 4400.0); // strategy C
    }
    void example2FusedAtFullCapacity()
    {
        MainWindow window;
        open(window, "ex2_final.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        for (int row : {0, 1}) {
            clickRow(list, row);
            setSize(window, "128", "128", "1");
        }
        QCOMPARE(total(window), 26214.4);
        clickRow(list, 0);
        clickRow(list, 1, Qt::ShiftModifier);
        key(window, "schedule.fuse");
        QCOMPARE(total(window), 13107.2);
    }
    void example3HybridWithRetention()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        for (int row : {0, 1, 2}) {
            clickRow(list, row);
            setSize(window, "128", "128", "1");
        }
        QCOMPARE(total(window), 11468.8); // A
        clickRow(list, 1);
        clickRow(list, 2, Qt::ControlModifier);
        key(window, "schedule.fuse");
        clickRow(list, 0);
        window.state().selection.selectTensor(TensorId(1));
        key(window, "schedule.retain");
        QCOMPARE(total(window), 4638.4); // C
    }
    void example4SnakeTraversal()
    {
        MainWindow window;
        open(window, "ex4.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        setSize(window, "64", "64", "128");
        QCOMPARE(total(window), 7096.0);
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* traversal = controlNamed<QComboBox>(*inspector, QStringLiteral("Traversal"));
        traversal->setFocus();
        QTest::keyClick(traversal, Qt::Key_Down); // raster -> snake
        if (window.state().document.schedule()[SubgraphId(0)].traversal.kind() != TraversalKind::Snake)
            window.state().actions.find(QStringLiteral("schedule.traversal.snake"))->trigger();
        QCOMPARE(total(window), 6548.0);
    }
    void example5SplitK()
    {
        MainWindow window;
        open(window, "ex5.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        clickRow(list, 1, Qt::ShiftModifier);
        key(window, "schedule.fuse");
        setSize(window, "128", "128", "128");
        QCOMPARE(total(window), -1.0); // A: out of memory
        setSize(window, "128", "128", "32");
        QCOMPARE(total(window), 6915.2); // B
    }

    void problemsJumpAndFix()
    {
        MainWindow window;
        open(window, "ex5.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        setSize(window, "128", "128", "128");
        window.state().document.waitForSnapshot();
        window.state().selection.clear();
        auto* problems = view<ProblemsView>(window, "problems");
        QCOMPARE(problems->list()->model()->rowCount(), 1);
        QCOMPARE(problems->list()->model()->index(0, 1).data().toString(), QStringLiteral("OOM"));
        const QRect row = problems->list()->visualRect(problems->list()->model()->index(0, 0));
        QTest::mouseClick(problems->list()->viewport(), Qt::LeftButton, {}, row.center());
        QTest::mouseDClick(problems->list()->viewport(), Qt::LeftButton, {}, row.center());
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(0)));
        QTest::mouseClick(problems->fixButton(), Qt::LeftButton);
        QVERIFY(total(window) > 0);
        problems->settle();
        QCOMPARE(problems->list()->model()->rowCount(), 0);
        key(window, "edit.undo");
        QCOMPARE(total(window), -1.0);
    }
    void coverageIsFixedByTheButton()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 2);
        key(window, "schedule.delete");
        QCOMPARE(total(window), -1.0);
        auto* problems = view<ProblemsView>(window, "problems");
        QCOMPARE(problems->list()->model()->index(0, 1).data().toString(), QStringLiteral("COVERAGE"));
        QTest::mouseClick(problems->fixButton(), Qt::LeftButton);
        QVERIFY(total(window) > 0);
    }
    void reorderByKeysRefusesWithTheReason()
    {
        MainWindow window;
        open(window, "ex5.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 1);
        const Schedule before = window.state().document.schedule();
        key(window, "schedule.moveUp");
        QVERIFY(window.state().document.schedule() == before);
        auto* bar = window.findChild<MessageBar*>();
        QVERIFY(bar && !bar->text().isEmpty());
    }
    void aWarningLeavesByItself()
    {
        MainWindow window;
        open(window, "ex5.problem.json");
        clickRow(view<SubgraphsView>(window, "subgraphs"), 1);
        key(window, "schedule.moveUp"); // refused
        const auto* bar = window.findChild<MessageBar*>();
        QVERIFY(bar && !bar->text().isEmpty());
        const auto* leave = bar->findChild<QTimer*>();
        QVERIFY(leave && leave->isActive());
        QVERIFY(leave->interval() > 6000); // it can be read twice
    }
    void ctrlYRedoesToo()
    {
        MainWindow window;
        open(window, "ex5.problem.json");
        const Schedule before = window.state().document.schedule();
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        window.state().selection.selectSubgraph(SubgraphId(0));
        QVERIFY(
            window.state().document.apply(edit::setTraversal(*window.state().document.problem(), before,
                                                             std::array{SubgraphId(0)}, TraversalKind::Snake),
                                          QStringLiteral("order")));
        const Schedule after = window.state().document.schedule();
        QTest::keyClick(&window, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(window.state().document.schedule() == before);
        QTest::keyClick(&window, Qt::Key_Y, Qt::ControlModifier);
        QVERIFY(window.state().document.schedule() == after);
    }
    void reorderByDroppingRows()
    {
        MainWindow window;
        open(window, "issue12.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        QAbstractItemModel* model = list->table()->model();
        const std::unique_ptr<QMimeData> mime(model->mimeData({model->index(1, 0)}));
        const auto before = window.state().document.schedule();
        model->dropMimeData(mime.get(), Qt::MoveAction, 1, 0, {}); // onto its own place
        QVERIFY(window.state().document.schedule() == before);
    }
    void undoKeysInANumberBoxAreTheDocuments()
    {
        MainWindow window;
        open(window, "ex1.problem.json");
        clickRow(view<SubgraphsView>(window, "subgraphs"), 0);
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* box = controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width"));
        const double before = total(window);
        type(box, QStringLiteral("32"));
        const double narrow = total(window);
        QVERIFY(narrow != before);
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(total(window), before);
        QTest::keySequence(box, QKeySequence(QKeySequence::Redo));
        QCOMPARE(total(window), narrow);
        auto* height = controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile height"));
        height->setFocus();
        QTest::keyClick(height, Qt::Key_Down); // as the wheel does
        QVERIFY(total(window) != narrow);
        QTest::keyClick(height, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(total(window), narrow);
        box->setFocus();
        // What is still being typed is taken back where it is typed.
        box->selectAll();
        QTest::keyClick(box, Qt::Key_7);
        QCOMPARE(box->cleanText(), QStringLiteral("7"));
        QTest::keyClick(box, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(box->cleanText(), QStringLiteral("32"));
        QCOMPARE(total(window), narrow);
    }
    void autoSolveAppliesAsOneUndoStep()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        const double before = total(window);
        auto* solver = view<SolverView>(window, "solver");
        solver->budget()->setValue(0.5);
        QTest::mouseClick(solver->options().run(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 10000);
        QTRY_VERIFY(solver->applyButton()->isVisible());
        QTest::mouseClick(solver->applyButton(), Qt::LeftButton);
        QVERIFY(total(window) < before);
        QVERIFY(total(window) <= 4638.4);
        QCOMPARE(window.state().document.undoStack().count(), 1);
        key(window, "edit.undo");
        QCOMPARE(total(window), before);
    }
    void closingOrOpeningWhileSolvingForgetsTheRun()
    {
        MainWindow window;
        open(window, "issue84.problem.json");
        auto* solver = view<SolverView>(window, "solver");
        const QSignalSpy results(&solver->job(), &SolverJob::finished);
        // Another run waits for the thread of the last one: what that had to say is in the queue before
        // anything of the new run is.
        const auto runToTheEnd = [&] {
            solver->budget()->setValue(0.2);
            QTest::mouseClick(solver->options().run(), Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 10'000);
        };
        const auto startLong = [&] {
            solver->budget()->setValue(30);
            QTest::mouseClick(solver->options().run(), Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(!solver->curve().points.empty(), 10'000); // it has begun
            QVERIFY(solver->job().isRunning());
        };
        startLong();
        window.state().document.close();
        QVERIFY(!solver->job().isRunning());
        QVERIFY(solver->curve().points.empty());
        open(window, "ex3.problem.json");
        runToTheEnd();
        QCOMPARE(results.count(), 1);
        QCOMPARE(solver->card().outcome()->after->problem, window.state().document.problem());
        open(window, "issue84.problem.json");
        startLong();
        open(window, "ex1.problem.json");
        QVERIFY(!solver->job().isRunning());
        QVERIFY(!solver->applyButton()->isVisible());
        runToTheEnd();
        QCOMPARE(results.count(), 2);
        QCOMPARE(window.state().document.problem()->opCount(), 2u);
        QCOMPARE(solver->card().outcome()->after->problem, window.state().document.problem());
    }
    void noticesGoWithTheNextEdit()
    {
        MainWindow window;
        open(window, "ex5.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 1);
        key(window, "schedule.moveUp"); // refused
        auto* bar = window.findChild<MessageBar*>();
        QVERIFY(!bar->text().isEmpty());
        clickRow(list, 0);
        key(window, "schedule.duplicate");
        QVERIFY(bar->text().isEmpty());
    }
    void savedSchedulesRememberTheirProblem()
    {
        const QString path = m_settings.filePath(QStringLiteral("s.schedule.json"));
        {
            MainWindow window;
            open(window, "ex3.problem.json");
            QVERIFY(window.state().document.save(path));
            QVERIFY(window.openPaths({path}));
        }
        MainWindow next;
        next.show();
        QVERIFY(next.openPaths({path}));
        QCOMPARE(next.state().document.problem()->opCount(), 3u);
    }
    void brokenFilesShowTheSentenceAndKeepTheDocument()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        const QString bad = m_settings.filePath(QStringLiteral("bad.json"));
        QFile file(bad);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("[[[[");
        file.close();
        QVERIFY(!window.openPaths({bad}));
        QVERIFY(window.findChild<MessageBar*>()->text().contains(QStringLiteral("bad.json")));
        QVERIFY(window.state().document.hasProblem());
    }
    void lensFilesOpenTheirLensOrSayWhyNot()
    {
        MainWindow window;
        window.show();
        const QString source = QStringLiteral(TILEWRIGHT_SOURCE_DIR);
        QVERIFY(window.openPaths({source + QStringLiteral("/tests/data/hierarchies/edge-8x8.json")}));
        QVERIFY(window.view(QStringLiteral("systolic"))->isVisible());
        QVERIFY(
            !window.openPaths({source + QStringLiteral("/tests/data/invalid_hierarchy/level_missing.json")}));
        QVERIFY(window.findChild<MessageBar*>()->text().contains(QStringLiteral("l2")));
        QVERIFY(!window.openPaths({source + QStringLiteral("/tests/data/invalid_npu/cyclic_graph.json")}));
        QVERIFY(window.findChild<MessageBar*>()->text().contains(QStringLiteral("cyclic")));
    }
    void everyActionHasTextAndTip()
    {
        MainWindow window;
        QSet<QString> keys;
        for (const QAction* a : window.state().actions.all()) {
            QVERIFY2(!a->text().isEmpty() && !a->statusTip().isEmpty(), qPrintable(a->objectName()));
            for (const QKeySequence& k : a->shortcuts()) {
                // Keys of one pane may mean its next and previous thing.
                if (k.isEmpty() || a->shortcutContext() == Qt::WidgetWithChildrenShortcut)
                    continue;
                QVERIFY2(!keys.contains(k.toString()), qPrintable(a->objectName() + k.toString()));
                keys.insert(k.toString());
            }
        }
        const ShortcutSheet sheet(window.state().actions);
        QVERIFY(sheet.findChild<QTreeWidget*>()->topLevelItemCount() >= 6);
    }
    void everyViewIsNamedAndDraws()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        for (const ViewEntry& entry : viewCatalog()) {
            View* v = window.view(entry.name);
            QVERIFY2(v && !v->accessibleName().isEmpty(), qPrintable(entry.name));
            QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(v);
            QVERIFY2(accessible, qPrintable(entry.name));
            QVERIFY(v->exportSize().width() > 100);
        }
    }
    void copiedRowsHaveFullPrecision()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        QVERIFY(window.openPaths({example("ex3A.solution.json")}));
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 2);
        QVERIFY(list->copyText().contains(QStringLiteral("\t4915.2\t")));
    }
    void typingIntoASpinBoxDoesNotTriggerLetters()
    {
        MainWindow window;
        open(window, "ex3.problem.json");
        auto* list = view<SubgraphsView>(window, "subgraphs");
        clickRow(list, 0);
        auto* inspector = view<InspectorView>(window, "inspector");
        controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width"))->setFocus();
        QTest::keyClicks(controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width")),
                         QStringLiteral("gbrl"));
        QVERIFY(!window.state().document.baseline());
    }
    void themesSwitch()
    {
        MainWindow window;
        window.setTheme(QStringLiteral("dark"));
        QVERIFY(window.state().themes.theme().dark);
        window.setTheme(QStringLiteral("light"));
        QVERIFY(!window.state().themes.theme().dark);
    }
};

TILEWRIGHT_TEST(TestWindow)

} // namespace test_window
#include "test_window.moc"
