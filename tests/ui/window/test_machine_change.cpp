// SPDX-License-Identifier: GPL-3.0-or-later
// Another machine under an open schedule: a start schedule is made anew, an edited one is asked about.
#include "button_named.h"
#include "edit/edits.h"
#include "export/export_report.h"
#include "lens_window.h"
#include "lower/on_machine.h"
#include "test_main.h"
#include "theme/text.h"
#include "window/app_state.h"
#include "window/message_bar.h"
#include "workspace/lens_links.h"
#include "workspace/mapping_document.h"
#include "workspace/npu_document.h"
#include "workspace/systolic_document.h"

#include <QComboBox>
#include <QFile>
#include <QJsonArray>
#include <QLabel>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>

namespace test_machine_change {

using namespace tilewright;
using namespace tilewright::ui;

class TestMachineChange : public QObject, LensWindow
{
    Q_OBJECT
private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void aStartScheduleIsMadeAnew()
    {
        open("llama-block.json");
        const Schedule onEdge = document().schedule();
        QVERIFY(document().isStartSchedule());
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QVERIFY(document().schedule() == oneOpPerSubgraph(*document().problem(), document().rules()));
        QVERIFY(!(document().schedule() == onEdge));
        QVERIFY(document().isStartSchedule());
        QVERIFY2(bar().text().isEmpty(), qPrintable(bar().text()));
        // One undo step has both.
        QCOMPARE(document().undoStack().count(), 1);
        document().undoStack().undo();
        QVERIFY(document().schedule() == onEdge);
        QCOMPARE(document().machine()->name, std::string("edge"));
    }

    /// The table of the subgraphs was empty after a change of the machine, and the next edit of one row
    /// aborted.
    void theTableOfSubgraphsFollows()
    {
        open("llama-block.json");
        const auto* table = m_window->view(QStringLiteral("subgraphs"))->findChild<QTableView*>();
        QVERIFY(table);
        const auto rows = [&] { return static_cast<std::size_t>(table->model()->rowCount()); };
        QCOMPARE(rows(), document().schedule().size());
        const std::size_t before = rows();
        for (const char* name : {"server", "edge"}) {
            QVERIFY(document().setMachine(*machinePreset(name), QString::fromLatin1(name)));
            document().waitForSnapshot();
            QCOMPARE(document().schedule().size(), before); // the same number of rows of another problem
            QCOMPARE(rows(), before);
        }
        const Schedule edited = edit();
        document().waitForSnapshot();
        QCOMPARE(rows(), edited.size());
    }

    /// Every change has the total that a fresh start on that machine has, and no problem.
    void everyPresetHasTheTotalOfAFreshStart()
    {
        open("mobilenet-v2-96.json");
        for (const char* name : {"server", "edge", "kpu", "edge"}) {
            const Machine machine = *machinePreset(name);
            QVERIFY(document().setMachine(machine, QString::fromLatin1(name)));
            document().waitForSnapshot();
            const auto fresh = lower::putOnMachine(document().model()->workload, machine);
            QVERIFY(fresh);
            const Evaluation expected =
                evaluate(*(*fresh)->problem, oneOpPerSubgraph(*(*fresh)->problem), document().rules());
            QVERIFY2(expected.issues.empty(), expected.issues.empty() ? "" : expected.issues[0].text.c_str());
            QVERIFY(document().snapshot()->evaluation.issues.empty());
            QCOMPARE(document().snapshot()->evaluation.total, expected.total);
        }
    }

    void lessScratchpadCutsTilesAnew()
    {
        open("llama-block.json");
        const auto small = withMachineField(*document().machine(), "levels.l3.bytes", "16384");
        QVERIFY2(small, small ? "" : small.error().text().c_str());
        QVERIFY(document().setMachine(*small, QStringLiteral("64 KiB")));
        document().waitForSnapshot();
        QVERIFY(document().snapshot()->evaluation.issues.empty());
    }

