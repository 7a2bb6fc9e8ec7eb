// SPDX-License-Identifier: GPL-3.0-or-later
// The lenses as a person comes and goes: what a tile is cut to, where undo acts, what closes, where one is.
#include "edit/edits.h"
#include "lens_window.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/mapping/mapping_model_view.h"
#include "views/systolic/systolic_view.h"
#include "workspace/lens_links.h"
#include "workspace/mapping_document.h"
#include "workspace/systolic_document.h"

#include <QTableView>

namespace test_lens_use {

using namespace tilewright;
using namespace tilewright::ui;

class TestLensUse : public QObject, protected LensWindow
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void theTileOfAMappingSaysWhatItIsCutTo();
    void undoOfATakenTileWorksInTheMapping();
    void aRowOfAModelShowsItsMappingAndIsNoChange();
    void aFileAloneInItsLensCloses();
    void theSidesBelongToEveryLens();
    void anotherModelGivesTheGraphItsRoomBack();
    void theWholeProductCanBeSearched();
    void wholeProductsFollowTheSelection();
    void errataOfTheDocumentsAreNotOfAModel();
};

void TestLensUse::theTileOfAMappingSaysWhatItIsCutTo()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    run("lens.mapping");
    workspace().mapping().settle();
    for (const auto& [level, id] :
         {std::pair{mapping::Level::Rf, "mapping.takeRf"}, {mapping::Level::Spm, "mapping.takeSpm"}}) {
        const auto tile = workspace().links().tileToTake(level);
        QVERIFY(tile);
        QCOMPARE(tile->subgraph, gate);
        const QAction* take = m_window->state().actions.find(QLatin1String(id));
        QCOMPARE(take->isEnabled(), tile->legal != tile->now);
        const auto size = [](const Granularity& g) { return sizeText({g.w, g.h, g.k}); };
        QVERIFY2(take->toolTip().contains(size(tile->legal)), qPrintable(take->toolTip()));
        QCOMPARE(take->toolTip().contains(size(tile->found)), true);
        QCOMPARE(take->toolTip().contains(QStringLiteral("native size")), tile->found != tile->legal);
        if (!take->isEnabled())
            continue;
        run(id);
        document().waitForSnapshot();
        QCOMPARE(document().schedule()[gate].granularity, tile->legal);
        QVERIFY(!take->isEnabled()); // a second click would do nothing
        QVERIFY2(take->toolTip().contains(QStringLiteral("already")), qPrintable(take->toolTip()));
    }
}

void TestLensUse::undoOfATakenTileWorksInTheMapping()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    const Granularity before = document().schedule()[gate].granularity;
    run("lens.mapping");
    workspace().mapping().settle();
    run("mapping.takeRf");
    QVERIFY(document().schedule()[gate].granularity != before);
    QWidget* lens = m_window->view(QStringLiteral("mapping"));
    lens->setFocus();
    QTest::keyClick(lens, Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(document().schedule()[gate].granularity, before);
    QTest::keySequence(lens, QKeySequence(QKeySequence::Redo));
    QVERIFY(document().schedule()[gate].granularity != before);
}

void TestLensUse::aRowOfAModelShowsItsMappingAndIsNoChange()
{
    m_window->show();
    QVERIFY(m_window->openPaths({kModels + QStringLiteral("../mapping/models/resnet-18.json")}));
    auto* layers = viewOf<MappingModelView>(*m_window, "mapping-model");
    QVERIFY(layers->isVisible());
    layers->settle();
    auto* table = layers->findChild<QTableView*>();
    const QRect row = table->visualRect(table->model()->index(3, 0));
    QTest::mouseClick(table->viewport(), Qt::LeftButton, {}, row.center());
    QTest::mouseDClick(table->viewport(), Qt::LeftButton, {}, row.center());
    QTRY_VERIFY(m_window->view(QStringLiteral("mapping"))->isSeen());
    QCOMPARE(workspace().mapping().setup().layer.name, workspace().mapping().model().layers[3].name);
    workspace().mapping().settle();
    QVERIFY(workspace().modified().empty());
    QVERIFY(!m_window->isWindowModified());
    // What a person does with it is.
    mapping::Layer other = workspace().mapping().setup().layer;
    ++other.count;
    other.m += 1;
    QVERIFY(workspace().mapping().applyLayer(other));
    QVERIFY(workspace().mapping().isModified());
}

void TestLensUse::aFileAloneInItsLensCloses()
{
    m_window->show();
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QAction* close = m_window->state().actions.find(QStringLiteral("file.close"));
    m_window->state().actions.refresh();
    QVERIFY(!close->isEnabled());
    QVERIFY(m_window->openPaths({kModels + QStringLiteral("../mapping/models/resnet-18.json")}));
    QVERIFY(m_window->view(QStringLiteral("mapping-model"))->isVisible());
    run("file.close");
    for (const char* name : {"mapping-model", "mapping"})
        QVERIFY(!m_window->view(QLatin1String(name))->isVisible());
    QVERIFY(!close->isEnabled());
    open("llama-block.json"); // and the panes of the workload are there as ever
    QVERIFY(m_window->view(QStringLiteral("subgraphs"))->isVisible());
}

