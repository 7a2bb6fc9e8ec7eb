// SPDX-License-Identifier: GPL-3.0-or-later
// The mapping lens on architectures with levels of their own (docs/rules/hierarchy.md): its figures are those
// of `map`, and its nest is edited with mouse and keys.
#include "base/file.h"
#include "export/export_view.h"
#include "hierarchy/edits.h"
#include "hierarchy/files.h"
#include "hierarchy/report.h"
#include "mapping_bench.h"
#include "test_main.h"
#include "verbs/map_hierarchy.h"
#include "views/mapping/mapping_form.h"
#include "views/mapping/mapping_model_view.h"
#include "views/mapping/mapping_view.h"
#include "views/mapping/search_map_view.h"
#include "workspace/lens_links.h"

#include <QClipboard>
#include <QComboBox>
#include <QLabel>
#include <QMouseEvent>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QToolButton>
#include <QtTest>

namespace test_mapping_levels {

using namespace tilewright;
using namespace tilewright::ui;
using hierarchy::Place;

namespace {

const char* const kFiveLevels = "hierarchies/five-levels.json";
const Place kDram{0, {}}, kSram{1, {}}, kClusters{1, "clusters"}, kCluster{2, {}}, kRows{2, "rows"},
    kColumns{2, "columns"}, kWeights{3, {}}, kRegisters{4, {}};

QString levelsData(const char* file)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/levels/") + QLatin1String(file);
}

/// What `map LAYER ARCHITECTURE` answers.
hierarchy::SearchResult answerOfVerb(const MappingSetup& setup, const char* objective = "edp")
{
    verbs::MapCall call;
    call.hierarchy = setup.levels;
    call.objective = objective;
    return verbs::mapLayerOnHierarchy({setup.layer, *mapping::makeNest(setup.layer), {}}, call, {});
}

} // namespace

class TestMappingLevels : public MappingBench
{
    Q_OBJECT

    /// The view with a small product on five levels.
    template <typename V = MappingView> V& openSmall(QSize size = {1500, 800})
    {
        V& view = MappingBench::open<V>(nullptr, size);
        openLayer(R"({"name": "small", "kind": "gemm", "m": 64, "n": 48, "k": 32})");
        openSample(kFiveLevels);
        view.settle();
        return view;
    }
    void openLayer(const char* text) { QVERIFY(state().openText(text, QStringLiteral("layer.json"))); }
    void openSample(const char* file)
    {
        const auto opened = m_app->workspace.open(mappingSample(file));
        QVERIFY2(opened, opened ? "" : opened.error().text().c_str());
    }
    /// The case of docs/rules/hierarchy.md 6.
    MappingView& openByHand()
    {
        auto& view = MappingBench::open<MappingView>(nullptr, {1500, 800});
        openLayer(R"({"name": "by hand", "kind": "gemm", "m": 4, "n": 2, "k": 4})");
        (void)m_app->workspace.open(levelsData("by-hand.json"));
        view.settle();
        (void)m_app->workspace.open(levelsData("by-hand-mapping.json"));
        return view;
    }
    const hierarchy::Architecture& levels() { return *state().setup().levels; }
    std::size_t columnOfPlace(const Place& place)
    {
        const auto places = placesOf(levels(), state().setup().mapping);
        return static_cast<std::size_t>(std::ranges::find(places, place) - places.begin());
    }
    std::int64_t factor(const Place& place, const char* loop)
    {
        std::int64_t out = 1;
        for (const hierarchy::TiledLoop& tiled : loopsAt(state().setup().mapping, place))
            out *= tiled.loop == state().nest().loopByName(loop) ? tiled.factor : 1;
        return out;
    }
    QPointF grip(const MappingView& view, const Place& place, const char* loop)
    {
        const NestBarPlace* bar = view.places().bar(columnOfPlace(place), state().nest().loopByName(loop));
        return bar ? QPointF(bar->rect.left() + 10, bar->rect.center().y()) : QPointF(-1, -1);
    }
    static void move(QWidget& w, QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QMouseEvent event(QEvent::MouseMove, at, w.mapToGlobal(at), Qt::NoButton, Qt::LeftButton, modifiers);
        QCoreApplication::sendEvent(&w, &event);
    }
    /// Drags up to the point, without the release.
    static void dragTo(QWidget& w, QPointF from, QPointF to)
    {
        QTest::mousePress(&w, Qt::LeftButton, {}, from.toPoint());
        move(w, from + QPointF(12, 0));
        move(w, to);
    }
    static void drop(QWidget& w, QPointF at, Qt::KeyboardModifiers modifiers = {})
    {
        QTest::mouseRelease(&w, Qt::LeftButton, modifiers, at.toPoint());
    }

private Q_SLOTS:
    void cleanup() { close(); }

