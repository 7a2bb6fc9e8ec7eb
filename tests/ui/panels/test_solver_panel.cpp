// SPDX-License-Identifier: GPL-3.0-or-later
// Auto-solve driven as a person drives it: the run, the result card, options, locks.
#include "button_named.h"
#include "canvas/control_bar.h"
#include "control_named.h"
#include "panels/subgraphs/subgraphs_view.h"
#include "solver_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/compare/compare_view.h"

#include "edit/edits.h"
#include "edit/fit.h"
#include "eval/evaluation.h"
#include "snapshot/snapshot.h"

#include <QCheckBox>
#include <QComboBox>
#include <QElapsedTimer>
#include <QLabel>
#include <QScrollArea>
#include <QScrollBar>
#include <QSpinBox>
#include <QTabBar>
#include <QTabWidget>
#include <QTableView>

namespace test_solver_panel {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

struct Resizes : QObject
{
    int count = 0;
    bool eventFilter(QObject* watched, QEvent* event) override
    {
        count += event->type() == QEvent::Resize ? 1 : 0;
        return QObject::eventFilter(watched, event);
    }
};

} // namespace

class TestSolverPanel : public QObject, SolverBench
{
    Q_OBJECT
    static QPoint rowOf(QTreeWidget* tree, int row)
    {
        return tree->visualItemRect(tree->topLevelItem(row)).center();
    }

private Q_SLOTS:
    void initTestCase() { QVERIFY(written()); }
    void init() { QSettings().clear(); }

