// SPDX-License-Identifier: GPL-3.0-or-later
// One model, one machine, four lenses: the way a person goes through them.
#include "base/file.h"
#include "control_named.h"
#include "lens_window.h"
#include "panels/inspector/inspector_view.h"
#include "panels/machine/machine_view.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/mapping/mapping_model_view.h"
#include "views/npu/npu_controls.h"
#include "views/npu/npu_view.h"
#include "views/systolic/systolic_view.h"
#include "workspace/lens_links.h"
#include "workspace/live_run.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include "edit/fit.h"
#include "lower/workload.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QWheelEvent>

namespace test_lenses {

using namespace tilewright;
using namespace tilewright::ui;

class TestLenses : public QObject, protected LensWindow
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void aModelOpensInEveryLens();
    void aTopologyOpensAsAModel();
    void oneFileFourLensesAndBack();
    void theWavefrontIsShownWhateverPageWasOpen();
    void theWavefrontFollowsTheWheel();
    void editingALensPinsIt();
    void theNpuLensFollowsASubgraph();
    void ownTilesKeepTheFigureAndUndoFollowsAgain();
    void undoLosesNoEditWhenTheWorkloadIsAnother();
    void aConvolutionIsItsWholeProduct();
    void theArrayOfOneProductIsTold();
    void undoInALensThatOnlyShowsIsThatOfTheSchedule();
    void whatWasEditedBeforeIsNotReplaced();
    void aClosedWorkloadLeavesTheNpuAlone();
    void hoverDoesNotSelect();
    void anUndoneSettingKeepsTheTile();
    void aHeadStaysTheOneThatIsEdited();
    void depthwiseLayersAreMapped();
    void aRecoveredDocumentStaysModified();
    void theDataflowOfTheMachineIsTheLenss();
    void theSamePresetIsNoStep();
    void anotherProblemIsFollowedAgain();
    void aProblemIsShownInEveryLensToo();
    void selectionIsByOperator();
    void theTileOfAMappingBecomesTheGranularity();
    void theNpuRunStandsForTheModel();
    void theNpuRunsThisScheduleInTheViewRun();

    void theInspectorLeadsToTheLenses();
};

void TestLenses::aModelOpensInEveryLens()
{
    open("llama-block.json");
    QVERIFY(document().model());
    QCOMPARE(document().machine()->name, std::string("edge"));
    QVERIFY(document().snapshot()->evaluation.valid());
    QCOMPARE(document().problem()->hardware().nativeWidth, std::int64_t{64});
    // No lens shows a sample of its own beside it.
    const SystolicSettings& s = workspace().systolic().settings();
    QCOMPARE(s.hierarchy.array, (systolic::ArrayShape{64, 64}));
    QVERIFY2(s.origin.find("layer0") != std::string::npos, s.origin.c_str());
    m_window->showView(QStringLiteral("mapping"));
    QVERIFY(workspace().mapping().setup().layer.name.find("layer0") != std::string::npos);
    QCOMPARE(workspace().mapping().setup().architecture.pes, std::int64_t{64 * 64});
    QVERIFY(!workspace().mapping().isModified());
    m_window->showView(QStringLiteral("npu"));
    QCOMPARE(workspace().npu().model()->name, std::string("llama"));
    QCOMPARE(workspace().npu().settings().hardware.cores, 4);
    QVERIFY(!workspace().npu().isModified());
}

void TestLenses::aTopologyOpensAsAModel()
{
    open("small-conv.csv");
    QVERIFY(document().model());
    QVERIFY(document().problem()->opCount() > 0);
    QVERIFY(document().snapshot()->evaluation.valid());
}