    void anArchitectureWithLevelsSelectsItsCostModel()
    {
        auto& view = open<MappingView>("layers/gemm-1000.json");
        QVERIFY(!view.model().subtitle.contains(QStringLiteral("hierarchy")));
        const auto* costModel = view.findChild<QLabel*>(QStringLiteral("cost_model"));
        QCOMPARE(costModel->text(), QStringLiteral("Cost model: four levels"));
        openSample(kFiveLevels);
        view.settle();
        QVERIFY(state().setup().levels);
        QVERIFY2(view.model().subtitle.contains(QStringLiteral("cost model: hierarchy")),
                 qPrintable(view.model().subtitle));
        QCOMPARE(costModel->text(), QStringLiteral("Cost model: hierarchy"));
        QVERIFY(view.copyText().contains(QStringLiteral("cost model: hierarchy")));
        // The best mapping was loaded, with the figures of the verb.
        const auto best = answerOfVerb(state().setup()).of(mapping::Objective::Edp);
        QCOMPARE(state().figures().energy, best->energy);
        QCOMPARE(state().figures().cycles, best->cycles);
        QCOMPARE(state().figures().edp, best->edp());
        // Undo goes back to four levels, with all they had.
        state().undoStack().setIndex(0);
        QVERIFY(!state().setup().levels && state().figures().valid());
        QCOMPARE(costModel->text(), QStringLiteral("Cost model: four levels"));
        state().undoStack().redo();
        QVERIFY(state().setup().levels);
        // A file of four levels selects their cost model again.
        openSample("architectures/edge-64.json");
        QVERIFY(!state().setup().levels);
        view.settle();
        QCOMPARE(state().figures().edp, state().search().result()->of(mapping::Objective::Edp)->edp);
    }

    void theNestHasAllLevelsAndAxes()
    {
        auto& view = openSmall();
        const NestModel& model = view.model();
        QString titles;
        for (const NestColumn& column : model.columns)
            titles += (column.isAxis ? QStringLiteral("|") : QStringLiteral(" ")) + column.title;
        QCOMPARE(titles, QStringLiteral(" DRAM SRAM|clusters cluster|rows|columns weights registers"));
        QCOMPARE(model.columns[3].holds, (std::vector<int>{0, 2}));
        QCOMPARE(model.columns[6].holds, (std::vector<int>{1}));
        // Every loop of the mapping is a bar, at its place and in its order.
        const auto places = placesOf(levels(), state().setup().mapping);
        for (std::size_t i = 0; i < places.size(); ++i) {
            std::vector<hierarchy::TiledLoop> shown;
            for (const NestBar& bar : model.columns[i].bars)
                shown.push_back({bar.loop, bar.factor});
            std::vector<hierarchy::TiledLoop> loops = loopsAt(state().setup().mapping, places[i]);
            std::erase_if(loops, [](const hierarchy::TiledLoop& tiled) { return tiled.factor == 1; });
            QCOMPARE(shown, loops);
            for (const NestBar& bar : model.columns[i].bars)
                if (!places[i].axis)
                    QCOMPARE(bar.reuseOf, reusedAlong(state().nest(), levels(), state().setup().mapping,
                                                      places[i].level, bar.index));
        }
        // An axis lies in the card of its level, below the loops.
        const NestPlaces& shown = view.places();
        QVERIFY(shown.cards[3].contains(shown.columns[4]) && shown.cards[3].contains(shown.columns[5]));
        QVERIFY(shown.columns[4].top() >= shown.columns[3].bottom() - 0.5);
        QVERIFY(model.violation.isEmpty());
    }

