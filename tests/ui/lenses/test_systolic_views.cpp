// SPDX-License-Identifier: GPL-3.0-or-later
// The Systolic lens: form, tile search, memories and what the panes share, driven as a person does.
#include "control_named.h"
#include "export/export_view.h"
#include "lower/network_table.h"
#include "systolic_bench.h"
#include "test_main.h"
#include "window/main_window.h"
#include "workspace/lens_links.h"

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSlider>
#include <QSplitter>
#include <QTemporaryDir>
#include <QWheelEvent>

namespace test_systolic_views {

using namespace tilewright;
using namespace tilewright::systolic;
using namespace tilewright::ui;

class TestSystolicViews : public SystolicBench
{
    Q_OBJECT

private Q_SLOTS:
    void init() { openLens(); }
    void cleanup() { close(); }

    // -- the form --

    void nothingOfTheFormIsCutInANarrowPane()
    {
        QFont large = m_view->font();
        large.setPointSize(14);
        m_view->setFont(large);
        auto* form = m_view->findChild<SettingsPanel*>();
        m_view->findChild<QSplitter*>(QStringLiteral("systolic.splitter"))->setSizes({270, 2000});
        m_view->settle();
        QCoreApplication::processEvents();
        for (const char* name : {"m", "n", "k", "rows", "cols"}) {
            const auto* box = control<QSpinBox>(name);
            const QRect place(box->mapTo(form->viewport(), QPoint(0, 0)), box->size());
            QVERIFY2(place.right() <= form->viewport()->width(),
                     qPrintable(QStringLiteral("%1: %2 of %3")
                                    .arg(QLatin1String(name))
                                    .arg(place.right())
                                    .arg(form->viewport()->width())));
            QVERIFY(box->width() > 40);
        }
    }
    void theWheelScrollsTheForm()
    {
        m_view->resize(1300, 300);
        m_view->settle();
        auto* box = control<QSpinBox>("rows");
        QVERIFY(box);
        auto* form = m_view->findChild<SettingsPanel*>();
        QVERIFY(form && form->verticalScrollBar()->maximum() > 0);
        form->verticalScrollBar()->setValue(0);
        const auto turn = [](QWidget* at) {
            const QPointF middle = at->rect().center();
            QWheelEvent wheel(middle, at->mapToGlobal(middle), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QSpontaneKeyEvent::setSpontaneous(&wheel); // as from the mouse: only such wheels go on to parents
            qApp->notify(at, &wheel);
        };
        const int before = box->value();
        turn(box);
        QCOMPARE(box->value(), before);
        QVERIFY(!box->hasFocus());
        QVERIFY(form->verticalScrollBar()->value() > 0);
        // Over the number itself and over a list as well.
        form->verticalScrollBar()->setValue(0);
        turn(box->findChild<QLineEdit*>());
        QCOMPARE(box->value(), before);
        QVERIFY(form->verticalScrollBar()->value() > 0);
        form->verticalScrollBar()->setValue(0);
        auto* list = control<QComboBox>("dataflow");
        turn(list);
        QCOMPARE(list->currentIndex(), 0);
        QVERIFY(form->verticalScrollBar()->value() > 0);
        // With the focus the wheel changes it.
        box->setFocus();
        turn(box);
        QCOMPARE(box->value(), before - 1);
    }

    void aHierarchyFileIsTaken()
    {
        QVERIFY(m_app->workspace.open(
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies/edge-8x8.json")));
        QCOMPARE(state().settings().hierarchy.name, std::string("edge-8x8"));
        QCOMPARE(state().settings().hierarchy.array.rows, std::int64_t{8});
        const auto refused = m_app->workspace.open(
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/invalid_hierarchy/bandwidth_zero.json"));
        QVERIFY(!refused);
        QVERIFY(refused.error().text().find("bandwidth must be greater than zero") != std::string::npos);
        QCOMPARE(state().settings().hierarchy.name, std::string("edge-8x8"));
    }

    // -- tile search --

    void tilePicksAreTheCores()
    {
        state().setGemm({1024, 1024, 1024}, {});
        TileMapCanvas* t = tiles();
        const TileQuery q = state().settings().tileQuery();
        const auto analytic = analyticTile(q);
        QCOMPARE(analytic->tile, (TileShape{64, 64, 96}));
        const TileResult& r = *t->model().result;
        for (const TileMethod m : {TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned})
            QCOMPARE(r.picks[static_cast<std::size_t>(m)]->tile, chooseTile(q, m)->tile);
        QVERIFY(
            row(t->model().methods, QStringLiteral("analytic"), 1).contains(QStringLiteral("64 × 64 × 96")));
        QVERIFY(t->model().roofline.has_value());
        bool hatched = false;
        for (const LandscapeCell& c : r.landscape.cells)
            hatched = hatched || !c.feasible;
        QVERIFY(hatched);
    }

    void clickingTheMapChoosesATile()
    {
        state().setGemm({1024, 1024, 1024}, {});
        TileMapCanvas* t = tiles();
        const TileCell cell = cellOf(t->model().result->landscape, {128, 32, 16});
        QTest::mouseClick(t, Qt::LeftButton, {}, t->cellCentre(cell).toPoint());
        QVERIFY(state().settings().ownTile.has_value());
        QCOMPARE(state().settings().ownTile->ti, std::int64_t{128});
        QCOMPARE(state().settings().ownTile->tj, std::int64_t{32});
        QCOMPARE(state().settings().ownTile->tk, deepestTile(state().settings().tileQuery(), 128, 32));
        t->settle();
        QCOMPARE(t->model().methods.marked, 3);
        QTest::keyClick(t, Qt::Key_Right);
        QCOMPARE(state().settings().ownTile->tj, std::int64_t{48});
        t->settle();
        // Back to a method.
        auto* method = t->findChildren<QComboBox*>().value(4);
        method->setFocus();
        QTest::keyClick(method, Qt::Key_Home);
        QVERIFY(!state().settings().ownTile);
        QCOMPARE(state().settings().method, TileMethod::Analytic);
    }

    void levelAndFootprintChangeTheQuery()
    {
        TileMapCanvas* t = tiles();
        auto* level = t->findChildren<QComboBox*>().value(0);
        level->setFocus();
        QTest::keyClick(level, Qt::Key_Up);
        QCOMPARE(state().settings().tileLevel, Level::L1);
        QCOMPARE(state().settings().tileQuery().capacityBytes, std::int64_t{32 * 1024});
        auto* footprint = t->findChildren<QComboBox*>().value(3);
        footprint->setFocus();
        QTest::keyClick(footprint, Qt::Key_Down);
        QCOMPARE(state().settings().footprint, Footprint::Aggressive);
    }

    // -- memories --

    void memoryCardsShowTheFiguresOfTheSpec()
    {
        LevelsCanvas* l = levels();
        const LevelsModel& m = l->model();
        const PaintedTable* l2 = card(m, QStringLiteral("Schedules of L2"));
        QVERIFY(l2);
        const char* traffic[] = {"144\u00a0KiB", "96\u00a0KiB", "48\u00a0KiB", "176\u00a0KiB"};
        for (std::size_t i = 0; i < 4; ++i)
            QCOMPARE(l2->rows[i][1], QString::fromUtf8(traffic[i]));
        QCOMPARE(l2->rows[0][2], QStringLiteral("9\u00a0KiB"));
        QCOMPARE(l2->rows[0][3], QStringLiteral("17\u00a0KiB"));
        QCOMPARE(l2->rows[1][3], QStringLiteral("13\u00a0KiB"));
        QVERIFY(card(m, QStringLiteral("8 of 64 steps conflict")));
        QVERIFY(card(m, QStringLiteral("split layout: 0 of 64")));
        const PaintedTable* corrections = card(m, QStringLiteral("Values printed in the source documents"));
        QVERIFY(corrections);
        QCOMPARE(corrections->rows.size(), seedCorrections().size());
        QVERIFY(l->copyText().contains(QStringLiteral("144 KiB")));
    }

    /// docs/rules/systolic.md 10: the figures of the command line, with the machine's table.
    void energyIsShownWithTheTableOfTheMachine()
    {
        LevelsCanvas* l = levels();
        const auto total = [](const PaintedTable& t) {
            return t.title.section(QLatin1Char(' '), 1, 1).remove(QChar(0x202f)).toDouble();
        };
        const PaintedTable* energy = card(l->model(), QStringLiteral("Energy"));
        QVERIFY(energy);
        const LevelsResult& r = *state().levels();
        const lower::ArrayEnergy expected =
            lower::arrayEnergy(r.of.gemm, *r.roofline, r.of.hierarchy.elementBytes, state().energyTable());
        QCOMPARE(expected.mac, 64.0 * 64 * 64 * Machine::Energy{}.mac);
        QCOMPARE(total(*energy), std::round(expected.total() / 1000));
        QCOMPARE(energy->rows.size(), std::size_t{5});
        QCOMPARE(energy->rows[0][2], QString::number(std::round(expected.mac / 1000)));
        const double before = total(*energy);
        Machine::Energy dear;
        dear.dram *= 10;
        state().setEnergyTable(dear);
        m_view->settle();
        QVERIFY(total(*card(l->model(), QStringLiteral("Energy"))) > before);
    }

    void memoriesScroll()
    {
        LevelsCanvas* l = levels();
        const auto* bar = controlNamed<QScrollBar>(*l, QStringLiteral("Scroll the memories"));
        QVERIFY(bar && bar->isVisible());
        QCOMPARE(bar->value(), 0);
        const QPointF at(200, 300);
        QWheelEvent wheel(at, l->mapToGlobal(at), {}, {0, -240}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(l, &wheel);
        QVERIFY(bar->value() > 0);
    }

    // -- settings and links --

    void typedSettingsReachEveryPane()
    {
        type("m", "32");
        type("n", "32");
        QCOMPARE(state().settings().gemm, (Gemm{32, 32, 64}));
        m_view->settle();
        QCOMPARE(state().timing().cycles, std::int64_t{286});
        QCOMPARE(wavefront()->model().cycles, std::int64_t{286});
        type("rows", "8");
        QCOMPARE(state().settings().hierarchy.array, (ArrayShape{8, 16}));
        QCOMPARE(wavefront()->model().rows, std::int64_t{8});
    }

    void refusedSettingsSayWhyAndStay()
    {
        SystolicSettings s = state().settings();
        s.gemm = {std::int64_t{1} << 31, std::int64_t{1} << 31, 64};
        QVERIFY(!state().set(s));
        QCOMPARE(state().settings().gemm, (Gemm{64, 64, 64}));
        auto* error = control<QLabel>("error");
        QVERIFY(error->isVisible());
        QVERIFY(!error->text().isEmpty());
        type("k", "32");
        QVERIFY(!error->isVisible());
    }

    void presetsAreLoadedAndEdited()
    {
        auto* preset = control<QComboBox>("preset");
        QCOMPARE(preset->currentText(), QStringLiteral("kpu"));
        preset->setFocus();
        QTest::keyClick(preset, Qt::Key_Down);
        QCOMPARE(state().settings().hierarchy.name, std::string("server"));
        QCOMPARE(state().settings().hierarchy.array, (ArrayShape{128, 128}));
        auto* dram = control<QDoubleSpinBox>("bandwidth.external");
        QVERIFY(dram);
        dram->setFocus();
        dram->selectAll();
        QTest::keyClicks(dram, QStringLiteral("7"));
        QTest::keyClick(dram, Qt::Key_Return);
        QCOMPARE(state().settings().hierarchy.at(Level::External).gbPerSecond, 7.0);
        QCOMPARE(preset->currentText(), QStringLiteral("edited"));
    }

    void gemmOfAnotherLensIsLoadedWithItsOrigin()
    {
        gantt();
        m_app->workspace.openGemm({128, 64, 32}, QStringLiteral("subgraph 3"));
        QCOMPARE(state().settings().gemm, (Gemm{128, 64, 32}));
        auto* origin = control<QLabel>("origin");
        QVERIFY(origin->isVisible());
        QVERIFY(origin->text().contains(QStringLiteral("subgraph 3")));
        QVERIFY(wavefront()->isVisible());
        QVERIFY(wavefront()->model().origin.contains(QStringLiteral("subgraph 3")));
        type("m", "16"); // typed over: no longer that subgraph's
        QVERIFY(!origin->isVisible());
    }

    void aRequestedGemmBringsTheLensToTheFront()
    {
        MainWindow window;
        window.show();
        View* view = window.view(QStringLiteral("systolic"));
        QVERIFY(view && !view->isVisible());
        window.state().workspace.openGemm({32, 32, 64}, QStringLiteral("op 1"));
        QTRY_VERIFY(view->isVisible());
    }

    void selectedMatMulIsOffered()
    {
        auto* offer = control<QPushButton>("offer");
        QVERIFY(!offer->isVisible());
        Problem::Data data;
        for (int i = 0; i < 3; ++i)
            data.tensors.push_back({256, 256, {}});
        data.ops.push_back({OpType::MatMul, {TensorId(0), TensorId(1)}, TensorId(2), 100, {}});
        data.hardware = {100'000, 10, 128, 128, {}};
        Schedule schedule;
        schedule.subgraphs.push_back(
            std::make_shared<const Subgraph>(Subgraph{{OpId(0)}, {64, 128, 32}, {}, {}, {}, false}));
        m_app->document.setProblem(*Problem::build(std::move(data)), schedule);
        m_app->document.evaluateNow();
        m_app->selection.selectSubgraph(SubgraphId(0));
        QCOMPARE(state().settings().gemm, (Gemm{256, 256, 256})); // it follows the layer
        QCOMPARE(state().settings().origin, std::string("op0, the whole product"));
        const QJsonObject ofTheLayer = m_view->settings();
        auto* part = control<QComboBox>("part");
        part->setFocus();
        QTest::keyClick(part, Qt::Key_Down);
        QCOMPARE(state().settings().gemm, (Gemm{128, 64, 32})); // h x w x k
        // The choice is saved with the session.
        const QJsonObject ofTheTile = m_view->settings();
        m_view->restoreSettings(ofTheLayer);
        QCOMPARE(state().settings().gemm, (Gemm{256, 256, 256}));
        QCOMPARE(part->currentIndex(), 0);
        m_view->restoreSettings(QJsonObject{{QStringLiteral("shows"), 7}});
        QCOMPARE(m_app->workspace.links().systolicPart(), SystolicPart::Layer);
        m_view->restoreSettings(ofTheTile);
        QCOMPARE(state().settings().gemm, (Gemm{128, 64, 32}));
        QVERIFY(!m_app->workspace.isModified(Lens::Systolic)); // a choice of what to look at is no edit
        QVERIFY(!offer->isVisible());
        type("m", "16"); // a size of one's own pins it
        QVERIFY(offer->isVisible());
        QTest::mouseClick(offer, Qt::LeftButton);
        QCOMPARE(state().settings().gemm, (Gemm{128, 64, 32}));
        QCOMPARE(state().settings().origin, std::string("op0, a tile of subgraph 0"));
        QVERIFY(!offer->isVisible());
    }

    void separatePanesShareTheState()
    {
        TileMapCanvas other(m_app->context());
        QCOMPARE(&other.state(), &state());
        state().setGemm({256, 256, 256}, {});
        other.settle();
        QCOMPARE(other.model().result->of.gemm, (Gemm{256, 256, 256}));
    }

    void everyPaneExportsInBothThemes()
    {
        const QTemporaryDir dir;
        for (const char* name :
             {"systolic-wavefront", "systolic-pipeline", "systolic-tiles", "systolic-memory"}) {
            View* p = m_view->pane(QLatin1String(name));
            QVERIFY(p);
            for (const Theme* theme : {&Theme::light(), &Theme::darkTheme()}) {
                const QImage image = renderToImage(*p, {{900, 500}, 1, theme});
                QCOMPARE(image.pixelColor(0, 0), theme->canvas);
                std::set<QRgb> colours;
                for (int y = 0; y < image.height(); y += 3)
                    for (int x = 0; x < image.width(); x += 3)
                        colours.insert(image.pixel(x, y));
                QVERIFY2(colours.size() > 20, name);
            }
            const QString svg = dir.filePath(QLatin1String(name) + QStringLiteral(".svg"));
            QVERIFY(exportView(*p, svg, {}).hasValue());
            QVERIFY(QFileInfo(svg).size() > 1000);
            QVERIFY2(!p->copyText().isEmpty(), name);
            QVERIFY2(!p->accessibleDescription().isEmpty(), name);
        }
    }

    void everyControlIsNamedAndExplained()
    {
        for (QWidget* w : m_view->findChildren<QWidget*>()) {
            const bool control = qobject_cast<QComboBox*>(w) || qobject_cast<QAbstractSpinBox*>(w) ||
                                 qobject_cast<QSlider*>(w);
            if (!control || w->parentWidget()->inherits("QComboBoxPrivateContainer"))
                continue;
            QVERIFY2(!w->accessibleName().isEmpty(), qPrintable(w->objectName()));
            QVERIFY2(!w->toolTip().isEmpty(), qPrintable(w->objectName()));
            QVERIFY(w->focusPolicy() != Qt::NoFocus);
        }
    }
};

TILEWRIGHT_TEST(TestSystolicViews)

} // namespace test_systolic_views
#include "test_systolic_views.moc"