void TestLenses::oneFileFourLensesAndBack()
{
    open("llama-block.json");
    workspace().links().setSystolicPart(SystolicPart::Tile);
    run("lens.slowest");
    const auto slowest = selection().state().subgraph;
    QVERIFY(slowest);
    for (const SubgraphEvaluation& e : document().snapshot()->evaluation.subgraphs)
        QVERIFY(e.latency <= document().snapshot()->evaluation.subgraphs[slowest->index()].latency);

    run("lens.systolic");
    QVERIFY(m_window->view(QStringLiteral("systolic"))->isSeen());
    const Granularity g = document().schedule()[*slowest].granularity;
    QCOMPARE(workspace().systolic().settings().gemm, (systolic::Gemm{g.h, g.w, g.k}));

    run("lens.mapping");
    QVERIFY(m_window->view(QStringLiteral("mapping"))->isSeen());
    const OpId op = document().schedule()[*slowest].ops.front();
    QCOMPARE(workspace().mapping().setup().layer.name, document().problem()->opName(op));
    workspace().mapping().settle();
    QVERIFY(workspace().mapping().search().result());
    QVERIFY(!workspace().mapping().evaluation().violation);

    run("lens.npu");
    QVERIFY(m_window->view(QStringLiteral("npu"))->isSeen());
    workspace().npu().settle();
    QVERIFY(workspace().npu().result());
    QCOMPARE(workspace().npu().result()->run->cores.size(), std::size_t{4});
    QVERIFY(workspace().links().makespan());
    bool beside = false; // the total, in the status bar
    for (const QLabel* text : m_window->findChildren<QLabel*>())
        beside |= text->accessibleName() == QLatin1String("Makespan on the NPU") &&
                  plainNumbers(text->text()).contains(QString::number(*workspace().links().makespan()));
    QVERIFY(beside);

    run("view.graph");
    QVERIFY(m_window->view(QStringLiteral("graph"))->isSeen());
    QCOMPARE(selection().state().subgraph, slowest);
    QVERIFY(workspace().modified().empty()); // looking changes nothing
}

void TestLenses::theWavefrontIsShownWhateverPageWasOpen()
{
    open("llama-block.json");
    auto* lens = dynamic_cast<SystolicView*>(m_window->view(QStringLiteral("systolic")));
    QVERIFY(lens);
    lens->showPane(QStringLiteral("systolic-memory"));
    run("lens.slowest");
    run("lens.systolic");
    QVERIFY(lens->pane(QStringLiteral("systolic-wavefront"))->isVisible());
}

