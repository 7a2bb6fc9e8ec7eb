// SPDX-License-Identifier: GPL-3.0-or-later
// Problems with their repairs, and the rules with what each would change, driven as a person does.
#include "button_named.h"
#include "edit/edits.h"
#include "edit/fit.h"
#include "files.h"
#include "panel_window.h"
#include "panels/inspector/inspector_view.h"
#include "panels/problems/problems_view.h"
#include "panels/rules/rules_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/app_state.h"
#include "window/main_window.h"
#include "workload/problem_json.h"
#include "workspace/schedule_edits.h"

#include <QComboBox>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QToolButton>
#include <QTreeWidget>
#include <QtTest>

namespace test_problems_rules {

using namespace tilewright;
using namespace tilewright::ui;
using tilewright::test::shape;

class TestProblemsRules : public QObject, protected PanelWindow
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { useOwnSettings(); }

    // -- problems
    void aProblemWithoutFixSaysWhy()
    {
        MainWindow window;
        open(window, products(2)); // three operands never fit
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QVERIFY(problems->list()->model()->rowCount() > 0);
        QVERIFY(!problems->fixButton()->isEnabled());
        QVERIFY2(problems->reason().contains(QStringLiteral("even the smallest tiles (1 × 1 × 1)")),
                 qPrintable(problems->reason()));
        bool shown = false;
        for (const QLabel* label : problems->findChildren<QLabel*>())
            shown = shown || (label->isVisible() && label->text().contains(problems->reason()));
        QVERIFY(shown);
        QVERIFY(problems->fixButton()->toolTip().contains(QStringLiteral("even the smallest tiles")));
    }
    void aMissingTensorHasSeveralFixes()
    {
        MainWindow window;
        open(window, products());
        Document& document = window.state().document;
        const Schedule& s = document.schedule();
        // 4 before 0 and 1: another order, or computing them there.
        document.apply(edit::reorder(*document.problem(), s, std::array{SubgraphId(4)}, 0,
                                     editOptions(document.rules(), true)),
                       QStringLiteral("break"));
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QCOMPARE(problems->list()->model()->index(0, 1).data().toString(), QStringLiteral("DEPENDENCY"));
        QVERIFY(problems->fixButton()->isEnabled());
        auto* others = qobject_cast<QToolButton*>(buttonNamed(*problems, QStringLiteral("Other fixes")));
        QVERIFY(others && others->isVisible());
        QMenu* menu = others->menu();
        QVERIFY(menu->actions().size() >= 1);
        const Schedule broken = document.schedule();
        menu->actions().front()->trigger();
        problems->settle();
        QVERIFY(document.snapshot()->evaluation.issues.size() < 2 && !(document.schedule() == broken));
        key(window, "edit.undo");
        problems->settle();
        QTest::mouseClick(problems->fixButton(), Qt::LeftButton);
        problems->settle();
        QVERIFY(document.snapshot()->evaluation.issues.size() < 2);
    }
    /// Issue 42: Problems and Inspector offer the same fixes. An op in the wrong place is moved, which no
    /// order and no recomputation replaces.
    void problemsOfferTheFixesOfTheInspector()
    {
        MainWindow window;
        open(window, *loadProblem(sample("resnet-block.json").toStdString()));
        Document& document = window.state().document;
        const EditOptions force = editOptions(document.rules(), true);
        Schedule s = *edit::fuse(*document.problem(), document.schedule(),
                                 std::array{SubgraphId(0), SubgraphId(1)}, force);
        const OpId add(9);
        s = *edit::moveOps(*document.problem(), s, std::array{add}, SubgraphId(8), SubgraphId(0), force);
        document.apply(s, QStringLiteral("break"));
        document.waitForSnapshot();
        QVERIFY(!document.snapshot()->evaluation.valid());
        window.state().selection.selectSubgraph(SubgraphId(0));
        auto* inspector = view<InspectorView>(window, "inspector");
        inspector->settle();
        QStringList offered;
        for (const QPushButton* button : inspector->suggestionButtons())
            if (button->text().contains(QStringLiteral("fixes")) ||
                button->accessibleName().contains(QStringLiteral("fixes")))
                offered << button->text();
        QVERIFY(!offered.isEmpty());
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QVERIFY2(problems->fixButton()->isEnabled(), qPrintable(problems->reason()));
        QTest::mouseClick(problems->fixButton(), Qt::LeftButton);
        problems->settle();
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.valid());
        key(window, "edit.undo");
        problems->settle();
        QTest::mouseClick(buttonNamed(*problems, QStringLiteral("Fix all")), Qt::LeftButton);
        problems->settle();
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.valid());
    }
    void fixAllSaysWhyNothingIsChanged()
    {
        MainWindow window;
        open(window, products(2)); // three operands never fit
        Document& document = window.state().document;
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QSignalSpy refused(&document, &LensDocument::refused);
        QTest::mouseClick(buttonNamed(*problems, QStringLiteral("Fix all")), Qt::LeftButton);
        problems->settle();
        QCOMPARE(refused.count(), 1);
        QVERIFY(refused[0][0].toString().startsWith(QStringLiteral("Nothing was changed")));
        QCOMPARE(document.undoStack().count(), 0);
    }
    void fixAllIsOneStep()
    {
        MainWindow window;
        open(window, products());
        Document& document = window.state().document;
        Schedule s = *edit::erase(*document.problem(), document.schedule(), std::array{SubgraphId(0)},
                                  editOptions(document.rules(), true));
        s = *edit::setGranularity(*document.problem(), s, std::array{SubgraphId(1)}, {512, 128, 128},
                                  editOptions(document.rules(), true));
        document.apply(s, QStringLiteral("break"));
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.issues.size() >= 2);
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        QTest::mouseClick(buttonNamed(*problems, QStringLiteral("Fix all")), Qt::LeftButton);
        problems->settle();
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.valid());
        QCOMPARE(document.undoStack().count(), 2);
    }

    /// R10.2: latencies of the opened file that are wrong or missing are problems until something is changed.
    void wrongLatenciesOfTheFileAreListed()
    {
        const QString examples =
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/");
        QFile right(examples + QStringLiteral("ex3C.solution.json"));
        QVERIFY(right.open(QIODevice::ReadOnly));
        QByteArray text = right.readAll();
        QVERIFY(text.contains("3000"));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("wrong.json"));
        QFile wrong(path);
        QVERIFY(wrong.open(QIODevice::WriteOnly));
        wrong.write(text.replace("3000.0", "20").replace("3000", "20"));
        wrong.close();
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(window.openPaths({examples + QStringLiteral("ex3.problem.json"), path}));
        Document& document = window.state().document;
        auto* problems = view<ProblemsView>(window, "problems");
        problems->settle();
        const auto* rows = problems->list()->model();
        QCOMPARE(rows->rowCount(), 1);
        QCOMPARE(rows->index(0, 0).data().toString(), QStringLiteral("Subgraph 1"));
        QCOMPARE(rows->index(0, 1).data().toString(), QStringLiteral("LATENCY"));
        QVERIFY2(rows->index(0, 2).data().toString().contains(
                     QStringLiteral("20 is reported, 3\u202f000 is computed")),
                 qPrintable(rows->index(0, 2).data().toString()));
        QVERIFY(!problems->fixButton()->isVisible());
        Q_EMIT problems->list()->doubleClicked(rows->index(0, 0));
        QVERIFY(window.state().selection.state().subgraph == SubgraphId(1));
        const Schedule& s = document.schedule();
        document.apply(*edit::setGranularity(*document.problem(), s, std::array{SubgraphId(0)}, {64, 64, 1},
                                             editOptions(document.rules(), true)),
                       QStringLiteral("change"));
        problems->settle();
        QCOMPARE(rows->rowCount(), 0);
        document.undoStack().undo();
        problems->settle();
        QCOMPARE(rows->rowCount(), 1);
        QVERIFY(document.save(path)); // Save writes the computed latencies
        problems->settle();
        QCOMPARE(rows->rowCount(), 0);
    }

    // -- rules
    void rulesTellTheExactChangeAndLeadThere()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(window.openPaths(
            {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        Document& document = window.state().document;
        auto* rules = view<RulesView>(window, "rules");
        rules->settle();
        QTreeWidget* list = rules->list();
        const int switches = static_cast<int>(ruleSwitches().size());
        QVERIFY(switches >= 9);
        QCOMPARE(list->topLevelItemCount(), switches);
        int changed = 0;
        for (int i = 0; i < switches; ++i) {
            const RuleSwitch& s = ruleSwitches()[static_cast<std::size_t>(i)];
            Rules other = document.rules();
            s.set(other, 1);
            const Evaluation e = evaluate(*document.problem(), document.schedule(), other);
            const QTreeWidgetItem* item = list->topLevelItem(i);
            QVERIFY2(!item->text(2).isEmpty() && item->text(3).startsWith(QStringLiteral("whether")),
                     qPrintable(item->text(0)));
            if (!e.valid() || e.total == document.snapshot()->evaluation.total)
                continue;
            ++changed;
            const QString by = ui::signedNumber(e.total - document.snapshot()->evaluation.total);
            QVERIFY2(item->text(2).contains(by), qPrintable(item->text(2) + by));
            QVERIFY(item->childCount() > 0);
        }
        QVERIFY(changed >= 2);
        QVERIFY(!rules->copyText().contains(QChar(0x202F))); // full precision, no thin spaces
        QTreeWidgetItem* first = list->topLevelItem(0);      // null_order_reuse
        first->setExpanded(true);
        list->scrollToItem(first->child(0));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualItemRect(first->child(0)).center());
        QVERIFY(window.state().selection.state().subgraph);
        QCOMPARE(QStringLiteral("Subgraph %1").arg(window.state().selection.state().subgraph->index()),
                 first->child(0)->text(0));
        // Unticking reads the rule the other way, in place.
        const double before = document.snapshot()->evaluation.total;
        first->setCheckState(0, Qt::Unchecked);
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.total > before);
        rules->settle();
        QVERIFY(first->isExpanded());
        QCOMPARE(first->text(1), QStringLiteral("no"));
    }

    /// A switch with three values is chosen from a list; the effect of each other value is told.
    void aRuleWithThreeValuesIsChosenFromAList()
    {
        MainWindow window;
        window.resize(1440, 900);
        window.show();
        QVERIFY(window.openPaths({sample("attention-block.json")}));
        Document& document = window.state().document;
        auto* rules = view<RulesView>(window, "rules");
        rules->settle();
        const auto rows = rules->list()->findItems(QStringLiteral("prologue"), Qt::MatchExactly, 4);
        QCOMPARE(rows.size(), 1);
        auto* values = qobject_cast<QComboBox*>(rules->list()->itemWidget(rows.front(), 1));
        QVERIFY(values);
        QCOMPARE(values->count(), 3);
        QVERIFY(rows.front()->text(2).contains(QStringLiteral("split_only: ")) &&
                rows.front()->text(2).contains(QStringLiteral("off: ")));
        values->setCurrentIndex(1);
        Q_EMIT values->activated(1);
        QCOMPARE(document.rules().prologue, Rules::Prologue::SplitOnly);
        rules->settle();
        QCOMPARE(rows.front()->checkState(0), Qt::Unchecked);
        QVERIFY(rows.front()->text(2).contains(QStringLiteral("always: ")));
        rows.front()->setCheckState(0, Qt::Checked);
        QCOMPARE(document.rules().prologue, Rules::Prologue::Always);
        rules->settle();
        QCOMPARE(values->currentIndex(), 0);
    }
};

TILEWRIGHT_TEST(TestProblemsRules)

} // namespace test_problems_rules
#include "test_problems_rules.moc"
