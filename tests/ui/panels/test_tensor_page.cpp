// SPDX-License-Identifier: GPL-3.0-or-later
// A tensor is a thing: selected by its edge, it has a page, and commands act on it.
#include "panel_window.h"
#include "panels/inspector/inspector_view.h"
#include "panels/inspector/tensor_page.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/graph/graph_view.h"

#include <QCheckBox>
#include <QLabel>

#include <array>

namespace test_tensor_page {

using namespace tilewright;
using namespace tilewright::ui;

class TestTensorPage : public QObject, private PanelWindow
{
    Q_OBJECT

    /// Clicks the line of a tensor in the graph.
    static void clickLine(GraphView& graph, TensorId tensor, Qt::MouseButton button = Qt::LeftButton)
    {
        graph.settle();
        for (const GraphEdge& edge : graph.model()->edges)
            if (edge.tensor == tensor) {
                const QPointF at = edge.path.pointAtPercent(0.5);
                QTest::mouseClick(&graph, button, {}, graph.viewport().toScreen(at).toPoint());
                return;
            }
        QFAIL("the tensor has no line");
    }

private Q_SLOTS:
    void initTestCase() { useOwnSettings(); }

    void aLineOpensThePageOfItsTensor()
    {
        MainWindow window;
        open(window, products());
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* graph = view<GraphView>(window, "graph");
        window.state().document.waitForSnapshot();
        clickLine(*graph, TensorId(5)); // of the first product to the function
        QCOMPARE(window.state().selection.state().tensor, std::optional(TensorId(5)));
        inspector->settle();
        TensorPage* page = inspector->tensorPage();
        QVERIFY(page->isVisible());
        QVERIFY2(page->title()->text().contains(QStringLiteral("256 × 256")),
                 qPrintable(page->title()->text()));
        // Stored once by the product and loaded once by the function, in subgraphs 0 and 4.
        const QString uses = page->uses()->text();
        QVERIFY2(uses.contains(QStringLiteral("subgraph 0")) && uses.contains(QStringLiteral("subgraph 4")),
                 qPrintable(uses));
        QVERIFY2(uses.contains(rich(tr("In sum %1 loaded, %1 stored.").arg(number(65'536)))),
                 qPrintable(uses));

        // A link leads on.
        Q_EMIT page->linkActivated(QStringLiteral("subgraph:4"));
        QCOMPARE(window.state().selection.state().subgraph, std::optional(SubgraphId(4)));
        QVERIFY(!page->isVisible());
    }

    /// R, and the check box of the page, retain after the subgraph that computes the tensor.
    void retentionNeedsNoSubgraph()
    {
        MainWindow window;
        open(window, products(400'000));
        Document& document = window.state().document;
        auto* inspector = view<InspectorView>(window, "inspector");
        auto* graph = view<GraphView>(window, "graph");
        document.waitForSnapshot();
        // The first product runs right before the function.
        QVERIFY(document.apply(
            edit::reorder(*document.problem(), document.schedule(), std::array{SubgraphId(0)}, 3),
            QStringLiteral("order")));
        document.waitForSnapshot();
        graph->setFocus();
        clickLine(*graph, TensorId(5));
        inspector->settle();
        TensorPage* page = inspector->tensorPage();
        QVERIFY2(page->retain()->isEnabled(), qPrintable(page->retain()->text()));
        QVERIFY(!page->retain()->isChecked());
        key(window, "schedule.retain");
        const auto retained = [&] {
            for (const auto& subgraph : document.schedule().subgraphs)
                if (!subgraph->retain.empty())
                    return subgraph->retain == std::vector{TensorId(5)} &&
                           subgraph->ops == std::vector{OpId(0)};
            return false;
        };
        QVERIFY(retained());
        document.waitForSnapshot();
        inspector->settle();
        QVERIFY(page->retain()->isChecked());
        QVERIFY2(page->uses()->text().contains(QStringLiteral("in fast memory from the subgraph before")),
                 qPrintable(page->uses()->text()));
        QTest::mouseClick(page->retain(), Qt::LeftButton, {}, QPoint(8, page->retain()->height() / 2));
        QVERIFY(!retained());
    }

    void aRightClickSelectsTheTensor()
    {
        MainWindow window;
        open(window, products());
        auto* graph = view<GraphView>(window, "graph");
        window.state().document.waitForSnapshot();
        clickLine(*graph, TensorId(6), Qt::RightButton);
        graph->settle();
        for (const GraphEdge& edge : graph->model()->edges)
            if (edge.tensor == TensorId(6)) {
                const QPoint at = graph->viewport().toScreen(edge.path.pointAtPercent(0.5)).toPoint();
                QContextMenuEvent event(QContextMenuEvent::Mouse, at, graph->mapToGlobal(at));
                QCoreApplication::sendEvent(graph, &event);
                break;
            }
        QCOMPARE(window.state().selection.state().tensor, std::optional(TensorId(6)));
        QAction* retain = window.state().actions.find(QStringLiteral("schedule.retain"));
        QVERIFY(retain->isEnabled());
        for (QWidget* menu : QApplication::topLevelWidgets())
            if (menu->inherits("QMenu"))
                menu->close();
    }
};

TILEWRIGHT_TEST(TestTensorPage)

} // namespace test_tensor_page
#include "test_tensor_page.moc"