void TestLenses::theWavefrontFollowsTheWheel()
{
    open("llama-block.json");
    workspace().links().setSystolicPart(SystolicPart::Tile);
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.gate")));
    run("lens.systolic");
    auto* inspector = viewOf<InspectorView>(*m_window, "inspector");
    inspector->catchUp();
    QSpinBox* h = nullptr;
    for (QSpinBox* box : inspector->findChildren<QSpinBox*>())
        if (box->accessibleName().contains(QStringLiteral("height"), Qt::CaseInsensitive))
            h = box;
    QVERIFY(h);
    h->setFocus();
    const std::int64_t before = workspace().systolic().settings().gemm.m;
    QWheelEvent wheel(QPointF(h->rect().center()), h->mapToGlobal(QPointF(h->rect().center())), {}, {0, -120},
                      Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(h, &wheel);
    document().waitForSnapshot();
    const std::int64_t height = document().schedule()[*selection().state().subgraph].granularity.h;
    QVERIFY(height != before);
    QCOMPARE(workspace().systolic().settings().gemm.m, height);
    m_window->state().workspace.undoGroup().undo();
    document().waitForSnapshot();
    QCOMPARE(workspace().systolic().settings().gemm.m, before);
    QVERIFY(!workspace().systolic().isModified());
}

void TestLenses::editingALensPinsIt()
{
    open("llama-block.json");
    run("lens.systolic");
    SystolicSettings s = workspace().systolic().settings();
    s.timing.readout = systolic::Readout::Shift; // how to look at it: still the same tile
    QVERIFY(workspace().systolic().set(s));
    QVERIFY(workspace().links().isFollowing(Lens::Systolic));
    s.gemm.m = 7;
    QVERIFY(workspace().systolic().set(s));
    QVERIFY(!workspace().links().isFollowing(Lens::Systolic));
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.q")));
    QCOMPARE(workspace().systolic().settings().gemm.m, std::int64_t{7});
    auto* view = viewOf<SystolicView>(*m_window, "systolic");
    auto* follow = view->findChild<QToolButton*>(QStringLiteral("systolic.follow"));
    QVERIFY(follow && !follow->isChecked());
    QTest::mouseClick(follow, Qt::LeftButton);
    QVERIFY(workspace().links().isFollowing(Lens::Systolic));
    QVERIFY(workspace().systolic().settings().gemm.m != 7);
    QVERIFY(workspace().systolic().settings().origin.find("layer0.q") != std::string::npos);

    run("lens.npu");
    NpuSettings n = workspace().npu().settings();
    n.options.scheduler = npu::Scheduler::Static;
    workspace().npu().setSettings(n);
    QVERIFY(workspace().links().isFollowing(Lens::Npu));
    n.hardware.cores = 2;
    workspace().npu().setSettings(n);
    QVERIFY(!workspace().links().isFollowing(Lens::Npu));
    run("lens.npu"); // asked for again: back to the workload
    QCOMPARE(workspace().npu().settings().hardware.cores, 4);
}

/// A row of Subgraphs selects a subgraph, not its ops: the NPU lens goes there as well.
void TestLenses::theNpuLensFollowsASubgraph()
{
    open("llama-block.json");
    run("lens.npu");
    NpuDocument& npu = workspace().npu();
    QTRY_VERIFY_WITH_TIMEOUT(workspace().links().showsWorkload(Lens::Npu) && !npu.isBusy(), 20'000);
    for (const char* name : {"layer0.gate", "layer0.q"}) {
        selection().clear();
        selection().selectSubgraph(SubgraphId(subgraphOf(document(), name)));
        QVERIFY(selection().state().ops.empty());
        QVERIFY(npu.node());
        QCOMPARE(npu.model()->ops[npu.result()->graph->nodes[*npu.node()].op].name, std::string(name));
    }
}

/// Tiles that the lens has searched are its own: the figure of the NPU stays in the status bar, and undo
/// leads back to the schedule's workload.
void TestLenses::ownTilesKeepTheFigureAndUndoFollowsAgain()
{
    open("llama-block.json");
    run("lens.npu");
    NpuDocument& npu = workspace().npu();
    QTRY_VERIFY_WITH_TIMEOUT(workspace().links().makespan() && !npu.isBusy(), 20'000);
    const std::int64_t first = *workspace().links().makespan();
    const auto gate = std::ranges::find(npu.model()->ops, "layer0.gate", &npu::ModelOp::name);
    npu::TileSizes tile;
    tile.m = tile.n = tile.k = 16;
    npu.setTile(std::array{static_cast<std::uint32_t>(gate - npu.model()->ops.begin())}, tile);
    QVERIFY(!workspace().links().isFollowing(Lens::Npu));
    QTRY_VERIFY_WITH_TIMEOUT(!npu.isBusy(), 20'000);
    QVERIFY(workspace().links().makespan());
    npu.undoStack().undo();
    QVERIFY(workspace().links().isFollowing(Lens::Npu));
    QTRY_VERIFY_WITH_TIMEOUT(!npu.isBusy() && workspace().links().makespan() == first, 20'000);
}

/// Of a convolution, the reduction runs over the channels and the kernel, as in the table of the network.
void TestLenses::aConvolutionIsItsWholeProduct()
{
    open("small-conv.csv");
    const Problem& problem = *document().problem();
    bool hasKernel = false;
    for (std::size_t i = 0; i < problem.opCount(); ++i) {
        if (problem.op(OpId(i)).type != OpType::MatMul)
            continue;
        selection().selectOps({OpId(i)});
        workspace().links().showInSystolic(SystolicPart::Layer);
        const auto gemm = lower::gemmOf(document().lensModel()->lowered, OpId(i));
        QVERIFY(gemm && workspace().systolic().settings().gemm == *gemm);
        hasKernel |= gemm->k > problem.tensor(problem.op(OpId(i)).inputs.front()).width;
    }
    QVERIFY(hasKernel);
}

/// Of a machine with other arrays, what one product is counted on: as the verb says.
void TestLenses::theArrayOfOneProductIsTold()
{
    open("llama-block.json");
    run("lens.systolic");
    const auto told = [&] {
        return std::ranges::any_of(m_window->findChildren<QLabel*>(), [](const QLabel* l) {
            return l->text().startsWith(QLatin1String("One product is counted on one systolic array"));
        });
    };
    QVERIFY(!told());
    QVERIFY(document().setMachine(*machinePreset("a100"), QStringLiteral("a100")));
    QTRY_VERIFY(told());
}

/// Undo of the edit that ended the following, when the schedule has another workload by now: the model stays,
/// and the edit can be done again.
void TestLenses::undoLosesNoEditWhenTheWorkloadIsAnother()
{
    open("llama-block.json");
    run("lens.npu");
    NpuDocument& npu = workspace().npu();
    QTRY_VERIFY_WITH_TIMEOUT(workspace().links().makespan() && !npu.isBusy(), 20'000);
    npu::TileSizes tile;
    tile.m = tile.n = tile.k = 16;
    npu.setTile(std::array{0U}, tile);
    QVERIFY(!workspace().links().isFollowing(Lens::Npu));
    const auto edited = npu.settings();
    const auto model = npu.model();
    open("small-conv.csv");
    QVERIFY(!workspace().links().isFollowing(Lens::Npu));
    npu.undoStack().undo();
    QVERIFY(!workspace().links().isFollowing(Lens::Npu));
    QCOMPARE(npu.model(), model);
    npu.undoStack().redo();
    QVERIFY(!workspace().links().isFollowing(Lens::Npu));
    QVERIFY(npu.model() == model && npu.settings() == edited);
    // and the lens says that it shows another model
    QVERIFY(!workspace().links().isOfWorkload(*model));
    QCOMPARE(
        controlNamed<QComboBox>(*m_window->findChild<NpuControls*>(), QLatin1String("Sample"))->currentText(),
        QString::fromStdString(model->name));
    bool isTold = false;
    for (const QLabel* l : m_window->findChildren<QLabel*>())
        isTold |= l->text().contains(QLatin1String("not the open model"));
    QVERIFY(isTold);
}

void TestLenses::undoInALensThatOnlyShowsIsThatOfTheSchedule()
{
    open("llama-block.json");
    workspace().links().setSystolicPart(SystolicPart::Tile);
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    const Granularity start = document().schedule()[gate].granularity;
    QVERIFY(document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{gate}, {32, 32, 64}),
        QStringLiteral("smaller")));
    run("lens.systolic");
    QVERIFY(m_window->view(QStringLiteral("systolic"))->isAncestorOf(QApplication::focusWidget()));
    QCOMPARE(workspace().current().lens(), Lens::Schedule);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(document().schedule()[gate].granularity, start);
    document().waitForSnapshot();
    QCOMPARE(workspace().systolic().settings().gemm.m, start.h);
    SystolicSettings s = workspace().systolic().settings();
    s.timing.readout = systolic::Readout::Shift; // an edit of its own is undone there
    QVERIFY(workspace().systolic().set(s));
    QCOMPARE(workspace().current().lens(), Lens::Systolic);
}

void TestLenses::whatWasEditedBeforeIsNotReplaced()
{
    m_window->show();
    SystolicSettings s = workspace().systolic().settings();
    s.gemm = {11, 12, 13};
    QVERIFY(workspace().systolic().set(s));
    NpuSettings n = workspace().npu().settings();
    n.hardware.cores = 3;
    workspace().npu().setSettings(n);
    open("llama-block.json");
    m_window->showView(QStringLiteral("npu"));
    QCOMPARE(workspace().systolic().settings().gemm, (systolic::Gemm{11, 12, 13}));
    QCOMPARE(workspace().npu().settings().hardware.cores, 3);
    QVERIFY(workspace().npu().isModified());
    run("lens.npu"); // asked for
    QCOMPARE(workspace().npu().settings().hardware.cores, 4);
}

void TestLenses::aClosedWorkloadLeavesTheNpuAlone()
{
    open("llama-block.json");
    run("lens.npu");
    workspace().npu().settle();
    workspace().npu().selectNode(3);
    document().close();
    workspace().npu().selectNode(5); // the run is still to be looked at
    workspace().npu().setHoverNode(7);
    QVERIFY(selection().state().ops.empty());
}

void TestLenses::hoverDoesNotSelect()
{
    open("llama-block.json");
    run("lens.npu");
    workspace().npu().settle();
    const auto& nodes = workspace().npu().result()->graph->nodes;
    for (std::uint32_t n = 0; n < nodes.size(); ++n)
        if (workspace().npu().model()->ops[nodes[n].op].name == "layer0.up")
            workspace().npu().selectNode(n);
    QVERIFY(!selection().state().ops.empty());
    selection().selectSubgraph(SubgraphId(2));
    const SelectionState chosen = selection().state();
    workspace().npu().setHoverNode(30);
    workspace().npu().setHoverNode(std::nullopt);
    QVERIFY(selection().state() == chosen);
}

void TestLenses::anUndoneSettingKeepsTheTile()
{
    open("llama-block.json");
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.gate")));
    run("lens.systolic");
    SystolicSettings s = workspace().systolic().settings();
    s.timing.readout = systolic::Readout::Shift;
    QVERIFY(workspace().systolic().set(s));
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.q")));
    QVERIFY(workspace().systolic().settings().origin.find("layer0.q") != std::string::npos);
    workspace().systolic().undoStack().undo();
    QTRY_VERIFY(workspace().systolic().settings().origin.find("layer0.q") != std::string::npos);
    QCOMPARE(workspace().systolic().settings().timing.readout, systolic::Readout::Shadow);
    QVERIFY(workspace().links().isFollowing(Lens::Systolic));
}

void TestLenses::aHeadStaysTheOneThatIsEdited()
{
    open("llama-block.json");
    workspace().links().setSystolicPart(SystolicPart::Tile);
    const SubgraphId third(subgraphOf(document(), "layer0.attention/scores[2]"));
    QVERIFY(third.index() < document().schedule().size());
    run("lens.npu");
    workspace().npu().settle();
    selection().selectSubgraph(third);
    selection().selectOps({document().schedule()[third].ops.front()});
    QCOMPARE(workspace().links().product()->subgraph, third);
    QVERIFY(document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{third}, {32, 16, 32}),
        QStringLiteral("smaller")));
    document().waitForSnapshot();
    workspace().npu().settle();
    QCOMPARE(workspace().links().product()->subgraph, third);
    QCOMPARE(workspace().systolic().settings().gemm.m, std::int64_t{16});
}

void TestLenses::depthwiseLayersAreMapped()
{
    open("mobilenet-v2-96.json");
    m_window->showView(QStringLiteral("mapping-model"));
    int row = -1;
    const auto& layers = workspace().mapping().model().layers;
    for (std::size_t i = 0; i < layers.size() && row < 0; ++i)
        if (layers[i].kind == mapping::LayerKind::DwConv)
            row = static_cast<int>(i);
    QVERIFY(row >= 0);
    viewOf<MappingModelView>(*m_window, "mapping-model")->openRow(row);
    QCOMPARE(workspace().mapping().setup().layer.kind, mapping::LayerKind::DwConv);
    QVERIFY(workspace().links().isFollowing(Lens::Mapping));
}

void TestLenses::aRecoveredDocumentStaysModified()
{
    open("llama-block.json");
    QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
    const auto copy = document().recoveryCopy();
    document().undoStack().setClean();
    document().close();
    QVERIFY(document().recover(*copy));
    QVERIFY(document().isModified());
    const QString path = m_settings.filePath("kpu.json");
    QVERIFY(writeFileAtomically(path.toStdString(), writeMachine(*machinePreset("kpu"))));
    QVERIFY(m_window->openPaths({path}));
    QCOMPARE(document().machine()->name, std::string("kpu"));
    QVERIFY(document().isModified());
    document().undoStack().undo();
    QCOMPARE(document().machine()->name, std::string("server"));
    QVERIFY(document().isModified());
}

void TestLenses::theDataflowOfTheMachineIsTheLenss()
{
    open("llama-block.json");
    QCOMPARE(workspace().systolic().settings().timing.dataflow, systolic::Dataflow::Os);
    QVERIFY(document().setMachine(*withMachineField(*document().machine(), "array.dataflow", "ws"),
                                  QStringLiteral("ws")));
    QCOMPARE(workspace().systolic().settings().timing.dataflow, systolic::Dataflow::Ws);
    document().undoStack().undo();
    QCOMPARE(workspace().systolic().settings().timing.dataflow, systolic::Dataflow::Os);
}

void TestLenses::theSamePresetIsNoStep()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    Q_EMIT view->presets()->activated(view->presets()->findData(QStringLiteral("edge")));
    QCOMPARE(document().undoStack().count(), 0);
    // A derived value that was set and is put back is derived again.
    const Machine set = *withMachineField(*document().machine(), "noc.trunk_bytes_per_cycle", "99");
    QVERIFY(set.has("noc.trunk_bytes_per_cycle"));
    QVERIFY(*withoutMachineField(set, "noc.trunk_bytes_per_cycle") == *document().machine());
}

void TestLenses::anotherProblemIsFollowedAgain()
{
    open("llama-block.json");
    workspace().openGemm({5, 6, 7}, QStringLiteral("somewhere"));
    QVERIFY(!workspace().links().isFollowing(Lens::Systolic));
    workspace().systolic().undoStack().setClean();
    open("llama-decode-block.json");
    QVERIFY(workspace().links().isFollowing(Lens::Systolic));
    QVERIFY(workspace().systolic().settings().gemm.m != 5);
}

void TestLenses::aProblemIsShownInEveryLensToo()
{
    QVERIFY(openIn(*m_window, {example("ex5.problem.json")}));
    QVERIFY(!document().model());
    QVERIFY(document().machine());
    const Hardware& hw = document().problem()->hardware();
    QCOMPARE(workspace().systolic().settings().hierarchy.array,
             (systolic::ArrayShape{hw.nativeHeight, hw.nativeWidth}));
    m_window->showView(QStringLiteral("mapping"));
    QCOMPARE(workspace().mapping().setup().layer.kind, mapping::LayerKind::Gemm);
    QVERIFY(document().lensModel());
    m_window->showView(QStringLiteral("npu"));
    QCOMPARE(workspace().npu().model()->ops.size(), document().problem()->opCount());
}

void TestLenses::selectionIsByOperator()
{
    open("llama-block.json");
    run("lens.npu");
    workspace().npu().settle();
    const NpuResultPtr result = workspace().npu().result();
    QVERIFY(result);
    // A node of the NPU selects the op ...
    const auto& nodes = result->graph->nodes;
    for (std::uint32_t n = 0; n < nodes.size(); ++n)
        if (workspace().npu().model()->ops[nodes[n].op].name == "layer0.up") {
            workspace().npu().selectNode(n);
            break;
        }
    QCOMPARE(selection().state().ops.size(), std::size_t{1});
    QCOMPARE(document().problem()->opName(*selection().state().ops.begin()), std::string("layer0.up"));
    // ... and an op the node.
    const std::size_t gate = subgraphOf(document(), "layer0.gate");
    selection().selectOps({document().schedule()[SubgraphId(gate)].ops.front()});
    QVERIFY(workspace().npu().node());
    QCOMPARE(workspace().npu().model()->ops[nodes[*workspace().npu().node()].op].name,
             std::string("layer0.gate"));
    // A row of the layers selects the operators it stands for.
    auto* layers = viewOf<MappingModelView>(*m_window, "mapping-model");
    m_window->showView(QStringLiteral("mapping-model"));
    auto* table = layers->findChild<QTableView*>();
    QVERIFY(table);
    for (int row = 0; row < layers->table().layerCount(); ++row)
        if (workspace().mapping().model().layers[static_cast<std::size_t>(row)].name == "layer0.down")
            table->selectRow(row);
    QVERIFY(!selection().state().ops.empty());
    QCOMPARE(document().problem()->opName(*selection().state().ops.begin()), std::string("layer0.down"));
    QVERIFY(workspace().systolic().settings().origin.find("layer0.down") != std::string::npos);
}

void TestLenses::theTileOfAMappingBecomesTheGranularity()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    run("lens.mapping");
    workspace().mapping().settle();
    const auto tile = workspace().links().foundTile(mapping::Level::Rf);
    QVERIFY(tile);
    QVERIFY(!(*tile == document().schedule()[gate].granularity));
    run("mapping.takeRf");
    const SubgraphPlan plan(*document().problem(), document().schedule()[gate].ops, document().rules());
    QCOMPARE(document().schedule()[gate].granularity, legalGranularity(plan, *tile));
    document().waitForSnapshot();
    m_window->state().document.undoStack().undo();
    QVERIFY(!(document().schedule()[gate].granularity == legalGranularity(plan, *tile)));
    // From where it was taken, too.
    run("mapping.takeRf");
    QCOMPARE(document().schedule()[gate].granularity, legalGranularity(plan, *tile));
    document().waitForSnapshot();
    QTest::keyClick(m_window->view(QStringLiteral("mapping")), Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!(document().schedule()[gate].granularity == legalGranularity(plan, *tile)));
}

