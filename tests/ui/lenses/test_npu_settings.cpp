// SPDX-License-Identifier: GPL-3.0-or-later
// What a person sets of an NPU run: hardware, policies, tiles; what is refused and why.
#include "lower/machine_lenses.h"
#include "npu_bench.h"
#include "test_main.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QTemporaryDir>
#include <QWheelEvent>

namespace test_npu_settings {

using namespace tilewright;
using namespace tilewright::ui;

class TestNpuSettings : public NpuBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void aChangeResimulatesAndLeavesAGhost()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResultPtr before = view.model().result;
        auto* cores = view.findChild<QSpinBox*>(QStringLiteral("npu.cores"));
        cores->setFocus();
        QTest::keyClick(cores, Qt::Key_Down);
        QVERIFY(view.state().isBusy()); // in the background
        QCOMPARE(view.model().result, before);
        view.settle();
        QCOMPARE(view.model().result->run->cores.size(), std::size_t(3));
        QCOMPARE(view.model().ghost, before);
        QVERIFY(view.model().result->graph != before->graph); // default tiles are those of three cores
        // SPM steps by powers of two and cuts the tiles anew.
        auto* spm = view.findChild<QSpinBox*>(QStringLiteral("npu.spm"));
        spm->setFocus();
        QTest::keyClick(spm, Qt::Key_Down);
        QCOMPARE(spm->value(), 512);
        view.settle();
        QCOMPARE(view.model().result->graph->hardware.spmBytes, std::int64_t{512} * 1024);
        QVERIFY(view.model().result->graph != before->graph);
        // A kept ghost stays over several changes.
        const NpuResultPtr kept = view.model().result;
        view.findChild<QAbstractButton*>(QStringLiteral("npu.keepGhost"))->click();
        auto* scheduler = view.findChild<QComboBox*>(QStringLiteral("npu.scheduler"));
        scheduler->setFocus();
        QCOMPARE(scheduler->currentText(), QStringLiteral("best"));
        QTest::keyClick(scheduler, Qt::Key_Down);
        view.settle();
        QVERIFY(view.model().result->run->options.scheduler == npu::Scheduler::Static);
        QCOMPARE(view.model().result->graph, kept->graph); // a scheduler cuts no tiles
        QVERIFY(!view.findChild<QDoubleSpinBox*>(QStringLiteral("npu.w1"))->isEnabled());
        auto* banks = view.findChild<QSpinBox*>(QStringLiteral("npu.banks"));
        banks->setFocus();
        QTest::keyClick(banks, Qt::Key_Up);
        view.settle();
        QCOMPARE(view.model().result->run->hardware.dram.banks, 32);
        QCOMPARE(view.model().ghost, kept);
    }

    /// docs/rules/npu.md 4.1: without a choice all schedulers are run, and the form says what each gave.
    void theFastestSchedulerRuns()
    {
        NpuView& view = open<NpuView>("bert_block");
        const NpuResult& r = *view.model().result;
        QVERIFY(r.settings.best && r.schedulers.size() > 2);
        for (const npu::PolicyRun& other : r.schedulers)
            QVERIFY(r.run->makespan <= other.makespan);
        const QString said = view.findChild<QLabel*>(QStringLiteral("npu.schedulers"))->text();
        QVERIFY2(said.contains(QStringLiteral("the fastest of %1").arg(r.schedulers.size())),
                 qPrintable(said));
        QVERIFY(view.model().details.contains(QStringLiteral("the fastest of")));
        // A file that names no scheduler is read so, too.
        const QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("model.json"));
        for (const bool best : {true, false}) {
            NpuSettings settings = view.state().settings();
            settings.best = best;
            view.state().setSettings(settings);
            QVERIFY(view.state().save(path));
            NpuDocument again;
            QVERIFY(again.openModel(path));
            QCOMPARE(again.settings().best, best);
            QVERIFY(again.settings().options.scheduler == settings.options.scheduler);
        }
    }

    /// docs/rules/npu.md 2.6: tile sizes and the fused attention, set as a person does.
    void tilesAreSetPerOperator()
    {
        NpuView& view = open<NpuView>("bert_block");
        const npu::Cycle asInModel = view.model().result->run->makespan;
        auto* op = view.findChild<QComboBox*>(QStringLiteral("npu.operator"));
        auto* tileK = view.findChild<QSpinBox*>(QStringLiteral("npu.tile2"));
        QVERIFY(view.state().model()->ops[0].type == npu::OpType::MatMul);
        QCOMPARE(op->currentIndex(), 0);
        QCOMPARE(tileK->value(), static_cast<int>(view.state().model()->ops[0].tile.k));
        QVERIFY(view.findChild<QSpinBox*>(QStringLiteral("npu.tile3"))->isHidden());
        // 0 leaves it to the rule, whose choice is told.
        tileK->setValue(0);
        view.settle();
        const NpuResultPtr before = view.model().result;
        const std::int64_t automatic = before->graph->tileSizes[0].k;
        QCOMPARE(tileK->text(), QStringLiteral("auto: %1").arg(automatic));
        // An arrow halves what the rule has chosen, in the background.
        tileK->setFocus();
        QTest::keyClick(tileK, Qt::Key_Down);
        QCOMPARE(tileK->value(), static_cast<int>(automatic / 2));
        QVERIFY(view.state().isBusy());
        view.settle();
        const npu::NpuGraph& graph = *view.model().result->graph;
        QCOMPARE(graph.tileSizes[0].k, automatic / 2);
        QVERIFY(graph.nodes.size() > before->graph->nodes.size());
        QCOMPARE(view.model().ghost, before); // the run before is the ghost, as of other changes
        // All operators of a type at once.
        const int all = op->findText(QStringLiteral("matmul"), Qt::MatchEndsWith);
        QVERIFY(all > 0);
        op->setCurrentIndex(all);
        Q_EMIT op->activated(all);
        auto* tileM = view.findChild<QSpinBox*>(QStringLiteral("npu.tile0"));
        tileM->setValue(32);
        view.settle();
        for (std::size_t i = 0; i < view.state().model()->ops.size(); ++i)
            if (view.state().model()->ops[i].type == npu::OpType::MatMul)
                QCOMPARE(view.model().result->graph->tileSizes[i].m, std::int64_t{32});
        // A selected node chooses its operator, and attention can be fused.
        std::uint32_t node = 0;
        const NpuResultPtr r = view.model().result;
        while (r->graph->nodes[node].type != npu::NodeType::Softmax)
            ++node;
        view.state().selectNode(node);
        auto* flash = view.findChild<QCheckBox*>(QStringLiteral("npu.flash"));
        QVERIFY(!flash->isHidden());
        flash->click();
        view.settle();
        QVERIFY(view.model().result->graph->tiles.size() <
                r->graph->tiles.size()); // no tiles of scores in DRAM
        // What is set can be saved, and opens to the same run.
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("mine.json"));
        QVERIFY(view.state().save(file));
        QVERIFY(!view.state().save(folder.filePath(QStringLiteral("no/such/folder.json"))));
        const auto saved = npu::loadModel(file.toStdString());
        QVERIFY(saved);
        QVERIFY(npu::tilingOf(*saved) == view.state().settings().tiling);
        // Everything back.
        auto* back = view.findChild<QPushButton*>(QStringLiteral("npu.modelTiles"));
        QVERIFY(back->isEnabled());
        back->click();
        view.settle();
        QVERIFY(!back->isEnabled());
        QCOMPARE(view.model().result->run->makespan, asInModel);
    }

    void lessSpmCutsTheTilesOfTheFileAnew()
    {
        NpuView& view = open<NpuView>("bert_block");
        QVERIFY(!view.model().subject.contains(QStringLiteral("cut anew")));
        NpuSettings small = view.state().settings();
        small.hardware.spmBytes = 128 << 10;
        view.state().setSettings(small);
        view.settle();
        QVERIFY(!view.model().refused);
        QVERIFY(view.model().subject.contains(QStringLiteral("tiles cut anew")));
        QVERIFY(view.model().result->cutAnew.startsWith(QStringLiteral("The tiles of 6 operators")));
        bool isSaid = false;
        for (const QLabel* label : view.findChildren<QLabel*>())
            isSaid = isSaid || label->text().contains(
                                   QStringLiteral("are cut anew: q m 64, k 128 instead of m 128, k 256"));
        QVERIFY(isSaid);
        // What is saved is the file's own tile, which holds again with more memory.
        QVERIFY(view.state().settings().tiling == npu::tilingOf(*view.state().model()));
        small.hardware.spmBytes = 1 << 20;
        view.state().setSettings(small);
        view.settle();
        QVERIFY(view.model().result->cutAnew.isEmpty());
    }

    void tilesThatDoNotFitDimTheChart()
    {
        NpuView& view = open<NpuView>("bert_block");
        auto* tileM = view.findChild<QSpinBox*>(QStringLiteral("npu.tile0"));
        auto* tileN = view.findChild<QSpinBox*>(QStringLiteral("npu.tile1"));
        auto* tileK = view.findChild<QSpinBox*>(QStringLiteral("npu.tile2"));
        for (QSpinBox* box : {tileM, tileN}) {
            box->setValue(100'000); // as large as it gets
            view.settle();
        }
        QVERIFY(!view.model().refused);
        const NpuResultPtr before = view.model().result;
        const QImage sharp = view.grab().toImage();
        tileK->setValue(100'000);
        view.settle();
        QCOMPARE(view.model().result, before);
        QVERIFY(view.model().refused);
        const QString& why = view.model().error;
        QVERIFY2(why.contains(QStringLiteral("bytes of SPM")), qPrintable(why));
        QVERIFY2(!why.contains(QLatin1Char('/')) && !why.contains(QStringLiteral(".json")) &&
                     !why.contains(QStringLiteral("ops[")),
                 qPrintable(why));
        QVERIFY(why.endsWith(QLatin1Char('.')));
        // The lanes are fainter than before.
        const QImage dim = view.grab().toImage();
        const QRect plot = view.places().plot.toRect();
        double contrastBefore = 0;
        double contrastNow = 0;
        const auto far = [&](const QImage& image, int x, int y) {
            const QColor c = image.pixelColor(x, y);
            const QColor canvas = Theme::light().canvas;
            return std::abs(c.red() - canvas.red()) + std::abs(c.green() - canvas.green()) +
                   std::abs(c.blue() - canvas.blue());
        };
        for (int x = plot.left(); x < plot.right(); x += 5)
            for (int y = plot.top(); y < plot.bottom(); y += 5) {
                contrastBefore += far(sharp, x, y);
                contrastNow += far(dim, x, y);
            }
        QVERIFY2(contrastNow < 0.7 * contrastBefore,
                 qPrintable(QStringLiteral("%1 %2").arg(contrastNow).arg(contrastBefore)));
        for (QSpinBox* box : {tileM, tileN, tileK})
            box->setValue(0);
        view.settle();
        QVERIFY(!view.model().refused);
        QVERIFY(view.model().error.isEmpty());
    }

    void theWheelScrollsTheSettings()
    {
        NpuView& view = open<NpuView>("conv_net", {1400, 360});
        auto* controls = view.findChild<QScrollArea*>(QStringLiteral("npu.controls"));
        auto* cores = view.findChild<QSpinBox*>(QStringLiteral("npu.cores"));
        controls->ensureWidgetVisible(cores);
        const int from = controls->verticalScrollBar()->value();
        QVERIFY(from > 0);
        const auto turn = [&](QWidget* at) {
            const QPointF middle = at->rect().center();
            QWheelEvent wheel(middle, at->mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QSpontaneKeyEvent::setSpontaneous(&wheel); // as from the mouse: only such wheels go on to parents
            qApp->notify(at, &wheel);
        };
        turn(cores);
        QCOMPARE(cores->value(), 4);
        QVERIFY(!cores->hasFocus());
        QVERIFY(controls->verticalScrollBar()->value() < from);
        cores->setFocus();
        turn(cores);
        QCOMPARE(cores->value(), 5);
    }

    void presetsSetAllHardware()
    {
        NpuView& view = open<NpuView>("conv_net");
        auto* preset = view.findChild<QComboBox*>(QStringLiteral("npu.preset"));
        QCOMPARE(preset->currentText(), QStringLiteral("default"));
        preset->setFocus();
        QTest::keyClick(preset, Qt::Key_Down);
        view.settle();
        const npu::NpuHardware contest = lower::npuHardwareOf(*machinePreset("contest"));
        QVERIFY(view.model().result->settings.hardware == contest);
        QCOMPARE(view.model().result->run->cores.size(), static_cast<std::size_t>(contest.cores));
        QCOMPARE(preset->currentText(), QStringLiteral("contest"));
        view.findChild<QSpinBox*>(QStringLiteral("npu.channels"))->setValue(2);
        QCOMPARE(preset->currentText(), QStringLiteral("custom"));
    }

    void impossibleHardwareIsOneSentence()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResultPtr before = view.model().result;
        auto* burst = view.findChild<QSpinBox*>(QStringLiteral("npu.burst"));
        burst->setValue(48);
        view.settle();
        QCOMPARE(view.model().result, before); // the picture stays
        QVERIFY2(view.model().error.contains(QStringLiteral("burst")), qPrintable(view.model().error));
        burst->setValue(64);
        view.settle();
        QVERIFY(view.model().error.isEmpty());
        QTemporaryDir folder;
        const QString bad = folder.filePath(QStringLiteral("bad.json"));
        QFile file(bad);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            R"({"name": "x", "hardware": {}, "tensors": [{"name": "a", "shape": [-4, 4]}], "ops": []})");
        file.close();
        (void)m_state->workspace.open(bad);
        QVERIFY2(view.model().error.contains(QStringLiteral("bad.json")), qPrintable(view.model().error));
        QCOMPARE(view.state().modelPath(), npuSample("conv_net"));
    }
};

TILEWRIGHT_TEST(TestNpuSettings)

} // namespace test_npu_settings
#include "test_npu_settings.moc"
