// SPDX-License-Identifier: GPL-3.0-or-later
// Energy in the window, and the front of latency and energy of a run, by mouse and keys.
#include "base/file.h"
#include "panels/inspector/inspector_view.h"
#include "panels/solver/solver_front.h"
#include "panels/subgraphs/subgraph_model.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "picture.h"
#include "solver_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/latency/latency_view.h"
#include "window/status_strip.h"

#include <QComboBox>
#include <QLabel>
#include <QTabWidget>
#include <QTableView>
#include <QUndoStack>
#include <QtTest>

namespace test_solver_front {

using namespace tilewright;
using namespace tilewright::ui;

class TestSolverFront : public QObject, SolverBench
{
    Q_OBJECT

    /// A window with a sample that states energies, so that the least latency takes much energy.
    std::unique_ptr<Opened> openWithEnergy()
    {
        const auto text = readFile(TILEWRIGHT_SOURCE_DIR "/samples/schedule/fan-out.json");
        if (!text)
            return nullptr;
        const auto sample = readProblem(*text, "fan-out");
        if (!sample)
            return nullptr;
        Problem::Data data = (*sample)->data();
        data.energy = EnergyCosts{10, 0.5, {0.02}, {1}};
        const QString file = m_folder.filePath(QStringLiteral("energy.json"));
        if (!writeFileAtomically(file.toStdString(), writeProblem(*Problem::build(std::move(data)).value())))
            return nullptr;
        auto o = open();
        if (!o || !o->window.openPaths({file}))
            return nullptr;
        return o;
    }
    static SolverFrontPlot& plotOf(Opened& o) { return *o.solver->card().front()->plot(); }
    /// Runs with an objective chosen by keys.
    static void runFor(Opened& o, SolveObjective objective, double seconds)
    {
        QComboBox* box = o.solver->options().objective();
        box->setFocus();
        QTest::keyClick(box, Qt::Key_Home);
        for (int i = 0; i < static_cast<int>(objective); ++i)
            QTest::keyClick(box, Qt::Key_Down);
        QCOMPARE(box->currentIndex(), static_cast<int>(objective));
        run(o, seconds);
    }
    static void showFront(Opened& o)
    {
        QTabWidget* tabs = o.solver->card().tabs();
        const int at = tabs->indexOf(o.solver->card().front());
        QVERIFY(tabs->isTabVisible(at));
        tabs->setCurrentIndex(at);
        o.window.resize(1600, 1000);
        QTRY_VERIFY(plotOf(o).isVisible());
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(written() && m_folder.isValid()); }
    void init() { QSettings().clear(); }

    /// Each way to adopt a point is one undo step.
    void aPointOfTheFrontIsAdoptedByMouseAndKeys()
    {
        const auto o = openWithEnergy();
        QVERIFY(o);
        runFor(*o, SolveObjective::Edp, 2);
        const SolverOutcomePtr outcome = o->solver->card().outcome();
        QVERIFY(outcome);
        QCOMPARE(outcome->objective, SolveObjective::Edp);
        QVERIFY2(outcome->front.size() >= 2, qPrintable(QString::number(outcome->front.size())));
        showFront(*o);
        SolverFrontPlot& plot = plotOf(*o);
        QVERIFY(!o->solver->card().front()->adoptButton()->isEnabled());
        const Schedule before = o->document().schedule();
        const int last = static_cast<int>(outcome->front.size()) - 1;
        const auto isNow = [&](int point) {
            return o->document().schedule() == *outcome->front[static_cast<std::size_t>(point)].schedule;
        };
        const auto undone = [&] {
            const int steps = o->document().undoStack().index();
            o->document().undoStack().undo();
            return steps == 1 && o->document().schedule() == before;
        };
        // Double click.
        QTest::mouseDClick(&plot, Qt::LeftButton, {}, plot.pointOf(0).toPoint());
        QVERIFY(isNow(0));
        o->document().waitForSnapshot();
        QCOMPARE(o->document().snapshot()->evaluation.total, outcome->front.front().latency);
        QVERIFY(undone());
        // A click chooses, the button adopts.
        QTest::mouseClick(&plot, Qt::LeftButton, {}, plot.pointOf(last).toPoint());
        QCOMPARE(plot.chosen(), std::optional(last));
        QVERIFY(before == o->document().schedule());
        click(o->solver->card().front()->adoptButton());
        QVERIFY(isNow(last));
        QVERIFY(undone());
        // Keys.
        plot.setFocus();
        QTest::keyClick(&plot, Qt::Key_Left);
        QCOMPARE(plot.chosen(), std::optional(last - 1));
        QTest::keyClick(&plot, Qt::Key_Return);
        QVERIFY(isNow(last - 1));
        QVERIFY(undone());
        QVERIFY(picture::colours(picture::of(plot)) > 8);
    }

    /// Table, Inspector, headline, latency chart and solver card say the energy.
    void energyIsShownWhereTheProblemHasIt()
    {
        const auto o = openWithEnergy();
        QVERIFY(o);
        o->document().waitForSnapshot();
        auto* list = qobject_cast<SubgraphsView*>(o->window.view(QStringLiteral("subgraphs")));
        o->window.showView(QStringLiteral("subgraphs"));
        o->window.resize(2400, 1300); // in a narrow pane the column gives way
        QTRY_VERIFY(!list->table()->isColumnHidden(SubgraphModel::Energy));
        o->window.showView(QStringLiteral("inspector"));
        QTest::mouseClick(list->table()->viewport(), Qt::LeftButton, {},
                          list->table()->visualRect(list->table()->model()->index(0, 1)).center());
        auto* inspector = qobject_cast<InspectorView*>(o->window.view(QStringLiteral("inspector")));
        inspector->settle();
        QString said;
        for (const QLabel* l : inspector->findChildren<QLabel*>())
            said += l->text();
        QVERIFY(said.contains(QStringLiteral("Energy <b>")));
        QVERIFY(said.contains(QStringLiteral("slow memory")));
        QString headline;
        for (const QLabel* l : o->window.findChild<StatusStrip*>()->findChildren<QLabel*>())
            headline += l->text() + QLatin1Char('\n');
        QVERIFY(headline.contains(energyText(o->window.state().document.snapshot()->evaluation.energy)));
        auto* latency = qobject_cast<LatencyView*>(o->window.view(QStringLiteral("latency")));
        o->window.showView(QStringLiteral("latency"));
        latency->settle();
        QVERIFY(latency->model().hasEnergy);
        QCOMPARE(std::ranges::max(latency->model().bars, {}, &LatencyBar::heat).heat, 1.0);
    }

    /// A problem without energies shows nothing new.
    void nothingIsShownWithoutEnergies()
    {
        const auto o = open();
        QVERIFY(o);
        QVERIFY(!o->solver->options().objective()->isEnabled());
        auto* list = qobject_cast<SubgraphsView*>(o->window.view(QStringLiteral("subgraphs")));
        QVERIFY(list->table()->isColumnHidden(SubgraphModel::Energy));
        run(*o, 0.3);
        QTabWidget* tabs = o->solver->card().tabs();
        QVERIFY(!tabs->isTabVisible(tabs->indexOf(o->solver->card().front())));
        for (const QLabel* l : o->window.findChild<StatusStrip*>()->findChildren<QLabel*>())
            QVERIFY(!l->text().endsWith(QLatin1Char('J')));
    }

private:
    QTemporaryDir m_folder;
};

TILEWRIGHT_TEST(TestSolverFront)

} // namespace test_solver_front
#include "test_solver_front.moc"
