// SPDX-License-Identifier: GPL-3.0-or-later
// The map of a mapping search and the table of a model's layers, against core and driven as a person does.
#include "base/file.h"
#include "mapping/report.h"
#include "mapping_bench.h"
#include "test_main.h"
#include "views/mapping/mapping_model_view.h"
#include "views/mapping/search_map_view.h"

#include <QComboBox>
#include <QHeaderView>
#include <QTableView>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

namespace test_mapping_tables {

using namespace tilewright;
using namespace tilewright::ui;

class TestMappingTables : public MappingBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void theMapShowsTheProvenOptimaAndLoadsThem()
    {
        auto& view = open<SearchMapView>("layers/gemm-1000.json");
        const mapping::SearchResult direct =
            mapping::search(state().nest(), state().setup().architecture, {});
        QVERIFY(view.model().proven);
        QVERIFY(!view.model().running);
        for (std::size_t o = 0; o < mapping::kObjectives; ++o)
            QCOMPARE(view.model().optima[o]->edp(),
                     direct.best[o]->energy * static_cast<double>(direct.best[o]->cycles));
        QCOMPARE(view.model().front.size(), direct.front.size());
        QVERIFY(view.model().density);
        // A row, then a point of the front, then a cell of the density.
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.places().rows[0].center().toPoint());
        QCOMPARE(state().evaluation().energy, direct.best[0]->energy);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(*view.model().optima[1]).toPoint());
        QCOMPARE(state().evaluation().cycles, direct.best[1]->cycles);
        const mapping::Density& d = *view.model().density;
        // Not one at the edge of what was drawn, where a pixel decides.
        std::vector<mapping::MethodCost> bad = d.examples;
        std::sort(bad.begin(), bad.end(), [](const auto& x, const auto& y) { return x.edp < y.edp; });
        const mapping::MethodCost& worst = bad[bad.size() * 3 / 4];
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          view.pointOf({{}, worst.energy, static_cast<double>(worst.cycles), {}}).toPoint());
        QVERIFY(state().evaluation().edp > 10 * direct.best[2]->edp);
        QVERIFY(state().evaluation().valid());
        QCOMPARE(state().undoStack().count(), 3);
        QVERIFY(view.copyText().contains(QStringLiteral("Pareto")));
        // Arrows walk the front, Enter loads.
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Left);
        QTest::keyClick(&view, Qt::Key_Return);
        QCOMPARE(state().evaluation().energy, direct.front.front().energy);
    }

    void theSearchStartsStopsAndReducesTheSpace()
    {
        auto& view = open<SearchMapView>("layers/conv-3x3-64.json");
        auto* start = view.findChild<QToolButton*>(QStringLiteral("start"));
        auto* mode = view.findChild<QComboBox*>();
        mode->setCurrentIndex(1);
        Q_EMIT mode->activated(1);
        start->click();
        QVERIFY(state().search().isRunning());
        QCOMPARE(start->text(), QStringLiteral("Stop"));
        view.settle();
        QVERIFY(!state().search().isRunning());
        QVERIFY(state().search().result()->reductions.any());
        const double quick = state().search().result()->of(mapping::Objective::Edp)->edp;
        QVERIFY(view.model().headline.contains(QStringLiteral("reduced")));
        mode->setCurrentIndex(0);
        Q_EMIT mode->activated(0);
        start->click();
        start->click(); // stopped: what was found stays
        view.settle();
        QVERIFY(state().search().result());
        start->click();
        view.settle();
        QVERIFY(view.model().proven);
        QVERIFY(state().search().result()->of(mapping::Objective::Edp)->edp <= quick);
    }

    void theModelHasARowPerLayerAndTotals()
    {
        auto& view = open<MappingModelView>("models/resnet-18.json");
        const auto direct = mapping::searchModel(state().model(), state().setup().architecture, {}, false);
        QVERIFY(direct);
        QVERIFY(view.table().result());
        QVERIFY(view.table().result()->proven);
        QCOMPARE(view.table().rowCount(), static_cast<int>(direct->layers.size()) + 3);
        for (std::size_t o = 0; o < mapping::kObjectives; ++o) {
            QCOMPARE(view.table().result()->totals[o].energy, direct->totals[o].energy);
            QCOMPARE(view.table().result()->totals[o].cycles, direct->totals[o].cycles);
        }
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("r.csv"));
        QVERIFY(view.exportCsv(path));
        QCOMPARE(*readFile(path.toStdString()), mapping::modelCsv(*view.table().result()->fourLevels));
        view.openRow(1);
        state().settle();
        QCOMPARE(state().setup().layer.name, state().model().layers[1].name);
        QCOMPARE(state().evaluation().edp, direct->layers[1].search.of(mapping::Objective::Edp)->edp);
        // Other hardware: all rows anew.
        (void)m_app->workspace.open(mappingSample("architectures/server-1024.json"));
        QVERIFY(view.isRunning());
        view.settle();
        QVERIFY(view.table().result()->totals[1].cycles < direct->totals[1].cycles);
    }

    void layersAreSortedByTheirHeadingsAboveTheTotals()
    {
        auto& view = open<MappingModelView>("models/resnet-18.json");
        auto* table = view.findChild<QTableView*>();
        QHeaderView* header = table->horizontalHeader();
        const auto names = [&] {
            QStringList out;
            for (int row = 0; row < table->model()->rowCount(); ++row)
                out << table->model()->index(row, LayerTable::Name).data().toString();
            return out;
        };
        const auto click = [&] {
            QTest::mouseClick(header->viewport(), Qt::LeftButton, {},
                              {header->sectionViewportPosition(LayerTable::Cycles) +
                                   header->sectionSize(LayerTable::Cycles) / 2,
                               header->height() / 2});
        };
        const QStringList before = names();
        click();
        const QStringList slowestFirst = names();
        QVERIFY(slowestFirst != before);
        QCOMPARE(slowestFirst.last(3), before.last(3)); // totals
        double most = 0;
        std::string slowest;
        for (std::size_t i = 0; i < view.table().found().size(); ++i)
            if (const auto& best = view.table().found()[i].found.of(mapping::Objective::Cycles);
                best && best->cycles > most) {
                most = best->cycles;
                slowest = state().model().layers[i].name;
            }
        QCOMPARE(slowestFirst.front(), QString::fromStdString(slowest));
        table->setCurrentIndex(table->model()->index(0, 0));
        QTest::keyClick(table, Qt::Key_Return);
        QCOMPARE(state().setup().layer.name, slowest);
        click();
        QCOMPARE(names().last(3), before.last(3));
        QCOMPARE(names()[before.size() - 4], slowestFirst.front());
        click();
        QCOMPARE(names(), before);
    }
};

TILEWRIGHT_TEST(TestMappingTables)

} // namespace test_mapping_tables
#include "test_mapping_tables.moc"
