// SPDX-License-Identifier: GPL-3.0-or-later
// The pane of the lower bound: what it is made of, the search for a higher one, and what follows in the
// window.
#include "edit/edits.h"
#include "files.h"
#include "panel_window.h"
#include "panels/bound/bound_view.h"
#include "solve/proof/set_cover.h"
#include "solve/search/solver.h"
#include "test_main.h"
#include "theme/text.h"
#include "workload/problem_json.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>

namespace test_bound {

using namespace tilewright;
using namespace tilewright::ui;

class TestBound : public QObject, protected PanelWindow
{
    Q_OBJECT

    /// docs/rules/bound.md 5: two products of one LHS and their sum; no bound but one that sees capacity is
    /// what the best schedule takes.
    static ProblemPtr sumOfProducts()
    {
        Problem::Data data;
        data.tensors = IdVector<TensorId, Tensor>(6, Tensor{256, 256, {}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(3), 1000, "left"});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(2)}, TensorId(4), 1000, "right"});
        data.ops.push_back({OpType::Pointwise, {TensorId(3), TensorId(4)}, TensorId(5), 100, "sum"});
        data.hardware = {40'000, 10, 128, 128, {}};
        return *Problem::build(std::move(data));
    }
    static QString progress(const BoundView* view)
    {
        return view->findChild<QLabel*>(QStringLiteral("bound.progress"))->text();
    }
    static QToolButton* buttonOf(const BoundView* view, const char* text)
    {
        for (QToolButton* button : view->findChildren<QToolButton*>())
            if (button->text() == QLatin1String(text) && !button->isHidden())
                return button;
        return nullptr;
    }
    static void prove(BoundView* view)
    {
        QTest::mouseClick(buttonOf(view, "Prove how good this is"), Qt::LeftButton);
    }
    static QString offer(const BoundView* view)
    {
        const auto* label = view->findChild<QLabel*>(QStringLiteral("bound.offer"));
        return label->isHidden() ? QString() : label->text();
    }
    static QString summary(const BoundView* view)
    {
        return view->findChild<QLabel*>(QStringLiteral("bound.summary"))->text();
    }
    /// The first subgraph gets tiles that no memory has room for.
    static void makeInvalid(Document& document)
    {
        Schedule schedule = document.schedule();
        Subgraph first = *schedule.subgraphs.front();
        first.granularity = {1 << 20, 1 << 20, 1 << 20};
        schedule.subgraphs.front() = std::make_shared<const Subgraph>(std::move(first));
        document.apply(schedule, QStringLiteral("too large"));
        document.waitForSnapshot();
        QVERIFY(!document.snapshot()->evaluation.valid());
    }
    static ProblemPtr sampleProblem(const char* name) { return *loadProblem(sample(name).toStdString()); }

