// SPDX-License-Identifier: GPL-3.0-or-later
// The search of tiles in the window: landscape, picks, one undo step; and nodes of closed groups.
#include "export/export_view.h"
#include "npu_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/npu/npu_graph_view.h"
#include "views/npu/npu_tiles_view.h"

#include <QPushButton>
#include <QUndoStack>

namespace test_npu_tile_views {

using namespace tilewright;
using namespace tilewright::ui;

class TestNpuTileViews : public NpuBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void landscapeShowsTheSearchAndTakesIt()
    {
        NpuTilesView& view = open<NpuTilesView>("conv_net", {900, 620}); // settles, hence searches
        const auto& search = view.state().tileSearch();
        QVERIFY(search && search->error.isEmpty());
        QVERIFY(search->found.after < search->found.before);
        QVERIFY(view.state().settings().tiling == search->found.tiling);
        QCOMPARE(view.state().result()->schedulers.front().makespan, search->found.after); // dynamic
        QVERIFY(view.state().undoStack().canUndo());
        const NpuTilesModel& m = view.model();
        QVERIFY2(m.hint.isEmpty(), qPrintable(m.hint));
        // Every cell is the fastest of its candidates, and the marks are the search's.
        for (std::size_t i = 0; i < m.cells.size(); ++i)
            if (m.cells[i] && m.candidate(i).cycles)
                for (const npu::TileCandidate& c : m.tiles->candidates)
                    if (c.cycles && c.tile.*m.x.size == m.candidate(i).tile.*m.x.size &&
                        c.tile.*m.y.size == m.candidate(i).tile.*m.y.size)
                        QVERIFY(*m.candidate(i).cycles <= *c.cycles);
        QVERIFY(m.fastest && m.chosen && m.before && m.current);
        QCOMPARE(m.current, m.chosen);
        QVERIFY(m.subtitle.contains(number(search->found.before)));
        // Undo takes the tiles back, the landscape stays.
        view.state().undoStack().undo();
        view.settle();
        QVERIFY(view.state().settings().tiling != search->found.tiling);
        QCOMPARE(view.state().result()->schedulers.front().makespan, search->found.before);
        QCOMPARE(view.model().current, view.model().before);
    }

