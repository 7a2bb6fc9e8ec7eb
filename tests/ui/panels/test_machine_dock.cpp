// SPDX-License-Identifier: GPL-3.0-or-later
// The machine dock: presets, typed fields, what no longer fits, and the machine in files.
#include "base/file.h"
#include "edit/edits.h"
#include "lens_window.h"
#include "panels/machine/machine_source.h"
#include "panels/machine/machine_view.h"
#include "panels/solver/solver_view.h"
#include "test_main.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include <QApplication>
#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QTreeWidget>

#include <cmath>

namespace test_machine_dock {

using namespace tilewright;
using namespace tilewright::ui;

namespace {

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

class TestMachineDock : public QObject, protected LensWindow
{
    Q_OBJECT

private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void aPresetIsOneUndoStep();
    void aChipShowsNamesAndOrigins();
    void aTypedFieldDerivesTheRest();
    void typedTransfersReachTheNpuLens();
    void badValuesAreRefusedInOneSentence();
    void whatNoLongerFitsIsListedAndFixed();
    void aSolvedResultIsOfItsMachine();
    void backToThePreset();
    void theMachineIsSavedWithTheSchedule();
    void aMachineFileIsOpenedOntoTheModel();
    void aProblemTakesAMachineAndGivesItBack();
    void valuesAreTypedWithTheirUnits();
    void realMachinesAreEdited();
    void sourcesAreShownAndSet();
};

/// A wide view has room for the whole names beside values and origins, whatever its size was before.
void TestMachineDock::aChipShowsNamesAndOrigins()
{
    open("llama-block.json");
    QVERIFY(document().setMachine(*machinePreset("tpu-v4"), QStringLiteral("a chip")));
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    view->resize(100, 300);
    view->resize(1000, 700);
    const QTreeWidget& list = *view->list();
    QTreeWidgetItem* rate = fieldItem(*view, QStringLiteral("levels.l2.read_gb_per_s"));
    QVERIFY(rate && !list.isColumnHidden(2));
    QVERIFY(list.columnWidth(0) >
            list.fontMetrics().horizontalAdvance(rate->text(0)) + 2 * list.indentation());
    QVERIFY2(rate->text(2).startsWith(QStringLiteral("assumed: ")), qPrintable(rate->text(2)));
}

void TestMachineDock::aPresetIsOneUndoStep()
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
    QVERIFY(!(document().schedule() == schedule)); // nobody has edited it: it is made anew for the machine
    QVERIFY(document().isStartSchedule());
    QCOMPARE(selection().state().subgraph, std::optional(SubgraphId(3)));
    QVERIFY(document().snapshot()->problem == document().problem());
    QVERIFY(document().snapshot()->evaluation.total != total);
    QCOMPARE(workspace().systolic().settings().hierarchy.array.rows, document().machine()->rows);
    QCOMPARE(document().undoStack().count(), 1);
    document().undoStack().undo();
    QCOMPARE(document().machine()->name, std::string("edge"));
    QVERIFY(document().problem() == problem);
    QVERIFY(document().schedule() == schedule);
    QCOMPARE(document().snapshot()->evaluation.total, total);
    QCOMPARE(view->presets()->currentText(), QStringLiteral("edge"));
}

/// Core-to-core transfers and the limits of DRAM reach the NPU lens; the rate that they allow stands beside.
void TestMachineDock::typedTransfersReachTheNpuLens()
{
    open("llama-block.json");
    m_window->showView(QStringLiteral("npu")); // the lens follows the machine from then on
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    QTreeWidgetItem* const toCores = fieldItem(*view, QStringLiteral("noc.core_to_core"));
    QVERIFY(toCores);
    view->list()->setCurrentItem(toCores, 1);
    view->list()->setFocus();
    view->list()->editItem(toCores, 1); // a choice of words
    auto* const words = view->list()->viewport()->findChild<QComboBox*>();
    QVERIFY(words);
    QTest::keyClicks(words, QStringLiteral("true"));
    QTest::keyClick(words, Qt::Key_Return);
    QCoreApplication::processEvents();
    QVERIFY(document().machine()->noc.coreToCore);
    QVERIFY(workspace().npu().settings().hardware.coreToCore);
    const double before = document().machine()->deliverableGbPerSecond();
    typeField(*view, QStringLiteral("dram.outstanding_requests"), QStringLiteral("2"));
    typeField(*view, QStringLiteral("dram.read_latency_cycles"), QStringLiteral("100"));
    QCOMPARE(workspace().npu().settings().hardware.dram.outstandingRequests, std::int64_t{2});
    QCOMPARE(workspace().npu().settings().hardware.dram.readLatencyCycles, npu::Cycle{100});
    // 4 cores * 2 requests * 64 bytes / (100 + 20 + bus) cycles
    const Machine& m = *document().machine();
    const double bus = std::ceil(64 / m.dram.bytesPerCycle);
    QCOMPARE(m.deliverableGbPerSecond(), 4 * 2 * 64 / (100 + 20 + bus) * m.clockGhz);
    QVERIFY(m.deliverableGbPerSecond() < before);
    // Ports and multicast of the level that all cores share (docs/rules/npu.md 5.10), and the hash (5.11).
    typeField(*view, QStringLiteral("levels.l3.gb_per_s"), QStringLiteral("256"));
    const auto choose = [&](const char* path, const char* word) {
        QTreeWidgetItem* const item = fieldItem(*view, QLatin1String(path));
        view->list()->setCurrentItem(item, 1);
        view->list()->editItem(item, 1);
        for (auto* box : view->list()->viewport()->findChildren<QComboBox*>())
            if (box->isVisible()) {
                QTest::keyClicks(box, QLatin1String(word));
                QTest::keyClick(box, Qt::Key_Return);
            }
        QCoreApplication::processEvents();
    };
    choose("scratchpad", "l2");
    choose("levels.l3.shared", "true");
    choose("levels.l3.multicast", "true");
    choose("dram.address_hash", "true");
    typeField(*view, QStringLiteral("levels.l3.read_gb_per_s"), QStringLiteral("96"));
    const npu::NpuHardware& hw = workspace().npu().settings().hardware;
    QVERIFY(hw.shared.bytes > 0 && hw.shared.multicast && hw.dram.addressHash);
    QCOMPARE(hw.shared.readBytesPerCycle, std::int64_t{96});
    QCOMPARE(hw.shared.writeBytesPerCycle, std::int64_t{256});
}

void TestMachineDock::aTypedFieldDerivesTheRest()
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
    // Two were typed; the trunk follows.
    QVERIFY2(QString(state->text())
                 .replace(QChar::Nbsp, QLatin1Char(' '))
                 .startsWith(QStringLiteral("2 values differ from the preset edge, 1 follows.")),
             qPrintable(state->text()));
    QTreeWidgetItem* trunk = fieldItem(*view, QStringLiteral("noc.trunk_bytes_per_cycle"));
    QVERIFY(trunk->font(1).italic() && trunk->font(1).bold()); // derived, and not that of the preset
    QVERIFY(trunk->text(2).contains(QStringLiteral("256")));
}