private Q_SLOTS:
    void initTestCase() { useOwnSettings(); }

    void aProofRaisesTheBoundOfTheWindow()
    {
        MainWindow window;
        open(window, sumOfProducts());
        Document& document = window.state().document;
        auto* bound = view<BoundView>(window, "bound");
        document.waitForSnapshot();
        const double quick = document.bound()->value;
        QCOMPARE(document.snapshot()->lowerBound, quick);
        QVERIFY(document.bound()->prices.empty());
        QVERIFY(progress(bound).isEmpty());
        prove(bound);
        QVERIFY(bound->job().isRunning());
        QVERIFY(progress(bound).contains(QLatin1String("proving")));
        bound->job().waitIdle();
        QVERIFY(document.bound()->value > quick);
        QCOMPARE(document.snapshot()->lowerBound, document.bound()->value);
        QVERIFY2(progress(bound).contains(QLatin1String("ended")), qPrintable(progress(bound)));
        // An edit keeps what has been proven.
        document.apply(oneOpPerSubgraph(*document.problem()), QStringLiteral("again"));
        document.evaluateNow();
        QCOMPARE(document.snapshot()->lowerBound, document.bound()->value);
    }

    void theBestScheduleIsThenProvenOptimal()
    {
        MainWindow window;
        const ProblemPtr problem = sumOfProducts();
        open(window, problem);
        Document& document = window.state().document;
        SolveOptions options;
        options.seconds = 2;
        options.threads = 1;
        const auto best = solve(*problem, options);
        QVERIFY(best);
        document.apply(best->schedule, QStringLiteral("best"));
        document.evaluateNow();
        QVERIFY(!document.proof());
        auto* bound = view<BoundView>(window, "bound");
        prove(bound);
        bound->job().waitIdle();
        QVERIFY(document.proof());
        QVERIFY2(progress(bound).contains(QLatin1String("proven optimal")), qPrintable(progress(bound)));
        // Another schedule is not.
        document.apply(oneOpPerSubgraph(*problem), QStringLiteral("worse"));
        document.evaluateNow();
        QVERIFY(!document.proof());
    }

    void aClickOnAGroupSelectsItsOps()
    {
        MainWindow window;
        open(window, sumOfProducts());
        auto* bound = view<BoundView>(window, "bound");
        prove(bound);
        bound->job().waitIdle();
        QTreeView* parts = bound->parts();
        const auto& groups = window.state().document.bound()->parts;
        QCOMPARE(parts->model()->rowCount(), static_cast<int>(groups.size()));
        double sum = 0;
        for (int i = 0; i < parts->model()->rowCount(); ++i) {
            const QRect row = parts->visualRect(parts->model()->index(i, 0));
            QTest::mouseClick(parts->viewport(), Qt::LeftButton, {}, row.center());
            const auto& ops = groups[static_cast<std::size_t>(i)].ops;
            QCOMPARE(window.state().selection.state().ops, std::set<OpId>(ops.begin(), ops.end()));
            sum += groups[static_cast<std::size_t>(i)].value;
        }
        QVERIFY(std::abs(sum / window.state().document.bound()->value - 1) < 1e-9);
    }

    /// Issue 18: prices leave a gap of 2.7 %; branch and bound finds the best schedule and proves it. It is
    /// offered, not taken.
    void aBetterScheduleOfTheProofIsOffered()
    {
        MainWindow window;
        open(window, sampleProblem("resnet-block.json"));
        Document& document = window.state().document;
        document.waitForSnapshot();
        const Schedule shown = document.schedule();
        const double start = document.snapshot()->evaluation.total;
        auto* bound = view<BoundView>(window, "bound");
        QVERIFY(offer(bound).isEmpty() && !buttonOf(bound, "Apply the better schedule"));
        prove(bound);
        bound->job().waitIdle();
        document.waitForSnapshot();
        QCOMPARE(document.schedule(), shown);
        QVERIFY(!document.proof()); // of what is shown
        QVERIFY(document.bound()->value < 0.98 * start);
        QVERIFY2(offer(bound).contains(QLatin1String("optimal over every order")), qPrintable(offer(bound)));
        QToolButton* take = buttonOf(bound, "Apply the better schedule");
        QVERIFY(take && take->isEnabled());
        QTest::mouseClick(take, Qt::LeftButton);
        document.waitForSnapshot();
        bound->settle();
        const double best = document.snapshot()->evaluation.total;
        QVERIFY(document.snapshot()->evaluation.valid() && best < start);
        QVERIFY(std::abs(best / 44070.4 - 1) < 1e-6);
        QVERIFY(document.proof());
        QVERIFY(offer(bound).isEmpty() && !buttonOf(bound, "Apply the better schedule"));
        QVERIFY2(progress(bound).contains(QLatin1String("proven optimal")), qPrintable(progress(bound)));
        // What it covers, and what not.
        QVERIFY2(summary(bound).contains(QLatin1String("raster, snake, column and column-snake traversals")),
                 qPrintable(summary(bound)));
        const QString others =
            QStringLiteral("Other orders of tiles could be at most %1 faster").arg(ui::percent(0.02716));
        QVERIFY2(summary(bound).contains(others), qPrintable(summary(bound)));
        QCOMPARE(document.baselines().back().snapshot->evaluation.total, start);
        // One step of undo, after which it is offered again.
        document.undoStack().undo();
        document.waitForSnapshot();
        bound->settle();
        QCOMPARE(document.schedule(), shown);
        QVERIFY(!offer(bound).isEmpty() && buttonOf(bound, "Apply the better schedule"));
    }

    /// What cannot run has no latency: any schedule is better, and nothing is left to compare with.
    void theBetterScheduleOfAnInvalidStateMakesNoBaseline()
    {
        MainWindow window;
        open(window, sumOfProducts());
        Document& document = window.state().document;
        makeInvalid(document);
        const Schedule shown = document.schedule();
        auto* bound = view<BoundView>(window, "bound");
        prove(bound);
        bound->job().waitIdle();
        QCOMPARE(document.schedule(), shown);
        QVERIFY(!document.proof());
        QVERIFY2(offer(bound).contains(QLatin1String("optimal over")), qPrintable(offer(bound)));
        QVERIFY2(!offer(bound).contains(QLatin1String("instead of")), qPrintable(offer(bound)));
        QTest::mouseClick(buttonOf(bound, "Apply the better schedule"), Qt::LeftButton);
        document.waitForSnapshot();
        bound->settle();
        QVERIFY(document.snapshot()->evaluation.valid() && document.proof());
        QVERIFY(document.baselines().empty());
        QVERIFY(offer(bound).isEmpty());
        document.undoStack().undo();
        QCOMPARE(document.schedule(), shown);
    }

    void whatCannotRunIsNotPinnedAsBaseline()
    {
        MainWindow window;
        open(window, sumOfProducts());
        Document& document = window.state().document;
        document.waitForSnapshot();
        makeInvalid(document);
        QSignalSpy refused(&document, &Document::refused);
        key(window, "compare.pin");
        QVERIFY(document.baselines().empty() && !document.baseline());
        QCOMPARE(refused.size(), 1);
        QVERIFY(refused.front().front().toString().contains(QLatin1String("Fix the problems first")));
        document.undoStack().undo();
        document.waitForSnapshot();
        key(window, "compare.pin");
        QCOMPARE(document.baselines().size(), std::size_t{1});
        QCOMPARE(document.baseline()->evaluation.total, document.snapshot()->evaluation.total);
        QCOMPARE(refused.size(), 1);
    }

    void theGapShrinksWhileItRuns()
    {
        MainWindow window;
        open(window, sampleProblem("resnet-block.json"));
        Document& document = window.state().document;
        document.waitForSnapshot();
        auto* bound = view<BoundView>(window, "bound");
        std::vector<double> bounds{document.bound()->value};
        QStringList told;
        connect(&bound->job(), &BoundJob::raised, this, [&] {
            bounds.push_back(document.bound()->value);
            QVERIFY(bound->job().isRunning() && buttonOf(bound, "Stop"));
            told << progress(bound);
            QVERIFY2(told.back().contains(ui::percent(document.snapshot()->gap())), qPrintable(told.back()));
        });
        prove(bound);
        bound->job().waitIdle();
        QVERIFY(std::is_sorted(bounds.begin(), bounds.end()) && bounds.back() > bounds.front());
        QVERIFY(!told.isEmpty() && told.front().startsWith(QLatin1String("proving")));
        QVERIFY(buttonOf(bound, "Prove how good this is") && !buttonOf(bound, "Stop"));
    }

    void stopEndsAtOnce()
    {
        MainWindow window;
        open(window, sampleProblem("attention-block.json"));
        auto* bound = view<BoundView>(window, "bound");
        bound->findChild<QDoubleSpinBox*>(QStringLiteral("bound.seconds"))->setValue(3600);
        prove(bound);
        QVERIFY(!buttonOf(bound, "Prove how good this is"));
        QSignalSpy raised(&bound->job(), &BoundJob::raised);
        QVERIFY(raised.wait(20'000));
        QSignalSpy finished(&bound->job(), &BoundJob::finished);
        QTest::mouseClick(buttonOf(bound, "Stop"), Qt::LeftButton);
        QCOMPARE(finished.size(), 1); // without an event in between
        QVERIFY(!bound->job().isRunning());
        QVERIFY(buttonOf(bound, "Prove how good this is"));
        QVERIFY2(progress(bound).startsWith(QLatin1String("ended after")), qPrintable(progress(bound)));
        bound->job().waitIdle();
        QCOMPARE(finished.size(), 1);
        // Again, while the one before may still be ending.
        prove(bound);
        QVERIFY(bound->job().isRunning());
        QTest::mouseClick(buttonOf(bound, "Stop"), Qt::LeftButton);
        prove(bound);
        QVERIFY(bound->job().isRunning() && buttonOf(bound, "Stop"));
        QTest::mouseClick(buttonOf(bound, "Stop"), Qt::LeftButton);
        bound->job().waitIdle();
        QCOMPARE(finished.size(), 3);
    }

    /// A lock is the person's: what the proof has found is not forced on it.
    void aLockRefusesTheBetterSchedule()
    {
        MainWindow window;
        open(window, sampleProblem("resnet-block.json"));
        Document& document = window.state().document;
        std::vector<SubgraphId> all;
        for (std::size_t i = 0; i < document.schedule().size(); ++i)
            all.emplace_back(i);
        QVERIFY(document.apply(edit::setLocked(document.schedule(), all, true), QStringLiteral("lock")));
        const Schedule locked = document.schedule();
        document.evaluateNow();
        auto* bound = view<BoundView>(window, "bound");
        prove(bound);
        bound->job().waitIdle();
        QVERIFY(!offer(bound).isEmpty());
        QTest::mouseClick(buttonOf(bound, "Apply the better schedule"), Qt::LeftButton);
        QCOMPARE(document.schedule(), locked);
        QVERIFY2(offer(bound).contains(QLatin1String("Unlock it")), qPrintable(offer(bound)));
    }

    void anotherProblemEndsTheProof()
    {
        MainWindow window;
        open(window, sumOfProducts());
        Document& document = window.state().document;
        auto* bound = view<BoundView>(window, "bound");
        bound->findChild<QDoubleSpinBox*>(QStringLiteral("bound.seconds"))->setValue(3600);
        prove(bound);
        const LowerBoundPtr high = std::make_shared<const LowerBound>(LowerBound{1e12, 0, 0, {}, {}});
        const ProblemPtr before = document.problem();
        open(window, products());
        bound->job().waitIdle();
        QVERIFY(progress(bound).isEmpty());
        document.raiseBound(before, document.rules(), high); // of a problem that is no longer open
        QVERIFY(document.bound()->value < high->value);
        QVERIFY(document.rules() != document.rules().onArray());
        document.raiseBound(document.problem(), document.rules().onArray(), high);
        QVERIFY(document.bound()->value < high->value);
    }
};

TILEWRIGHT_TEST(TestBound)

} // namespace test_bound
#include "test_bound.moc"
