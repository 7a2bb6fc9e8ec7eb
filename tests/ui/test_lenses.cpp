// SPDX-License-Identifier: GPL-3.0-or-later
// One model, one machine, four lenses: the way a person goes through them, and the machine dock.
#include "base/file.h"
#include "canvas/canvas.h"
#include "panels/inspector/inspector_view.h"
#include "panels/machine/machine_view.h"
#include "panels/solver/solver_view.h"
#include "theme/number.h"
#include "views/mapping/mapping_model_view.h"
#include "views/mapping/mapping_view.h"
#include "views/npu/npu_view.h"
#include "views/systolic/systolic_view.h"
#include "window_fixture.h"
#include "workspace/lens_links.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include "edit/fit.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QToolButton>
#include <QTreeWidget>
#include <QWheelEvent>

using namespace tilewright;
using namespace tilewright::ui;

namespace {

const QString kModels = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/");

std::size_t subgraphOf(const Document& document, const std::string& name)
{
    for (std::size_t i = 0; i < document.schedule().size(); ++i)
        for (const OpId op : document.schedule()[SubgraphId(i)].ops)
            if (document.problem()->opName(op) == name)
                return i;
    return document.schedule().size();
}

QTreeWidgetItem* fieldItem(const MachineView& view, const QString& path)
{
    for (int g = 0; g < view.list()->topLevelItemCount(); ++g)
        for (int i = 0; i < view.list()->topLevelItem(g)->childCount(); ++i)
            if (QTreeWidgetItem* item = view.list()->topLevelItem(g)->child(i);
                item->data(0, Qt::UserRole).toString() == path)
                return item;
    return nullptr;
}

/// Types a value into the field, as a person does.
void typeField(MachineView& view, const QString& path, const QString& value)
{
    QTreeWidgetItem* item = fieldItem(view, path);
    QVERIFY2(item, qPrintable(path));
    view.list()->setCurrentItem(item, 1);
    view.list()->setFocus();
    view.list()->editItem(item, 1);
    auto* editor = view.list()->viewport()->findChild<QLineEdit*>();
    QVERIFY(editor);
    editor->selectAll();
    QTest::keyClicks(editor, value);
    QTest::keyClick(editor, Qt::Key_Return);
    QCoreApplication::processEvents(); // the delegate commits when the editor has seen the key
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
}

} // namespace

class TestLenses : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init()
    {
        m_settings.fresh();
        m_window = std::make_unique<MainWindow>();
        m_window->resize(1440, 900);
    }
    void cleanup() { m_window.reset(); }

    void aModelOpensInEveryLens();
    void aTopologyOpensAsAModel();
    void oneFileFourLensesAndBack();
    void theWavefrontFollowsTheWheel();
    void editingALensPinsIt();
    void undoInALensThatOnlyShowsIsThatOfTheSchedule();
    void whatWasEditedBeforeIsNotReplaced();
    void anotherProblemIsFollowedAgain();
    void aProblemIsShownInEveryLensToo();
    void selectionIsByOperator();
    void theTileOfAMappingBecomesTheGranularity();
    void theNpuRunStandsForThisScheduleOnly();

    void theInspectorLeadsToTheLenses();
    void aPresetIsOneUndoStep();
    void aTypedFieldDerivesTheRest();
    void badValuesAreRefusedInOneSentence();
    void whatNoLongerFitsIsListedAndFixed();
    void aSolvedResultIsOfItsMachine();
    void backToThePreset();
    void theMachineIsSavedWithTheSchedule();
    void aMachineFileIsOpenedOntoTheModel();
    void aProblemTakesAMachineAndGivesItBack();
    void valuesAreTypedWithTheirUnits();

private:
    [[nodiscard]] Document& document() { return m_window->state().document; }
    [[nodiscard]] Workspace& workspace() { return m_window->state().workspace; }
    [[nodiscard]] Selection& selection() { return m_window->state().selection; }
    void run(const char* id)
    {
        QAction* action = m_window->state().actions.find(QLatin1String(id));
        QVERIFY2(action, id);
        m_window->state().actions.refresh();
        QVERIFY2(action->isEnabled(), qPrintable(action->toolTip()));
        action->trigger();
    }
    void open(const char* file) { QVERIFY(openIn(*m_window, {kModels + QLatin1String(file)})); }

    PrivateSettings m_settings;
    std::unique_ptr<MainWindow> m_window;
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

void TestLenses::theWavefrontFollowsTheWheel()
{
    open("llama-block.json");
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

void TestLenses::undoInALensThatOnlyShowsIsThatOfTheSchedule()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    selection().selectSubgraph(gate);
    QVERIFY(document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{gate}, {32, 32, 64}),
        QStringLiteral("smaller")));
    run("lens.systolic");
    QVERIFY(m_window->view(QStringLiteral("systolic"))->isAncestorOf(QApplication::focusWidget()));
    QCOMPARE(workspace().current().lens(), Lens::Schedule);
    QTest::keyClick(QApplication::focusWidget(), Qt::Key_Z, Qt::ControlModifier);
    QCOMPARE(document().schedule()[gate].granularity, (Granularity{64, 64, 64}));
    document().waitForSnapshot();
    QCOMPARE(workspace().systolic().settings().gemm.m, std::int64_t{64});
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
}