void TestLensUse::theSidesBelongToEveryLens()
{
    open("llama-block.json");
    QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    const auto shown = [this] {
        m_window->state().actions.refresh();
        for (const char* lens : {"schedule", "systolic", "mapping", "npu"})
            if (m_window->state()
                    .actions.find(QStringLiteral("lens.show.") + QLatin1String(lens))
                    ->isChecked())
                return QString::fromLatin1(lens);
        return QString();
    };
    run("lens.systolic");
    QCOMPARE(shown(), QStringLiteral("systolic"));
    m_window->showView(QStringLiteral("inspector"));
    QCOMPARE(shown(), QStringLiteral("systolic"));
    m_window->showView(QStringLiteral("subgraphs"));
    QCOMPARE(shown(), QStringLiteral("systolic"));
    m_window->showView(QStringLiteral("graph"));
    QCOMPARE(shown(), QStringLiteral("schedule"));
}

void TestLensUse::anotherModelGivesTheGraphItsRoomBack()
{
    open("llama-block.json");
    QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    QApplication::processEvents();
    const QWidget* graph = m_window->view(QStringLiteral("graph"));
    const int before = graph->height();
    run("lens.systolic");
    QApplication::processEvents();
    QVERIFY(!graph->isVisible()); // the lens is the stage
    open("mobilenet-v2-96.json");
    QTRY_VERIFY2(graph->isVisible() && graph->height() > before - 12,
                 qPrintable(QStringLiteral("%1, before %2").arg(graph->height()).arg(before)));
    QVERIFY(!m_window->view(QStringLiteral("systolic"))->isSeen());
}

void TestLensUse::theWholeProductCanBeSearched()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{gate}, {64, 64, 64}),
        QStringLiteral("tile"));
    document().waitForSnapshot();
    workspace().links().setSystolicPart(SystolicPart::Tile);
    run("lens.systolic");
    const systolic::Gemm tile = workspace().systolic().settings().gemm;
    auto* lens = viewOf<SystolicView>(*m_window, "systolic");
    lens->showPane(QStringLiteral("systolic-tiles"));
    QCOMPARE(workspace().links().systolicPart(), SystolicPart::Tile);
    run("systolic.wholeProduct");
    const systolic::Gemm& whole = workspace().systolic().settings().gemm;
    const Problem& problem = *document().problem();
    const Op& op = problem.op(document().schedule()[gate].ops.front());
    QCOMPARE(whole.m, problem.tensor(op.output).height);
    QCOMPARE(whole.n, problem.tensor(op.output).width);
    QVERIFY(whole.m > tile.m && whole.n > tile.n && whole.k >= tile.k);
    QVERIFY(workspace().links().isFollowing(Lens::Systolic));
    workspace().links().showInSystolic(SystolicPart::Tile);
    QCOMPARE(workspace().systolic().settings().gemm, tile);
}

/// By default whole products are shown, of each layer that is selected, and are no edit that Save or Quit ask
/// about.
void TestLensUse::wholeProductsFollowTheSelection()
{
    open("llama-block.json");
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.gate")));
    run("lens.systolic");
    for (const char* name : {"layer0.down", "layer0.q"}) {
        const SubgraphId at(subgraphOf(document(), name));
        selection().selectSubgraph(at);
        const Problem& problem = *document().problem();
        const Op& op = problem.op(document().schedule()[at].ops.front());
        const systolic::Gemm& whole = workspace().systolic().settings().gemm;
        QCOMPARE(whole.m, problem.tensor(op.output).height);
        QCOMPARE(whole.n, problem.tensor(op.output).width);
        QCOMPARE(whole.k, problem.tensor(op.inputs.front()).width);
    }
    QVERIFY(!workspace().isModified(Lens::Systolic));
    // The other choice stays, too.
    workspace().links().showInSystolic(SystolicPart::Tile);
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.gate")));
    QVERIFY(workspace().systolic().settings().origin.find("a tile of subgraph") != std::string::npos);
    open("mobilenet-v2-96.json");
    QVERIFY(workspace().links().isFollowing(Lens::Systolic));
    QVERIFY(workspace().modified().empty());
}

void TestLensUse::errataOfTheDocumentsAreNotOfAModel()
{
    const auto printed = [this] {
        auto* lens = viewOf<SystolicView>(*m_window, "systolic");
        lens->showPane(QStringLiteral("systolic-memory"));
        lens->settle();
        return lens->copyText().contains(QStringLiteral("printed"));
    };
    m_window->show();
    QVERIFY(printed());
    open("llama-block.json");
    QVERIFY(!printed());
}

TILEWRIGHT_TEST(TestLensUse)

} // namespace test_lens_use
#include "test_lens_use.moc"
