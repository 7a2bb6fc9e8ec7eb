// SPDX-License-Identifier: GPL-3.0-or-later
// The guided tours: they point at controls that are there, go on when the person has done what they say, and
// only then.
#include "click_row.h"
#include "control_named.h"
#include "files.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_view.h"
#include "window/sheets.h"
#include "window/tour.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QMouseEvent>
#include <QPushButton>
#include <QStatusBar>
#include <QTextBrowser>
#include <QToolBar>

namespace test_tours {

using namespace tilewright;
using namespace tilewright::ui;

class TestTours : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static TourGuide* begin(MainWindow& window, const char* id)
    {
        window.resize(1440, 900);
        window.show();
        if (!QTest::qWaitForWindowExposed(&window))
            return nullptr;
        window.state().actions.find(QStringLiteral("help.tour.") + QLatin1String(id))->trigger();
        auto* guide = window.findChild<TourGuide*>();
        return guide->isRunning() ? guide : nullptr;
    }
    /// The first step of the first tour.
    static void chooseBoth(const MainWindow& window)
    {
        clickRow(window, 8);
        clickRow(window, 9, Qt::ShiftModifier);
    }
private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void theFirstScheduleIsDoneByHand()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "fuse");
        QVERIFY(guide);
        QCOMPARE(guide->step(), 0U);
        QVERIFY(guide->target() == window.view(QStringLiteral("subgraphs")));
        QTest::qWait(500);
        QCOMPARE(guide->step(), 0U); // nothing has been done
        chooseBoth(window);
        QTRY_COMPARE(guide->step(), 1U);
        QVERIFY(guide->target() && guide->target()->isVisible());
        QVERIFY(!guide->geometry().intersects(
            QRect(guide->target()->mapTo(&window, QPoint(0, 0)), guide->target()->size())));
        QTest::keyClick(viewOf<GraphView>(window, "graph"), Qt::Key_G);
        QTRY_COMPARE(guide->step(), 2U);
        QTRY_VERIFY(qobject_cast<QPushButton*>(guide->target()));
        QTest::mouseClick(guide->target(), Qt::LeftButton);
        QTRY_COMPARE(guide->step(), 3U);
        clickRow(window, 0);
        QTRY_VERIFY(qobject_cast<QCheckBox*>(guide->target()));
        QTest::mouseClick(guide->target(), Qt::LeftButton, {}, QPoint(8, guide->target()->height() / 2));
        QTRY_COMPARE(guide->step(), 4U);
        auto* solver = viewOf<SolverView>(window, "solver");
        solver->options().budget()->setValue(0.5);
        QTest::keyClick(&window, Qt::Key_F9);
        QTRY_COMPARE_WITH_TIMEOUT(guide->step(), 5U, 20'000);
        QTest::mouseClick(solver->applyButton(), Qt::LeftButton);
        QTRY_COMPARE(guide->step(), 6U);
        // The edits of a sample are not to be saved: opening the model asks nothing.
        QTest::mouseClick(guide->offerButton(), Qt::LeftButton);
        QTRY_COMPARE(guide->step(), 7U);
        QVERIFY(window.state().document.problemPath().endsWith(QStringLiteral("resnet-18.onnx")));
        QVERIFY(!guide->offerButton()->isVisible());
        for (int i = 0; i < 3; ++i)
            QTest::mouseClick(guide->skipButton(), Qt::LeftButton);
        QVERIFY(guide->text().startsWith(QStringLiteral("A schedule is:")));
        QTest::mouseClick(guide->leaveButton(), Qt::LeftButton);
        QVERIFY(!guide->isRunning());
    }

    void theCardGoesWhenAnotherFileIsOpened()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "fuse");
        QVERIFY(guide);
        for (int i = 0; i < 10; ++i)
            QTest::mouseClick(guide->skipButton(), Qt::LeftButton);
        QVERIFY(guide->text().startsWith(QStringLiteral("A schedule is:")));
        QVERIFY(window.openPaths({sample("mlp.json")}));
        QTRY_VERIFY(!guide->isRunning());
    }

    void beatingAutoSolveTakesTheChangesOfTheInspector()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "beat");
        QVERIFY(guide);
        auto* solver = viewOf<SolverView>(window, "solver");
        solver->options().budget()->setValue(1);
        QTest::keyClick(&window, Qt::Key_F9);
        QTRY_COMPARE_WITH_TIMEOUT(guide->step(), 1U, 20'000);
        QVERIFY(guide->target());
        QTest::mouseClick(guide->target(), Qt::LeftButton);
        QTRY_COMPARE(guide->step(), 2U);
        Document& document = window.state().document;
        document.apply(solver->card().outcome()->after->schedule, QStringLiteral("by hand, as it were"));
        QTRY_COMPARE(guide->step(), 3U);
    }

    void whoHasLostTheSelectionIsToldHowToGoOn()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "fuse");
        QVERIFY(guide);
        chooseBoth(window);
        QTRY_COMPARE(guide->step(), 1U);
        QVERIFY(!guide->text().contains(QStringLiteral("Shift+click")));
        window.state().selection.clear();
        QTRY_VERIFY(guide->text().contains(QStringLiteral("Shift+click")));
        // Back repeats a step, and what is done already does not carry on by itself.
        chooseBoth(window);
        QTest::mouseClick(guide->backButton(), Qt::LeftButton);
        QTest::qWait(500);
        QCOMPARE(guide->step(), 0U);
        QTest::mouseClick(guide->skipButton(), Qt::LeftButton);
        QCOMPARE(guide->step(), 1U);
    }

    void thePaneOfAStepComesToTheFront()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "fuse");
        QVERIFY(guide);
        chooseBoth(window);
        QTRY_COMPARE(guide->step(), 1U);
        window.showView(QStringLiteral("machine"));
        QTRY_VERIFY(!window.view(QStringLiteral("inspector"))->isSeen());
        QTest::keyClick(viewOf<GraphView>(window, "graph"), Qt::Key_G);
        QTRY_COMPARE(guide->step(), 2U);
        QTRY_VERIFY(window.view(QStringLiteral("inspector"))->isSeen());
        QVERIFY(guide->target() && guide->target()->isVisible());
    }

    void whatWasAppliedIsNotByHand()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "beat");
        QVERIFY(guide);
        auto* solver = viewOf<SolverView>(window, "solver");
        solver->options().budget()->setValue(1);
        QTest::keyClick(&window, Qt::Key_F9);
        QTRY_COMPARE_WITH_TIMEOUT(guide->step(), 1U, 20'000);
        QTest::mouseClick(solver->applyButton(), Qt::LeftButton);
        QTRY_VERIFY(guide->text().contains(QStringLiteral("applied")));
        QTest::qWait(500);
        QCOMPARE(guide->step(), 1U);
        window.state().document.undoStack().undo();
        QTRY_VERIFY(!guide->text().contains(QStringLiteral("applied")));
        // It begins anew with nothing of the last time.
        QVERIFY(window.state().document.baseline());
        window.state().actions.find(QStringLiteral("help.tour.beat"))->trigger();
        QVERIFY(guide->isRunning());
        QCOMPARE(guide->step(), 0U);
        QVERIFY(!window.state().document.baseline());
    }

    void theCardKeepsOffItsTargetAndTheEdge()
    {
        const QRect room(8, 90, 1350, 630);
        const QSize card(460, 130);
        // In every corner, in the middle, along the bottom, and beside a pane that is needed too.
        const QRect pane(8, 100, 440, 300);
        for (const QRect& target :
             {QRect(1100, 200, 120, 30), QRect(10, 95, 100, 30), QRect(900, 690, 200, 28),
              QRect(8, 380, 900, 340), QRect(500, 300, 60, 20), QRect(700, 50, 30, 30), pane}) {
            const QRect place = tourCardPlace(card, room, target, {pane});
            QVERIFY(room.contains(place));
            QVERIFY(!place.intersects(target));
            if (target != pane)
                QVERIFY(!place.intersects(pane));
        }
    }

    void onASmallScreenTheCardIsBesideTheMenus()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "fuse");
        QVERIFY(guide);
        window.resize(1366, 700);
        QTRY_VERIFY(guide->geometry().top() > window.findChild<QToolBar*>()->geometry().bottom());
        QTRY_VERIFY(guide->geometry().bottom() < window.statusBar()->geometry().top());
        // Out of the way by hand.
        const QPoint before = guide->pos();
        QTest::mousePress(guide, Qt::LeftButton, {}, QPoint(3, 3));
        QMouseEvent move(QEvent::MouseMove, QPoint(43, 33), guide->mapToGlobal(QPoint(43, 33)), Qt::NoButton,
                         Qt::LeftButton, {});
        QApplication::sendEvent(guide, &move);
        QTest::mouseRelease(guide, Qt::LeftButton, {}, QPoint(3, 3));
        QTest::qWait(500);
        QVERIFY(guide->pos() != before);
    }

    void fromModelToArrayVisitsEveryLens()
    {
        MainWindow window;
        TourGuide* guide = begin(window, "array");
        QVERIFY(guide);
        auto* solver = viewOf<SolverView>(window, "solver");
        solver->options().budget()->setValue(1);
        QTest::keyClick(&window, Qt::Key_F9);
        QTRY_VERIFY_WITH_TIMEOUT(solver->card().outcome() && !solver->job().isRunning(), 20'000);
        QTest::mouseClick(solver->applyButton(), Qt::LeftButton);
        QTRY_COMPARE(guide->step(), 1U);
        QTest::keyClick(&window, Qt::Key_L, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(guide->step(), 2U);
        window.state().actions.find(QStringLiteral("lens.systolic"))->trigger();
        QTRY_COMPARE(guide->step(), 3U);
        auto* height = controlNamed<ChoiceSpinBox>(*viewOf<InspectorView>(window, "inspector"),
                                                   QStringLiteral("Tile height"));
        height->setFocus();
        const Schedule solved = window.state().document.schedule();
        QTest::keyClick(height, Qt::Key_Down); // as the wheel does
        QTRY_COMPARE(guide->step(), 4U);
        // What was set to look at it does not stay.
        QVERIFY(window.state().document.schedule() != solved);
        QTest::qWait(500);
        QCOMPARE(guide->step(), 4U);
        window.state().actions.find(QStringLiteral("edit.undo"))->trigger();
        QTRY_COMPARE(guide->step(), 5U);
        QVERIFY(window.state().document.schedule() == solved);
        window.state().actions.find(QStringLiteral("lens.mapping"))->trigger();
        QTRY_COMPARE(guide->step(), 6U);
        // The picture that has just come up is told before the next one.
        QVERIFY2(guide->text().startsWith(QStringLiteral("Each column is a memory")),
                 qPrintable(guide->text()));
        window.state().actions.find(QStringLiteral("lens.npu"))->trigger();
        QTRY_COMPARE(guide->step(), 7U);
        QTest::keyClick(&window, Qt::Key_G, Qt::ControlModifier);
        QTRY_COMPARE(guide->step(), 8U);
    }

    void theFormulaSheetCitesRulesThatThereAre()
    {
        const Actions keys;
        FormulaSheet sheet(keys, nullptr);
        const QString text = sheet.findChild<QTextBrowser*>()->toPlainText();
        QFile file(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/docs/rules/schedule.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString rules = QString::fromUtf8(file.readAll());
        static const QRegularExpression kRule(QStringLiteral("R\\d+(\\.\\d+)?"));
        int cited = 0;
        for (auto it = kRule.globalMatch(text); it.hasNext(); ++cited) {
            const QString rule = it.next().captured();
            QVERIFY2(rules.contains(QStringLiteral("\n") + rule + QLatin1Char(' ')) ||
                         rules.contains(QStringLiteral("## ") + rule + QLatin1Char(' ')),
                     qPrintable(rule));
        }
        QVERIFY(cited > 15);
    }
};

TILEWRIGHT_TEST(TestTours)

} // namespace test_tours
#include "test_tours.moc"
