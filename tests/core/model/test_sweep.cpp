// SPDX-License-Identifier: GPL-3.0-or-later
// What a sweep computes, against what each lens computes alone, exhaustive search and closed forms:
// docs/rules/sweep.md 2.5 to 4.
#include "eval/lower_bound.h"
#include "files.h"
#include "lower/machine_lenses.h"
#include "lower/network_table.h"
#include "lower/on_machine.h"
#include "mapping/model_search.h"
#include "npu/run.h"
#include "npu/tile_search.h"
#include "random_cases.h"
#include "schedule/schedule_json.h"
#include "solve/search/solver.h"
#include "solve_brute_force.h"
#include "sweep_support.h"
#include "test_main.h"
#include "workload/generate.h"

#include <QtTest>

#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>

namespace test_sweep {

using namespace tilewright;
using namespace tilewright::test;

namespace {

ProblemPtr load(const QString& path)
{
    auto problem = loadProblem(path.toStdString());
    if (!problem)
        qFatal("%s", problem.error().text().c_str());
    return *problem;
}

/// Index of a metric.
std::size_t at(const sweep::Plan& plan, std::string_view name)
{
    const auto names = sweep::metricsOf(plan);
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

/// The least traffic of C[M,N] = A[M,K] x B[K,N] with one subgraph, in closed form: with tiles of h x w and
/// chunks of k the operands of every tile are loaded once, except that with whole K (k = K) the strip of A
/// (or of B) stays while the tiles of its row (or column) follow each other, and the other strip at the turns
/// of a snake; where one tile is the whole row and column, nothing is loaded twice.
double leastTraffic(std::int64_t m, std::int64_t n, std::int64_t k, std::int64_t capacity)
{
    double least = INFINITY;
    for (std::int64_t h = 1; h <= m; ++h)
        for (std::int64_t w = 1; w <= n; ++w) {
            const std::int64_t rows = ceilDiv(m, h);
            const std::int64_t cols = ceilDiv(n, w);
            if (h * w + h + w <= capacity) // k = 1 is the smallest chunk, and the traffic the same for all
                least = std::min(least, static_cast<double>(cols * m * k + rows * k * n + m * n));
            if (h * w + (h + w) * k > capacity)
                continue;
            // Turns at the right and left end in turn: a ragged strip at the right, a whole one at the left.
            const auto kept = [](std::int64_t turns, std::int64_t last, std::int64_t first) {
                return ceilDiv(turns, 2) * last + turns / 2 * first;
            };
            const std::int64_t lastW = n - (cols - 1) * w;
            const std::int64_t lastH = m - (rows - 1) * h;
            const std::int64_t byRows = m * k + rows * k * n - k * kept(rows - 1, lastW, w);
            const std::int64_t byCols = n * k + cols * k * m - k * kept(cols - 1, lastH, h);
            least = std::min(least, static_cast<double>(m * n + std::min(byRows, byCols)));
        }
    return least;
}

ProblemPtr product(std::int64_t m, std::int64_t n, std::int64_t k)
{
    ProblemBuilder b("product", {1 << 20, 1, n, m, k});
    const TensorId lhs = b.input(m, k, "A");
    const TensorId rhs = b.input(k, n, "B");
    b.matmul(lhs, rhs, "C");
    return *b.build();
}

std::size_t residentBytes()
{
    std::ifstream file("/proc/self/statm");
    std::size_t total = 0;
    std::size_t resident = 0;
    file >> total >> resident;
    return resident * 4096;
}

const sweep::Row& rowAt(const sweep::SweepTable& table, std::size_t i)
{
    return table.rows[i];
}

} // namespace

class TestSweep : public QObject
{
    Q_OBJECT
private slots:
    /// docs/rules/sweep.md 2.5: any number of threads, any parts, any order give the same table.
    void tablesDoNotDependOnThreadsOrParts()
    {
        const sweep::Sweep sweep = sweepOf(load(sample("attention-block.json")), R"({"workload": "problem",
            "axes": [{"name": "fast_memory_capacity", "from": 20000, "to": 600000, "points": 7, "scale": "log2"},
                     {"name": "slow_memory_bandwidth", "values": [10, 40]}],
            "budget": {"iterations": 400}, "objectives": ["latency", "fast_memory_capacity"]})");
        const std::string expected = sweep::tableCsv(runAll(sweep, 1));
        QVERIFY(expected.size() > 200);
        QCOMPARE(sweep::tableCsv(runAll(sweep, 2)), expected);
        QCOMPARE(sweep::tableCsv(runAll(sweep, 5)), expected);
        MemorySink memory;
        for (const std::size_t part : {3U, 1U, 4U, 2U, 3U}) { // one twice
            sweep::RunOptions options;
            options.threads = 2;
            options.part = {part, 4};
            const auto state = sweep::runSweep(sweep, memory.sink(), options);
            QVERIFY(state);
            QCOMPARE(state->toGo(), std::size_t{0});
        }
        QCOMPARE(sweep::tableCsv(memory.table(sweep)), expected);
    }

