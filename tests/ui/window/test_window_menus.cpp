// SPDX-License-Identifier: GPL-3.0-or-later
// Where a new user finds things: the tour of the README, lenses in the toolbar, samples, schedules beside a
// problem, commands by other words.
#include "button_named.h"
#include "click_row.h"
#include "panels/inspector/inspector_view.h"
#include "panels/rules/rules_view.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "views/graph/graph_view.h"
#include "window/command_palette.h"
#include "window/message_bar.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLineEdit>
#include <QListWidget>
#include <QLocale>
#include <QMenu>
#include <QPushButton>
#include <QTimer>
#include <QToolBar>
#include <QTreeWidget>

#include <cmath>

namespace test_window_menus {

using namespace tilewright;
using namespace tilewright::ui;

class TestWindowMenus : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    /// "First minute" of the README, with its figures.
    void theTourOfTheReadmeGoesAsItSays()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QVERIFY(openIn(window, {sample("resnet-block.json")}));
        Document& document = window.state().document;
        QFile readme(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/README.md"));
        QVERIFY(readme.open(QIODevice::ReadOnly));
        const QString told = QString::fromUtf8(readme.readAll());
        const auto totalIsTold = [&] {
            document.waitForSnapshot();
            const double total = document.snapshot()->evaluation.total;
            return document.snapshot()->evaluation.valid() &&
                   told.contains(
                       QLocale(QLocale::English).toString(total, 'f', total == std::floor(total) ? 0 : 1));
        };
        QVERIFY(totalIsTold());
        clickRow(window, 8);
        clickRow(window, 9, Qt::ShiftModifier);
        QTest::keyClick(viewOf<GraphView>(window, "graph"), Qt::Key_G);
        QVERIFY(totalIsTold());
        QCOMPARE(document.schedule().size(), 9U);
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        inspector->catchUp();
        QTest::mouseClick(buttonNamed(*inspector, QStringLiteral("Best found")), Qt::LeftButton);
        QVERIFY(totalIsTold());
        QVERIFY(document.schedule()[SubgraphId(8)].traversal.kind() != TraversalKind::Raster);
        clickRow(window, 0);
        inspector->catchUp();
        QCheckBox* retain = nullptr;
        for (QCheckBox* box : inspector->findChildren<QCheckBox*>())
            if (box->text().contains(QStringLiteral("reduce.out")))
                retain = box;
        QVERIFY(retain && retain->isVisible());
        retain->click();
        QVERIFY(totalIsTold());
        auto* solver = viewOf<SolverView>(window, "solver");
        solver->options().budget()->setValue(10); // until it is proven
        QTest::keyClick(&window, Qt::Key_F9);
        QTRY_VERIFY_WITH_TIMEOUT(solver->card().outcome() && !solver->job().isRunning(), 20'000);
        QVERIFY(solver->card().outcome()->proven);
        QTest::mouseClick(solver->applyButton(), Qt::LeftButton);
        QVERIFY(totalIsTold());
    }

    void theToolbarLeadsToEveryLens()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
        auto* bar = window.findChild<QToolBar*>();
        for (const auto& [text, view] : {std::pair{"NPU", "npu"},
                                         {"Systolic", "systolic"},
                                         {"Mapping", "mapping"},
                                         {"Schedule", "graph"}}) {
            QAbstractButton* button = buttonNamed(*bar, QLatin1String(text));
            QVERIFY2(button, text);
            QTest::mouseClick(button, Qt::LeftButton);
            QVERIFY2(window.view(QLatin1String(view))->isVisible(), view);
            QVERIFY2(button->isChecked(), text);
        }
    }

    void theSamplesAreInTheFileMenu()
    {
        MainWindow window;
        window.show();
        QMenu* samples = nullptr;
        for (QMenu* menu : window.findChildren<QMenu*>())
            if (menu->title() == QLatin1String("Sa&mples"))
                samples = menu;
        QVERIFY(samples);
        Q_EMIT samples->aboutToShow();
        QMenu* three = nullptr;
        for (QAction* action : samples->actions())
            if (action->text() == QLatin1String("example-3"))
                three = action->menu();
        QVERIFY(three);
        for (QAction* action : three->actions())
            if (action->text() == QLatin1String("C: keep"))
                action->trigger();
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
    }