void TestLenses::theNpuRunStandsForTheModel()
{
    open("llama-block.json");
    run("lens.npu");
    workspace().npu().settle();
    const auto makespan = workspace().links().makespan();
    QVERIFY(makespan && *makespan > 0);
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    m_window->showView(QStringLiteral("memory")); // the NPU is out of sight: it is not run at every edit
    QVERIFY(document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{gate}, {32, 32, 64}),
        QStringLiteral("smaller")));
    document().waitForSnapshot();
    QCOMPARE(workspace().links().makespan(), makespan);
    m_window->showView(QStringLiteral("npu"));
    workspace().npu().settle();
    QCOMPARE(workspace().links().makespan(), makespan); // its tiles are not those of the schedule
    QVERIFY(workspace().npu().settings().tiling == npu::tilingOf(*workspace().npu().model()));
    QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
    QVERIFY(!workspace().links().makespan());
    workspace().npu().settle();
    QVERIFY(workspace().links().makespan() && workspace().links().makespan() != makespan);
    const auto multiple = workspace().links().makespanOfFloor();
    QVERIFY(multiple && *multiple >= 1);
    const QString title = viewOf<NpuView>(*m_window, "npu")->model().header;
    QVERIFY2(title.contains(ui::significantNumber(*multiple) + QStringLiteral(" times the floor")),
             qPrintable(title));
}