    /// docs/rules/sweep.md 2.6: what a run keeps does not grow with the points.
    void runningTakesConstantMemory()
    {
#ifdef __SANITIZE_ADDRESS__
        QSKIP("the sanitizer keeps what is freed");
#endif
        const sweep::Sweep sweep =
            sweepOf(load(sample("example-1.json")), R"({"workload": "problem", "what": "bound",
            "axes": [{"name": "fast_memory_capacity", "from": 100000, "to": 1099999, "points": 1000000}]})");
        QCOMPARE(sweep.plan().pointCount(), sweep::kMaxPoints);
        std::atomic<std::size_t> puts = 0;
        std::stop_source stop;
        std::atomic<std::size_t> early = 0;
        sweep::RunOptions options;
        options.threads = 2;
        options.stop = stop.get_token();
        const sweep::Sink sink{[](std::size_t) { return false; },
                               [&](std::size_t, const sweep::PointResult&, double) -> Status {
                                   const std::size_t n = ++puts;
                                   if (n == 2'000)
                                       early = residentBytes();
                                   if (n == 40'000)
                                       stop.request_stop();
                                   return Unit{};
                               }};
        const auto state = sweep::runSweep(sweep, sink, options);
        QVERIFY(state && state->stopped);
        QVERIFY(puts >= 40'000);
        QVERIFY2(residentBytes() < early + (4U << 20), "the memory grows with the points");
    }

    void stoppingGivesUpThePointsInWork()
    {
        const sweep::Sweep sweep = sweepOf(load(sample("model-150-ops.json")), R"({"workload": "problem",
            "axes": [{"name": "slow_memory_bandwidth", "from": 1, "to": 100, "points": 100}],
            "budget": {"iterations": 1000000000}})");
        MemorySink memory;
        std::stop_source stop;
        sweep::RunOptions options;
        options.threads = 2;
        options.stop = stop.get_token();
        options.onState = [&](const sweep::RunState&) { stop.request_stop(); };
        const auto state = sweep::runSweep(sweep, memory.sink(), options);
        QVERIFY(state && state->stopped);
        QCOMPARE(state->computed, std::size_t{0});
        QVERIFY(memory.results().empty());
    }

    /// With one thread another point is computed while a file is on its way to the disk: the first two wait
    /// for one another.
    void waitingForTheDiskHoldsUpNobody()
    {
        const sweep::Sweep sweep = sweepOf(product(8, 8, 8), R"({"workload": "problem", "what": "bound",
            "axes": [{"name": "fast_memory_capacity", "from": 100, "to": 107, "points": 8}]})");
        MemorySink memory;
        sweep::Sink sink = memory.sink();
        std::mutex mutex;
        std::condition_variable changed;
        int begun = 0;
        bool together = true;
        const auto keep = sink.put;
        sink.put = [&](std::size_t i, const sweep::PointResult& result, double seconds) -> Status {
            {
                std::unique_lock lock(mutex);
                ++begun;
                changed.notify_all();
                together =
                    changed.wait_for(lock, std::chrono::seconds(20), [&] { return begun >= 2; }) && together;
            }
            return keep(i, result, seconds);
        };
        sweep::RunOptions options;
        options.threads = 1;
        const auto state = sweep::runSweep(sweep, sink, options);
        QVERIFY(state && state->computed == 8);
        QVERIFY(together);
    }