void TestLenses::theNpuRunStandsForThisScheduleOnly()
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
    QVERIFY(!workspace().links().makespan());
    m_window->showView(QStringLiteral("npu"));
    workspace().npu().settle();
    QVERIFY(workspace().links().makespan());
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
    press("Wavefront of the tile");
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

// -- the machine -----------------------------------------------------------------------------------------

void TestLenses::aPresetIsOneUndoStep()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    const Schedule schedule = document().schedule();
    const double total = document().snapshot()->evaluation.total;
    const ProblemPtr problem = document().problem();
    selection().selectSubgraph(SubgraphId(3));
    view->presets()->setFocus();
    view->presets()->setCurrentIndex(view->presets()->findData(QStringLiteral("server")));
    Q_EMIT view->presets()->activated(view->presets()->currentIndex());
    QCOMPARE(document().machine()->name, std::string("server"));
    QVERIFY(document().schedule() == schedule);
    QCOMPARE(selection().state().subgraph, std::optional(SubgraphId(3)));
    QVERIFY(document().snapshot()->problem == document().problem());
    QVERIFY(document().snapshot()->evaluation.total != total);
    QCOMPARE(workspace().systolic().settings().hierarchy.array.rows, document().machine()->rows);
    QCOMPARE(document().undoStack().count(), 1);
    document().undoStack().undo();
    QCOMPARE(document().machine()->name, std::string("edge"));
    QVERIFY(document().problem() == problem);
    QCOMPARE(document().snapshot()->evaluation.total, total);
    QCOMPARE(view->presets()->currentText(), QStringLiteral("edge"));
}

void TestLenses::aTypedFieldDerivesTheRest()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    typeField(*view, QStringLiteral("array.cols"), QStringLiteral("128"));
    QCOMPARE(document().machine()->cols, std::int64_t{128});
    QCOMPARE(document().problem()->hardware().nativeWidth, std::int64_t{128});
    QCOMPARE(workspace().systolic().settings().hierarchy.array.cols, std::int64_t{128});
    typeField(*view, QStringLiteral("cores"), QStringLiteral("8"));
    QCOMPARE(document().machine()->noc.trunkBytesPerCycle, std::int64_t{8 * 64}); // cores * link
    auto* state = view->findChild<QLabel*>(QStringLiteral("machine.state"));
    QVERIFY2(state->text().contains(QStringLiteral("against the preset")), qPrintable(state->text()));
    QTreeWidgetItem* trunk = fieldItem(*view, QStringLiteral("noc.trunk_bytes_per_cycle"));
    QVERIFY(trunk->font(1).italic() && trunk->font(1).bold()); // derived, and not that of the preset
    QVERIFY(trunk->text(2).contains(QStringLiteral("256")));
}

void TestLenses::badValuesAreRefusedInOneSentence()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    const Machine before = *document().machine();
    typeField(*view, QStringLiteral("array.rows"), QStringLiteral("0"));
    QVERIFY(*document().machine() == before);
    QVERIFY2(view->message().contains(QStringLiteral("rows")), qPrintable(view->message()));
    QCOMPARE(fieldItem(*view, QStringLiteral("array.rows"))->text(1), QStringLiteral("64"));
    QCOMPARE(document().undoStack().count(), 0);
    typeField(*view, QStringLiteral("array.rows"), QStringLiteral("32"));
    QVERIFY(view->message().isEmpty());
}

void TestLenses::whatNoLongerFitsIsListedAndFixed()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    QCOMPARE(document().schedule()[gate].granularity, (Granularity{64, 64, 64}));
    QVERIFY(document().snapshot()->evaluation.valid());
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    const Schedule schedule = document().schedule();
    typeField(*view, QStringLiteral("levels.l3.bytes"), QStringLiteral("4 KiB"));
    QCOMPARE(document().machine()->at(MachineLevel::L3).bytes, std::int64_t{4096});
    QVERIFY(document().schedule() == schedule); // kept
    QVERIFY(!document().snapshot()->evaluation.valid());
    bool told = false;
    for (const Issue& issue : document().snapshot()->evaluation.issues)
        told |= issue.subgraph == gate && issue.code == IssueCode::OutOfMemory;
    QVERIFY(told);
    auto* state = view->findChild<QLabel*>(QStringLiteral("machine.state"));
    QVERIFY(state->text().contains(QStringLiteral("problem")));
    Q_EMIT state->linkActivated(QStringLiteral("problems"));
    QVERIFY(m_window->view(QStringLiteral("problems"))->isSeen());
    // Undo brings back both.
    document().undoStack().undo();
    QVERIFY(document().snapshot()->evaluation.valid());
}

