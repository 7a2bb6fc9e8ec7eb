// SPDX-License-Identifier: GPL-3.0-or-later
// Orders of tiles: drawn by mouse and keys, recognised as presets, chosen from the list.
#include "test_main.h"
#include "tiles_bench.h"

#include <QComboBox>
#include <QtTest>

namespace test_tile_orders {

using namespace tilewright;
using namespace tilewright::ui;

class TestTileOrders : public TilesBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void draggingDrawsAnOrder()
    {
        open(matmul(256), tiled(64, 64, 128)); // 4 x 4 tiles
        drag({0, 4, 8, 12, 13});
        const Traversal& drawn = document().schedule()[SubgraphId(0)].traversal;
        QCOMPARE(drawn.kind(), TraversalKind::Custom);
        const auto order = drawn.explicitOrder();
        const std::vector<std::int64_t> expected{0, 4, 8, 12, 13, 1, 2, 3, 5, 6, 7, 9, 10, 11, 14, 15};
        QVERIFY(std::equal(order.begin(), order.end(), expected.begin(), expected.end()));
        QCOMPARE(m_view->model().trace->steps->visits()[1].tile, 4);

        // From the end of the drawing the drawing goes on; the mouse may skip tiles.
        drag({13, 1});
        const auto longer = document().schedule()[SubgraphId(0)].traversal.explicitOrder();
        const std::vector<std::int64_t> more{0, 4, 8, 12, 13, 9, 5, 1};
        QVERIFY(std::equal(more.begin(), more.end(), longer.begin()));

        m_state->document.undoStack().undo();
        m_state->document.undoStack().undo();
        QCOMPARE(document().schedule()[SubgraphId(0)].traversal.kind(), TraversalKind::Raster);
    }

    void aDrawnPresetIsRecognised()
    {
        open(matmul(256), tiled(128, 128, 128)); // 2 x 2
        drag({0, 1, 3, 2});
        QCOMPARE(document().schedule()[SubgraphId(0)].traversal.kind(), TraversalKind::Snake);
    }

    void anOrderThatIsAPresetIsStoredAsIt_data()
    {
        QTest::addColumn<TraversalKind>("start");
        QTest::addColumn<std::vector<std::int64_t>>("drawn");
        QTest::addColumn<TraversalKind>("stored");
        using Tiles = std::vector<std::int64_t>;
        QTest::newRow("raster") << TraversalKind::Snake << Tiles{0, 1, 2, 3, 4, 5, 6, 7, 8}
                                << TraversalKind::Raster;
        QTest::newRow("snake") << TraversalKind::Raster << Tiles{0, 1, 2, 5, 4, 3, 6, 7, 8}
                               << TraversalKind::Snake;
        QTest::newRow("columns") << TraversalKind::Raster << Tiles{0, 3, 6, 1, 4, 7, 2, 5, 8}
                                 << TraversalKind::Column;
        QTest::newRow("column snake")
            << TraversalKind::Raster << Tiles{0, 3, 6, 7, 4, 1, 2, 5, 8} << TraversalKind::ColumnSnake;
        QTest::newRow("spiral") << TraversalKind::Raster << Tiles{0, 1, 2, 5, 8, 7, 6, 3, 4}
                                << TraversalKind::Spiral;
        QTest::newRow("another") << TraversalKind::Raster << Tiles{0, 1, 2, 5, 8, 7, 4, 3, 6}
                                 << TraversalKind::Custom;
    }
    void anOrderThatIsAPresetIsStoredAsIt()
    {
        QFETCH(TraversalKind, start);
        QFETCH(std::vector<std::int64_t>, drawn);
        QFETCH(TraversalKind, stored);
        open(matmul(192), tiled(64, 64, 64, start)); // 3 x 3
        QVERIFY2(m_view->step(), qPrintable(m_view->model().hint));
        // By keyboard, so that tiles can follow one another anywhere: the cursor starts at the shown tile.
        m_view->setFocus();
        std::int64_t at = m_view->step()->step.tile;
        for (const std::int64_t tile : drawn) {
            for (; at % 3 < tile % 3; ++at)
                QTest::keyClick(m_view.get(), Qt::Key_Right);
            for (; at % 3 > tile % 3; --at)
                QTest::keyClick(m_view.get(), Qt::Key_Left);
            for (; at < tile; at += 3)
                QTest::keyClick(m_view.get(), Qt::Key_Down);
            for (; at > tile; at -= 3)
                QTest::keyClick(m_view.get(), Qt::Key_Up);
            QTest::keyClick(m_view.get(), Qt::Key_Return);
        }
        // The last tile ends the drawing: one undo step.
        QCOMPARE(document().schedule()[SubgraphId(0)].traversal.kind(), stored);
        QCOMPARE(m_state->document.undoStack().count(), 1);
    }

