// SPDX-License-Identifier: GPL-3.0-or-later
// What a running search says of itself, resting, giving up, and the results of earlier runs.
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>

namespace test_solver_runs {

using namespace tilewright;
using namespace tilewright::ui;

class TestSolverRuns : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static QString progress(const SolverView& solver)
    {
        for (const QLabel* label : solver.findChildren<QLabel*>())
            if (label->accessibleName() == QLatin1String("Progress"))
                return label->text();
        return {};
    }
    static SolverView* shown(MainWindow& window, const char* file)
    {
        if (!openIn(window, {sample(file)}))
            return nullptr;
        window.showView(QStringLiteral("solver"));
        auto* solver = viewOf<SolverView>(window, "solver");
        solver->options().threads()->setValue(2);
        return solver;
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void itSaysWhatItDoesNow()
    {
        MainWindow window;
        SolverView* solver = shown(window, "random-40.json");
        QVERIFY(solver);
        solver->options().budget()->setValue(30);
        QTest::mouseClick(solver->options().run(), Qt::LeftButton);
        QTRY_VERIFY2_WITH_TIMEOUT(progress(*solver).contains(QStringLiteral("round ")),
                                  qPrintable(progress(*solver)), 10'000);
        QTRY_VERIFY2_WITH_TIMEOUT(progress(*solver).contains(QStringLiteral("no improvement for ")),
                                  qPrintable(progress(*solver)), 20'000);
        QTest::mouseClick(solver->options().stop(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 5000);
    }

    void aPausedSearchStandsStill()
    {
        MainWindow window;
        SolverView* solver = shown(window, "random-40.json");
        QVERIFY(solver);
        QVERIFY(!solver->options().pause()->isEnabled());
        solver->options().budget()->setValue(1);
        QTest::mouseClick(solver->options().run(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->curve().points.empty(), 5000);
        QTest::mouseClick(solver->options().pause(), Qt::LeftButton);
        QCOMPARE(solver->options().pause()->text(), QStringLiteral("Resume"));
        const double at = solver->job().seconds();
        QTRY_VERIFY(progress(*solver).contains(QStringLiteral("paused")));
        QTest::qWait(1500); // more than the budget
        QVERIFY2(solver->job().isRunning(), "its time stands still");
        QCOMPARE(solver->job().seconds(), at);
        QTest::mouseClick(solver->options().pause(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 8000);
        QVERIFY(solver->card().outcome());
        QVERIFY(solver->card().outcome()->seconds < 2);
        // A search that rests can be stopped too.
        solver->options().budget()->setValue(30);
        QTest::mouseClick(solver->options().run(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->curve().points.empty(), 5000);
        QTest::mouseClick(solver->options().pause(), Qt::LeftButton);
        QTest::mouseClick(solver->options().stop(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 3000);
    }

    void itGivesUpWhenNothingComes()
    {
        MainWindow window;
        SolverView* solver = shown(window, "diamond.json");
        QVERIFY(solver);
        solver->options().budget()->setValue(60);
        solver->options().patience()->setValue(0.5);
        QTest::mouseClick(solver->options().run(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 25'000);
        QVERIFY2(progress(*solver).contains(QStringLiteral("no improvement for 0.5")) ||
                     solver->card().outcome()->proven,
                 qPrintable(progress(*solver)));
    }

    void resultsOfEarlierRunsCanBeLookedAt()
    {
        MainWindow window;
        SolverView* solver = shown(window, "attention-block.json");
        QVERIFY(solver);
        QComboBox* runs = nullptr;
        for (QComboBox* box : solver->findChildren<QComboBox*>())
            if (box->accessibleName() == QLatin1String("Runs"))
                runs = box;
        QVERIFY(runs && !runs->isVisible());
        solver->options().budget()->setValue(0.3);
        for (int i = 0; i < 2; ++i) {
            QTest::mouseClick(solver->options().run(), Qt::LeftButton);
            QTRY_VERIFY_WITH_TIMEOUT(!solver->job().isRunning(), 8000);
        }
        QVERIFY(runs->isVisible());
        QCOMPARE(runs->count(), 2);
        QVERIFY(runs->itemText(0).startsWith(QStringLiteral("Run 2: ")));
        const SolverOutcomePtr latest = solver->card().outcome();
        runs->setFocus();
        QTest::keyClick(runs, Qt::Key_Down);
        QVERIFY(solver->card().outcome() && solver->card().outcome() != latest);
        QVERIFY(window.openPaths({sample("diamond.json")}));
        QVERIFY(!runs->isVisible());
    }
};

TILEWRIGHT_TEST(TestSolverRuns)

} // namespace test_solver_runs
#include "test_solver_runs.moc"