void TestMachineDock::badValuesAreRefusedInOneSentence()
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
    // What was refused is of the machine before: an undo ends it too.
    typeField(*view, QStringLiteral("array.rows"), QStringLiteral("0"));
    QVERIFY(!view->message().isEmpty());
    document().undoStack().undo();
    QVERIFY(view->message().isEmpty());
}

void TestMachineDock::whatNoLongerFitsIsListedAndFixed()
{
    open("llama-block.json");
    const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
    QVERIFY(document().snapshot()->evaluation.valid());
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    document().apply(
        edit::setGranularity(*document().problem(), document().schedule(), std::array{gate}, {64, 64, 64}),
        QStringLiteral("tile"));
    document().waitForSnapshot();
    const Schedule schedule = document().schedule();
    typeField(*view, QStringLiteral("levels.l3.bytes"), QStringLiteral("4 KiB"));
    QCOMPARE(document().machine()->at(MachineLevel::L3).bytes, std::int64_t{4096});
    QVERIFY(document().schedule() == schedule); // kept
    QVERIFY(!document().snapshot()->evaluation.valid());
    bool told = false;
    for (const Issue& issue : document().snapshot()->evaluation.issues)
        told |= issue.subgraph == gate && issue.code == IssueCode::OutOfMemory;
    QVERIFY(told);
    auto* problems = view->findChild<QLabel*>(QStringLiteral("machine.problems"));
    QVERIFY(problems->isVisibleTo(view) && problems->text().contains(QStringLiteral("problem")));
    QVERIFY(problems->y() > view->list()->y()); // the values stay where they were
    Q_EMIT problems->linkActivated(QStringLiteral("problems"));
    QVERIFY(m_window->view(QStringLiteral("problems"))->isSeen());
    // Undo brings back both.
    document().undoStack().undo();
    QVERIFY(document().snapshot()->evaluation.valid());
}

