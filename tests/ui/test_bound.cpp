// SPDX-License-Identifier: GPL-3.0-or-later
// The pane of the lower bound: what it is made of, the search for a higher one, and what follows in the
// window.
#include "panel_window.h"
#include "panels/bound/bound_view.h"
#include "solve/solver.h"
#include "solve/strong_bound.h"

#include <QDoubleSpinBox>
#include <QLabel>
#include <QToolButton>
#include <QTreeWidget>

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
    static void prove(BoundView* view)
    {
        for (QToolButton* button : view->findChildren<QToolButton*>())
            if (button->text() == QLatin1String("Prove how good this is"))
                QTest::mouseClick(button, Qt::LeftButton);
    }

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
        QTreeWidget* parts = bound->parts();
        const auto& groups = window.state().document.bound()->parts;
        QCOMPARE(parts->topLevelItemCount(), static_cast<int>(groups.size()));
        double sum = 0;
        for (int i = 0; i < parts->topLevelItemCount(); ++i) {
            const QRect row = parts->visualItemRect(parts->topLevelItem(i));
            QTest::mouseClick(parts->viewport(), Qt::LeftButton, {}, row.center());
            const auto& ops = groups[static_cast<std::size_t>(i)].ops;
            QCOMPARE(window.state().selection.state().ops, std::set<OpId>(ops.begin(), ops.end()));
            sum += groups[static_cast<std::size_t>(i)].value;
        }
        QVERIFY(std::abs(sum / window.state().document.bound()->value - 1) < 1e-9);
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

QTEST_MAIN(TestBound)
#include "test_bound.moc"