    void schedulesBesideAProblemAreOffered()
    {
        const QString problem = m_settings.filePath("p.json");
        const QString schedule = m_settings.filePath("p.schedule.json");
        QVERIFY(QFile::copy(example("ex3.problem.json"), problem));
        QVERIFY(QFile::copy(example("ex3C.solution.json"), schedule));
        qApp->setProperty("tilewrightNoPrompts", false);
        const auto again = qScopeGuard([] { qApp->setProperty("tilewrightNoPrompts", true); });
        MainWindow window;
        QVERIFY(openIn(window, {problem}));
        auto* messages = window.findChild<MessageBar*>();
        QVERIFY2(messages->text().contains(QStringLiteral("p.schedule.json")), qPrintable(messages->text()));
        QTest::mouseClick(buttonNamed(*messages, QStringLiteral("Open it")), Qt::LeftButton);
        QCOMPARE(window.state().document.snapshot()->evaluation.total, 4638.4);
        QVERIFY(messages->text().isEmpty());
        QVERIFY(QFile::copy(example("ex3A.solution.json"), m_settings.filePath("p.a.schedule.json")));
        QVERIFY(window.openPaths({problem}));
        QVERIFY2(messages->text().contains(QStringLiteral("2\u00a0schedules")), qPrintable(messages->text()));
        window.state().document.apply(window.state().document.schedule(), QString()); // nothing
        clickRow(window, 1);
        clickRow(window, 2, Qt::ShiftModifier);
        QTest::keyClick(&window, Qt::Key_J, Qt::ControlModifier);
        QVERIFY2(messages->text().isEmpty(), "whoever edits has answered");
        for (const char* name : {"p.json", "p.schedule.json", "p.a.schedule.json"})
            QVERIFY(QFile::remove(m_settings.filePath(name)));
    }

    void commandsAreFoundByOtherWords()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        CommandPalette palette(window.state().context(), &window);
        palette.show();
        for (const auto& [query, command] : {std::pair{"recompute", "Duplicate"},
                                             {"optimise", "Auto-solve"},
                                             {"settings", "Preferences"},
                                             {"native", "Rule: tiles larger than the array"}}) {
            auto* field = palette.findChild<QLineEdit*>();
            field->clear();
            QTest::keyClicks(field, QLatin1String(query));
            const auto* list = palette.findChild<QListWidget*>();
            bool found = false;
            for (int row = 0; row < std::min(5, list->count()); ++row)
                found = found || list->item(row)->text().contains(QLatin1String(command));
            QVERIFY2(found, query);
        }
    }

    void machinesAndTheFormOfALanguageModelAreFound()
    {
        MainWindow window;
        QVERIFY(openIn(window, {QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json")}));
        CommandPalette palette(window.state().context(), &window);
        palette.show();
        auto* field = palette.findChild<QLineEdit*>();
        const auto* list = palette.findChild<QListWidget*>();
        QTest::keyClicks(field, QStringLiteral("decode"));
        QVERIFY(list->count() > 0 && list->item(0)->text().contains(QStringLiteral("Import")));
        field->clear();
        QTest::keyClicks(field, QStringLiteral("nothing of this name"));
        QCOMPARE(list->count(), 1);
        QVERIFY(!(list->item(0)->flags() & Qt::ItemIsEnabled));
        field->clear();
        QTest::keyClicks(field, QStringLiteral("tpu-v5e"));
        QCOMPARE(list->item(0)->text(), QStringLiteral("Machine: tpu-v5e"));
        QTest::keyClick(field, Qt::Key_Return);
        QCOMPARE(window.state().document.machine()->name, std::string("tpu-v5e"));
        window.state().document.undoStack().undo();
        QVERIFY(window.state().document.machine()->name != "tpu-v5e");
    }

    /// F13: Ctrl+K finds a rule by its name, and opens the pane of the rules at it.
    void aRuleIsFoundByItsName()
    {
        MainWindow window;
        window.show();
        QVERIFY(openIn(window, {example("ex3.problem.json")}));
        QTimer::singleShot(0, &window, [] {
            QWidget* palette = QApplication::activeModalWidget();
            auto* field = palette ? palette->findChild<QLineEdit*>() : nullptr;
            if (!field)
                return;
            QTest::keyClicks(field, QStringLiteral("supernative"));
            QTest::keyClick(field, Qt::Key_Return);
        });
        window.state().actions.find(QStringLiteral("edit.palette"))->trigger();
        auto* rules = static_cast<RulesView*>(window.view(QStringLiteral("rules")));
        QVERIFY(rules->isSeen());
        QVERIFY(rules->list()->currentItem());
        QCOMPARE(rules->list()->currentItem()->text(4), QStringLiteral("supernative"));
    }
};

TILEWRIGHT_TEST(TestWindowMenus)

} // namespace test_window_menus
#include "test_window_menus.moc"
