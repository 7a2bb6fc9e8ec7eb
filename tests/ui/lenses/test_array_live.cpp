// SPDX-License-Identifier: GPL-3.0-or-later
// What the array itself makes of the schedule (R8.2), live: beside the total in the status line, and of each
// MatMul's tile in the inspector.
#include "control_named.h"
#include "edit/fit.h"
#include "eval/explain.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/status_strip.h"
#include "window_fixture.h"
#include "workspace/schedule_edits.h"

#include <QLabel>
#include <QToolButton>
#include <QtTest>

namespace test_array_live {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

/// Products of one input, which nothing orders.
ProblemPtr products(std::size_t count)
{
    Problem::Data data;
    data.tensors = IdVector<TensorId, Tensor>(2 * count + 1, Tensor{256, 256, {}});
    for (std::size_t i = 0; i < count; ++i)
        data.ops.push_back({OpType::MatMul,
                            {TensorId(0), TensorId(1 + i)},
                            TensorId(1 + count + i),
                            1000,
                            "mul" + std::to_string(i)});
    data.hardware = {10'000'000, 20, 128, 128, {}};
    return *Problem::build(std::move(data));
}

} // namespace

class TestArrayLive : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    static void open(MainWindow& window, const ProblemPtr& problem, QSize size = {1440, 900})
    {
        window.resize(size);
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        window.state().document.setProblem(problem, oneOpPerSubgraph(*problem));
    }
    static QLabel* arrayOf(MainWindow& window)
    {
        return controlNamed<QLabel>(*window.findChild<StatusStrip*>(), QStringLiteral("Total on the array"));
    }
    static QString shown(const SnapshotPtr& snapshot)
    {
        return QStringLiteral("on the array ") + number(snapshot->arrayTotal);
    }
    /// A person sets k in the inspector.
    static void setDepth(MainWindow& window, int k)
    {
        auto* box = controlNamed<ChoiceSpinBox>(*viewOf<InspectorView>(window, "inspector"),
                                                QStringLiteral("Reduction depth"));
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QString::number(k));
        QTest::keyClick(box, Qt::Key_Return);
        window.state().document.waitForSnapshot();
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void theStatusLineShowsItAndAnEditMovesIt()
    {
        MainWindow window;
        open(window, products(3));
        Document& document = window.state().document;
        QLabel* array = arrayOf(window);
        QTRY_VERIFY(array->isVisible());
        QCOMPARE(array->text(), shown(document.snapshot()));
        QCOMPARE(document.snapshot()->arrayTotal,
                 evaluate(*document.problem(), document.schedule(), document.rules().onArray()).total);
        window.state().selection.selectSubgraph(SubgraphId(1));
        const SnapshotPtr before = document.snapshot();
        setDepth(window, 2);
        const SnapshotPtr after = document.snapshot();
        // Short k is free in the proportional model as far as it computes; the array fills and drains.
        QVERIFY(after->arrayTotal > before->arrayTotal);
        QVERIFY(after->arrayTotal - before->arrayTotal > after->evaluation.total - before->evaluation.total);
        QCOMPARE(array->text(), shown(after));
        QVERIFY(array->toolTip().contains(exactNumber(after->arrayTotal)));
        for (const char* word : {"filling", "draining", "idle rows"})
            QVERIFY2(array->toolTip().contains(QLatin1String(word)), word);
        document.undoStack().undo();
        document.waitForSnapshot();
        QCOMPARE(array->text(), shown(before));
    }

    void itIsHiddenWhereTheRulesAreTheArrays()
    {
        MainWindow window;
        open(window, products(2));
        QLabel* array = arrayOf(window);
        QTRY_VERIFY(array->isVisible());
        Document& document = window.state().document;
        document.setRules(Rules::final().onArray());
        document.waitForSnapshot();
        QTRY_VERIFY(!array->isVisible());
        document.setRules(Rules::final());
        document.waitForSnapshot();
        QTRY_VERIFY(array->isVisible());
    }

    /// The total of an invalid schedule stays in grey as the one that was; the figure of the array goes with
    /// it.
    void itStepsBackWithTheTotal()
    {
        MainWindow window;
        open(window, products(2));
        Document& document = window.state().document;
        const SnapshotPtr before = document.snapshot();
        QLabel* array = arrayOf(window);
        QTRY_VERIFY(array->isVisible());
        window.state().selection.selectSubgraph(SubgraphId(0));
        setDepth(window, 200); // R4.2
        QVERIFY(!document.snapshot()->evaluation.valid());
        QTRY_VERIFY(!array->isVisible());
        document.undoStack().undo();
        document.waitForSnapshot();
        QTRY_VERIFY(array->isVisible());
        QCOMPARE(array->text(), shown(before));
    }

    /// Less important than the change of the last edit and what follows it, more than the time.
    void aNarrowWindowLeavesItOutInItsTurn()
    {
        MainWindow window;
        open(window, products(2));
        auto* strip = window.findChild<StatusStrip*>();
        QLabel* array = arrayOf(window);
        window.state().selection.selectSubgraph(SubgraphId(0));
        setDepth(window, 8);
        auto* change = controlNamed<QLabel>(*strip, QStringLiteral("Change of the last edit"));
        auto* rules = controlNamed<QToolButton>(*strip, QStringLiteral("Rule set"));
        auto* total = controlNamed<QLabel>(*strip, QStringLiteral("Total latency"));
        bool without = false, before = false;
        for (int width = 1400; width > 200; width -= 10) {
            strip->resize(width, strip->height());
            QVERIFY2(!array->isHidden() || rules->isHidden(), qPrintable(QString::number(width)));
            QVERIFY2(!change->isHidden() || array->isHidden(), qPrintable(QString::number(width)));
            QVERIFY(!total->isHidden());
            without = without || (array->isHidden() && !change->isHidden());
            before = before || (!array->isHidden() && rules->isHidden());
            if (!array->isHidden())
                QVERIFY(array->x() >= total->geometry().right() && array->geometry().right() < width);
        }
        QVERIFY(without && before);
    }

    void theInspectorSaysWhatTheArrayMakesOfTheTile()
    {
        MainWindow window;
        open(window, products(3));
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.selectSubgraph(SubgraphId(1));
        QLabel* label = inspector->arrayLabel();
        QTRY_VERIFY(label->isVisible());
        const auto says = [&] {
            const Document& d = window.state().document;
            const ArrayUse u =
                arrayUses(*d.problem(), d.schedule()[SubgraphId(1)], d.rules(), 6).uses.front();
            const QString text = label->text();
            return text.contains(QStringLiteral("128 × 128")) && text.contains(QStringLiteral("mul1")) &&
                   text.contains(rich(sizeText({u.run.rows, u.run.cols, u.run.depth}))) &&
                   text.contains(rich(number(u.runCycles))) && text.contains(rich(number(u.cycles))) &&
                   text.contains(rich(percent(u.utilisation)));
        };
        QVERIFY2(says(), qPrintable(label->text()));
        setDepth(window, 16);
        const QString split = label->text(); // at once, not when edits pause
        QVERIFY2(says(), qPrintable(split));
        QVERIFY(split.contains(rich(sizeText({128, 128, 16}))));
        setDepth(window, 64);
        QVERIFY(label->text() != split);
        QVERIFY2(says(), qPrintable(label->text()));
        // The line is a link to its op.
        Q_EMIT label->linkActivated(QStringLiteral("op:1"));
        QCOMPARE(window.state().selection.state().ops, std::set{OpId(1)});
    }

    /// A long list is cut and says so; of a subgraph that cannot run now it steps back.
    void theInspectorsListIsShort()
    {
        MainWindow window;
        open(window, products(9));
        Document& document = window.state().document;
        std::vector<SubgraphId> all;
        for (std::size_t i = 0; i < 9; ++i)
            all.emplace_back(i);
        document.apply(edit::fuse(*document.problem(), document.schedule(), all, {{}, true}),
                       QStringLiteral("fuse"));
        document.waitForSnapshot();
        window.state().selection.selectSubgraph(SubgraphId(0));
        QLabel* label = viewOf<InspectorView>(window, "inspector")->arrayLabel();
        QTRY_VERIFY(label->isVisible());
        QCOMPARE(label->text().count(QStringLiteral("href='op:")), 6);
        QVERIFY2(
            label->text().endsWith(QStringLiteral("and ") + counted(3, {}, QStringLiteral("more MatMuls"))),
            qPrintable(label->text()));
        const QString text = label->text();
        viewOf<InspectorView>(window, "inspector")->settle();
        setDepth(window, 200);
        QVERIFY(label->isVisible() && !label->isEnabled() && label->text() == text); // as the total does
        setDepth(window, 64);
        QVERIFY(label->isEnabled() && label->text() != text);
    }
};

TILEWRIGHT_TEST(TestArrayLive)

} // namespace test_array_live
#include "test_array_live.moc"