    void keysDrawAnOrder()
    {
        open(matmul(256), tiled(64, 64, 128)); // 4 x 4 tiles
        m_view->setFocus();
        QTest::keyClick(m_view.get(), Qt::Key_Down, Qt::ShiftModifier); // from the shown tile
        QTest::keyClick(m_view.get(), Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ShiftModifier);
        QCOMPARE(m_view->overlay().cursor, std::optional<std::int64_t>(9));
        QVERIFY(m_view->overlay().note.startsWith(QStringLiteral("4\u00a0tiles")));
        QTRY_VERIFY(m_view->overlay().note.contains(QStringLiteral("total")));
        QTest::keyClick(m_view.get(), Qt::Key_Backspace); // 9 was not meant
        QTest::keyClick(m_view.get(), Qt::Key_Right);     // over to 10, without drawing
        QTest::keyClick(m_view.get(), Qt::Key_Return);
        QCOMPARE(m_state->document.undoStack().count(), 0);
        QTest::keyClick(m_view.get(), Qt::Key_Return, Qt::ControlModifier);
        m_view->settle();
        const auto order = document().schedule()[SubgraphId(0)].traversal.explicitOrder();
        const std::vector<std::int64_t> expected{0, 4, 8, 10, 1, 2, 3, 5, 6, 7, 9, 11, 12, 13, 14, 15};
        QVERIFY(std::equal(order.begin(), order.end(), expected.begin(), expected.end()));
        QVERIFY2(
            m_view->model().subtitle.contains(QStringLiteral("custom order: 0–8 ↓, 10, 1–3, 5–7, 9, 11")),
            qPrintable(m_view->model().subtitle));

        // Escape gives a drawing up; a click looks at a tile without ending it.
        m_view->settle();
        QTest::keyClick(m_view.get(), Qt::Key_Right, Qt::ShiftModifier);
        QTest::mouseClick(m_view.get(), Qt::LeftButton, {}, at(6));
        QCOMPARE(m_view->step()->step.tile, 6);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QCOMPARE(m_state->document.undoStack().count(), 1);
        QVERIFY(!m_view->overlay().cursor && m_view->overlay().note.isEmpty());
        // Ctrl+Enter at the cursor without a drawing shows the tile.
        QTest::keyClick(m_view.get(), Qt::Key_Right);
        QTest::keyClick(m_view.get(), Qt::Key_Return, Qt::ControlModifier);
        QCOMPARE(m_view->step()->step.tile, 7);
    }

    void ordersAsRuns()
    {
        const auto text = [](const std::vector<std::int64_t>& order, std::int64_t cols, int most = 9) {
            return orderRuns(order, cols, most);
        };
        QCOMPARE(text({0, 1, 2, 3, 7, 6, 5, 4, 8}, 4), QStringLiteral("0–3, 7–4, 8"));
        QCOMPARE(text({0, 4, 8, 9, 5, 1}, 4), QStringLiteral("0–8 ↓, 9–1 ↑"));
        QCOMPARE(text({3, 4, 0}, 4), QStringLiteral("3, 4–0 ↑")); // 3 and 4 are no neighbours
        QCOMPARE(text({5, 0, 7, 2}, 8, 2), QStringLiteral("5, 0 …"));
        QCOMPARE(text({0, 1, 2}, 1), QStringLiteral("0–2"));
        QCOMPARE(text({}, 4), QString());
    }

    void escapeCancelsADrawing()
    {
        open(matmul(256), tiled(64, 64, 128));
        QTest::mousePress(m_view.get(), Qt::LeftButton, {}, at(0));
        QMouseEvent move(QEvent::MouseMove, at(5), m_view->mapToGlobal(at(5)), Qt::NoButton, Qt::LeftButton,
                         Qt::NoModifier);
        QCoreApplication::sendEvent(m_view.get(), &move);
        QTest::keyClick(m_view.get(), Qt::Key_Escape);
        QTest::mouseRelease(m_view.get(), Qt::LeftButton, {}, at(5));
        QCOMPARE(m_state->document.undoStack().count(), 0);
    }

    void drawingGoesBackAndCompletes()
    {
        OrderDrawing d({3, 3});
        for (const std::int64_t t : {0, 1, 2, 1, 4})
            d.moveTo(t);
        QCOMPARE(d.tiles(), (std::vector<std::int64_t>{0, 1, 4}));
        d.moveTo(99); // outside
        d.moveTo(0);  // already drawn
        QCOMPARE(d.tiles().size(), std::size_t(3));
        const std::vector<std::int64_t> raster{0, 1, 2, 3, 4, 5, 6, 7, 8};
        QCOMPARE(d.completed(raster), (std::vector<std::int64_t>{0, 1, 4, 2, 3, 5, 6, 7, 8}));
        OrderDrawing jump({5, 5});
        jump.moveTo(0);
        jump.moveTo(24);
        QCOMPARE(jump.tiles(), (std::vector<std::int64_t>{0, 6, 12, 18, 24}));
    }

    void theListOfOrdersAppliesPresets()
    {
        open(matmul(128), tiled(32, 32, 128));
        QComboBox* order = nullptr;
        for (QComboBox* box : m_view->findChildren<QComboBox*>())
            if (box->accessibleName() == QStringLiteral("Order"))
                order = box;
        QVERIFY(order);
        order->setFocus();
        QTest::keyClick(order, Qt::Key_Down);
        QCOMPARE(document().schedule()[SubgraphId(0)].traversal.kind(), TraversalKind::Snake);
        m_view->settle();
        QCOMPARE(m_view->model().trace->steps->visits()[4].tile, 7);
        const double before = document().snapshot()->evaluation.total;
        m_state->document.undoStack().undo();
        m_view->settle();
        QVERIFY(document().snapshot()->evaluation.total > before); // snake reuses at the turns
        QCOMPARE(order->currentIndex(), 0);
    }
};

TILEWRIGHT_TEST(TestTileOrders)

} // namespace test_tile_orders
#include "test_tile_orders.moc"