void TestMachineDock::aSolvedResultIsOfItsMachine()
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

void TestMachineDock::backToThePreset()
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

void TestMachineDock::theMachineIsSavedWithTheSchedule()
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

void TestMachineDock::aMachineFileIsOpenedOntoTheModel()
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

void TestMachineDock::aProblemTakesAMachineAndGivesItBack()
{
    QVERIFY(openIn(*m_window, {example("ex5.problem.json")}));
    const ProblemPtr file = document().problem();
    const double total = document().snapshot()->evaluation.total;
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    QVERIFY(view->findChild<QLabel*>(QStringLiteral("machine.state"))
                ->text()
                .contains(QStringLiteral("its own hardware")));
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

void TestMachineDock::valuesAreTypedWithTheirUnits()
{
    const auto typed = [](const char* text, MachineUnit unit) {
        const auto read = typedMachineValue(QString::fromUtf8(text), unit, NumberStyle());
        return read ? *read : QStringLiteral("refused");
    };
    QCOMPARE(typed("256 KiB", MachineUnit::Bytes), QStringLiteral("262144"));
    QCOMPARE(typed("1.5Mi", MachineUnit::Bytes), QStringLiteral("1572864"));
    QCOMPARE(typed("1.5M", MachineUnit::Bytes), QStringLiteral("1500000"));
    QCOMPARE(typed("1 024", MachineUnit::Count), QStringLiteral("1024"));
    QCOMPARE(typed("4k", MachineUnit::Count), QStringLiteral("4000"));
    QCOMPARE(typed("64 GB/s", MachineUnit::GbPerSecond), QStringLiteral("64"));
    QCOMPARE(typed("0.5", MachineUnit::Ghz), QStringLiteral("0.5"));
    QCOMPARE(typed("500 MHz", MachineUnit::Ghz), QStringLiteral("0.5"));
    QCOMPARE(typed("ws", MachineUnit::Word), QStringLiteral("ws"));
    for (const char* text : {"many", "1,5", "2,5", "12 furlongs", "nan"})
        QCOMPARE(typed(text, MachineUnit::Count), QStringLiteral("refused"));
    // What is shown can be typed back.
    for (const MachineField& f : machineFields(*machinePreset("edge")))
        if (f.unit != MachineUnit::Bytes) // rounded to one decimal of KiB
            QCOMPARE(*typedMachineValue(machineValueText(f), f.unit, NumberStyle()),
                     QString::fromStdString(f.value));
}

void TestMachineDock::realMachinesAreEdited()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    typeField(*view, QStringLiteral("launch_us.product"), QStringLiteral("21 µs"));
    QCOMPARE(document().machine()->launch.product, 21.0);
    QCOMPARE(fieldItem(*view, QStringLiteral("launch_us.product"))->text(1), QStringLiteral("21 µs"));
    QVERIFY(fieldItem(*view, QStringLiteral("launch_us.product"))
                ->toolTip(1)
                .contains(QStringLiteral("Used by: Summary and floor (times).")));
    typeField(*view, QStringLiteral("array.rates"), QStringLiteral("16:1 8:2"));
    QCOMPARE(document().machine()->macsPerCycle(8, 8), 2.0);
    QVERIFY(fieldItem(*view, QStringLiteral("array.rates.8")));
    // A choice; the dataflow of the preset does not hold for the other kind of array.
    fieldItem(*view, QStringLiteral("array.kind"))->setText(1, QStringLiteral("dot_product"));
    QVERIFY2(view->message().isEmpty(), qPrintable(view->message()));
    QVERIFY(document().machine()->kind == ArrayKind::DotProduct);
    QVERIFY(!fieldItem(*view, QStringLiteral("array.dataflow")));
    QVERIFY(fieldItem(*view, QStringLiteral("array.row_granule")));
    fieldItem(*view, QStringLiteral("levels.l3.memories"))->setText(1, QStringLiteral("separate"));
    QVERIFY(document().machine()->at(MachineLevel::L3).hasMemories());
    QVERIFY(fieldItem(*view, QStringLiteral("levels.l3.memories.weight")));
    typeField(*view, QStringLiteral("other_cores"), QStringLiteral("little"));
    QVERIFY(fieldItem(*view, QStringLiteral("other_cores.little.array.rows")));
    // A value that follows from others cannot be typed.
    QVERIFY(
        !fieldItem(*view, QStringLiteral("dram.deliverable_gb_per_s"))->flags().testFlag(Qt::ItemIsEditable));
    bool told = false;
    for (const QLabel* label : view->findChildren<QLabel*>())
        told |= label->text().contains(QStringLiteral("that the NPU lens does not model: "));
    QVERIFY(told);
    QCOMPARE(document().undoStack().count(), 5);
    for (int i = 0; i < 5; ++i)
        document().undoStack().undo();
    QVERIFY(*document().machine() == *machinePreset("edge"));
    QVERIFY(!fieldItem(*view, QStringLiteral("array.rates.8")));
}