    void anEditedScheduleIsAskedAbout()
    {
        open("llama-block.json");
        const Schedule edited = edit();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QVERIFY(document().schedule() == edited);
        document().waitForSnapshot();
        const double kept = document().snapshot()->evaluation.total;
        QVERIFY2(bar().text().contains(QStringLiteral("machine before")), qPrintable(bar().text()));
        QAbstractButton* retile = buttonNamed(bar(), QStringLiteral("Re-tile for the new machine"));
        QVERIFY(retile && buttonNamed(bar(), QStringLiteral("Keep the tiles")));
        QTest::mouseClick(retile, Qt::LeftButton);
        document().waitForSnapshot();
        QVERIFY(document().snapshot()->evaluation.valid());
        QVERIFY(document().snapshot()->evaluation.total < kept);
        QVERIFY(!bar().isVisible());
        // Machine and tiles are one step.
        QCOMPARE(document().undoStack().count(), 2);
        document().undoStack().undo();
        QVERIFY(document().schedule() == edited);
        QCOMPARE(document().machine()->name, std::string("edge"));
    }

    /// The button ended the message without a word when no tile of a subgraph fitted.
    void whatNoTileFitsIsSaid()
    {
        open("llama-block.json");
        Schedule whole = document().schedule();
        Subgraph all;
        for (std::size_t i = 0; i < document().problem()->opCount(); ++i)
            all.ops.emplace_back(i);
        all.granularity = whole.subgraphs.front()->granularity;
        whole.subgraphs = {std::make_shared<const Subgraph>(all)};
        document().apply(whole, QStringLiteral("all ops together"));
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "levels.l3.bytes", "4096"),
                                      QStringLiteral("16 KiB")));
        QTest::mouseClick(buttonNamed(bar(), QStringLiteral("Re-tile for the new machine")), Qt::LeftButton);
        QVERIFY(!document().snapshot()->evaluation.valid());
        QVERIFY2(bar().text().contains(QStringLiteral("not valid on this machine")),
                 qPrintable(bar().text()));
        QAbstractButton* problems = buttonNamed(bar(), QStringLiteral("Show the problems"));
        QVERIFY(problems);
        QTest::mouseClick(problems, Qt::LeftButton);
        QVERIFY(m_window->view(QStringLiteral("problems"))->isVisible());
        QVERIFY(!bar().isVisible());
    }

    /// Cycles of two clocks are different things: the baseline is compared in time.
    void aBaselineOfAnotherClockIsComparedInTime()
    {
        open("llama-block.json");
        document().pinBaseline();
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "clock_ghz", "2"),
                                      QStringLiteral("clock")));
        document().waitForSnapshot();
        QCOMPARE(document().unitOfBaseline(), 2.0);
        const double was = document().baseline()->evaluation.total / 1e9;
        const double now = document().snapshot()->evaluation.total / 2e9;
        const QString text =
            QStringLiteral("vs baseline on edge as it was %1").arg(ui::signedPercent(now / was - 1));
        const auto labels = m_window->findChildren<QLabel*>();
        QVERIFY2(std::ranges::any_of(labels, [&](const QLabel* l) { return l->text() == text; }),
                 qPrintable(text));
    }

    /// A kept baseline comes back on the machine that it is for, whichever the document has by then.
    void aKeptBaselineKeepsItsMachine()
    {
        open("llama-block.json");
        document().pinBaseline(QStringLiteral("before"));
        const double total = document().baseline()->evaluation.total;
        QCOMPARE(document().nameOf(document().baselines()[0]), QStringLiteral("before"));
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QJsonObject saved;
        writeMarks(document().marks(), saved);

        m_window.reset();
        makeWindow();
        open("llama-block.json");
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        document().waitForSnapshot();
        document().addMarks(readMarks(saved));
        QCOMPARE(document().baselines().size(), std::size_t{1});
        const Baseline& kept = document().baselines()[0];
        QCOMPARE(kept.model->machine.name, std::string("edge"));
        QVERIFY(kept.snapshot->evaluation.valid());
        QCOMPARE(kept.snapshot->evaluation.total, total);
        QCOMPARE(document().nameOf(kept), QStringLiteral("before, on edge"));
        const double was = total * document().unitOfBaseline();
        const QString text =
            QStringLiteral("vs baseline on edge %1")
                .arg(ui::signedPercent((document().snapshot()->evaluation.total - was) / was));
        const auto labels = m_window->findChildren<QLabel*>();
        QVERIFY2(std::ranges::any_of(labels, [&](const QLabel* l) { return l->text() == text; }),
                 qPrintable(text));
        View* compare = m_window->view(QStringLiteral("compare"));
        compare->catchUp();
        compare->settle();
        const auto boxes = compare->findChildren<QComboBox*>();
        QVERIFY(std::ranges::any_of(boxes, [](const QComboBox* box) {
            return box->currentText() == QStringLiteral("A: before, on edge");
        }));
        // On its own machine again it is a baseline like any other.
        QVERIFY(document().setMachine(*machinePreset("edge"), QStringLiteral("edge")));
        QCOMPARE(document().nameOf(document().baselines()[0]), QStringLiteral("before"));
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "clock_ghz", "2"),
                                      QStringLiteral("clock")));
        QCOMPARE(document().nameOf(document().baselines()[0]), QStringLiteral("before, on edge as it was"));
    }

    /// Files of earlier versions do not say the machine: the baseline is for that of the document.
    void aBaselineOfAnEarlierFileOpens()
    {
        open("llama-block.json");
        document().pinBaseline(QStringLiteral("before"));
        QJsonObject saved;
        writeMarks(document().marks(), saved);
        QJsonArray baselines = saved[QStringLiteral("baselines")].toArray();
        QJsonObject entry = baselines[0].toObject();
        QVERIFY(entry[QStringLiteral("machine")].toString().contains(QStringLiteral("\"edge\"")));
        entry.remove(QStringLiteral("machine"));
        baselines[0] = entry;
        saved[QStringLiteral("baselines")] = baselines;
        document().clearBaselines();
        document().addMarks(readMarks(saved));
        QCOMPARE(document().baselines().size(), std::size_t{1});
        QVERIFY(document().baseline()->problem == document().problem());
        QCOMPARE(document().nameOf(document().baselines()[0]), QStringLiteral("before"));
    }

    /// What a report says of a baseline for another machine; it left out one that is not valid without a
    /// word.
    void theReportNamesABaselineOfAnotherMachine()
    {
        open("llama-block.json");
        document().pinBaseline(QStringLiteral("before"));
        const auto report = [&] {
            QTemporaryDir folder;
            const QString path = folder.filePath(QStringLiteral("r.html"));
            document().waitForSnapshot();
            if (const Status s = exportReport(document(), {}, path); !s)
                return QString::fromStdString(s.error().text());
            QFile file(path);
            return file.open(QFile::ReadOnly) ? QString::fromUtf8(file.readAll()) : file.errorString();
        };
        QVERIFY(report().contains(QStringLiteral("Compared with the baseline")));
        QVERIFY(!report().contains(QStringLiteral("The baseline before")));
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "clock_ghz", "2"),
                                      QStringLiteral("clock")));
        QVERIFY(report().contains(QStringLiteral("The baseline before, on edge as it was has the latency ") +
                                  number(document().baseline()->evaluation.total)));
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "levels.l3.bytes", "4096"),
                                      QStringLiteral("4 KiB")));
        const QString text = report();
        QVERIFY(text.contains(QStringLiteral("<h2>Compared with the baseline</h2>")));
        QVERIFY(text.contains(QStringLiteral("The baseline before, on edge as it was is not compared, as its "
                                             "schedule is not valid on the hardware of this report: ")));
    }

    void keptTilesStay()
    {
        open("llama-block.json");
        const Schedule edited = edit();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QTest::mouseClick(buttonNamed(bar(), QStringLiteral("Keep the tiles")), Qt::LeftButton);
        QVERIFY(document().schedule() == edited);
        QVERIFY(!bar().isVisible());
    }

    /// The question is about the last step: an undo or an edit ends it, a change of other values asks
    /// nothing.
    void theQuestionEndsWithTheNextStep()
    {
        open("llama-block.json");
        (void)edit();
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        QVERIFY(document().canRetile());
        document().undoStack().undo();
        QVERIFY(!document().canRetile());
        QVERIFY(!bar().isVisible());
        QVERIFY(document().setMachine(*withMachineField(*document().machine(), "clock_ghz", "2"),
                                      QStringLiteral("clock")));
        QVERIFY(!document().canRetile());
    }

    /// Sizes that the file leaves open are named in a bar, until the user has chosen them.
    void assumedSizesAreTold()
    {
        const std::string file = (kModels + QLatin1String("gpt2-block.onnx")).toStdString();
        if (!lower::loadWorkload(file, {{"batch", 1}, {"sequence", 8}}))
            QSKIP("built without ONNX");
        open("gpt2-block.onnx");
        QVERIFY2(bar().text().contains(QStringLiteral("sequence = ")), qPrintable(bar().text()));
        QTest::mouseClick(buttonNamed(bar(), QStringLiteral("Change the sizes")), Qt::LeftButton);
        QVERIFY(m_window->view(QStringLiteral("import"))->isVisible());
        onnx::Dimensions sizes = document().dimensions();
        sizes["sequence"] = 64;
        QVERIFY(document().setDimensions(sizes));
        document().undoStack().setClean();
        open("gpt2-block.onnx");
        QVERIFY2(!bar().text().contains(QStringLiteral("sequence = ")), qPrintable(bar().text()));
    }

    /// The tile that the Mapping lens found is scheduled as it is under the rules of a machine.
    void theTileOfAMappingIsLegalOnAMachine()
    {
        open("llama-block.json");
        const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
        selection().selectSubgraph(gate);
        run("lens.mapping");
        workspace().mapping().settle();
        const auto tile = workspace().links().tileToTake(mapping::Level::Spm);
        QVERIFY(tile);
        QVERIFY(tile->legal == tile->found);
    }

    /// The type that the file gives an operator is in its tooltip.
    void anOperatorIsNamedByItsType()
    {
        open("mobilenet-v2-96.json");
        const auto& model = document().model();
        const std::string_view type = model->model().operators[model->operatorOf(OpId(0))].typeName();
        QVERIFY(!type.empty());
        bool named = false;
        m_window->view(QStringLiteral("graph"))->livePictures([&](const LivePicture& picture) {
            for (const PicturePart& part : picture.parts)
                named |= part.keys.contains(keyOf(OpId(0))) && part.tooltip.contains(word(type));
            return true;
        });
        QVERIFY(named);
    }

    /// What is tried in a lens becomes the machine, and the lens takes the machine back.
    void hardwareOfALensBecomesTheMachine()
    {
        open("llama-block.json");
        NpuDocument& npu = workspace().npu();
        workspace().links().catchUp(Lens::Npu);
        NpuSettings s = npu.settings();
        s.hardware.cores = 2;
        s.hardware.engineRows = 32;
        s.hardware.vectorLanes = 256;
        s.hardware.spmBytes = 512 * 1024;
        s.hardware.dram.bytesPerCycle = 32;
        s.hardware.dram.interleaveBytes = 512;
        s.hardware.clockGhz = 1.5;
        s.hardware.energy.dram = 123.5;
        npu.setSettings(s);
        QVERIFY(!workspace().links().isFollowing(Lens::Npu));
        m_window->showView(QStringLiteral("npu"));
        run("lens.useInMachine.2");
        npu::NpuHardware made = lower::npuHardwareOf(*document().machine());
        made.name = s.hardware.name;
        QCOMPARE(npu::hardwareToJson(made), npu::hardwareToJson(s.hardware));
        QCOMPARE(document().undoStack().count(), 1);
        QVERIFY(document().isStartSchedule());
        document().waitForSnapshot();
        QVERIFY(document().snapshot()->evaluation.valid());
        document().undoStack().undo();
        QCOMPARE(document().machine()->cores, std::int64_t{4});
        npu.undoStack().setClean();
        workspace().links().setFollowing(Lens::Npu, true); // the other direction
        QCOMPARE(npu.settings().hardware.cores, 4);

        SystolicSettings array = workspace().systolic().settings();
        array.hierarchy.array = {32, 16};
        array.hierarchy.at(systolic::Level::L2).bytes *= 2;
        array.timing.dataflow = systolic::Dataflow::Ws;
        QVERIFY(workspace().systolic().set(array));
        QVERIFY(workspace().links().useInMachine(Lens::Systolic));
        QCOMPARE(lower::hierarchyOf(*document().machine()), array.hierarchy);
        QCOMPARE(lower::dataflowOf(*document().machine()), systolic::Dataflow::Ws);

        workspace().links().catchUp(Lens::Mapping);
        mapping::Architecture wanted = lower::architectureOf(*document().machine());
        wanted.pes = 1024;
        wanted.rfBytes = 256;
        wanted.dmaInitCycles = 100;
        wanted.energyPj.rfWrite = 2.5;
        const auto machine = lower::withArchitecture(*document().machine(), wanted);
        QVERIFY(machine);
        QCOMPARE(lower::architectureOf(*machine), wanted);
    }

    /// A schedule made under other rules, on another machine, with other sizes is the same after opening.
    void rulesMachineAndSizesAreInTheFile_data()
    {
        QTest::addColumn<QString>("model");
        for (const char* model : {"llama-block.json", "gpt2-block.onnx"})
            QTest::newRow(model) << QString::fromLatin1(model);
    }
    void rulesMachineAndSizesAreInTheFile()
    {
        QFETCH(QString, model);
        if (model.endsWith(u".onnx") &&
            !lower::loadWorkload((kModels + model).toStdString(), {{"batch", 1}, {"sequence", 8}}))
            QSKIP("built without ONNX");
        open(model.toLatin1().constData());
        onnx::Dimensions sizes = document().dimensions();
        for (auto& [name, size] : sizes)
            size = name == "sequence" ? 96 : size;
        if (!sizes.empty())
            QVERIFY(document().setDimensions(sizes));
        QVERIFY(document().setMachine(*machinePreset("server"), QStringLiteral("server")));
        Rules lifted = Rules::final();
        lifted.superNative = Rules::SuperNative::Ceil;
        lifted.kLimit = Rules::KLimit::Reduction;
        document().setRules(lifted);
        document().newSchedule();
        document().waitForSnapshot();
        QVERIFY(document().snapshot()->evaluation.valid());
        const double total = document().snapshot()->evaluation.total;
        const QString path = m_settings.filePath("lifted.schedule.json");
        QVERIFY(document().save(path));
        document().close();
        QVERIFY(document().setMachine(*machinePreset("edge"), {})); // of the next model
        QVERIFY(m_window->openPaths({kModels + model, path}));
        document().waitForSnapshot();
        QCOMPARE(document().rules(), lifted);
        QCOMPARE(document().machine()->name, std::string("server"));
        QCOMPARE(document().dimensions(), sizes);
        QVERIFY(document().snapshot()->evaluation.issues.empty());
        QCOMPARE(document().snapshot()->evaluation.total, total);
        QVERIFY(!document().isModified());
    }

private:
    [[nodiscard]] MessageBar& bar() { return *m_window->findChild<MessageBar*>(); }
    Schedule edit()
    {
        const SubgraphId gate(subgraphOf(document(), "layer0.gate"));
        document().apply(edit::setGranularity(*document().problem(), document().schedule(), std::array{gate},
                                              {32, 32, 64}),
                         QStringLiteral("smaller"));
        return document().schedule();
    }
};

TILEWRIGHT_TEST(TestMachineChange)

} // namespace test_machine_change
#include "test_machine_change.moc"
