// SPDX-License-Identifier: GPL-3.0-or-later
// The view of an NPU run: what it shows against the engine, driven by mouse and keys.
#include "base/file.h"
#include "npu/best_policy.h"
#include "npu/instructions.h"
#include "npu/output.h"
#include "npu_bench.h"
#include "test_main.h"
#include "theme/text.h"
#include "views/npu/npu_files.h"
#include "views/npu/npu_text.h"
#include "workspace/systolic_document.h"

#include <QComboBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QWheelEvent>

#include <algorithm>

namespace test_npu_views {

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
        const auto model = npu::loadModel(npuSample("conv_net").toStdString());
        const auto graph = npu::buildGraph(*model, {});
        const auto best = npu::simulateBest(*graph, {}, {});
        QVERIFY(best.hasValue());
        const npu::NpuRun* run = &best->run;
        QCOMPARE(r.run->makespan, run->makespan);
        QCOMPARE(r.run->dramBytes, run->dramBytes);
        QCOMPARE(r.run->cores.size(), run->cores.size());
        QVERIFY(r.sentence.startsWith(QStringLiteral("DRAM binds")));
        QVERIFY(view.accessibleDescription().contains(r.sentence));
        // The stall table shows these cycles.
        auto* stalls = view.findChild<QTableView*>(QStringLiteral("npu.stalls"));
        QCOMPARE(stalls->model()->rowCount(), static_cast<int>(npu::kCoreStates));
        QCOMPARE(stalls->model()->columnCount(), 5);
        const double share = static_cast<double>(run->cores[2].of(npu::CoreState::WaitDram)) /
                             static_cast<double>(run->makespan);
        QVERIFY(std::abs(stalls->model()
                             ->index(static_cast<int>(npu::CoreState::WaitDram), 3)
                             .data()
                             .toString()
                             .chopped(2)
                             .toDouble() -
                         share * 100) < 0.051);
        QVERIFY(view.copyText().contains(
            QStringLiteral("\n2\t%1\t").arg(run->cores[2].of(npu::CoreState::Tensor))));
    }

    /// The header says one thing; how it comes about is in its tooltip.
    void theHeaderSaysOneThing()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResult& r = *view.model().result;
        const QString multiple = ui::significantNumber(static_cast<double>(r.run->makespan) /
                                                       static_cast<double>(r.bounds.lowerBound));
        QCOMPARE(view.lanes().title,
                 QStringLiteral("%1, %2 times the lower bound; DRAM binds %3 of the time")
                     .arg(ui::counted(r.run->makespan, QStringLiteral("cycle"), QStringLiteral("cycles")),
                          multiple, ui::percent(r.run->dramUtilization())));
        QVERIFY(view.lanes().sentence.startsWith(QStringLiteral("Depthwise-separable conv net, 56x56 · ")));
        QVERIFY(view.lanes().details.startsWith(r.sentence));
        QVERIFY(view.lanes().details.contains(QStringLiteral("the fastest of")));
    }

    /// While another model is simulated, the run before is pale and the header names what is awaited.
    void theRunBeforeIsPale()
    {
        NpuView& view = open<NpuView>("conv_net");
        QVERIFY(!view.lanes().dimmed);
        auto* side = view.findChild<QTabWidget*>(QStringLiteral("npu.side"));
        QVERIFY(view.state().openModel(npuSample("bert_block")));
        QVERIFY(view.state().isBusy() && view.state().isOutdated());
        QVERIFY(view.lanes().dimmed && !side->isEnabled());
        QVERIFY2(view.lanes().title.startsWith(QStringLiteral("Simulating BERT base block")),
                 qPrintable(view.lanes().title));
        QVERIFY(view.lanes().sentence.startsWith(QStringLiteral("Pale: the run before, of Depthwise")));
        view.settle();
        QVERIFY(!view.lanes().dimmed && side->isEnabled());
        QVERIFY(view.lanes().sentence.startsWith(QStringLiteral("BERT base block")));
    }

    /// docs/rules/npu.md 5.8: bytes from core to core in the lanes, in the figures and in the table.
    void coreToCoreTransfersAreShown()
    {
        NpuView& view = open<NpuView>("conv_net");
        const auto network = [&view] {
            const auto& lanes = view.lanes().lanes;
            return std::ranges::find(lanes, QStringLiteral("NoC"), &Lane::name)->facts.join(QLatin1Char(' '));
        };
        auto* table = view.findChild<QTableView*>(QStringLiteral("npu.operators"));
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentWidget(table);
        QVERIFY(!network().contains(QStringLiteral("core to core")));
        const int columns = table->model()->columnCount();
        const std::int64_t before = view.model().result->run->dramBytes;
        NpuSettings settings = view.state().settings();
        settings.hardware.coreToCore = true;
        view.state().setSettings(settings);
        view.settle();
        const npu::NpuRun& run = *view.model().result->run;
        QVERIFY(run.passedBytes > 0 && run.dramBytes < before);
        QVERIFY2(network().contains(QStringLiteral("core to core ") + ui::bytesText(run.passedBytes)),
                 qPrintable(network()));
        QCOMPARE(table->model()->columnCount(), columns + 1);
        QVERIFY(view.model().result->sentence.contains(QStringLiteral("went from core to core")));
    }

    /// docs/rules/npu.md 5.10: what the shared memory delivers, in a lane, in the table and of a load.
    void theSharedMemoryHasALane()
    {
        NpuView& view = open<NpuView>("conv_net");
        const auto lane = [&view]() -> const Lane* {
            const auto& lanes = view.lanes().lanes;
            const auto found = std::ranges::find(lanes, QStringLiteral("Shared memory"), &Lane::name);
            return found == lanes.end() ? nullptr : &*found;
        };
        auto* table = view.findChild<QTableView*>(QStringLiteral("npu.operators"));
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentWidget(table);
        QVERIFY(!lane() && !view.model().result->shared);
        const int columns = table->model()->columnCount();
        NpuSettings settings = view.state().settings();
        settings.hardware.shared = {.bytes = 1 << 20, .bytesPerCycle = 64, .multicast = true};
        view.state().setSettings(settings);
        view.settle();
        const npu::NpuRun& run = *view.model().result->run;
        QVERIFY(run.joinedBytes > 0);
        QVERIFY(lane());
        const QString facts = lane()->facts.join(QLatin1Char(' '));
        for (const QString& part : {QStringLiteral("one port of 64"), ui::bytesText(run.sharedBytes),
                                    QStringLiteral("multicast ") + ui::bytesText(run.joinedBytes)})
            QVERIFY2(facts.contains(part), qPrintable(facts));
        const double end = static_cast<double>(run.makespan);
        QVERIFY(std::abs(view.model().result->shared->mean(0, end) * end -
                         static_cast<double>(run.sharedBytes)) < 1);
        QVERIFY(lane()->readout(0, 0.5).contains(QStringLiteral("to the cores at cycle 0")));
        QCOMPARE(table->model()->columnCount(), columns + 1);
        settings.hardware.shared.readBytesPerCycle = 48;
        settings.hardware.shared.writeBytesPerCycle = 16;
        view.state().setSettings(settings);
        view.settle();
        QVERIFY(lane()->facts.front() == QStringLiteral("reads 48, writes 16"));
    }

    /// The operators of `npu --csv`; a row selects its operator, and a selected node its row.
    void theOperatorsAreATable()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResult& r = *view.model().result;
        auto* side = view.findChild<QTabWidget*>(QStringLiteral("npu.side"));
        auto* table = view.findChild<QTableView*>(QStringLiteral("npu.operators"));
        side->setCurrentWidget(table);
        const auto reports = npu::opReports(*r.graph, *r.run);
        QCOMPARE(table->model()->rowCount(), static_cast<int>(reports.size()));
        table->setCurrentIndex(table->model()->index(2, 0));
        QVERIFY(view.state().node());
        QCOMPARE(r.graph->nodes[*view.state().node()].op, std::uint32_t{2});
        std::uint32_t last = static_cast<std::uint32_t>(r.graph->nodes.size()) - 1;
        view.state().selectNode(last);
        QCOMPARE(table->currentIndex().row(), static_cast<int>(r.graph->nodes[last].op));
    }

    /// The card of a node has the three terms of its choice (docs/rules/npu.md 5.4).
    void theNodeSaysWhyItWasChosen()
    {
        NpuView& view = open<NpuView>("bert_block");
        NpuSettings settings = view.state().settings();
        settings.best = false;
        settings.options.scheduler = npu::Scheduler::Dynamic;
        view.state().setSettings(settings);
        view.settle();
        const NpuResult& r = *view.model().result;
        const std::uint32_t node = r.run->cores[1].choices.front().node;
        view.state().selectNode(node);
        const npu::ChoiceScore& s = r.run->scores[r.graph->nodes[node].unit];
        const QString want =
            QStringLiteral("score %1 of %2: 1 × %3 path + 0.3 × %4 intensity − "
                           "0.5 × %5 DRAM stall")
                .arg(number(s.of({})), counted(s.candidates, tr("candidate"), tr("candidates")),
                     number(s.criticalPath), number(s.intensity), number(s.dramStall));
        QString card = view.findChild<QLabel*>(QStringLiteral("npu.node"))->text();
        QVERIFY2(card.contains(want), qPrintable(card + want));
        // A list has no scores.
        settings.options.scheduler = npu::Scheduler::Static;
        view.state().setSettings(settings);
        view.settle();
        view.state().selectNode(node);
        card = view.findChild<QLabel*>(QStringLiteral("npu.node"))->text();
        QVERIFY(!card.contains(QStringLiteral("candidate")));
    }

    /// The card of a node has the place of each of its tiles (docs/rules/npu.md 2.5).
    void theNodeHasItsTiles()
    {
        NpuView& view = open<NpuView>("kv_three_banks");
        const NpuResult& r = *view.model().result;
        view.state().selectNode(0);
        const QString card = view.findChild<QLabel*>(QStringLiteral("npu.node"))->text();
        const std::uint32_t tile =
            r.graph->inputs(0).empty() ? r.graph->outputs(0)[0] : r.graph->inputs(0)[0];
        const npu::TileDesc& t = r.graph->tiles[tile];
        QVERIFY2(card.contains(tileFacts(r, tile)), qPrintable(card));
        QVERIFY(tileFacts(r, tile).contains(QStringLiteral("address %1").arg(ui::number(t.dramBase))));
        const npu::TileBursts bursts = npu::burstsOf(r.settings.hardware.dram, r.graph->tensors[t.tensor], t);
        QCOMPARE(bursts.bursts * r.settings.hardware.dram.burstBytes, t.alignedBytes);
        QVERIFY(!bursts.channels.empty() && !bursts.banks.empty());
    }

    /// The window writes what the verb writes.
    void theFilesAreThoseOfTheVerb()
    {
        NpuView& view = open<NpuView>("conv_net");
        const NpuResult& r = *view.model().result;
        const QTemporaryDir folder;
        const auto written = [&](NpuFile what) {
            const QString path = folder.filePath(npuFileName(r, what));
            const Status done = writeNpuFile(r, what, path);
            const auto text = readFile(path.toStdString());
            return done && text ? *text : std::string();
        };
        const npu::NpuHardware& hw = r.settings.hardware;
        QCOMPARE(written(NpuFile::Graph),
                 npu::graphToJson(*r.graph, hw,
                                  npu::makeStaticSchedule(*r.graph, hw, r.settings.options.assignment)));
        QCOMPARE(written(NpuFile::Trace), npu::traceToJson(*r.graph, *r.run));
        QCOMPARE(written(NpuFile::Operators), npu::opReportsToCsv(npu::opReports(*r.graph, *r.run)));
        QVERIFY(!writeNpuFile(r, NpuFile::Graph, folder.filePath(QStringLiteral("none/graph.json"))));
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

    void verifyListsTheRules()
    {
        NpuView& view = open<NpuView>("kv_three_banks");
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentIndex(4);
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
        view.findChild<QTabWidget*>(QStringLiteral("npu.side"))->setCurrentIndex(3);
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

TILEWRIGHT_TEST(TestNpuViews)

} // namespace test_npu_views
#include "test_npu_views.moc"