    /// docs/rules/sweep.md 2.3: what cannot be written ends the run with its sentence.
    void aSinkThatFailsEndsTheRun()
    {
        const sweep::Sweep sweep =
            sweepOf(load(sample("example-1.json")), R"({"workload": "problem", "what": "bound",
            "axes": [{"name": "fast_memory_capacity", "from": 100000, "to": 100999, "points": 1000}]})");
        std::atomic<int> puts = 0;
        const sweep::Sink sink{
            [](std::size_t) { return false; },
            [&](std::size_t, const sweep::PointResult&, double) -> Status {
                if (++puts < 10)
                    return Unit{};
                return Error{ErrorCode::Io, "cannot be written (No space left on device)", {}, "r"};
            }};
        const auto state = sweep::runSweep(sweep, sink, {});
        QVERIFY(!state);
        QCOMPARE(state.error().text(), std::string("r: cannot be written (No space left on device)"));
        QVERIFY(puts < 20);
    }

    // -- docs/rules/sweep.md 3: each lens as it computes alone

    void evaluateIsTheEvaluatorsLatency()
    {
        const ProblemPtr problem = load(sample("attention-block.json"));
        QFile file(sample("attention-block.fused.schedule.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        sweep::Sweep sweep =
            sweepOf(problem, R"({"workload": "problem", "what": "evaluate", "schedule": "s.json",
            "axes": [{"name": "slow_memory_bandwidth", "values": [5, 20, 80]},
                     {"name": "fast_memory_capacity", "values": [400000, 1000]}]})");
        sweep.scheduleText = file.readAll().toStdString();
        const sweep::SweepTable table = runAll(sweep);
        for (std::size_t i = 0; i < 3; ++i) {
            Problem::Data data = problem->data();
            data.hardware.slowMemoryBandwidth = std::array{5, 20, 80}[i];
            const ProblemPtr there = *Problem::build(data);
            const auto loaded = readSchedule(*there, sweep.scheduleText, "s.json");
            const Evaluation e = evaluate(*there, loaded->schedule, {});
            QCOMPARE(rowAt(table, 2 * i).metrics[at(sweep.plan(), "latency")], e.total);
            QCOMPARE(rowAt(table, 2 * i).metrics[at(sweep.plan(), "lower_bound")],
                     lowerBound(*there, {}).value);
            QVERIFY(rowAt(table, 2 * i + 1).error.find("the schedule is not valid here: OOM in subgraph") ==
                    0);
        }
        QCOMPARE(table.failed, std::size_t{3});
    }

    void solveIsTheSolversResult()
    {
        const ProblemPtr problem = load(sample("diamond.json"));
        const sweep::Sweep sweep = sweepOf(problem, R"({"workload": "problem", "seed": 3,
            "axes": [{"name": "fast_memory_capacity", "values": [50000]}], "budget": {"iterations": 300}})");
        Problem::Data data = problem->data();
        data.hardware.fastMemoryCapacity = 50000;
        SolveOptions options;
        options.seconds = 0;
        options.iterations = 300;
        options.threads = 1;
        options.seed = 3;
        const auto solved = solve(**Problem::build(data), options);
        QVERIFY(solved);
        const sweep::SweepTable table = runAll(sweep);
        QCOMPARE(rowAt(table, 0).metrics[0], solved->total);
        QCOMPARE(rowAt(table, 0).metrics[at(sweep.plan(), "lower_bound")], solved->lowerBound);
    }