    void aDragMovesAFactorBetweenLevelsAndAxes()
    {
        auto& view = openByHand();
        const MappingSetup before = state().setup();
        const QPointF from = grip(view, {1, "rows"}, "X");
        QVERIFY(from.x() > 0);
        const QPointF buffer = view.places().columns[columnOfPlace({1, {}})].center();
        dragTo(view, from, buffer);
        QVERIFY(view.overlay().drop);
        const NestDrop promised = *view.overlay().drop;
        QVERIFY2(promised.what.contains(QStringLiteral("rows of buffer → buffer")),
                 qPrintable(promised.what));
        QCOMPARE(state().setup(), before); // nothing has happened yet
        drop(view, buffer);
        QCOMPARE(factor({1, {}}, "X"), 4);
        QCOMPARE(factor({1, "rows"}, "X"), 1);
        QCOMPARE(AnyMapping(state().setup().mapping), promised.preview.mapping);
        QCOMPARE(state().figures().energy, promised.preview.after.energy);
        QCOMPARE(state().figures().cycles, promised.preview.after.cycles);
        QCOMPARE(state().figures().energy - 3168, promised.preview.energyChange);
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Z, Qt::ControlModifier);
        QCOMPARE(state().setup(), before);
        QTest::keyClick(&view, Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(factor({1, {}}, "X"), 4);
    }

    void aDragReordersTheLoopsOfALevel()
    {
        auto& view = openByHand();
        const std::size_t buffer = columnOfPlace({1, {}});
        QCOMPARE(view.model().columns[buffer].bars[0].name, QStringLiteral("X"));
        const QPointF from = grip(view, {1, {}}, "X");
        const QPointF to = grip(view, {1, {}}, "Y") + QPointF(0, 12);
        QTest::mousePress(&view, Qt::LeftButton, {}, from.toPoint());
        move(view, from + QPointF(0, 8));
        move(view, to);
        QVERIFY(view.overlay().drop);
        QCOMPARE(view.overlay().drop->what, QStringLiteral("X inside Y at buffer"));
        drop(view, to);
        QCOMPARE(view.model().columns[buffer].bars[0].name, QStringLiteral("Y"));
        QCOMPARE(state().setup().mapping.levels[1].temporal.front().loop, 1);
    }