/// The command of the NPU lens opens the run of the schedule on as many cores as its form says.
void TestLenses::theNpuRunsThisScheduleInTheViewRun()
{
    open("llama-block.json");
    run("lens.npu");
    auto* cores = m_window->findChild<QSpinBox*>(QStringLiteral("npu.cores"));
    QVERIFY(cores);
    cores->setValue(2);
    run("npu.runSchedule");
    QVERIFY(m_window->view(QStringLiteral("run"))->isSeen());
    QCOMPARE(m_window->findChild<QSpinBox*>(QStringLiteral("run.cores"))->value(), 2);
    workspace().run().settle();
    const auto& shown = workspace().run().result();
    QVERIFY(shown);
    const auto alone = runSchedule(*document().problem(), document().schedule(),
                                   document().snapshot()->evaluation, workspace().run().options());
    QVERIFY(alone.hasValue());
    QCOMPARE(shown->run.cores.size(), std::size_t{2});
    QCOMPARE(shown->run.end, alone->end);
    m_window->view(QStringLiteral("run"))->settle();
    const QString said = m_window->view(QStringLiteral("run"))->accessibleDescription().simplified();
    QVERIFY2(said.startsWith(QStringLiteral("this schedule, 40 subgraphs, 2 cores")), qPrintable(said));
}

