// SPDX-License-Identifier: GPL-3.0-or-later
// The view of an NPU run: what it shows against the engine, driven by mouse and keys.
#include "lower/machine_lenses.h"
#include "npu/instructions.h"
#include "npu_bench.h"
#include "views/npu/npu_text.h"
#include "workspace/systolic_document.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFile>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QWheelEvent>

using namespace tilewright;
using namespace tilewright::ui;

class TestNpuViews : public NpuBench
{
    Q_OBJECT

private Q_SLOTS:
    void cleanup() { close(); }

    void theRunIsTheEngines()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResult& r = *view.model().result;
        const auto model = npu::loadModel(sample("conv_net").toStdString());
        const auto graph = npu::buildGraph(*model, {});
        const auto run = npu::simulate(*graph, {}, {});
        QCOMPARE(r.run->makespan, run->makespan);
        QCOMPARE(r.run->dramBytes, run->dramBytes);
        QCOMPARE(r.run->cores.size(), run->cores.size());
        QVERIFY(r.sentence.startsWith(QStringLiteral("DRAM binds")));
        QVERIFY(view.accessibleDescription().contains(r.sentence));
        // The stall table shows these cycles.
        auto* stalls = view.findChild<QTableWidget*>(QStringLiteral("npu.stalls"));
        QCOMPARE(stalls->rowCount(), static_cast<int>(npu::kCoreStates));
        QCOMPARE(stalls->columnCount(), 5);
        const double share = static_cast<double>(run->cores[2].of(npu::CoreState::WaitDram)) /
                             static_cast<double>(run->makespan);
        QVERIFY(
            std::abs(
                stalls->item(static_cast<int>(npu::CoreState::WaitDram), 2)->text().chopped(2).toDouble() -
                share * 100) < 0.051);
        QVERIFY(view.copyText().contains(
            QStringLiteral("\n2\t%1\t").arg(run->cores[2].of(npu::CoreState::Tensor))));
    }

    void columnsLoseNothing()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResult& r = *view.model().result;
        const auto total = static_cast<double>(r.run->makespan);
        for (const int width : {37, 640}) {
            const DramColumns c = DramColumns::of(r, 0, total, width);
            const double perPixel = total / width;
            for (std::size_t core = 0; core < r.run->cores.size(); ++core) {
                const auto& lanes = view.lanes().lanes;
                const std::size_t lane = laneOf(view, QStringLiteral("Core %1").arg(core), core);
                const LaneColumns states = laneColumns(lanes[lane], 0, total, width);
                std::array<double, npu::kCoreStates> cycles{};
                int x = 0;
                for (const ShareColumn& s : states.shares[0][0]) {
                    QCOMPARE(s.x, x);
                    x += s.width;
                    double sum = 0;
                    for (std::size_t i = 0; i < npu::kCoreStates; ++i) {
                        cycles[i] += static_cast<double>(s.share[i]) * perPixel * s.width;
                        sum += static_cast<double>(s.share[i]);
                    }
                    QVERIFY(std::abs(sum - 1) < 1e-3);
                }
                QCOMPARE(x, width);
                for (std::size_t i = 0; i < npu::kCoreStates; ++i)
                    QVERIFY(std::abs(cycles[i] - static_cast<double>(r.run->cores[core].cycles[i])) <
                            total * 1e-3);
                std::int64_t peak = 0;
                double highest = 0;
                for (const npu::TimedValue& s : r.run->cores[core].spm)
                    peak = std::max(peak, s.value);
                const std::size_t spm = laneOf(view, QStringLiteral("SPM"), core);
                for (const LowHigh& m : laneColumns(lanes[spm], 0, total, width).curve)
                    highest = std::max(highest, m.high);
                QCOMPARE(highest, static_cast<double>(peak));
            }
            double dram = 0;
            double banks = 0;
            double onNoc = 0;
            for (const float v : c.dram)
                dram += static_cast<double>(v) * perPixel;
            for (const BankCell& cell : c.banks)
                banks += static_cast<double>(cell.bytesPerCycle) * perPixel;
            for (const LowHigh& v :
                 laneColumns(view.lanes().lanes[laneOf(view, QStringLiteral("NoC"))], 0, total, width).curve)
                onNoc += v.high * perPixel;
            const auto moved = static_cast<double>(r.run->dramBytes);
            QVERIFY(c.exact);
            QVERIFY(std::abs(dram - moved) < moved * 1e-3);
            QVERIFY(std::abs(banks - moved) < moved * 1e-3);
            QVERIFY(std::abs(onNoc - moved) < moved * 1e-3);
        }
        // Without single events the binned series has the same bytes.
        npu::NpuRun binned = *r.run;
        binned.dramEvents.clear();
        binned.options.recordDram = false;
        NpuResult without = r;
        without.run = std::make_shared<const npu::NpuRun>(binned);
        const DramColumns c = DramColumns::of(without, 0, total, 300);
        QVERIFY(!c.exact);
        double dram = 0;
        for (const float v : c.dram)
            dram += static_cast<double>(v) * total / 300;
        QVERIFY(std::abs(dram - static_cast<double>(r.run->dramBytes)) <
                static_cast<double>(r.run->dramBytes) * 1e-3);
    }

    void clickPinsCursorAndNode()
    {
        NpuView& view = open<NpuView>("conv_net");
        const npu::ComputeSpan* longest = nullptr;
        for (const npu::ComputeSpan& s : view.model().result->run->cores[1].tensor)
            if (!longest || s.end - s.start > longest->end - longest->start)
                longest = &s;
        const double middle = static_cast<double>(longest->start + longest->end) / 2;
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          shown(view, laneOf(view, QStringLiteral("tensor, vector"), 1), middle));
        QCOMPARE(view.state().node(), longest->node);
        QVERIFY(std::abs(static_cast<double>(*view.state().cursor()) - middle) <
                view.model().total / view.places().plot.width() * 1.5);
        // F looks at the node, Home at everything.
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_F);
        QVERIFY(view.visibleRange().first <= static_cast<double>(longest->start));
        QVERIFY(view.visibleRange().second >= static_cast<double>(longest->end));
        QVERIFY(view.visibleRange().second - view.visibleRange().first < view.model().total / 2);
        QTest::keyClick(&view, Qt::Key_Home);
        QCOMPARE(view.visibleRange(), (std::pair<double, double>{0, view.model().total}));
        // The next stretch of the same core begins where this one ends.
        const npu::StateSpan* before = view.model().result->run->stateAt(1, *view.state().cursor());
        QTest::keyClick(&view, Qt::Key_Period);
        QCOMPARE(*view.state().cursor(), before->end);
        QTest::keyClick(&view, Qt::Key_Escape);
        QVERIFY(!view.state().cursor());
        QVERIFY(!view.state().node());
    }

    void theCursorPlays()
    {
        NpuView& view = open<NpuView>("conv_net");
        const auto makespan = static_cast<double>(view.model().result->run->makespan);
        view.setFocus();
        QTest::keyClick(&view, Qt::Key_Space);
        Q_EMIT m_state->clock.tick(5.0); // the whole run in ten seconds
        QVERIFY(view.state().cursor());
        QVERIFY(std::abs(static_cast<double>(*view.state().cursor()) - makespan / 2) < makespan * 0.01);
        for (int i = 0; i < 10; ++i) // goes on in small steps
            Q_EMIT m_state->clock.tick(0.016);
        QVERIFY(static_cast<double>(*view.state().cursor()) > makespan * 0.505);
        QTest::keyClick(&view, Qt::Key_Space); // pauses
        const npu::Cycle at = *view.state().cursor();
        Q_EMIT m_state->clock.tick(1.0);
        QCOMPARE(*view.state().cursor(), at);
    }

    void zoomReachesOneBurst()
    {
        NpuView& view = open<NpuView>("conv_net");
        const npu::DramEvent& event =
            view.model().result->run->dramEvents[view.model().result->run->dramEvents.size() / 2];
        const double at = static_cast<double>(event.start + event.end) / 2;
        for (int i = 0; i < 80; ++i) {
            const QPointF p = view.pointIn(0, at);
            QWheelEvent wheel(p, view.mapToGlobal(p), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                              Qt::NoScrollPhase, false);
            QApplication::sendEvent(&view, &wheel);
        }
        const auto [from, to] = view.visibleRange();
        QCOMPARE(to - from, 16.0);
        QVERIFY(from <= at && at <= to);
        // The bank's lane names the single event with its row hit or miss.
        const auto& dram = view.model().result->settings.hardware.dram;
        const std::size_t lane = laneOf(view, QStringLiteral("DRAM banks"));
        QPointF p = shown(view, lane, at);
        const QRectF rect = view.places().lanes[lane].rect;
        p.setY(rect.top() + rect.height() * (event.channel * dram.banks + event.bank + 0.5) /
                                (dram.channels * dram.banks));
        const QString text = view.readoutAt(p);
        QVERIFY2(text.contains(QStringLiteral("channel %1, bank %2").arg(event.channel).arg(event.bank)),
                 qPrintable(text));
        QVERIFY2(text.contains(event.rowHit ? QStringLiteral("row hit") : QStringLiteral("row miss")),
                 qPrintable(text));
        QVERIFY2(text.contains(QStringLiteral("0x") + QString::number(event.address, 16)), qPrintable(text));
        // The overview's bar moves the range back out.
        const QRectF overview = view.places().overview;
        QTest::mouseClick(&view, Qt::LeftButton, {},
                          QPointF(overview.left() + 12, overview.center().y()).toPoint());
        QVERIFY(view.visibleRange().first < view.model().total * 0.05);
    }

    void hoverNamesReasonAndBlocker()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResult& r = *view.model().result;
        bool dram = false;
        bool dependency = false;
        for (std::size_t c = 0; c < r.run->cores.size(); ++c)
            for (const npu::StateSpan& s : r.run->cores[c].states) {
                const double perPixel = view.model().total / view.places().plot.width();
                if (static_cast<double>(s.end - s.start) < 3 * perPixel)
                    continue;
                const QPoint p = shown(view, laneOf(view, QStringLiteral("Core %1").arg(c), c),
                                       static_cast<double>(s.start + s.end) / 2);
                if (!dram && s.state == npu::CoreState::WaitDram && s.tile != npu::kNone) {
                    QTest::mouseMove(&view, p);
                    QTRY_COMPARE(view.state().hoverNode(), s.node);
                    QVERIFY(view.readoutAt(p).contains(tileText(*r.graph, s.tile)));
                    QVERIFY(view.readoutAt(p).contains(QStringLiteral("Wait DRAM")));
                    QVERIFY(view.tooltipAt(p).contains(tileText(*r.graph, s.tile)));
                    dram = true;
                }
                if (!dependency && s.state == npu::CoreState::WaitDependency) {
                    const NpuBlocker b = blockerOf(r, c, s);
                    if (b.blocker == npu::kNone || b.tile == npu::kNone)
                        continue;
                    // The wait ends when the blocker's result is there, and the tile is the blocker's.
                    QVERIFY(r.run->storedAt[b.blocker] <= s.end || r.run->coreOf[b.blocker] == c);
                    QVERIFY(r.run->storedAt[b.blocker] > s.start);
                    const auto outputs = r.graph->outputs(b.blocker);
                    QVERIFY(std::find(outputs.begin(), outputs.end(), b.tile) != outputs.end());
                    QVERIFY(view.readoutAt(p).contains(nodeText(*r.graph, b.blocker)));
                    QVERIFY(view.readoutAt(p).contains(tileText(*r.graph, b.tile)));
                    dependency = true;
                }
            }
        QVERIFY(dram);
        QVERIFY(dependency);
    }

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
        QCOMPARE(view.model().result->graph, before->graph); // the tiles did not change
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
        QTest::keyClick(scheduler, Qt::Key_Up);
        view.settle();
        QVERIFY(view.model().result->run->options.scheduler == npu::Scheduler::Static);
        QVERIFY(!view.findChild<QDoubleSpinBox*>(QStringLiteral("npu.w1"))->isEnabled());
        auto* banks = view.findChild<QSpinBox*>(QStringLiteral("npu.banks"));
        banks->setFocus();
        QTest::keyClick(banks, Qt::Key_Up);
        view.settle();
        QCOMPARE(view.model().result->run->hardware.dram.banks, 32);
        QCOMPARE(view.model().ghost, kept);
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

    void theWordsBesideTheLanesAreWhole()
    {
        NpuView& view = open<NpuView>("bert_block");
        view.resize(1000, 420); // the lanes are scrolled
        view.settle();
        const LanePlaces places = view.places();
        QVERIFY(places.contentHeight > places.plot.height());
        QVERIFY(!places.facts.isEmpty() && places.facts.right() > places.title.right() + 20);
        // The bar of a core's cycles goes to the end.
        const QImage picture = view.grab().toImage();
        bool drawn = false;
        for (int y = static_cast<int>(places.facts.top()); y < static_cast<int>(places.facts.bottom()); ++y)
            drawn = drawn || picture.pixelColor(static_cast<int>(places.facts.right()) - 6, y) !=
                                 Theme::light().canvas;
        QVERIFY(drawn);
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
        QCOMPARE(view.state().modelPath(), sample("conv_net"));
    }

    void verifyListsTheRules()
    {
        NpuView& view = open<NpuView>("kv_three_banks");
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentIndex(3);
        auto* list = view.findChild<QListWidget*>(QStringLiteral("npu.checks"));
        QCOMPARE(list->count(), 1);
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("npu.verify")), Qt::LeftButton);
        view.settle();
        const auto& r = *view.model().result;
        const std::size_t rules = npu::verifyGraph(*r.graph).size() + npu::verifyRun(*r.graph, *r.run).size();
        QCOMPARE(view.state().checks().size(), rules);
        QVERIFY(npu::allPassed(view.state().checks()));
        QCOMPARE(list->count(), static_cast<int>(rules) + 1);
        QVERIFY(list->item(0)->text().startsWith(QStringLiteral("%1 of %1").arg(rules)));
        QVERIFY(list->item(1)->text().startsWith(QStringLiteral("holds:")));
    }

    void instructionsLeadTheCursor()
    {
        NpuView& view = open<NpuView>("conv_net");
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentIndex(2);
        view.settle();
        const auto& r = *view.model().result;
        const auto programs = npu::instructionsOf(*r.graph, *r.run);
        auto* list = view.findChild<QTableView*>(QStringLiteral("npu.instructions"));
        QCOMPARE(list->model()->rowCount(), static_cast<int>(programs[0].size()));
        QTest::mouseClick(list->viewport(), Qt::LeftButton, {},
                          list->visualRect(list->model()->index(5, 2)).center());
        QCOMPARE(view.state().cursor(), programs[0][5].issued);
        QCOMPARE(view.state().node(), programs[0][5].node);
        auto* core = view.findChild<QComboBox*>(QStringLiteral("npu.instructionCore"));
        core->setFocus();
        QTest::keyClick(core, Qt::Key_Down);
        QCOMPARE(list->model()->rowCount(), static_cast<int>(programs[1].size()));
        // The cursor leads back: the row issued last before it.
        view.state().setCursor(programs[1].back().issued);
        QCOMPARE(list->currentIndex().row(), static_cast<int>(programs[1].size()) - 1);
    }

    void aMatMulOpensInTheSystolicLens()
    {
        NpuView& view = open<NpuView>("bert_block");
        const NpuResult& r = *view.model().result;
        std::uint32_t node = 0;
        while (r.graph->nodes[node].type != npu::NodeType::MatMul)
            ++node;
        view.state().selectNode(node);
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentIndex(1);
        QSignalSpy spy(&m_state->workspace, &Workspace::gemmOpened);
        const auto& shown = m_state->workspace.systolic().settings();
        QTest::mouseClick(view.findChild<QPushButton*>(QStringLiteral("npu.openSystolic")), Qt::LeftButton);
        QCOMPARE(spy.size(), 1);
        QCOMPARE(shown.gemm.m, r.graph->nodes[node].m);
        QCOMPARE(shown.gemm.n, r.graph->nodes[node].n);
        QCOMPARE(shown.gemm.k, r.graph->nodes[node].k);
        QCOMPARE(QString::fromStdString(shown.origin), nodeText(*r.graph, node));
        // A vector node has nothing to show there.
        std::uint32_t vector = 0;
        while (r.graph->nodes[vector].type != npu::NodeType::Vector)
            ++vector;
        view.state().selectNode(vector);
        QVERIFY(!view.findChild<QPushButton*>(QStringLiteral("npu.openSystolic"))->isVisible());
    }
};

QTEST_MAIN(TestNpuViews)
#include "test_npu_views.moc"