    /// docs/rules/sweep.md 3.4: the run of a solved schedule and of a given one, with each prefetch.
    void runsAreWhatIsMeasured()
    {
        const ProblemPtr problem = load(sample("attention-block.json"));
        const char* const axes = R"("axes": [{"name": "slow_memory_bandwidth", "values": [10, 40]}])";
        sweep::Sweep solving = sweepOf(problem, R"({"workload": "problem", "lens": "run", "prefetch": 2,
            "budget": {"iterations": 300}, )" + std::string(axes) +
                                                    "}");
        solving.manifest.keepSchedules = true;
        for (std::size_t i = 0; i < 2; ++i) {
            const auto point = sweep::computePoint(solving, i);
            QVERIFY2(point && !point->failed(), point ? point->error.c_str() : "stopped");
            Problem::Data data = problem->data();
            data.hardware.slowMemoryBandwidth = i == 0 ? 10 : 40;
            const ProblemPtr there = *Problem::build(std::move(data));
            const auto kept = readSchedule(*there, point->schedule, "kept");
            QVERIFY(kept);
            RunOptions options;
            options.prefetch = 2;
            const auto run = runSchedule(*there, kept->schedule, solving.plan().rulesOf(*there), options);
            QVERIFY(run);
            const auto found = [&](const char* name) { return point->metrics[at(solving.plan(), name)]; };
            QCOMPARE(found("end"), run->end);
            QCOMPARE(found("latency"), run->latency);
            QCOMPARE(found("peak_room"), there->elementsOf(run->peakUnits));
            QCOMPARE(found("array_share"), run->of(RunUnit::Array).busy / run->end);
            QCOMPARE(found("subgraphs"), static_cast<double>(kept->schedule.size()));
            QVERIFY(!point->problem); // no rule says that the run of a dominated point is shorter
            // The same schedule, given, without overlap: everything one after the other.
            sweep::Sweep given = sweepOf(problem, R"({"workload": "problem", "lens": "run", "prefetch": 0,
                "what": "evaluate", "schedule": "s", )" +
                                                      std::string(axes) + "}");
            given.scheduleText = point->schedule;
            const auto plain = sweep::computePoint(given, i);
            QVERIFY(plain && !plain->failed());
            options.prefetch = 0;
            QCOMPARE(plain->metrics[0],
                     runSchedule(*there, kept->schedule, given.plan().rulesOf(*there), options)->end);
            QVERIFY(plain->metrics[0] > found("end"));
        }
    }

    void machinesAreDerivedAgainAtEveryPoint()
    {
        SweepFolder folder;
        QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json"),
                    folder.path("m.json"));
        for (const char* lens : {"npu", "systolic", "mapping"}) {
            QByteArray plan = R"({"workload": "m.json", "machine": "edge", "lens": "LENS",
                "axes": [{"name": "array.cols", "values": [32, 64]},
                         {"name": "levels.l3.bytes", "values": [262144, 524288]}]})";
            folder.write("plan.json", plan.replace("LENS", lens));
            const auto sweep = sweep::loadSweep(folder.path("plan.json").toStdString());
            QVERIFY2(sweep, sweep ? "" : sweep.error().text().c_str());
            const sweep::SweepTable table = runAll(*sweep, 2);
            QCOMPARE(table.done, std::size_t{4});
            Machine machine = *machinePreset("edge");
            machine = *withMachineField(machine, "array.cols", "32");
            machine = *withMachineField(machine, "levels.l3.bytes", "524288");
            const auto model = lower::putOnMachine(sweep->workloads[0].workload, machine);
            QVERIFY(model);
            const std::vector<double>& found = rowAt(table, 1).metrics;
            if (sweep->plan().lens == sweep::Lens::Npu) {
                const npu::NpuHardware hw = lower::npuHardwareOf(machine);
                const auto graph = npu::buildGraph(lower::npuOf(**model)->model, hw);
                QCOMPARE(found[0], static_cast<double>(npu::simulate(*graph, hw, {})->makespan));
            } else if (sweep->plan().lens == sweep::Lens::Systolic) {
                const auto network =
                    lower::networkTable(lower::gemmsOf((*model)->lowered), lower::hierarchyOf(machine), {});
                QCOMPARE(found[0], static_cast<double>(network->total.timing.cycles));
                QCOMPARE(found[2], static_cast<double>(network->total.bytes[3]));
            } else {
                mapping::SearchOptions options;
                options.threads = 2;
                const auto best =
                    mapping::searchModel(lower::layerModel((*model)->model(), (*model)->lowered),
                                         lower::architectureOf(machine), options, false);
                QVERIFY(best && best->proven);
                QCOMPARE(found[0], best->totals[0].energy);
                QCOMPARE(found[1], best->totals[1].cycles);
                QCOMPARE(found[2], best->totals[2].edp);
                QCOMPARE(found[3], 1.0);
            }
        }
    }

    /// The NPU's own search, at every point for the hardware there.
    void tilesOfTheNpuCanBeSearched()
    {
        SweepFolder folder;
        QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/npu/conv_net.json"),
                    folder.path("m.json"));
        QByteArray plan = R"({"workload": "m.json", "machine": "edge", "lens": "npu", "tiles": "TILES",
            "what": "static", "axes": [{"name": "cores", "values": [1, 2]}]})";
        const auto tableWith = [&](const char* tiles) {
            folder.write("plan.json", QByteArray(plan).replace("TILES", tiles));
            return runAll(*sweep::loadSweep(folder.path("plan.json").toStdString()), 2);
        };
        const sweep::SweepTable searched = tableWith("searched");
        const sweep::SweepTable plain = tableWith("default");
        QCOMPARE(searched.done, std::size_t{2});
        npu::RunOptions options;
        options.scheduler = npu::Scheduler::Static;
        const auto workload = lower::loadWorkload(folder.path("m.json").toStdString());
        for (std::size_t i = 0; i < 2; ++i) {
            const Machine machine = *withMachineField(*machinePreset("edge"), "cores", i == 0 ? "1" : "2");
            const auto model =
                lower::putOnMachine(std::make_shared<const lower::Workload>(*workload), machine);
            const auto found =
                npu::searchTiles(lower::npuOf(**model)->model, lower::npuHardwareOf(machine), options);
            QVERIFY(found);
            QCOMPARE(rowAt(searched, i).metrics[0], static_cast<double>(found->after));
            QCOMPARE(rowAt(plain, i).metrics[0], static_cast<double>(found->before));
        }
    }

    /// docs/rules/sweep.md 3.1: latencies of a lowered model are cycles, whatever its unit of time is.
    void latenciesOfModelsAreCycles()
    {
        SweepFolder folder;
        QFile::copy(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json"),
                    folder.path("m.json"));
        folder.write("plan.json", R"({"workload": "m.json", "machine": "edge", "what": "bound",
            "axes": [{"name": "levels.external.gb_per_s", "values": [32, 33.4, 64]}]})");
        const auto sweep = sweep::loadSweep(folder.path("plan.json").toStdString());
        QVERIFY(sweep);
        const sweep::SweepTable table = runAll(*sweep);
        bool otherUnit = false;
        for (std::size_t i = 0; i < 3; ++i) {
            const Machine machine = *withMachineField(*machinePreset("edge"), "levels.external.gb_per_s",
                                                      sweep->plan().axes[0].values[i].text);
            const auto model = lower::putOnMachine(sweep->workloads[0].workload, machine);
            const auto unit = static_cast<double>((*model)->lowered.timeUnit);
            otherUnit |= unit != 1;
            QCOMPARE(rowAt(table, i).metrics[0],
                     lowerBound(*(*model)->problem, (*model)->problem->rules()).value * unit);
        }
        QVERIFY(otherUnit);
        QVERIFY(rowAt(table, 0).metrics[0] >= rowAt(table, 1).metrics[0]);
    }

    /// docs/rules/sweep.md 3.2, against the closed form of the optimal traffic of one product; the published
    /// order of ski slopes: between 2 MNK / sqrt(S) - 2 S and 2 MNK / sqrt(S) with what the borders cost.
    void leastTrafficOfAProductIsTheClosedForm_data()
    {
        QTest::addColumn<int>("m");
        QTest::addColumn<int>("n");
        QTest::addColumn<int>("k");
        QTest::newRow("square") << 64 << 64 << 64;
        QTest::newRow("long") << 96 << 32 << 48;
        QTest::newRow("deep") << 24 << 24 << 160;
        QTest::newRow("ragged") << 61 << 37 << 53;
        QTest::newRow("far larger than the memory") << 512 << 384 << 256;
    }
    /// docs/rules/sweep.md 3.2: with more fast memory a product takes less energy, never less than its bound.
    void leastEnergyIsSwept()
    {
        Problem::Data data = product(24, 24, 40)->data();
        data.energy = EnergyCosts{10, 0.5, {0.1}, {1}};
        const ProblemPtr problem = *Problem::build(std::move(data));
        for (const std::string what : {"energy", "edp"}) {
            const sweep::Sweep sweep =
                sweepOf(problem, R"({"workload": "problem", "minimise": ")" + what + R"(",
                "axes": [{"name": "fast_memory_capacity", "values": [64, 512, 4096]}],
                "budget": {"iterations": 60}})");
            QCOMPARE(std::string(sweep::metricsOf(sweep.plan()).front()), what);
            const sweep::SweepTable table = runAll(sweep, 1);
            QCOMPARE(table.failed, std::size_t{0});
            QCOMPARE(table.rows.size(), std::size_t{3});
            for (const sweep::Row& row : table.rows) {
                QVERIFY(row.metrics[1] > 0 && row.metrics[0] >= row.metrics[1] * (1 - 1e-9));
                const double product = what == "edp" ? row.metrics[0] : row.metrics[3];
                const double energy = what == "edp" ? row.metrics[3] : row.metrics[0];
                QVERIFY(std::abs(product - energy * row.metrics[2]) <= 1e-9 * product);
            }
            QVERIFY(table.rows[2].metrics[0] < table.rows[0].metrics[0]);
        }
        QVERIFY(runAll(sweepOf(product(4, 4, 4), R"({"workload": "problem", "minimise": "energy",
            "axes": [{"name": "fast_memory_capacity", "values": [64]}], "budget": {"iterations": 9}})"),
                       1)
                    .failed == 1);
    }

    void leastTrafficOfAProductIsTheClosedForm()
    {
        QFETCH(const int, m);
        QFETCH(const int, n);
        QFETCH(const int, k);
        const sweep::Sweep sweep = sweepOf(product(m, n, k), R"({"workload": "problem", "minimise": "traffic",
            "axes": [{"name": "fast_memory_capacity", "from": 16, "to": 16384, "points": 31, "scale": "log2"}],
            "budget": {"iterations": 100}})");
        const sweep::SweepTable table = runAll(sweep, 2);
        QCOMPARE(table.failed, std::size_t{0});
        for (const sweep::Row& row : table.rows) {
            const auto capacity = static_cast<std::int64_t>(row.problem->capacity);
            const double closed = leastTraffic(m, n, k, capacity);
            const double found = row.metrics[0];
            QVERIFY2(found == closed, qPrintable(QStringLiteral("capacity %1: found %2, closed form %3")
                                                     .arg(capacity)
                                                     .arg(found)
                                                     .arg(closed)));
            const auto s = static_cast<double>(capacity);
            const double order = 2.0 * m * n * k / std::sqrt(s);
            QVERIFY(found >= order - 2 * s);
            // Tiles of about sqrt(S) - 1 a side that need not divide, and the result itself.
            const double side = std::floor(std::sqrt(s + 1) - 1);
            const auto pieces = [&](double extent) { return std::ceil(extent / side); };
            QVERIFY(found <= pieces(n) * m * k + pieces(m) * n * k + m * n);
            QVERIFY(row.metrics[at(sweep.plan(), "lower_bound")] <= found);
        }
    }

    /// A fused chain against exhaustive search over every schedule of it.
    void fusedChainsAreTheExhaustiveOptimum()
    {
        ProblemBuilder b("chain", {1 << 20, 1, 6, 6, 6});
        const TensorId x = b.matmul(b.input(6, 4, "A"), b.input(4, 6, "B"), "first");
        b.matmul(b.pointwise({x}, "act"), b.input(6, 3, "C"), "second");
        const ProblemPtr problem = *b.build();
        const sweep::Sweep sweep = sweepOf(problem, R"({"workload": "problem",
            "axes": [{"name": "fast_memory_capacity", "values": [8, 16, 24, 36, 54, 80, 120]},
                     {"name": "slow_memory_bandwidth", "values": [1, 3]}], "budget": {"iterations": 5000}})");
        const sweep::SweepTable table = runAll(sweep, 2);
        std::set<double> different;
        for (const sweep::Row& row : table.rows) {
            Problem::Data data = problem->data();
            data.hardware.fastMemoryCapacity = static_cast<std::int64_t>(row.problem->capacity);
            data.hardware.slowMemoryBandwidth = static_cast<std::int64_t>(row.problem->bandwidth);
            const ProblemPtr there = *Problem::build(data);
            const double optimum = testing::BruteForce(*there).optimum();
            QVERIFY2(std::abs(row.metrics[0] - optimum) <= 1e-9 * optimum,
                     qPrintable(QStringLiteral("point %1: %2, optimum %3")
                                    .arg(row.point)
                                    .arg(row.metrics[0])
                                    .arg(optimum)));
            different.insert(optimum);
        }
        QVERIFY(different.size() > 4); // the capacity decides
    }

    /// docs/rules/sweep.md 3.3
    void lockedSubgraphsThatDoNotFitFailThePoint()
    {
        const ProblemPtr problem = load(sample("attention-block.json"));
        QFile file(sample("attention-block.fused.schedule.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        auto loaded = readSchedule(*problem, file.readAll().toStdString(), "s.json");
        QVERIFY(loaded);
        Subgraph locked = *loaded->schedule.subgraphs[0];
        locked.locked = true;
        loaded->schedule.subgraphs[0] = std::make_shared<const Subgraph>(locked);
        sweep::Sweep sweep = sweepOf(problem, R"({"workload": "problem", "schedule": "s.json",
            "axes": [{"name": "fast_memory_capacity", "values": [400000, 50]}], "budget": {"iterations": 200}})");
        sweep.scheduleText = *writeSchedule(*problem, loaded->schedule);
        const sweep::SweepTable table = runAll(sweep);
        QCOMPARE(rowAt(table, 0).error, std::string());
        QVERIFY2(rowAt(table, 1).error.find("a locked subgraph does not fit here: OOM in subgraph 0") == 0,
                 rowAt(table, 1).error.c_str());
    }

    // -- docs/rules/sweep.md 4

    /// docs/rules/sweep.md 4.1 on 50 random problems: monotone along both axes, never above the point's own
    /// search, and the same latency as a schedule that the row's source really has.
    void curvesAreMonotone()
    {
        random_cases::Source rnd(2026);
        constexpr int kCapacities = 6;
        constexpr int kBandwidths = 4;
        std::size_t taken = 0;
        for (int i = 0; i < 50; ++i) {
            const ProblemPtr problem = random_cases::problem(rnd, 14, i % 5 == 0 ? 30 : 0);
            const sweep::Sweep sweep = sweepOf(problem, R"({"workload": "problem", "axes": [
                {"name": "fast_memory_capacity", "from": 24, "to": 4000, "points": 6, "scale": "log2"},
                {"name": "slow_memory_bandwidth", "values": [1, 2, 5, 20]}], "budget": {"iterations": 2}})");
            MemorySink memory;
            sweep::RunOptions options;
            options.threads = 2;
            QVERIFY(sweep::runSweep(sweep, memory.sink(), options));
            const sweep::SweepTable table = memory.table(sweep);
            for (int c = 0; c < kCapacities; ++c)
                for (int b = 0; b < kBandwidths; ++b) {
                    const auto index = [](int capacity, int bandwidth) {
                        return static_cast<std::size_t>(capacity * kBandwidths + bandwidth);
                    };
                    const sweep::Row& row = rowAt(table, index(c, b));
                    const sweep::PointResult& own = memory.results().at(row.point);
                    taken += row.from != row.point ? 1 : 0;
                    if (!own.failed())
                        QVERIFY(row.metrics[0] <= own.metrics[0]);
                    for (const auto& [lessC, lessB] : {std::pair(c - 1, b), std::pair(c, b - 1)}) {
                        if (lessC < 0 || lessB < 0)
                            continue;
                        const sweep::Row& less = rowAt(table, index(lessC, lessB));
                        if (!less.metrics.empty())
                            QVERIFY2(
                                !row.metrics.empty() && row.metrics[0] <= less.metrics[0],
                                qPrintable(QStringLiteral("problem %1, point %2").arg(i).arg(row.point)));
                    }
                    if (row.metrics.empty())
                        continue;
                    QCOMPARE(row.metrics[0], memory.results().at(row.from).metrics[0]);
                    QVERIFY(rowAt(table, row.from).problem->capacity <= row.problem->capacity);
                    QVERIFY(rowAt(table, row.from).problem->bandwidth <= row.problem->bandwidth);
                    QVERIFY(row.metrics[at(sweep.plan(), "lower_bound")] <= row.metrics[0] * (1 + 1e-12));
                }
        }
        QVERIFY2(taken > 3, "no row ever took the schedule of another: the test shows nothing");
    }

    /// docs/rules/sweep.md 4.1: a native size is another problem, whatever it costs.
    void nativeSizesAreNotCompared()
    {
        std::vector<sweep::Row> rows;
        sweep::Plan plan;
        plan.workload = {"a"};
        plan.axes = {{"x", {{"1"}, {"2"}, {"3"}, {"4"}}, {}}};
        const auto add = [&](const char* key, double capacity, double bandwidth,
                             std::vector<double> metrics) {
            sweep::PointResult r;
            r.metrics = std::move(metrics);
            if (r.metrics.empty())
                r.error = "failed";
            r.problem = sweep::SameProblem{key, capacity, bandwidth};
            rows.push_back(sweep::rowOf(rows.size(), r));
        };
        add("a", 10, 1, {100, 50, 7, 3, 1});
        add("b", 20, 1, {200, 60, 8, 3, 1});
        add("a", 20, 1, {110, 40, 9, 4, 1});
        add("a", 30, 2, {});
        sweep::applyDominance(plan, rows);
        QCOMPARE(rows[1].metrics, (std::vector<double>{200, 60, 8, 3, 1}));
        QCOMPARE(rows[2].metrics, (std::vector<double>{100, 40, 7, 3, 0})); // its own bound
        QCOMPARE(rows[2].from, std::size_t{0});
        QCOMPARE(rows[3].metrics, (std::vector<double>{100, 0, 7, 3, 0}));
        QVERIFY(rows[3].state == sweep::RowState::Failed);
    }

    /// docs/rules/sweep.md 4.3 against the definition, on random points with many ties.
    void frontsAreThoseOfTheDefinition()
    {
        random_cases::Source rnd(7);
        for (int round = 0; round < 200; ++round) {
            sweep::Plan plan;
            plan.workload = {"a"};
            plan.lens = sweep::Lens::Mapping;
            plan.objectives = round % 2 == 0 ? std::vector<std::string>{"energy", "x"}
                                             : std::vector<std::string>{"energy", "cycles", "x"};
            plan.axes = {{"x", {}, {}}};
            std::vector<sweep::Row> rows(static_cast<std::size_t>(rnd.between(1, 25)));
            std::vector<std::vector<double>> values;
            for (std::size_t i = 0; i < rows.size(); ++i) {
                plan.listed.push_back({{std::to_string(rnd.between(0, 6))}});
                rows[i].point = i;
                rows[i].metrics = {static_cast<double>(rnd.between(0, 6)),
                                   static_cast<double>(rnd.between(0, 6)), 1, 1};
                values.push_back({rows[i].metrics[0], *plan.listed[i][0].number()});
                if (plan.objectives.size() == 3)
                    values.back().push_back(rows[i].metrics[1]);
            }
            sweep::markFront(plan, rows);
            for (std::size_t i = 0; i < rows.size(); ++i) {
                const bool beaten = std::ranges::any_of(values, [&](const std::vector<double>& other) {
                    bool better = false;
                    for (std::size_t o = 0; o < other.size(); ++o) {
                        if (other[o] > values[i][o])
                            return false;
                        better |= other[o] < values[i][o];
                    }
                    return better;
                });
                QCOMPARE(rows[i].onFront, !beaten);
            }
        }
    }
};

TILEWRIGHT_TEST(TestSweep)

} // namespace test_sweep
#include "test_sweep.moc"
