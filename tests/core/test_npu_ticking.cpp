// SPDX-License-Identifier: GPL-3.0-or-later
// Spec section 5: the event simulation agrees with a ticking reference on every event.
#include "npu_random.h"
#include "npu_ticking.h"

#include <QTest>

#include <algorithm>
#include <array>

using namespace tilewright;
using namespace tilewright::npu;

class TestNpuTicking : public QObject
{
    Q_OBJECT

private slots:
    void rule_5_agreesWithTickingReference();
};

void TestNpuTicking::rule_5_agreesWithTickingReference()
{
    int compared = 0;
    Cycle cycles = 0;
    std::size_t events = 0;
    std::array<Cycle, kCoreStates> seen{};
    for (std::uint64_t seed = 1; compared < 300; ++seed) {
        QVERIFY2(seed < 2000, "too few small cases");
        test::RandomCase random(seed);
        NpuHardware hw = random.hardware(3);
        const NpuModel model = random.model(12);
        const NpuGraph graph = random.graph(model, hw);
        const RunOptions options = random.options();
        if (graph.nodes.size() > 120)
            continue;
        const auto run = simulate(graph, hw, options);
        QVERIFY2(run, run ? "" : qPrintable(QString::fromStdString(run.error().text())));
        if (run->makespan > 12000)
            continue;
        ++compared;
        test::TickResult tick = test::TickingMachine(graph, hw, options).run(run->makespan + 10);
        const auto where = [&](const char* what) {
            return QStringLiteral("%1 of seed %2").arg(QLatin1String(what)).arg(seed).toLatin1();
        };
        QVERIFY2(tick.makespan == run->makespan, where("makespan"));
        for (std::size_t c = 0; c < run->cores.size(); ++c) {
            const CoreRun& core = run->cores[c];
            QVERIFY2(core.tensor == tick.tensor[c], where("tensor events"));
            QVERIFY2(core.vector == tick.vector[c], where("vector events"));
            QVERIFY2(core.loads == tick.loads[c], where("loads"));
            QVERIFY2(core.stores == tick.stores[c], where("stores"));
            events += core.tensor.size() + core.vector.size() + core.loads.size() + core.stores.size();
            for (std::size_t s = 0; s < kCoreStates; ++s)
                seen[s] += core.cycles[s];
            std::size_t step = 0;
            for (Cycle t = 0; t < run->makespan; ++t) {
                const StateSpan* span = run->stateAt(c, t);
                QVERIFY2(span && span->state == tick.states[c][static_cast<std::size_t>(t)],
                         where(qPrintable(QStringLiteral("state of core %1 at %2").arg(c).arg(t))));
                while (step + 1 < core.spm.size() && core.spm[step + 1].time <= t)
                    ++step;
                QVERIFY2(core.spm[step].value == tick.spm[c][static_cast<std::size_t>(t)], where("SPM"));
            }
        }
        std::size_t step = 0;
        for (Cycle t = 0; t < run->makespan; ++t) {
            while (step + 1 < run->readySet.size() && run->readySet[step + 1].time <= t)
                ++step;
            QVERIFY2(run->readySet[step].value == tick.ready[static_cast<std::size_t>(t)],
                     where("ready set"));
        }
        const auto order = [](const DramEvent& a, const DramEvent& b) {
            return std::pair(a.start, a.channel) < std::pair(b.start, b.channel);
        };
        auto dram = run->dramEvents;
        std::sort(dram.begin(), dram.end(), order);
        std::sort(tick.dram.begin(), tick.dram.end(), order);
        QVERIFY2(dram == tick.dram, where("DRAM events"));
        events += dram.size();
        cycles += run->makespan;
    }
    QVERIFY(events > 10000);
    for (std::size_t s = 0; s < kCoreStates; ++s) // the cases reach every state
        QVERIFY2(seen[s] > 0, toString(static_cast<CoreState>(s)).data());
    qInfo("%d cases, %lld cycles, %zu events agree", compared, static_cast<long long>(cycles), events);
}

QTEST_APPLESS_MAIN(TestNpuTicking)
#include "test_npu_ticking.moc"
