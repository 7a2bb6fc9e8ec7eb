// SPDX-License-Identifier: GPL-3.0-or-later
// The mapping lens on architectures with levels of their own (docs/rules/hierarchy.md): its figures are those
// of `map`, and its nest is edited with mouse and keys.
#include "base/file.h"
#include "export/export_view.h"
#include "hierarchy/report.h"
#include "mapping_levels_bench.h"
#include "test_main.h"
#include "views/mapping/search_map_view.h"

#include <QClipboard>
#include <QLabel>

namespace test_mapping_levels {

using namespace tilewright;
using namespace tilewright::ui;

class TestMappingLevels : public MappingLevelsBench
{
    Q_OBJECT

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
