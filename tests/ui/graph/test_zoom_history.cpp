// SPDX-License-Identifier: GPL-3.0-or-later
// Back and forward between the parts looked at, in every picture, apart from undo (docs/design.md 4.2
// to 4.4).
#include "canvas/canvas.h"
#include "canvas/viewport.h"
#include "edit/edits.h"
#include "test_main.h"
#include "views/graph/graph_bars.h"
#include "views/graph/graph_paint.h"
#include "views/graph/graph_view.h"
#include "views/memory/memory_view.h"
#include "views/sweep/sweep_view.h"
#include "window/view_catalog.h"
#include "window_fixture.h"

#include <QComboBox>
#include <QWheelEvent>

namespace test_zoom_history {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

void wheel(QWidget& widget, QPointF at, int notches)
{
    QWheelEvent event(at, widget.mapToGlobal(at), {}, QPoint(0, 120 * notches), Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(&widget, &event);
}

} // namespace

class TestZoomHistory : public QObject
{
    Q_OBJECT
    PrivateSettings m_settings;

private Q_SLOTS:
    void init() { m_settings.fresh(); }

    void stacksOfTheValue()
    {
        using G = ZoomHistory::Gesture;
        const QRectF all, a(0, 0, 1, 1), b(2, 0, 1, 1);
        ZoomHistory h;
        QVERIFY(!h.canGoBack() && !h.canGoForward() && !h.back(a));
        h.leave(all, G::Wheel, 0);
        h.leave(a, G::Wheel, 100); // the same turn of the wheel
        QCOMPARE(h.back(b), std::optional(all));
        QVERIFY(!h.canGoBack());
        QCOMPARE(h.forward(all), std::optional(b));
        h.leave(b, G::Wheel, 200);  // after going forward: a new look
        h.leave(a, G::Wheel, 5000); // after a pause too
        h.leave(all, G::Drag, 5001);
        h.leave(a, G::Drag, 5002); // every drag is one
        for (const QRectF& part : {a, all, a, b, all})
            QCOMPARE(h.back(QRectF()), std::optional(part));
        QVERIFY(!h.canGoBack() && h.canGoForward());
        h.leave(a, G::Command, 6000);
        QVERIFY(!h.canGoForward()); // another way was taken
    }
    void viewportShowsAPartAgain()
    {
        const QRectF screen(10, 40, 600, 300);
        const Viewport v{1.7, {-33, 12}};
        const Viewport again = Viewport::showing(v.toScene(screen), screen);
        QVERIFY(qAbs(again.scale - v.scale) < 1e-12 && (again.offset - v.offset).manhattanLength() < 1e-9);
    }

    /// Its key grows by a line for the baseline, another for what is recomputed: the graph makes room for it.
    void theGraphIsFittedAnewWhenItsKeyGrows()
    {
        MainWindow window;
        window.resize(1100, 800);
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        auto* graph = viewOf<GraphView>(window, "graph");
        Document& document = window.state().document;
        const auto isClear = [graph] {
            graph->settle();
            const QRectF area = QRectF(graph->rect()).adjusted(0, graph->toolbar().height(), 0, 0);
            const double key = graphLegendHeight(*graph->model(), area);
            return key > 0 &&
                   graph->viewport().toScreen(graph->model()->bounds).bottom() < area.bottom() - key;
        };
        QVERIFY(isClear());
        document.pinBaseline();
        document.apply(edit::duplicate(*document.problem(), document.schedule(), SubgraphId(0)),
                       QStringLiteral("twice"));
        document.waitForSnapshot();
        QTRY_VERIFY(graph->model()->recomputes);
        QVERIFY(isClear());
        // Whoever has moved it finds it where it was.
        graph->panBy({0, 40});
        const Viewport moved = graph->viewport();
        document.clearBaselines();
        graph->settle();
        QVERIFY(graph->viewport() == moved);
    }