void TestLenses::theInspectorLeadsToTheLenses()
{
    open("llama-block.json");
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.up")));
    auto* inspector = viewOf<InspectorView>(*m_window, "inspector");
    inspector->catchUp();
    const auto press = [&](const char* text) {
        for (QPushButton* button : inspector->findChildren<QPushButton*>())
            if (button->accessibleName() == QLatin1String(text) || button->text() == QLatin1String(text))
                return button->click();
        QFAIL(text);
    };
    press("Wavefront of the product");
    QVERIFY(m_window->view(QStringLiteral("systolic"))->isSeen());
    QVERIFY(workspace().systolic().settings().origin.find("layer0.up") != std::string::npos);
    press("Map the product");
    QCOMPARE(workspace().mapping().setup().layer.name, std::string("layer0.up"));
    press("Run on the NPU");
    QVERIFY(m_window->view(QStringLiteral("npu"))->isSeen());
    // A subgraph without a product has only the model to run.
    selection().selectSubgraph(SubgraphId(subgraphOf(document(), "layer0.q_rope")));
    inspector->catchUp();
    for (QPushButton* button : inspector->findChildren<QPushButton*>())
        if (button->text() == QLatin1String("Map the product"))
            QVERIFY(button->isHidden());
}

TILEWRIGHT_TEST(TestLenses)

} // namespace test_lenses
#include "test_lenses.moc"