    // -- the run
    void stopShowsTheCardAtOnce()
    {
        const auto o = open();
        for (int i = 0; i < 5; ++i) {
            runToPreview(*o);
            QTest::qWait(120 + 37 * i); // in the middle of one thing or another
            // How soon is in the figures; here, that the card waits for no answer of the solver's.
            const QSignalSpy results(&o->solver->job(), &SolverJob::finished);
            click(o->solver->options().stop());
            QVERIFY(!o->document().preview());
            QTRY_VERIFY_WITH_TIMEOUT(o->solver->card().isVisible(), 10'000);
            QVERIFY(results.count() <= 1 && !o->solver->job().isRunning());
        }
        QVERIFY(o->solver->card().note()->text().contains(QStringLiteral("Stopped")));
        const Evaluation& kept = o->solver->card().outcome()->after->evaluation;
        QVERIFY(kept.valid());
        QVERIFY(kept.total < o->document().snapshot()->evaluation.total);
        QCOMPARE(o->solver->curve().points.back().second, kept.total);
        QVERIFY(o->solver->card().applyButton()->isVisible());
    }
    /// docs/rules/run.md 4: the end of the run decides if it is chosen, as with `solve --finish run`.
    void theRunCanDecide()
    {
        const auto o = open();
        QVERIFY(!o->solver->options().finish()->isChecked()); // as the verb
        run(*o, 0.3);
        QVERIFY(!o->solver->card().outcome()->onRun);
        QVERIFY(!o->solver->card().note()->text().contains(QStringLiteral("Finished on the run")));
        click(o->solver->options().finish());
        QVERIFY(o->solver->options().call().finish == "run");
        run(*o, 0.3);
        const SolverOutcomePtr outcome = o->solver->card().outcome();
        QVERIFY(outcome && outcome->onRun);
        const RunFinish& f = *outcome->onRun;
        QVERIFY(f.end <= f.endBefore);
        QVERIFY(outcome->after->schedule == f.schedule);
        QCOMPARE(outcome->after->evaluation.total, f.latency);
        const auto again =
            runSchedule(*outcome->after->problem, f.schedule, outcome->after->evaluation.rules);
        QVERIFY(again);
        QCOMPARE(again->end, f.end);
        const QString note = o->solver->card().note()->text();
        QVERIFY2(note.contains(QStringLiteral("Finished on the run")) && note.contains(number(f.endBefore)),
                 qPrintable(note));
        if (f.end < f.endBefore)
            QVERIFY(note.contains(number(f.end)) && note.contains(number(f.latencyBefore)) &&
                    note.contains(number(f.latency)));
        QVERIFY(o->solver->card().facts()[3]->text().contains(number(f.end)));
        // What excludes it, as on the command line; another selection of ops than all is the window's own.
        click(o->solver->options().placeable());
        QVERIFY(!o->solver->options().finish()->isEnabled());
        QVERIFY(o->solver->options().call().finish == "latency");
        click(o->solver->options().placeable());
        QVERIFY(o->solver->options().call().finish == "run");
        o->solver->options().start()->setCurrentIndex(SolverOptions::SelectionOnly);
        QVERIFY(o->solver->options().call().finish == "latency");
    }
    void aClickOnStopThatComesTooLateStartsNothing()
    {
        const auto o = open();
        o->solver->setLatePressMs(60'000);
        run(*o, 0.2);
        QTRY_VERIFY_WITH_TIMEOUT(o->solver->card().isVisible(), 10'000);
        const auto outcome = o->solver->card().outcome();
        QVERIFY(outcome);
        QVERIFY(!o->solver->options().stop()->isEnabled());
        QVERIFY(o->solver->options().stop()->geometry() != o->solver->options().run()->geometry());
        click(o->solver->options().stop());
        o->window.state().actions.find(QStringLiteral("solve.auto"))->trigger(); // the key, as late
        QVERIFY(!o->solver->job().isRunning());
        QCOMPARE(o->solver->card().outcome(), outcome);
    }
    void aLockSetMeanwhileHolds()
    {
        const auto o = open();
        o->solver->budget()->setValue(0.4);
        click(o->solver->options().run());
        const SubgraphId first(std::size_t(0));
        QVERIFY(o->document().apply(edit::setLocked(o->document().schedule(), std::array{first}, true),
                                    QStringLiteral("lock")));
        const Schedule locked = o->document().schedule();
        QTRY_VERIFY_WITH_TIMEOUT(o->solver->card().isVisible(), 10'000);
        click(o->solver->card().applyButton());
        const Schedule& now = o->document().schedule();
        if (now == locked) { // the result takes it apart: refused, and said
            QVERIFY(controlNamed<QLabel>(*o->solver, QStringLiteral("Progress"))
                        ->text()
                        .contains(QStringLiteral("locked")));
        } else {
            QVERIFY(std::any_of(now.subgraphs.begin(), now.subgraphs.end(), [&](const SubgraphPtr& s) {
                return s->locked && s->ops == locked[first].ops &&
                       s->granularity == locked[first].granularity;
            }));
        }
    }
    void theResultShowsItsRowsInTheUsualDock()
    {
        const auto o = open();
        o->window.resize(1440, 900);
        run(*o, 0.6);
        auto* list = o->solver->card().changes();
        QVERIFY(list->topLevelItemCount() > 6);
        QTest::qWait(50);                                                                 // laid out
        QVERIFY(!o->solver->findChild<QScrollArea*>()->verticalScrollBar()->isVisible()); // one is enough
        int whole = 0;
        for (int i = 0; i < list->topLevelItemCount(); ++i)
            whole += list->viewport()->rect().contains(list->visualItemRect(list->topLevelItem(i))) ? 1 : 0;
        QVERIFY2(whole >= 3 || whole == list->topLevelItemCount(), qPrintable(QString::number(whole)));
        QVERIFY(o->solver->card().applyButton()->isVisible());
    }
    void escapeStopsWhileThePaneHasTheFocus()
    {
        const auto o = open();
        runToPreview(*o);
        o->solver->options().threads()->setFocus();
        QTest::keyClick(o->solver->options().threads(), Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!o->solver->job().isRunning(), 10'000);
        QVERIFY(o->solver->card().isVisible());
    }
    void progressTellsWhatIsKnown()
    {
        const auto o = open();
        QStringList seen;
        o->solver->budget()->setValue(0.8);
        click(o->solver->options().run());
        while (o->solver->job().isRunning()) {
            QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents, 20);
            if (o->solver->job().isRunning() &&
                (seen.isEmpty() ||
                 seen.last() != controlNamed<QLabel>(*o->solver, QStringLiteral("Progress"))->text()))
                seen << controlNamed<QLabel>(*o->solver, QStringLiteral("Progress"))->text();
        }
        const QString all = seen.join(QLatin1Char('\n'));
        QVERIFY2(all.contains(QStringLiteral("evaluations")), qPrintable(all));
        QVERIFY2(!all.contains(QStringLiteral("· 0 evaluations")), qPrintable(all));
        QVERIFY2(all.contains(QStringLiteral("best")) && all.contains(QStringLiteral("gap")),
                 qPrintable(all));
    }
    void theCurveEndsWithTheRun()
    {
        const auto o = open();
        run(*o, 0.3);
        const SolverCurve& c = o->solver->curve();
        QVERIFY(!c.points.empty());
        QCOMPARE(c.budget, 0.0);
        QVERIFY(c.seconds >= c.points.back().first);
        QCOMPARE(c.points.back().second, o->solver->card().outcome()->after->evaluation.total);
        for (std::size_t i = 1; i < c.points.size(); ++i)
            QVERIFY(c.points[i].second < c.points[i - 1].second &&
                    c.points[i].first >= c.points[i - 1].first);
    }
    void closingTheWindowWhileSolvingIsClean()
    {
        QElapsedTimer clock;
        double budget = 0;
        {
            const auto o = open();
            runToPreview(*o);
            budget = o->solver->budget()->value();
            clock.start();
            QVERIFY(o->window.close());
        }
        QCoreApplication::processEvents();
        QVERIFY2(static_cast<double>(clock.elapsed()) < 1000 * budget / 2, "it does not wait for the run");
    }
    void otherRulesForgetTheRun()
    {
        const auto o = open();
        runToPreview(*o);
        QComboBox* rules = o->solver->options().rules();
        rules->setFocus();
        QTest::keyClick(rules, Qt::Key_Down); // final -> seed
        QVERIFY(o->document().rules() == Rules::seed());
        QVERIFY(!o->solver->job().isRunning());
        QVERIFY(!o->document().preview());
        QVERIFY(!o->solver->card().isVisible());
        o->document().waitForSnapshot();
        run(*o, 0.2);
        QVERIFY(o->solver->card().outcome()->after->evaluation.rules == Rules::seed());
    }

    // -- the card
    void figuresAndRankedChanges()
    {
        const auto o = open();
        const double before = o->document().snapshot()->evaluation.total;
        run(*o, 0.5);
        SolverCard& card = o->solver->card();
        const double after = card.outcome()->after->evaluation.total;
        QVERIFY(after < before);
        QString facts;
        for (const QLabel* l : card.facts())
            facts += l->isVisible() ? l->accessibleName() + QLatin1Char('\n') : QString();
        for (const char* caption : {"Before", "After", "Change", "Gap to bound", "Time", "Evaluations"})
            QVERIFY2(facts.contains(QLatin1String(caption)), qPrintable(facts));
        const Comparison& c = card.changes()->comparison();
        QCOMPARE(c.contributions.size(), static_cast<std::size_t>(card.changes()->topLevelItemCount()));
        QVERIFY(c.contributions.size() > 2);
        double sum = 0;
        double last = -1e300;
        for (int i = 0; i < card.changes()->topLevelItemCount(); ++i) {
            const double gain = card.changes()->gain(i).toDouble();
            QVERIFY(gain >= last);
            last = gain;
            sum += gain;
        }
        QVERIFY(std::abs(sum - (after - before)) < 1e-6 * before);
        // A row is a link.
        QTest::mouseClick(card.changes()->viewport(), Qt::LeftButton, {}, rowOf(card.changes(), 1));
        const std::size_t chosen = rankedByGain(c)[1];
        const auto& ops = c.contributions[chosen].difference.ops;
        QCOMPARE(o->window.state().selection.state().ops, (std::set<OpId>{ops.begin(), ops.end()}));
        QTest::keyClick(card.changes(), Qt::Key_Up);
        const auto& first = c.contributions[rankedByGain(c)[0]].difference.ops;
        QCOMPARE(o->window.state().selection.state().ops, (std::set<OpId>{first.begin(), first.end()}));
    }
    void applyIsOneUndoStepAndTheReasonsStay()
    {
        const auto o = open();
        const Schedule before = o->document().schedule();
        run(*o, 0.3);
        const Schedule result = o->solver->card().outcome()->after->schedule;
        click(o->solver->card().applyButton());
        QVERIFY(o->document().schedule() == result);
        QCOMPARE(o->document().undoStack().count(), 1);
        QVERIFY(o->document().baseline() && o->document().baseline()->schedule == before);
        o->window.showView(QStringLiteral("solver"));
        QVERIFY(o->solver->card().isVisible());
        QVERIFY(!o->solver->card().applyButton()->isVisible());
        QVERIFY(o->solver->card().changes()->topLevelItemCount() > 0);
        QTest::keySequence(&o->window, QKeySequence(QKeySequence::Undo));
        QVERIFY(o->document().schedule() == before);
    }
    void keepCompareAndDiscard()
    {
        const auto o = open();
        const Schedule before = o->document().schedule();
        run(*o, 0.2);
        const Schedule result = o->solver->card().outcome()->after->schedule;
        click(buttonNamed(o->solver->card(), QStringLiteral("Keep as baseline")));
        QVERIFY(o->document().baseline()->schedule == result);
        QVERIFY(o->document().schedule() == before);
        click(buttonNamed(o->solver->card(), QStringLiteral("Compare")));
        QCOMPARE(o->document().baselines().size(), 1u); // kept once
        QVERIFY(o->window.view(QStringLiteral("compare"))->isVisible());
        o->window.showView(QStringLiteral("solver"));
        click(buttonNamed(o->solver->card(), QStringLiteral("Discard")));
        QVERIFY(!o->solver->card().isVisible());
        QCOMPARE(o->document().undoStack().count(), 0);
    }
    // Compare of a result reads from left to right, and changes nothing: not the pinned baseline, and not the
    // schedule in the graph after it.
    void compareShowsTheResultAfterTheSchedule()
    {
        const auto o = open();
        o->document().pinBaseline(QStringLiteral("mine"));
        run(*o, 0.2);
        const SnapshotPtr result = o->solver->card().outcome()->after;
        const SnapshotPtr mine = o->document().baseline();
        click(buttonNamed(o->solver->card(), QStringLiteral("Compare")));
        auto* compare = qobject_cast<CompareView*>(o->window.view(QStringLiteral("compare")));
        QTRY_VERIFY(o->document().comparedPreview());
        compare->catchUp();
        compare->settle();
        QVERIFY(compare->data());
        QCOMPARE(compare->data()->totals[0], o->document().snapshot()->evaluation.total);
        QCOMPARE(compare->data()->totals[1], result->evaluation.total);
        QCOMPARE(o->document().baselines().size(), 1u);
        QVERIFY(o->document().baseline() == mine);
        o->window.showView(QStringLiteral("graph"));
        QVERIFY(!o->document().preview());
        QVERIFY(o->solver->card().isVisibleTo(o->solver));
        QCOMPARE(o->document().undoStack().count(), 0);
    }
    void alternativesAndLimits()
    {
        const auto o = open();
        run(*o, 0.3);
        SolverCard& card = o->solver->card();
        const auto tab = [&](int i) {
            QTest::mouseClick(card.tabs()->tabBar(), Qt::LeftButton, {},
                              card.tabs()->tabBar()->tabRect(i).center());
            card.settle();
        };
        tab(1);
        QCOMPARE(static_cast<std::size_t>(card.alternatives()->topLevelItemCount()),
                 card.outcome()->after->schedule.size());
        int found = 0;
        for (int i = 0; i < card.alternatives()->topLevelItemCount(); ++i) {
            found += card.alternatives()->topLevelItem(i)->childCount();
            QVERIFY(card.alternatives()->topLevelItem(i)->childCount() > 0);
        }
        QVERIFY(found > card.alternatives()->topLevelItemCount());
        tab(2);
        QVERIFY(card.limits()->resources());
        const CriticalResources& r = *card.limits()->resources();
        QVERIFY(std::abs(r.compute + r.load + r.store - r.total) < 1e-6 * r.total);
        const QStringList sentences = limitSentences(r);
        QVERIFY(sentences.size() >= 3);
        QVERIFY(sentences.join(QLatin1Char(' ')).contains(QStringLiteral("10 % more")));
    }

    // -- options
    void optionsAreRemembered()
    {
        {
            const auto o = open();
            QVERIFY(o->solver->budget()->text().contains(QStringLiteral("auto (3\u00a0s)"))); // 40 ops
            const verbs::SolveCall call = o->solver->options().call();
            QCOMPARE(verbs::solveOptions(call, *o->window.state().document.problem())->seconds, 3.0);
            o->solver->budget()->setFocus();
            o->solver->budget()->selectAll();
            QTest::keyClicks(o->solver->budget(), QStringLiteral("0.7"));
            QTest::keyClick(o->solver->budget(), Qt::Key_Return);
            QComboBox* start = o->solver->options().start();
            start->setFocus();
            QTest::keyClick(start, Qt::Key_Down);
            QSpinBox* threads = o->solver->options().threads();
            threads->setFocus();
            QTest::keyClick(threads, Qt::Key_Up);
        }
        const MainWindow next;
        const auto* solver = qobject_cast<SolverView*>(next.view(QStringLiteral("solver")));
        QCOMPARE(solver->budget()->value(), 0.7);
        QCOMPARE(solver->options().start()->currentIndex(), 1);
        QCOMPARE(solver->options().threads()->value(), 2);
    }
    void selectionOnlyLeavesTheRest()
    {
        const auto o = open();
        o->solver->options().start()->setCurrentIndex(SolverOptions::SelectionOnly);
        click(o->solver->options().run());
        QVERIFY(!o->solver->job().isRunning());
        QVERIFY(controlNamed<QLabel>(*o->solver, QStringLiteral("Progress"))
                    ->text()
                    .contains(QStringLiteral("Select")));
        const std::set<OpId> chosen{OpId(std::size_t(0)), OpId(std::size_t(1)), OpId(std::size_t(2))};
        o->window.state().selection.selectOps(chosen);
        run(*o, 0.3);
        for (const SubgraphPtr& s : o->document().schedule().subgraphs)
            if (chosen.count(s->ops.front()) == 0)
                QVERIFY(std::any_of(o->solver->card().outcome()->after->schedule.subgraphs.begin(),
                                    o->solver->card().outcome()->after->schedule.subgraphs.end(),
                                    [&](const SubgraphPtr& r) {
                                        return r->ops == s->ops && r->granularity == s->granularity;
                                    }));
    }

    // -- locks
    void locksFromTheListAndTheGraphAreKept()
    {
        const auto o = open();
        auto* list = qobject_cast<SubgraphsView*>(o->window.view(QStringLiteral("subgraphs")));
        QTest::mouseClick(list->table()->viewport(), Qt::LeftButton, {},
                          list->table()->visualRect(list->table()->model()->index(2, 1)).center());
        QTest::keyClick(list->table(), Qt::Key_L);
        QVERIFY(o->document().schedule()[SubgraphId(2)].locked);
        o->document().waitForSnapshot();
        o->graph->settle();
        QVERIFY(o->graph->model()->hulls[2].locked);
        // In the graph, with an order drawn by hand.
        const SubgraphEvaluation& e = o->document().snapshot()->evaluation.subgraphs[4];
        std::vector<std::int64_t> order;
        for (std::int64_t i = e.rows * e.cols; i-- > 0;)
            order.push_back(i);
        const std::vector<SubgraphId> fourth{SubgraphId(4)};
        QVERIFY(o->document().apply(edit::setTraversal(*o->document().problem(), o->document().schedule(),
                                                       fourth, Traversal::custom(order)),
                                    QStringLiteral("draw")));
        o->document().waitForSnapshot();
        QVERIFY(o->document().snapshot()->evaluation.valid());
        o->graph->settle();
        QTest::mouseClick(o->graph, Qt::LeftButton, {}, o->graph->handleOf(SubgraphId(4)).toPoint());
        QTest::keyClick(o->graph, Qt::Key_L);
        QVERIFY(o->document().schedule()[SubgraphId(4)].locked);
        const Subgraph pinned = o->document().schedule()[SubgraphId(4)];
        o->solver->options().start()->setCurrentIndex(SolverOptions::FromScratch);
        run(*o, 0.4);
        int locked = 0;
        bool same = false;
        for (const SubgraphPtr& s : o->solver->card().outcome()->after->schedule.subgraphs) {
            locked += s->locked;
            same |= s->ops == pinned.ops && s->granularity == pinned.granularity &&
                    s->traversal == pinned.traversal && s->retain == pinned.retain;
        }
        QCOMPARE(locked, 2);
        QVERIFY(same);
    }

    // -- room
    /// Where what is in the pane fits beside no bar only, the bar would come and go for ever.
    void thePaneComesToRestInEverySize()
    {
        const auto o = open();
        run(*o, 0.2);
        QTRY_VERIFY_WITH_TIMEOUT(o->solver->card().isVisible(), 10'000);
        auto* scroll = o->solver->findChild<QScrollArea*>(QString(), Qt::FindDirectChildrenOnly);
        QVERIFY(scroll);
        o->solver->setParent(nullptr);
        o->solver->show();
        Resizes resizes;
        scroll->widget()->installEventFilter(&resizes);
        for (int width = 400; width <= 1000; width += 9)
            for (int height = 100; height <= 420; height += 20) {
                resizes.count = 0;
                o->solver->resize(width, height);
                for (int i = 0; i < 20; ++i)
                    QCoreApplication::sendPostedEvents(nullptr, QEvent::LayoutRequest);
                const QString size = QStringLiteral("%1 x %2").arg(width).arg(height);
                QVERIFY2(resizes.count < 12, qPrintable(size));
                const int hidden = scroll->widget()->height() - scroll->viewport()->height();
                QVERIFY2(scroll->verticalScrollBar()->maximum() == std::max(0, hidden), qPrintable(size));
            }
    }
    void nothingIsClippedInANarrowDock_data()
    {
        QTest::addColumn<int>("points");
        QTest::addColumn<bool>("dark");
        QTest::newRow("10 pt light") << 10 << false;
        QTest::newRow("20 pt dark") << 20 << true;
    }
    void nothingIsClippedInANarrowDock()
    {
        QFETCH(int, points);
        QFETCH(bool, dark);
        const QFont before = QApplication::font();
        QFont font = before;
        font.setPointSize(points);
        QApplication::setFont(font);
        {
            const auto o = open();
            o->window.setTheme(dark ? QStringLiteral("dark") : QStringLiteral("light"));
            run(*o, 0.2);
            o->solver->setParent(nullptr); // as a dock of this width
            o->solver->resize(300, 900);
            o->solver->show();
            QCoreApplication::processEvents();
            for (const ControlBar* bar : o->solver->findChildren<ControlBar*>())
                for (const QWidget* w : bar->findChildren<QWidget*>(QString(), Qt::FindDirectChildrenOnly))
                    if (w->isVisible()) {
                        const QString name = w->accessibleName();
                        QVERIFY2(w->geometry().right() < 300 && w->geometry().bottom() < bar->height(),
                                 qPrintable(name));
                        QVERIFY2(w->width() >= w->sizeHint().width(), qPrintable(name));
                    }
            for (const QLabel* label : o->solver->findChildren<QLabel*>())
                if (label->isVisible() && label->wordWrap()) {
                    QVERIFY2(label->width() >= label->minimumSizeHint().width(), qPrintable(label->text()));
                    QVERIFY2(label->height() >= label->heightForWidth(label->width()),
                             qPrintable(label->text()));
                }
            SolverChanges* changes = o->solver->card().changes();
            QVERIFY(changes->topLevelItemCount() > 0);
            for (int i = 0; i < changes->topLevelItemCount(); ++i) {
                const QRect text =
                    changes->fontMetrics().boundingRect(QRect(0, 0, changes->columnWidth(0) - 8, 10'000),
                                                        Qt::TextWordWrap, changes->topLevelItem(i)->text(0));
                QVERIFY(changes->visualItemRect(changes->topLevelItem(i)).height() >= text.height());
            }
            for (const QScrollBar* bar : o->solver->findChildren<QScrollBar*>())
                QVERIFY(bar->orientation() == Qt::Vertical || bar->maximum() == 0 || !bar->isVisible());
            o->solver->setParent(&o->window);
        }
        QApplication::setFont(before);
    }

    /// A name may look like a place holder of a sentence.
    void namesWithPercentSignsStayWhole()
    {
        Problem::Data data;
        for (int i = 0; i <= 8; ++i)
            data.tensors.push_back({64, 64, {}});
        for (std::size_t i = 0; i < 8; ++i)
            data.ops.push_back(
                {OpType::Pointwise, {TensorId(i)}, TensorId(i + 1), 1, "%" + std::to_string(i)});
        data.hardware = {100'000, 10, 64, 64, {}, {}};
        const ProblemPtr problem = Problem::build(std::move(data)).value();
        Schedule fused;
        fused.subgraphs = {std::make_shared<const Subgraph>(
            Subgraph{{problem->topologicalOrder().begin(), problem->topologicalOrder().end()},
                     {64, 64, 1},
                     {},
                     {},
                     {},
                     false})};
        const auto o = open();
        SolverOutcome outcome;
        outcome.before =
            takeSnapshot(problem, oneOpPerSubgraph(*problem, Rules::final()), Rules::final(), 0, 1);
        outcome.after = takeSnapshot(problem, fused, Rules::final(), 0, 2);
        SolverChanges changes(o->window.state().context(), nullptr);
        changes.setOutcome(std::make_shared<const SolverOutcome>(outcome));
        changes.settle();
        QTRY_VERIFY(changes.topLevelItemCount() > 0);
        QCOMPARE(changes.topLevelItem(0)->text(0),
                 QStringLiteral("fused: 8 ops (%0, %1, %2, …), 8 subgraphs → 1"));
    }
};

TILEWRIGHT_TEST(TestSolverPanel)

} // namespace test_solver_panel
#include "test_solver_panel.moc"