    /// Every picture that can be moved goes back to exactly what it showed, and forward again.
    void everyPictureGoesBackAndForward_data()
    {
        QTest::addColumn<QString>("name");
        for (const ViewEntry& entry : viewCatalog())
            QTest::newRow(qPrintable(entry.name)) << entry.name;
    }
    void everyPictureGoesBackAndForward()
    {
        QFETCH(QString, name);
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().document.pinBaseline(); // Compare has something to show
        window.state().selection.selectSubgraph(SubgraphId(7));
        window.showView(name);
        View* view = window.view(name);
        if (auto* sweep = qobject_cast<SweepView*>(view)) {
            sweep->findChild<QComboBox*>(QStringLiteral("sweep.task"))
                ->setCurrentIndex(static_cast<int>(SweepTask::Evaluate));
            sweep->run();
        }
        view->settle();
        QApplication::processEvents();
        auto* canvas = qobject_cast<Canvas*>(view);
        for (Canvas* child : view->findChildren<Canvas*>())
            if (!canvas && child->isVisible())
                canvas = child;
        if (!canvas)
            return; // a list
        canvas->settle();
        canvas->setFocus();
        canvas->grab();
        const auto before = canvas->shownPart();
        const QPointF centre = QRectF(canvas->rect()).center();
        for (int i = 0; i < 6; ++i)
            wheel(*canvas, centre, 1);
        const auto zoomed = canvas->shownPart();
        QCOMPARE(before.has_value(), zoomed.has_value());
        if (!before || *before == *zoomed) {
            static const QSet<QString> fixed{
                QStringLiteral("granularity"),
                QStringLiteral("inspector"), // holds a granularity map
                QStringLiteral("mapping"),        QStringLiteral("npu-scaling"),
                QStringLiteral("npu-tiles"),      QStringLiteral("solver"),
                QStringLiteral("systolic-tiles"), QStringLiteral("systolic-memory"),
                QStringLiteral("mapping-model"),
                QStringLiteral("overlay"),     // has no picture without values
                QStringLiteral("validation")}; // has no picture without measurements
            QVERIFY2(fixed.contains(name), qPrintable(name));
            return;
        }
        QVERIFY(!zoomed->isNull());
        QVERIFY(canvas->history().canGoBack());
        QCOMPARE(window.currentCanvas(), canvas);
        QAction* back = window.state().actions.find(QStringLiteral("view.back"));
        QAction* forward = window.state().actions.find(QStringLiteral("view.forward"));
        QVERIFY(back->isEnabled() && !forward->isEnabled());
        QVERIFY(forward->statusTip() != forward->whatsThis()); // says why not
        QTest::keyClick(canvas, Qt::Key_Left, Qt::AltModifier);
        QCOMPARE(canvas->shownPart(), before); // six turns of the wheel were one look
        QVERIFY(!back->isEnabled() && forward->isEnabled());
        QTest::keyClick(canvas, Qt::Key_Left, Qt::AltModifier); // nowhere to go: and it does not scroll
        QCOMPARE(canvas->shownPart(), before);
        QTest::keyClick(canvas, Qt::Key_Right, Qt::AltModifier);
        const QRectF again = *canvas->shownPart();
        QVERIFY(qAbs(again.left() - zoomed->left()) < 1e-6 * zoomed->width() &&
                qAbs(again.width() - zoomed->width()) < 1e-6 * zoomed->width());
        QCOMPARE(window.state().document.undoStack().count(), 0); // undo knows nothing of it
        // A drag with the right button is one look, and the side button of the mouse goes back.
        QTest::mousePress(canvas, Qt::RightButton, {}, centre.toPoint());
        for (int i = 1; i < 6; ++i)
            QTest::mouseMove(canvas, centre.toPoint() + QPoint(9 * i, 4 * i));
        QTest::mouseRelease(canvas, Qt::RightButton, {}, centre.toPoint() + QPoint(45, 20));
        QTest::mouseClick(canvas, Qt::BackButton, {}, centre.toPoint());
        QVERIFY(qAbs(canvas->shownPart()->left() - again.left()) < 1e-6 * again.width());
    }
    void anotherProblemHasNoHistory()
    {
        MainWindow window;
        QVERIFY(openIn(window, {example("ex5.problem.json")}));
        auto* memory = viewOf<MemoryView>(window, "memory");
        wheel(*memory, memory->places().plot.center(), 3);
        QVERIFY(memory->history().canGoBack());
        QVERIFY(window.openPaths({example("ex3.problem.json")}));
        QVERIFY(!memory->history().canGoBack());
    }
    void fCentresThenFits()
    {
        MainWindow window;
        QVERIFY(
            openIn(window, {sample("attention-block.json"), sample("attention-block.fused.schedule.json")}));
        window.state().selection.selectSubgraph(SubgraphId(3));
        window.showView(QStringLiteral("memory"));
        auto* memory = viewOf<MemoryView>(window, "memory");
        memory->settle();
        const QPointF centre = memory->places().plot.center();
        for (int i = 0; i < 6; ++i)
            wheel(*memory, centre, 1);
        for (int i = 0; i < 3; ++i)
            QTest::keyClick(memory, Qt::Key_D);
        const double span = memory->shownPart()->width();
        const QRectF part = memory->selectedPart();
        QTest::keyClick(memory, Qt::Key_F);
        QVERIFY(qAbs(memory->shownPart()->width() - span) < 1e-6 * span);
        QVERIFY(memory->shownPart()->contains(QPointF(part.center().x(), 0.5)));
        QTest::keyClick(memory, Qt::Key_F);
        QVERIFY(memory->shownPart()->width() < 1.2 * part.width());
        QTest::keyClick(memory, Qt::Key_F, Qt::ShiftModifier);
        QVERIFY(memory->shownPart()->isNull());
    }
    void keysAndCommandsOfTheGraph()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto* graph = viewOf<GraphView>(window, "graph");
        graph->setFocus();
        QTest::keyClick(graph, Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(graph->viewport().scale, 1.0);
        const QPointF offset = graph->viewport().offset;
        QTest::keyClick(graph, Qt::Key_Down); // nothing selected: scrolls
        QVERIFY(graph->viewport().offset.y() < offset.y());
        QTest::keyClick(graph, Qt::Key_Home);
        QVERIFY(graph->shownPart()->isNull());
        QTest::keyClick(graph, Qt::Key_Period);
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(0)));
        QTest::keyClick(graph, Qt::Key_Period);
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(1)));
        QTest::keyClick(graph, Qt::Key_Comma);
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(0)));
        QTest::keyClick(graph, Qt::Key_F);
        QTest::keyClick(graph, Qt::Key_F);
        QVERIFY(!graph->shownPart()->isNull());
    }
    void wheelScrollsWhenPreferred()
    {
        MainWindow window;
        QVERIFY(openIn(window, {sample("attention-block.json")}));
        auto* graph = viewOf<GraphView>(window, "graph");
        const double scale = graph->viewport().scale;
        Preferences p = window.preferences();
        p.wheelScrolls = true;
        window.setPreferences(p);
        wheel(*graph, QRectF(graph->rect()).center(), -1);
        QCOMPARE(graph->viewport().scale, scale);
        p.wheelScrolls = false;
        window.setPreferences(p);
        wheel(*graph, QRectF(graph->rect()).center(), 1);
        QVERIFY(graph->viewport().scale > scale);
    }
};

TILEWRIGHT_TEST(TestZoomHistory)

} // namespace test_zoom_history
#include "test_zoom_history.moc"