    void aClickCutsTheOperatorSo()
    {
        NpuTilesView& view = open<NpuTilesView>("conv_net", {900, 620});
        const NpuTilesModel m = view.model();
        std::size_t cell = 0;
        while (!m.cells[cell] || cell == m.current)
            ++cell;
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.cellCentre(cell).toPoint());
        const std::uint32_t op = m.tiles->ops.front();
        QVERIFY(view.state().settings().tiling[op].tile == m.candidate(cell).tile);
        view.settle();
        QCOMPARE(view.model().current, std::optional(cell));
        QVERIFY(view.state().result()->graph->tileSizes[op].*m.y.size == m.candidate(cell).tile.*m.y.size);
        // Arrow keys go on from there.
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Up);
        view.settle();
        QVERIFY(view.model().current.has_value());
    }

    void settingsHaveAButton()
    {
        NpuView& view = open<NpuView>("conv_net", {1500, 1000});
        auto* button = view.findChild<QPushButton*>(QStringLiteral("npu.searchTiles"));
        QVERIFY(button && button->isEnabled());
        const QString idle = button->text();
        button->click();
        view.settle();
        QVERIFY(view.state().tileSearch());
        QVERIFY(view.state().result()->run->makespan <= view.state().tileSearch()->found.after);
        QCOMPARE(button->text(), idle);
    }

    /// The button tells how far the search is, and ends it without another tiling.
    void theButtonStopsTheSearch()
    {
        NpuView& view = open<NpuView>("llama_prefill", {1500, 1000});
        auto* button = view.findChild<QPushButton*>(QStringLiteral("npu.searchTiles"));
        QVERIFY(button);
        const auto before = view.state().settings().tiling;
        button->click();
        QVERIFY2(button->isEnabled() && button->text().startsWith(QStringLiteral("Stop")),
                 qPrintable(button->text()));
        button->click();
        QTRY_VERIFY_WITH_TIMEOUT(!view.state().isSearchingTiles(), 20'000);
        QCOMPARE(button->text(), QStringLiteral("Search tiles"));
        QVERIFY(view.state().settings().tiling == before);
    }

    /// So does the command of the view.
    void theViewStopsTheSearch()
    {
        NpuTilesView& view = open<NpuTilesView>("conv_net", {900, 620});
        QAction* search = nullptr;
        for (QAction* action : view.actions())
            if (action->text() == QStringLiteral("Search tiles"))
                search = action;
        QVERIFY(search);
        (void)m_state->workspace.open(npuSample("llama_prefill"));
        search->trigger();
        QVERIFY(view.state().isSearchingTiles());
        QCOMPARE(search->text(), QStringLiteral("Stop the search"));
        QVERIFY(view.model().hint.startsWith(QStringLiteral("Searching the tiles of every operator")));
        search->trigger();
        QTRY_VERIFY_WITH_TIMEOUT(!view.state().isSearchingTiles(), 20'000);
        QCOMPARE(search->text(), QStringLiteral("Search tiles"));
    }

    void closedGroupsShowTheirNodesWhenLarge()
    {
        NpuGraphView& view = open<NpuGraphView>("llama_prefill");
        view.setAllOpen(false);
        view.settle();
        const NpuGraphModel& m = *view.model();
        const auto largest =
            std::max_element(m.groups.begin(), m.groups.end(),
                             [](const auto& a, const auto& b) { return a.nodes.size() < b.nodes.size(); });
        QVERIFY(!largest->open && largest->nodes.size() > 100);
        const std::uint32_t node = largest->nodes[largest->nodes.size() / 2];
        const QPointF at = npuBarCell(*largest, m.placeOf[node]).center();
        QVERIFY(!barShowsNodes(*largest, 1));
        QVERIFY(!m.nodeAt(at, 1)); // one box, too small to be told apart
        QVERIFY(barShowsNodes(*largest, 60));
        QCOMPARE(m.nodeAt(at, 60), std::optional(node));
        // All nodes have a cell of their own inside the bar.
        for (std::size_t i = 0; i < largest->nodes.size(); ++i)
            QVERIFY(
                npuGroupBar(*largest).adjusted(-0.01, -0.01, 0.01, 0.01).contains(npuBarCell(*largest, i)));
        view.showPart(npuGroupBar(*largest));
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(node).toPoint());
        QCOMPARE(view.state().node(), std::optional(node));
        const QImage image = renderToImage(view, {view.size(), 1, &Theme::light()});
        QVERIFY(!image.isNull());
    }

    /// A scroll bar that was hidden and shown in every layout asked for the next one without end.
    void aLowPaneComesToRest()
    {
        NpuView& view = open<NpuView>("conv_net", {900, 260});
        QVERIFY(view.findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly)->isVisible());
        struct Count : QObject
        {
            int layouts = 0;
            bool eventFilter(QObject*, QEvent* event) override
            {
                layouts += event->type() == QEvent::LayoutRequest;
                return false;
            }
        } count;
        view.installEventFilter(&count);
        QCoreApplication::postEvent(&view, new QEvent(QEvent::LayoutRequest));
        QTest::qWait(200);
        QVERIFY2(count.layouts < 5, qPrintable(QString::number(count.layouts)));
    }

    /// Where the lanes scroll they were cut at the end of the title, which leaves room for two buttons.
    void theFactsOfACoreAreWhole()
    {
        NpuView& view = open<NpuView>("conv_net", {1100, 320});
        QVERIFY(view.findChild<QScrollBar*>(QString(), Qt::FindDirectChildrenOnly)->isVisible());
        const LanePlaces p = view.places();
        QVERIFY(p.facts.right() > p.title.right() + 30);
        const QImage image = view.grab().toImage();
        const auto right = static_cast<int>(p.facts.right()) - 3;
        const QRgb ground = image.pixel(right, static_cast<int>(p.plot.top()) - 2);
        bool painted = false;
        for (int y = static_cast<int>(p.plot.top()); y < static_cast<int>(p.plot.bottom()); ++y)
            painted = painted || image.pixel(right, y) != ground;
        QVERIFY(painted);
    }

    void defaultTilesAreNamed()
    {
        NpuView& view = open<NpuView>("conv_net");
        QVERIFY2(view.model().subject.contains(QStringLiteral("default tiles")),
                 qPrintable(view.model().subject));
        view.state().searchTiles();
        view.state().settle();
        view.settle();
        QVERIFY2(!view.model().subject.contains(QStringLiteral("default tiles")),
                 qPrintable(view.model().subject));
    }

    void readyUnitsSayWhyThereAreNone()
    {
        NpuView& view = open<NpuView>("kv_three_banks");
        const auto& lanes = view.lanes().lanes;
        const auto ready = std::find_if(lanes.begin(), lanes.end(), [](const Lane& l) {
            return l.name == QStringLiteral("Ready units");
        });
        QVERIFY(ready != lanes.end());
        if (view.model().result->readyPeak == 0) {
            QCOMPARE(ready->facts.front(), QStringLiteral("none waits for a core"));
            QVERIFY(ready->readout(1, 0).contains(QStringLiteral("as soon as it can start")));
        } else {
            QVERIFY(ready->facts.front().startsWith(QStringLiteral("at most")));
        }
    }
};

TILEWRIGHT_TEST(TestNpuTileViews)

} // namespace test_npu_tile_views
#include "test_npu_tile_views.moc"
