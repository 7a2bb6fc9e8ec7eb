// SPDX-License-Identifier: GPL-3.0-or-later
// Searches of the Mapping lens on architectures with levels: their figures, proofs and gaps are those of
// `map`.
#include "base/file.h"
#include "hierarchy/report.h"
#include "mapping_levels_bench.h"
#include "test_main.h"
#include "views/mapping/mapping_model_view.h"
#include "views/mapping/search_map_view.h"

#include <QComboBox>
#include <QTemporaryDir>
#include <QToolButton>

namespace test_mapping_levels_search {

using namespace tilewright;
using namespace tilewright::ui;

class TestMappingLevelsSearch : public MappingLevelsBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void theSearchMapProvesStopsAndLoads()
    {
        auto& view = openSmall<SearchMapView>();
        const auto direct = answerOfVerb(state().setup());
        QVERIFY(view.model().proven && direct.proven);
        QCOMPARE(view.model().headline, QStringLiteral("Proven: no mapping has less EDP"));
        QCOMPARE(view.model().optima[2]->edp(), direct.of(mapping::Objective::Edp)->edp());
        QVERIFY(!view.model().density);
        QStringList facts;
        for (const auto& [name, value] : view.model().facts)
            facts << name + QLatin1Char(' ') + value;
        QVERIFY2(facts.contains(QStringLiteral("model cost model: hierarchy")),
                 qPrintable(facts.join(u'\n')));
        // All objectives: the front is complete.
        auto* objective = view.findChild<QComboBox*>(QStringLiteral("objective"));
        QVERIFY(objective && objective->isVisibleTo(&view));
        objective->setFocus();
        QTest::keyClick(objective, Qt::Key_End);
        QVERIFY(state().search().isRunning());
        auto* start = view.findChild<QToolButton*>(QStringLiteral("start"));
        QCOMPARE(start->text(), QStringLiteral("Stop"));
        QVERIFY(view.model().headline.startsWith(QStringLiteral("Searching")));
        view.settle();
        hierarchy::SearchOptions all;
        all.seconds = verbs::kLayerSeconds;
        const auto front = hierarchy::search(state().nest(), levels(), all);
        QVERIFY(front.proven && view.model().proven);
        QCOMPARE(view.model().front.size(), front.front.size());
        for (std::size_t i = 0; i < front.front.size(); ++i) {
            QCOMPARE(view.model().front[i].energy, front.front[i].energy);
            QCOMPARE(view.model().front[i].cycles, front.front[i].cycles);
        }
        QCOMPARE(view.model().headline, QStringLiteral("Proven: no method is better"));
        // A row and a point of the front load their mapping.
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.places().rows[0].center().toPoint());
        QCOMPARE(state().figures().energy, front.best[0]->energy);
        QTest::mouseClick(&view, Qt::LeftButton, {}, view.pointOf(*view.model().optima[1]).toPoint());
        QCOMPARE(state().figures().cycles, front.best[1]->cycles);
        // Cancelled, the search keeps the best so far.
        openSample("layers/conv-3x3-256.json");
        QVERIFY(state().search().isRunning());
        QTRY_VERIFY(!state().search().isRunning() ||
                    (state().search().levelsStatus() && state().search().levelsStatus()->best[2]));
        if (state().search().isRunning())
            QTest::mouseClick(start, Qt::LeftButton);
        view.settle();
        QVERIFY(state().search().found()->best[2]);
    }

    void theTableOfAModelHasTheFiguresOfTheVerb()
    {
        auto& view = open<MappingModelView>(nullptr, {1200, 500});
        openLayer(R"({"name": "three", "layers": [
            {"name": "a", "kind": "gemm", "m": 64, "n": 48, "k": 32, "count": 3},
            {"name": "b", "kind": "gemm", "m": 16, "n": 32, "k": 32},
            {"name": "c", "kind": "gemm", "m": 64, "n": 48, "k": 32}]})");
        openSample(kFiveLevels);
        QVERIFY(view.isRunning());
        view.settle();
        const auto answerFor = [&](const char* objective) {
            verbs::MapCall call;
            call.hierarchy = levels();
            call.objective = objective;
            return verbs::mapModelOnHierarchy({state().model(), {}}, call, {}).value();
        };
        const auto answer = answerFor("edp");
        QVERIFY(answer.proven && view.table().result() && view.table().result()->proven);
        QCOMPARE(view.table().rowCount(), 4); // one row of totals
        QCOMPARE(view.table().totalCount(), 1);
        const mapping::ModelTotals& totals = view.table().result()->totals[2];
        QCOMPARE(totals.energy, answer.energy);
        QCOMPARE(totals.cycles, answer.cycles);
        QCOMPARE(totals.edp, answer.edp);
        // The figures of a row are those of one mapping.
        const Table& shown = view.table().table();
        const auto best = answer.layers[1].search.of(mapping::Objective::Edp);
        QCOMPARE(shown.cell(1, LayerTable::Energy).value.exact(), TableValue(best->energy).exact());
        QCOMPARE(shown.cell(1, LayerTable::Cycles).value.exact(), TableValue(best->cycles).exact());
        QCOMPARE(shown.shown(1, LayerTable::Proven), std::string("✓ proven"));
        QCOMPARE(shown.shown(2, LayerTable::Seconds), std::string("same shape"));
        QCOMPARE(shown.cell(3, LayerTable::Energy).value.exact(), TableValue(answer.energy).exact());
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("three.csv"));
        QVERIFY(view.exportCsv(path));
        QCOMPARE(*readFile(path.toStdString()), hierarchy::modelCsv(answer));
        // Another objective.
        auto* objective = view.findChild<QComboBox*>(QStringLiteral("objective"));
        QVERIFY(objective->isVisibleTo(&view));
        objective->setFocus();
        QTest::keyClick(objective, Qt::Key_Down);
        view.settle();
        QCOMPARE(view.table().result()->totals[0].energy, answerFor("energy").energy);
        // A row opens its layer on the same levels.
        view.openRow(1);
        state().settle();
        QCOMPARE(state().setup().layer.name, std::string("b"));
        QCOMPARE(state().figures().edp, best->edp());
        // Back to four levels: three rows of totals.
        openSample("architectures/edge-64.json");
        view.settle();
        QCOMPARE(view.table().totalCount(), 3);
        QVERIFY(view.table().result()->fourLevels);
    }

    void theTimeLeftAndTheGapAreTold()
    {
        auto& view = open<SearchMapView>();
        SearchSettings settings = state().search().settings();
        settings.seconds = 0.1; // much too short for this layer
        state().search().setSettings(settings);
        openSample("layers/conv-3x3-256.json");
        openSample(kFiveLevels);
        QString left;
        connect(&state().search(), &MappingSearch::changed, this, [&] {
            if (view.model().running && !view.model().progress.isEmpty())
                left = view.model().progress;
        });
        view.settle();
        const FoundPtr& found = state().search().found();
        QVERIFY(found && found->best[2]);
        if (found->proven)
            return; // a fast machine
        QVERIFY2(view.model().headline.startsWith(QStringLiteral("Not proven: EDP at most")),
                 qPrintable(view.model().headline));
        QVERIFY2(left.isEmpty() || left.startsWith(QStringLiteral("at most")), qPrintable(left));
    }
};

TILEWRIGHT_TEST(TestMappingLevelsSearch)

} // namespace test_mapping_levels_search
#include "test_mapping_levels_search.moc"
