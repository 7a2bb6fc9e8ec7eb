// SPDX-License-Identifier: GPL-3.0-or-later
// What the inspector tells who edits for the first time: what is selected, what can be retained, what fusing
// brings.
#include "control_named.h"
#include "test_main.h"
#include "window_fixture.h"

#include "edit/edits.h"
#include "edit/fit.h"
#include "panels/inspector/controls.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/retain_list.h"
#include "panels/inspector/schedule_overview.h"
#include "theme/text.h"
#include "workspace/schedule_edits.h"

#include <QCheckBox>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

namespace test_first_edits {

using namespace tilewright;
using namespace tilewright::ui;

class TestFirstEdits : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

    /// Everything that names the current subgraph names the same one.
    static void verifyOneSubject(MainWindow& window)
    {
        const Document& document = window.state().document;
        const SelectionState& s = window.state().selection.state();
        QVERIFY(s.subgraph && s.subgraph->index() < document.schedule().size());
        const auto& in = document.schedule()[*s.subgraph].ops;
        for (const OpId op : s.ops)
            QVERIFY(std::find(in.begin(), in.end(), op) != in.end());
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        QCOMPARE(controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width"))->value(),
                 static_cast<int>(document.schedule()[*s.subgraph].granularity.w));
        QVERIFY(inspector->findChild<QLabel*>());
    }

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void theSelectionFollowsUndoAndRedo()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        // 4 = join of the first diamond, 5 = top of the second: fused, every later subgraph moves up.
        window.state().selection.set({.ops = {OpId(4), OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        QVERIFY(fuseSelection(document, window.state().selection));
        document.waitForSnapshot();
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(4)));
        verifyOneSubject(window);
        // A subgraph that was chosen in the list stays the same one, wherever it stands.
        window.state().selection.selectSubgraph(SubgraphId(7));
        const auto chosen = document.schedule()[SubgraphId(7)].ops;
        document.undoStack().undo();
        document.waitForSnapshot();
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(8)));
        QCOMPARE(document.schedule()[*window.state().selection.state().subgraph].ops, chosen);
        document.undoStack().redo();
        document.waitForSnapshot();
        QCOMPARE(document.schedule()[*window.state().selection.state().subgraph].ops, chosen);
        verifyOneSubject(window);
        // Selected ops bring their subgraph along.
        window.state().selection.set({.ops = {OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {SubgraphId(4)},
                                      .subgraph = SubgraphId(4),
                                      .step = 0,
                                      .time = {}});
        document.undoStack().undo();
        document.waitForSnapshot();
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(5)));
        verifyOneSubject(window);
    }

    void retainListShowsWhatCanBeGainedOrWhyNot()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        const ProblemPtr problem = document.problem();
        const auto both = [&](std::size_t first) {
            std::vector<SubgraphId> out;
            for (std::size_t i = 0; i < 5; ++i)
                out.emplace_back(first + i);
            return out;
        };
        Schedule s = *edit::fuse(*problem, document.schedule(), both(0));
        s = retiled(*problem, document.schedule(), *edit::fuse(*problem, s, both(1)), document.rules());
        document.apply(s, QStringLiteral("two"));
        document.waitForSnapshot();
        QVERIFY(document.snapshot()->evaluation.valid());
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.selectSubgraph(SubgraphId(0));
        inspector->settle();
        // Of five products only one is read next; it is larger than the fast memory, and that is said.
        RetainList* retain = inspector->retainList();
        QCOMPARE(retain->boxes().size(), 1U);
        QVERIFY2(retain->note(0).contains(QStringLiteral("cannot be retained")) &&
                     retain->note(0).contains(number(std::int64_t{60'000})),
                 qPrintable(retain->note(0)));
        window.state().selection.selectSubgraph(SubgraphId(1));
        inspector->settle();
        QVERIFY(retain->boxes().empty());
        // Ticked all the same, the ways out say where they lead.
        window.state().selection.selectSubgraph(SubgraphId(0));
        const double before = document.snapshot()->evaluation.total;
        const QPoint mark(8, retain->boxes().front()->height() / 2);
        QTest::mouseClick(retain->boxes().front(), Qt::LeftButton, {}, mark);
        QCOMPARE(document.undoStack().undoText(), QStringLiteral("Retain diamond0.join.out"));
        document.waitForSnapshot();
        inspector->settle();
        QVERIFY(!document.snapshot()->evaluation.valid());
        const auto buttons = inspector->suggestionButtons();
        QVERIFY(!buttons.isEmpty());
        QVERIFY2(buttons.front()->accessibleName().contains(number(before)),
                 qPrintable(buttons.front()->accessibleName()));
    }

    void anotherSubgraphIsReadFromItsName()
    {
        MainWindow window;
        window.resize(1440, 700);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.selectSubgraph(SubgraphId(1));
        inspector->settle();
        QTest::qWait(20);
        QScrollBar* bar = nullptr;
        for (QScrollArea* area : inspector->findChildren<QScrollArea*>())
            if (area->isVisible())
                bar = area->verticalScrollBar();
        QVERIFY(bar);
        QTRY_VERIFY(bar->maximum() > 200);
        bar->setValue(200);
        controlNamed<ChoiceSpinBox>(*inspector, QStringLiteral("Tile width"))
            ->setValue(64); // the same subgraph: the page stays
        window.state().document.waitForSnapshot();
        inspector->settle();
        QVERIFY(bar->value() > 0);
        window.state().selection.selectSubgraph(SubgraphId(3));
        inspector->settle();
        QCOMPARE(bar->value(), 0);
    }

    void withNothingSelectedTheWholeScheduleSpeaks()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        QVERIFY(inspector->overview()->isVisible());
        inspector->settle();
        const double before = document.snapshot()->evaluation.total;
        QVERIFY(inspector->overview()->figures()->text().contains(rich(number(before))));
        // The mouse on a button shows in the graph which subgraph it is about.
        const auto offered = [&] {
            QList<QPushButton*> buttons = inspector->overview()->findChildren<QPushButton*>();
            buttons.removeIf([](QPushButton* b) { return b->isHidden(); });
            return buttons;
        };
        const QString about = offered().front()->accessibleName();
        QEvent enter(QEvent::Enter);
        QApplication::sendEvent(offered().front(), &enter);
        const auto hovered = window.state().selection.hover().subgraph;
        QVERIFY(hovered && about.contains(QStringLiteral("ubgraph %1").arg(hovered->index())));
        // What the first button says is what a click on it brings; again and again until nothing helps.
        for (int clicks = 0; clicks < 3; ++clicks) {
            const double total = document.snapshot()->evaluation.total;
            QTRY_VERIFY(!offered().isEmpty());
            const auto buttons = offered();
            const QString says = buttons.front()->accessibleName();
            QTest::mouseClick(buttons.front(), Qt::LeftButton);
            document.waitForSnapshot();
            const double now = document.snapshot()->evaluation.total;
            QVERIFY(now < total);
            QVERIFY2(says.contains(ui::signedNumber(now - total)), qPrintable(says));
            inspector->settle();
        }
        QCOMPARE(document.undoStack().count(), 3);
        QVERIFY(document.undoStack().undoText().startsWith(QStringLiteral("Subgraph ")));
        window.state().selection.selectSubgraph(SubgraphId(0));
        QVERIFY(!inspector->overview()->isVisible());
    }

    void aSelectionOfSeveralSaysWhatFusingBrings()
    {
        MainWindow window;
        window.resize(1440, 900);
        QVERIFY(openIn(window, {sample("diamond.json")}));
        Document& document = window.state().document;
        auto* inspector = viewOf<InspectorView>(window, "inspector");
        window.state().selection.set({.ops = {OpId(4), OpId(5)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        inspector->settle();
        const auto offered = [inspector]() -> QPushButton* {
            for (QPushButton* b : inspector->fuseOffer()->findChildren<QPushButton*>())
                if (b->isVisible())
                    return b;
            return nullptr;
        };
        QPushButton* button = offered();
        QVERIFY(button);
        const QString says = button->accessibleName();
        const double before = document.snapshot()->evaluation.total;
        QTest::mouseClick(button, Qt::LeftButton);
        document.waitForSnapshot();
        QVERIFY2(says.contains(ui::signedNumber(document.snapshot()->evaluation.total - before)),
                 qPrintable(says));
        document.undoStack().undo();
        document.waitForSnapshot();
        window.state().selection.set({.ops = {OpId(0), OpId(2)},
                                      .tensor = {},
                                      .subgraphs = {},
                                      .subgraph = {},
                                      .step = 0,
                                      .time = {}});
        inspector->settle();
        QVERIFY(!offered());
        QVERIFY2(inspector->fuseOffer()->note()->text().contains(QStringLiteral("consumed only inside")),
                 qPrintable(inspector->fuseOffer()->note()->text()));
    }
};

TILEWRIGHT_TEST(TestFirstEdits)

} // namespace test_first_edits
#include "test_first_edits.moc"