    void keysMoveLoopsAndFactors()
    {
        auto& view = openByHand();
        view.setFocus();
        QCOMPARE(view.overlay().focus, (NestItem{0, 2, 0})); // K at DRAM
        QTest::keyClick(&view, Qt::Key_Right);               // its prime
        QTest::keyClick(&view, Qt::Key_Right, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(factor({1, {}}, "K"), 2);
        QCOMPARE(state().setup().mapping.levels[1].temporal.front().loop,
                 2); // outermost: it came from outside
        QCOMPARE(view.overlay().focus, (NestItem{1, 2, 2}));
        QTest::keyClick(&view, Qt::Key_Left, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(factor({0, {}}, "K"), 2);
        QVERIFY(state().figures().valid());
        QCOMPARE(state().figures().energy, 3168.0);
    }

    void aBrokenCapacityAndAFullAxisAreNamedAndRefused()
    {
        auto& view = openByHand();
        const MappingSetup before = state().setup();
        const auto dragOn = [&](const Place& place, const char* loop, const Place& target,
                                Qt::KeyboardModifiers modifiers) {
            const QPointF to = view.places().columns[columnOfPlace(target)].center();
            dragTo(view, grip(view, place, loop), to);
            const QString broken = view.overlay().drop ? view.overlay().drop->broken : QString();
            drop(view, to, modifiers);
            return broken;
        };
        const QString full = dragOn({1, {}}, "Y", {1, "rows"}, {});
        QVERIFY2(full.contains(QStringLiteral("level buffer needs 4 of 2 along axis \"rows\"")),
                 qPrintable(full));
        QCOMPARE(state().setup(), before);
        const QString large = dragOn({0, {}}, "K", {1, {}}, {});
        QVERIFY2(large.contains(QStringLiteral("level buffer needs")) &&
                     large.contains(QStringLiteral("of 448")),
                 qPrintable(large));
        QCOMPARE(state().setup(), before);
        (void)dragOn({1, {}}, "Y", {1, "rows"}, Qt::AltModifier);
        QCOMPARE(view.model().code, QStringLiteral("SPATIAL"));
        QVERIFY(view.model().columns[columnOfPlace({1, "rows"})].over);
        QVERIFY(state().figures().hasNumbers); // so that a person sees how far off it is
    }

    void aWrongProductIsToldWithItsLoop()
    {
        auto& view = openByHand();
        std::string text = *readFile(levelsData("by-hand-mapping.json").toStdString());
        const std::size_t factor = text.rfind('2');
        text[factor] = '3';
        QVERIFY(state().openText(text, QStringLiteral("wrong.json")));
        QCOMPARE(view.model().code, QStringLiteral("TILING"));
        QVERIFY2(view.model().violation.startsWith(QStringLiteral("loop K: the factors 2 x 3 multiply to 6")),
                 qPrintable(view.model().violation));
        QCOMPARE(view.model().metrics[0].value, QStringLiteral("–"));
        QVERIFY(view.levelTable().table.columns.empty());
        QVERIFY(view.breakdown().sections.empty());
    }

    void rule_6_theBreakdownIsThatOfTheCase()
    {
        auto& view = openByHand();
        QCOMPARE(state().figures().energy, 3168.0);
        QCOMPARE(state().figures().cycles, 18.0);
        const BreakdownModel& model = view.breakdown();
        QCOMPARE(model.sections.size(), std::size_t(3));
        double energy = 0;
        for (const BreakdownBar& bar : model.sections[1].bars)
            energy += bar.total;
        QCOMPARE(energy, 3168.0);
        QCOMPARE(model.sections[1].bars[0].parts[0].value, 128.0 * 8); // A at DRAM
        QString limits;
        for (const BreakdownBar& bar : model.sections[2].bars)
            if (bar.limits)
                limits += bar.label + QLatin1Char(' ') + QString::number(bar.total);
        QCOMPARE(limits, QStringLiteral("buffer reads 18"));
        QCOMPARE(model.sections[0].bars[0].capacity, std::optional(56.0));
        QCOMPARE(model.sections[0].bars[0].total, 56.0);
        QCOMPARE(view.levelTable().limit, QStringLiteral("the reads of buffer"));
        // A baseline is drawn below.
        state().pinBaseline();
        view.setFocus();
        state().applyMapping(hierarchy::trivialMapping(state().nest(), levels()),
                             QStringLiteral("all outside"));
        QCOMPARE(view.breakdown().sections[1].bars[0].beforeTotal, std::optional(2048.0));
        QVERIFY(view.model().metrics[0].change);
    }

    void waitingHasItsBar()
    {
        auto& view = openByHand();
        hierarchy::Architecture single = levels();
        single.levels[1].doubleBuffered = false;
        QVERIFY(state().applyLevels(single));
        QCOMPARE(state().figures().cycles, 26.0);
        const BreakdownBar& last = view.breakdown().sections[2].bars.back();
        QCOMPARE(last.label, QStringLiteral("buffer waits"));
        QCOMPARE(last.total, 8.0);
    }

    void theTableOfLevelsIsCopied()
    {
        auto& view = openSmall();
        QAction* copy = m_app->actions.find(QStringLiteral("mapping.copyTable"));
        QVERIFY(copy && copy->isEnabled());
        copy->trigger();
        const std::string text = QApplication::clipboard()->text().toStdString();
        QCOMPARE(text, csvOf(hierarchy::levelTable(state().nest(), levels(), state().levelsCost()), "\t"));
        QVERIFY(text.find("waiting") != std::string::npos && text.find("registers") != std::string::npos);
        QVERIFY(view.copyText().contains(QString::fromStdString(text)));
        m_app->actions.find(QStringLiteral("mapping.copyCode"))->trigger();
        QCOMPARE(QApplication::clipboard()->text().toStdString(),
                 hierarchy::pseudoCode(state().nest(), levels(), state().setup().mapping));
    }

    void mappingFilesAreSavedAndOpened()
    {
        openSmall();
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("mapping.json"));
        QVERIFY(state().saveMapping(path));
        // In the form that `map -o` writes and `map --method` reads.
        QCOMPARE(*readFile(path.toStdString()),
                 hierarchy::writeMapping(state().nest(), levels(), state().setup().mapping));
        const MappingSetup before = state().setup();
        state().applyMapping(hierarchy::trivialMapping(state().nest(), levels()),
                             QStringLiteral("all outside"));
        QVERIFY(!(state().setup() == before));
        QVERIFY(m_app->workspace.open(path));
        QCOMPARE(state().setup(), before);
        // Not on four levels, and theirs not here: one sentence names the file and the reason.
        const auto method = m_app->workspace.open(mappingSample("seed-method.txt"));
        QVERIFY(!method);
        openSample("architectures/edge-64.json");
        const auto refused = m_app->workspace.open(path);
        QVERIFY(!refused && refused.error().text().find("open its architecture first") != std::string::npos);
        QVERIFY(refused.error().text().find("mapping.json") != std::string::npos);
    }

    void theDocumentSurvivesSavingAndRecovery()
    {
        openSmall();
        QVERIFY(state().isModified());
        const std::string text = *state().fileText();
        const QTemporaryDir dir;
        const QString path = dir.filePath(QStringLiteral("small.mapping.json"));
        QVERIFY(state().save(path));
        const MappingSetup saved = state().setup();
        state().undoStack().setIndex(0);
        QVERIFY(!state().setup().levels);
        QVERIFY(m_app->workspace.open(path));
        QCOMPARE(state().setup().levels, saved.levels);
        QCOMPARE(state().setup().mapping, saved.mapping);
        QCOMPARE(state().setup().layer, saved.layer);
        QVERIFY(!state().isModified());
        // After a crash.
        state().applyMapping(hierarchy::trivialMapping(state().nest(), levels()),
                             QStringLiteral("all outside"));
        const auto copy = state().recoveryCopy();
        QVERIFY(copy);
        MappingDocument again;
        QVERIFY(again.recover(*copy));
        QCOMPARE(again.setup().levels, saved.levels);
        QCOMPARE(again.setup().mapping, state().setup().mapping);
        QVERIFY(again.isModified());
        QCOMPARE(again.path(), path);
    }

    void aLayerOpenedLaterStaysOnTheLevels()
    {
        auto& view = openSmall();
        openSample("layers/conv-3x3-64.json");
        QVERIFY(state().setup().levels);
        QCOMPARE(state().nest().loopCount, 7);
        QVERIFY(state().figures().hasNumbers);
        state().search().stop();
        view.settle();
        QVERIFY(state().figures().valid()); // the search has a first mapping before it looks at its time
    }

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

    void theFormChoosesAndEditsLevels()
    {
        auto& view = open<MappingView>(nullptr, {1500, 800});
        openLayer(R"({"name": "small", "kind": "gemm", "m": 64, "n": 48, "k": 32})");
        view.settle();
        auto* form = view.findChild<MappingForm*>();
        auto* choice = form->findChild<QComboBox*>(QStringLiteral("architecture"));
        const auto choose = [&](const QString& text) {
            choice->setFocus();
            choice->setCurrentIndex(choice->findText(text));
            Q_EMIT choice->activated(choice->currentIndex());
        };
        auto* hardware = form->findChild<QWidget*>(QStringLiteral("mapping.group.hardware"));
        QVERIFY(hardware && hardware->isVisibleTo(form));
        choose(QStringLiteral("five-levels"));
        QVERIFY(state().setup().levels);
        QCOMPARE(choice->currentText(), QStringLiteral("five levels, 256 MACs (made up)"));
        QVERIFY(!hardware->isVisibleTo(form));
        view.settle();
        // A field of a level: typed, one step, undone.
        auto* box = form->findChild<QSpinBox*>(QStringLiteral("levels.1.bytes"));
        QVERIFY(box);
        QCOMPARE(box->value(), 262144);
        const double before = state().search().found()->of(mapping::Objective::Edp)->edp;
        box->setFocus();
        box->selectAll();
        QTest::keyClicks(box, QStringLiteral("512"));
        QTest::keyClick(box, Qt::Key_Return);
        QCOMPARE(levels().levels[1].bytes, std::optional<std::int64_t>(512));
        view.settle();
        QVERIFY(state().search().found()->of(mapping::Objective::Edp)->edp >= before);
        state().undoStack().undo();
        QCOMPARE(box->value(), 262144);
        // The layer's fields adapt the mapping.
        form->findChild<QSpinBox*>(QStringLiteral("m"))->setValue(128);
        QCOMPARE(state().nest().trips[0], 128);
        QVERIFY(state().figures().hasNumbers);
        const QString back = choice->itemText(choice->count() - 2);
        QVERIFY2(back.startsWith(QStringLiteral("the four levels of before")), qPrintable(back));
        choose(back);
        QVERIFY(!state().setup().levels);
        QVERIFY(state().figures().hasNumbers);
    }

    void aFollowedWorkloadStaysOnTheLevels()
    {
        auto& view = open<MappingView>();
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/example-5.json");
        QVERIFY(m_app->workspace.open(model));
        QTRY_VERIFY(!view.model().title.isEmpty());
        openSample(kFiveLevels);
        QVERIFY(state().setup().levels);
        QVERIFY(m_app->workspace.links().isFollowing(Lens::Mapping));
        QVERIFY(!state().isModified());
        m_app->workspace.links().catchUp(Lens::Mapping);
        QVERIFY(state().setup().levels);
        QVERIFY(!m_app->workspace.links().foundTile(mapping::Level::Rf));
        QVERIFY(!m_app->workspace.links().machineOfLens(Lens::Mapping));
    }

    void picturesInBothThemesAndAllSizes()
    {
        openSmall();
        state().pinBaseline();
        for (const QSize size : {QSize(1280, 640), QSize(420, 500), QSize(900, 260)})
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()})
                for (const bool map : {false, true}) {
                    std::unique_ptr<View> view;
                    if (map)
                        view = std::make_unique<SearchMapView>(m_app->context());
                    else
                        view = std::make_unique<MappingView>(m_app->context());
                    const QImage image = renderToImage(*view, {size, 1, theme});
                    QCOMPARE(image.size(), size);
                    std::set<QRgb> colours;
                    for (int y = 0; y < image.height(); y += 3)
                        for (int x = 0; x < image.width(); x += 3)
                            colours.insert(image.pixel(x, y));
                    QVERIFY(colours.size() > 12);
                }
    }
};

TILEWRIGHT_TEST(TestMappingLevels)

} // namespace test_mapping_levels
#include "test_mapping_levels.moc"