void TestMachineDock::sourcesAreShownAndSet()
{
    open("llama-block.json");
    auto* view = viewOf<MachineView>(*m_window, "machine");
    m_window->showView(QStringLiteral("machine"));
    const QString before = fieldItem(*view, QStringLiteral("cores"))->text(2);
    Provenance source;
    source.kind = SourceKind::Paper;
    source.source = "JSSC <52>";
    source.year = 2017;
    source.note = "quoted by a tool";
    view->setSource("cores", source);
    const auto* item = fieldItem(*view, QStringLiteral("cores"));
    QCOMPARE(item->text(2), QStringLiteral("paper: JSSC <52> (2017); quoted by a tool"));
    QVERIFY(item->toolTip(2).contains(QStringLiteral("JSSC &lt;52&gt;")));
    QCOMPARE(document().undoStack().count(), 1);
    QVERIFY(writeMachine(*document().machine()).find("JSSC <52>") != std::string::npos);
    document().undoStack().undo();
    QCOMPARE(fieldItem(*view, QStringLiteral("cores"))->text(2), before);
    document().undoStack().redo();
    // Another value has another source.
    typeField(*view, QStringLiteral("cores"), QStringLiteral("2"));
    QVERIFY(document().machine()->sources.empty());
    // The dialog of the menu.
    view->setSource("cores", source);
    QTimer::singleShot(0, this, [] {
        auto* dialog = qobject_cast<QDialog*>(QApplication::activeModalWidget());
        QVERIFY(dialog);
        auto* line = dialog->findChild<QLineEdit*>();
        QVERIFY(line);
        for (QLineEdit* edit : dialog->findChildren<QLineEdit*>())
            if (edit->text() == QStringLiteral("JSSC <52>"))
                edit->setText(QStringLiteral("another paper"));
        dialog->accept();
    });
    const auto asked = askSource(view, QStringLiteral("cores"), source);
    QVERIFY(asked);
    QCOMPARE(asked->source, std::string("another paper"));
    QCOMPARE(asked->year, 2017);
    QVERIFY(asked->kind == SourceKind::Paper);
}

TILEWRIGHT_TEST(TestMachineDock)

} // namespace test_machine_dock
#include "test_machine_dock.moc"