void TestLenses::aSolvedResultIsOfItsMachine()
{
    open("llama-block.json");
    auto* solver = viewOf<SolverView>(*m_window, "solver");
    m_window->showView(QStringLiteral("solver"));
    solver->budget()->setValue(0.2);
    run("solve.auto");
    QTRY_VERIFY_WITH_TIMEOUT(solver->card().outcome(), 20000);
    QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
    QVERIFY(!solver->card().outcome()); // it would be worth something else here
    run("solve.auto");
    QVERIFY(document().setMachine(*machinePreset("edge"), QStringLiteral("edge")));
    QTRY_VERIFY(!solver->job().isRunning());
    QVERIFY(!solver->card().outcome());
}

void TestLenses::backToThePreset()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    typeField(*view, QStringLiteral("clock_ghz"), QStringLiteral("2"));
    QCOMPARE(document().machine()->clockGhz, 2.0);
    QVERIFY(view->presets()->currentText().contains(QStringLiteral("edited")));
    Q_EMIT view->findChild<QLabel*>(QStringLiteral("machine.state"))->linkActivated(QStringLiteral("preset"));
    QCOMPARE(document().machine()->clockGhz, 1.0);
    QCOMPARE(view->presets()->currentText(), QStringLiteral("edge"));
}

void TestLenses::theMachineIsSavedWithTheSchedule()
{
    open("llama-block.json");
    QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
    QVERIFY(document().isModified());
    const double total = document().snapshot()->evaluation.total;
    const QString path = m_settings.filePath("llama.schedule.json");
    QVERIFY(document().save(path));
    const auto copy = document().recoveryCopy();
    QVERIFY(copy.hasValue());

    document().close();
    open("llama-block.json");
    QVERIFY(document().setMachine(*machinePreset("edge"), QStringLiteral("edge")));
    QVERIFY(m_window->openPaths({path}));
    QCOMPARE(document().machine()->name, std::string("server"));
    QCOMPARE(document().snapshot()->evaluation.total, total);
    QVERIFY(!document().isModified());

    // As it was after a crash: on its model, not as a problem alone.
    document().close();
    QVERIFY(document().recover(*copy));
    QVERIFY(document().model());
    QCOMPARE(document().machine()->name, std::string("server"));
    QCOMPARE(document().snapshot()->evaluation.total, total);
    QVERIFY(document().isModified());
}

void TestLenses::aMachineFileIsOpenedOntoTheModel()
{
    const QString path = m_settings.filePath("own.json");
    const Machine own = *withMachineField(*machinePreset("server"), "cores", "2");
    QVERIFY(writeFileAtomically(path.toStdString(), writeMachine(own)));
    QVERIFY(openIn(*m_window, {path, kModels + QStringLiteral("llama-block.json")}));
    QCOMPARE(document().machine()->cores, std::int64_t{2});
    QVERIFY(document().model());
    QVERIFY(!document().isModified());
    // The older formats are machines too.
    QVERIFY(
        m_window->openPaths({QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/npu_hardware/default.json")}));
}

void TestLenses::aProblemTakesAMachineAndGivesItBack()
{
    QVERIFY(openIn(*m_window, {example("ex5.problem.json")}));
    const ProblemPtr file = document().problem();
    const double total = document().snapshot()->evaluation.total;
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    QVERIFY(view->findChild<QLabel*>(QStringLiteral("machine.state"))
                ->text()
                .contains(QStringLiteral("hardware of its own")));
    const int edge = view->presets()->findData(QStringLiteral("edge"));
    view->presets()->setCurrentIndex(edge);
    Q_EMIT view->presets()->activated(edge);
    QVERIFY(document().model());
    QCOMPARE(document().problem()->hardware().nativeWidth, std::int64_t{64});
    QVERIFY(document().problem()->data().tensors == file->data().tensors);
    document().undoStack().undo();
    QVERIFY(document().problem() == file);
    QVERIFY(!document().model());
    QCOMPARE(document().snapshot()->evaluation.total, total);
}

void TestLenses::valuesAreTypedWithTheirUnits()
{
    QCOMPARE(typedMachineValue(QStringLiteral("256 KiB"), MachineUnit::Bytes), QStringLiteral("262144"));
    QCOMPARE(typedMachineValue(QStringLiteral("1.5M"), MachineUnit::Bytes), QStringLiteral("1572864"));
    QCOMPARE(typedMachineValue(QStringLiteral("1 024"), MachineUnit::Count), QStringLiteral("1024"));
    QCOMPARE(typedMachineValue(QStringLiteral("64 GB/s"), MachineUnit::GbPerSecond), QStringLiteral("64"));
    QCOMPARE(typedMachineValue(QStringLiteral("0.5"), MachineUnit::Ghz), QStringLiteral("0.5"));
    QCOMPARE(typedMachineValue(QStringLiteral("ws"), MachineUnit::Word), QStringLiteral("ws"));
    QCOMPARE(typedMachineValue(QStringLiteral("many"), MachineUnit::Count), QStringLiteral("many"));
    // What is shown can be typed back.
    for (const MachineField& f : machineFields(*machinePreset("edge")))
        if (f.unit != MachineUnit::Bytes) // rounded to one decimal of KiB
            QCOMPARE(typedMachineValue(machineValueText(f), f.unit), QString::fromStdString(f.value));
}

QTEST_MAIN(TestLenses)
#include "test_lenses.moc"
