// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_run.h"
#include "drawn_cases.h"
#include "test_main.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>
#include <random>

namespace test_cli_systolic {

using Json = nlohmann::ordered_json;
using namespace tilewright::test;

namespace {

CliRun cli(const QString& arguments)
{
    return runCli(arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

} // namespace

class TestCliSystolic : public QObject
{
    Q_OBJECT
private slots:
    void systolicJson();
    void simulateEqualsClosedForm();
    void pipelines();
    void programsOfTilesAndSchedules();
    void theTileOfTheSearch();
    void theNetworkComparesDataflowsRowByRow();
    void listingAndTrace();
    void readableText();
    void interruptedTellsWhatIsKnown_data();
    void interruptedTellsWhatIsKnown();
    void theHierarchysOwnArray();
    void everyFigureIsInTheJson();
    void edgeRatesReachEveryFigure();
    void dataflowsAtAFiniteBandwidth();
    void dataflowsAgreeWithThePrograms();
    void dramFiguresAgree();
    void tileGivenByHand();
    void tileJson();
    void tileWithHierarchy();
    void trainingSetCommand();
    void refusals();
};

void TestCliSystolic::systolicJson()
{
    const CliRun run = cli("systolic --gemm 64x64x64 --array 16x16 --dataflow os --json");
    QCOMPARE(run.code, 0);
    QVERIFY(run.err.isEmpty());
    const Json j = run.json();
    QCOMPARE(j["dataflow"].get<std::string>(), std::string("os"));
    QCOMPARE(j["readout"].get<std::string>(), std::string("shadow"));
    QCOMPARE(j["rows"].get<int>(), 16);
    QCOMPARE(j["cols"].get<int>(), 16);
    QCOMPARE(j["cycles"].get<int>(), 1054);
    QCOMPARE(j["folds"].get<int>(), 16);
    QCOMPARE(j["utilization"].get<double>(), 1024.0 / 1054);
    QCOMPARE(j["mapping_efficiency"].get<double>(), 1.0);
    QCOMPARE(j["padding"].size(), std::size_t{5});
    for (const auto& none : j["padding"])
        QCOMPARE(none.get<double>(), 0.0);
    QCOMPARE(j["traffic_bytes"]["l2"].get<int>(), 144 * 1024);
    QCOMPARE(j["traffic_bytes"]["dram"].get<int>(), 48 * 1024);
    const auto cycles = [](const char* more) {
        return cli(QStringLiteral("systolic --gemm 100x37x250 --array 32x8 --json ") + QLatin1String(more))
            .json()["cycles"]
            .get<int>();
    };
    QCOMPARE(cycles("--dataflow os --readout scale-sim"), 5759);
    QCOMPARE(cycles("--dataflow ws --readout scale-sim"), 6799);
    QCOMPARE(cycles("--dataflow is --readout scale-sim"), 11127);
    QVERIFY(cycles("--dataflow ws --weight-buffers 1") > cycles("--dataflow ws --weight-buffers 2"));
}

void TestCliSystolic::simulateEqualsClosedForm()
{
    for (const char* dataflow : {"os", "ws", "is"})
        for (const char* readout : {"shadow", "shift", "scale-sim"}) {
            const QString arguments =
                QStringLiteral("systolic --gemm 50x37x61 --array 8x16 --dataflow %1 --readout %2 "
                               "--json")
                    .arg(QLatin1String(dataflow), QLatin1String(readout));
            const CliRun simulated = cli(arguments + QStringLiteral(" --simulate"));
            QCOMPARE(simulated.code, 0);
            QVERIFY(simulated.json() == cli(arguments).json());
        }
    const Json slow = cli("systolic --gemm 64x64x64 --simulate --west-rate 8 --json").json();
    QCOMPARE(slow["cycles"].get<int>(), 1054 + slow["stalled_cycles"].get<int>());
    QVERIFY(slow["stalled_cycles"].get<int>() > 500);
}

void TestCliSystolic::pipelines()
{
    const Json fast = cli("systolic --gemm 64x64x64 --pipeline pipelined --json").json();
    QCOMPARE(fast["cycles"].get<int>(), 1054);
    const Json slow = cli("systolic --gemm 64x64x64 --pipeline barriered --json").json();
    QCOMPARE(slow["cycles"].get<int>(), 2944);
    for (const Json& j : {fast, slow}) {
        int sum = j["array_busy"].get<int>();
        for (const auto& [reason, cycles] : j["stalls"].items())
            sum += cycles.get<int>();
        QCOMPARE(sum, j["cycles"].get<int>());
        QVERIFY(!j["events"].empty());
        for (const Json& e : j["events"])
            QVERIFY(e["resource"].is_string() && e["tile"].is_string() && e["start"] <= e["end"]);
    }
    const Json finite =
        cli("systolic --gemm 64x64x64 --pipeline pipelined --bandwidth hierarchy --json").json();
    QVERIFY(finite["cycles"].get<int>() > 1054);
    QVERIFY(finite["bottleneck"].is_string());
}

/// M, N, K and a tile to a program: every schedule runs, and what L2 cannot hold is spilled or refused.
void TestCliSystolic::programsOfTilesAndSchedules()
{
    const auto program = [](const char* more) {
        return cli(QStringLiteral("systolic --gemm 128x128x128 --machine kpu --pipeline pipelined --json "
                                  "--tile 32x32x32 ") +
                   QLatin1String(more))
            .json();
    };
    for (const auto& [word, name, kib] : {std::tuple{"a", "A", 576},
                                          {"a-row", "A + row reuse", 384},
                                          {"a-full", "A + full reuse", 192},
                                          {"b", "B", 704}}) {
        const Json j = program((std::string("--schedule ") + word).c_str());
        QCOMPARE(j["program"]["schedule"].get<std::string>(), std::string(name));
        QCOMPARE(j["program"]["depth"].get<int>(), 32);
        // What L3 gives L2, the partial sums that return and what the array drains: the table of schedules.
        const int drained = 64 * (j["program"]["passes"].get<int>() == 2 ? 2 : 1);
        QCOMPARE(j["program"]["l3_to_l2_bytes"].get<int>() + j["program"]["partial_sum_bytes"].get<int>(),
                 (kib - drained) * 1024);
        QCOMPARE(j["program"]["l2_bytes"].get<int>(), kib * 1024);
        QVERIFY(j["program"]["dram_bytes"].get<int>() >= 192 * 1024);
    }
    const CliRun cube =
        cli("systolic --gemm 1024x1024x1024 --tile 64x64x64 --machine kpu --pipeline pipelined");
    QCOMPARE(cube.code, 0);
    QVERIFY2(cube.out.contains("tile 64 x 64 x 64, k steps of 64"), cube.out.constData());
    QVERIFY2(cube.out.contains("partial sums in L2"),
             cube.out.constData()); // 1 MB of operands and 512 KB of L2
    for (const char* bad : {"--schedule z", "--schedule b --passes 9", "--depth 0", "--tile 300x64x64"})
        QCOMPARE(cli(QStringLiteral("systolic --gemm 256x256x256 --pipeline pipelined --tile 64x64x64 ") +
                     QLatin1String(bad))
                     .code,
                 2);
    QCOMPARE(
        cli("systolic --gemm 1024x1024x1024 --tile 64x64x64 --pipeline pipelined --schedule a-full").code, 2);
    QCOMPARE(cli("systolic --gemm 64x64x64 --pipeline barriered --schedule b").code, 2);
}

/// `--tile search` is the tile that `tile` chooses for one buffer of L2.
void TestCliSystolic::theTileOfTheSearch()
{
    const Json tile = cli("tile --gemm 256x256x256 --machine kpu --level l2-buffer --json").json();
    const Json run =
        cli("systolic --gemm 256x256x256 --machine kpu --tile search --pipeline pipelined --json").json();
    for (const char* key : {"Ti", "Tj", "Tk"})
        QCOMPARE(run["program"]["tile"][key].get<int>(), tile[key].get<int>());
    QCOMPARE(cli("systolic --gemm 256x256x256 --tile searched").code, 2);
}

void TestCliSystolic::theNetworkComparesDataflowsRowByRow()
{
    const CliRun run =
        cli("systolic " TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json --machine edge");
    QCOMPARE(run.code, 0);
    const QList<QByteArray> lines = run.out.split('\n');
    const auto heading = std::find_if(lines.begin(), lines.end(),
                                      [](const QByteArray& line) { return line.startsWith("layer  "); });
    QVERIFY2(heading != lines.end() && heading->endsWith("os with DRAM  ws with DRAM  is with DRAM"),
             run.out.constData());
}

void TestCliSystolic::listingAndTrace()
{
    const CliRun listing = cli("systolic --gemm 64x64x64 --pipeline pipelined --listing");
    QCOMPARE(listing.code, 0);
    QVERIFY(listing.out.contains("STR_FEED_ROWS A[0,1]"));
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("trace.json"));
    QCOMPARE(cli(QStringLiteral("systolic --gemm 32x32x32 --pipeline barriered --trace ") + file).code, 0);
    QFile trace(file);
    QVERIFY(trace.open(QIODevice::ReadOnly));
    QVERIFY(!Json::parse(trace.readAll().toStdString())["traceEvents"].empty());
    QCOMPARE(cli("systolic --gemm 32x32x32 --pipeline barriered --trace /nowhere/x.json").code, 2);
    const CliRun corrections = cli("systolic --corrections --json");
    QCOMPARE(corrections.json().size(), std::size_t{13});
}

void TestCliSystolic::readableText()
{
    const CliRun run = cli("systolic --gemm 64x64x64");
    QCOMPARE(run.code, 0);
    for (const char* text :
         {"1\u202f054", "97.2\u00a0%", "147\u202f456", "A + full reuse", "bound by array", "30 / 994 / 30"})
        QVERIFY2(run.out.contains(text), text);
    const CliRun tile = cli("tile --gemm 1024x1024x1024 --method analytic");
    for (const char* text :
         {"64 x 64 x 96", "Kt <= 128", "K <= 504, 496 in steps of 16", "three levels", "adaptive"})
        QVERIFY2(tile.out.contains(text), text);
    QVERIFY(cli("systolic --gemm 64x64x8").out.contains("not hidden"));
}

void TestCliSystolic::interruptedTellsWhatIsKnown_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("begun"); // on stdout or stderr once the long part runs
    QTest::addColumn<QByteArray>("known");
    QTest::newRow("simulation") << QStringList{"systolic", "--gemm", "4096x4096x4096", "--simulate",
                                               "--progress"}
                                << QByteArray("simulated") << QByteArray("closed form");
    QTest::newRow("simulation, json")
        << QStringList{"systolic", "--gemm", "4096x4096x4096", "--simulate", "--progress", "--json"}
        << QByteArray("simulated") << QByteArray("\"interrupted\": true");
    QTest::newRow("tile") << QStringList{"tile", "--gemm", "1048576x524288x1048575", "--capacity",
                                         "1000000000"}
                          << QByteArray("three levels") << QByteArray("tile Ti x Tj x Tk");
}

/// SIGINT: exit code 130 with the result so far.
void TestCliSystolic::interruptedTellsWhatIsKnown()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, begun);
    QFETCH(QByteArray, known);
    QProcess process;
    process.start(QStringLiteral(TILEWRIGHT_CLI), arguments);
    QVERIFY(process.waitForStarted());
    QByteArray out;
    QByteArray err;
    QElapsedTimer clock;
    clock.start();
    while (!out.contains(begun) && !err.contains(begun) && clock.elapsed() < 60'000) {
        process.waitForReadyRead(100);
        out += process.readAllStandardOutput();
        err += process.readAllStandardError();
    }
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    out += process.readAllStandardOutput();
    QVERIFY2(out.contains(known), out.constData());
}

namespace {
QString hierarchyFile(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies/%1.json").arg(QLatin1String(name));
}
} // namespace

/// A hierarchy names its array: it counts unless --array names another, and the text and the JSON document
/// say which.
void TestCliSystolic::theHierarchysOwnArray()
{
    const QString gemm = QStringLiteral("systolic --gemm 1024x1024x1024 --hierarchy ");
    struct Preset
    {
        const char* name;
        int side;
        double peakGflops;
    };
    for (const auto& [name, side, peak] :
         {Preset{"edge-8x8", 8, 64}, {"kpu", 16, 512}, {"server-128x128", 128, 32768}}) {
        const Json j = cli(gemm + hierarchyFile(name) + QStringLiteral(" --json")).json();
        QCOMPARE(j["rows"].get<int>(), side);
        QCOMPARE(j["cols"].get<int>(), side);
        QCOMPARE(j["roofline"]["peak_gflops"].get<double>(), peak);
        const QByteArray text = cli(gemm + hierarchyFile(name)).out;
        const QByteArray array = QByteArray::number(side) + " x " + QByteArray::number(side) + " PEs";
        QVERIFY2(text.contains(array), text.constData());
    }
    const Json other =
        cli(gemm + hierarchyFile("server-128x128") + QStringLiteral(" --array 32x64 --json")).json();
    QCOMPARE(other["rows"].get<int>(), 32);
    QCOMPARE(other["cols"].get<int>(), 64);
    // An array whose fill and drain are not swept says so; the other figures have no such limit.
    const CliRun huge = cli("systolic --gemm 100x100x100 --array 100000x1");
    QCOMPARE(huge.code, 0);
    QVERIFY2(huge.out.contains("not counted for an array side above 65\u202f536"), huge.out.constData());
    QVERIFY(cli("systolic --gemm 100x100x100 --array 100000x1 --json").json()["phases"].is_null());
}

void TestCliSystolic::everyFigureIsInTheJson()
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("gemm.csv"));
    const CliRun run = cli(QStringLiteral("systolic --gemm 64x64x64 --json --csv ") + file);
    const Json j = run.json();
    QCOMPARE(j["phases"]["fill"].get<int>(), 30);
    QCOMPARE(j["phases"]["steady"].get<int>(), 994);
    QCOMPARE(j["phases"]["drain"].get<int>(), 30);
    QCOMPARE(j["l2_schedules"]["of"].size(), std::size_t{4});
    QCOMPARE(j["l2_schedules"]["of"][0]["traffic_bytes"].get<int>(), 144 * 1024);
    QCOMPARE(j["roofline"]["binding"].get<std::string>(), std::string("array"));
    QCOMPARE(j["dataflows"].size(), std::size_t{3});
    QCOMPARE(j["bank_conflicts"]["count"].get<int>(), 0);
    QCOMPARE(j["bank_conflicts"]["steps"].get<int>(), 64);
    // The source document: 2 KB of FIFOs a side, 4 KB of streaming buffer an operand.
    QCOMPARE(j["edges"]["west_fifo_bytes"].get<int>(), 2048);
    QCOMPARE(j["edges"]["north_fifo_bytes"].get<int>(), 2048);
    QCOMPARE(j["edges"]["west_skew_elements"].get<int>(), 15);
    QCOMPARE(j["edges"]["west_stream_bytes"].get<int>(), 4096);
    QCOMPARE(j["edges"]["north_stream_bytes"].get<int>(), 4096);
    const Json ws = cli("systolic --gemm 64x48x70 --array 8x4 --dataflow ws --fifo-depth 16 --json").json();
    QCOMPARE(ws["edges"]["west_fifo_bytes"].get<int>(), 8 * 16 * 4);
    QCOMPARE(ws["edges"]["west_stream_bytes"].get<int>(), 8 * 64 * 4);
    QCOMPARE(ws["edges"]["north_stream_bytes"].get<int>(), 8 * 4 * 4);
    const Json seed = cli("systolic --gemm 64x64x64 --bank-layout seed --json").json();
    QCOMPARE(seed["bank_conflicts"]["count"].get<int>(), 8);
    QVERIFY(cli("systolic --gemm 64x64x64 --bank-layout seed").out.contains("8 of 64 steps"));
    QFile csv(file);
    QVERIFY(csv.open(QIODevice::ReadOnly));
    const QByteArray lines = csv.readAll();
    for (const char* line : {"field,value\n", "\ncycles,1054\n", "\nphases.steady,994\n",
                             "\ntraffic_bytes.l2,147456\n", "\ndataflows.1.dataflow,ws\n"})
        QVERIFY2(lines.contains(line), line);
    const Json finite = cli("systolic --gemm 64x64x64 --machine kpu --pipeline pipelined --json").json();
    QCOMPARE(finite["peak_bytes"]["l2"].get<int>(), 13 * 1024);
    QVERIFY(finite["busy"]["dma"].get<double>() > 0.1); // the machine's bandwidths count
    const Json pipeline = cli("systolic --gemm 64x64x64 --pipeline barriered --json").json();
    QCOMPARE(pipeline["largest_loss"]["reason"].get<std::string>(), std::string("barrier_array"));
    QCOMPARE(pipeline["largest_loss"]["cycles"].get<int>(), 63 * 30);
    QCOMPARE(pipeline["busiest"]["resource"].get<std::string>(), std::string("array"));
    const QByteArray text = cli("systolic --gemm 64x64x64 --pipeline barriered").out;
    QVERIFY2(text.contains("busiest: array, 34.8\u00a0%") &&
                 text.contains("largest loss of the array: barrier_array, 1\u202f890 cycles"),
             text.constData());
}

/// A slow edge stalls the array: with and without --simulate, in the phases and in the comparison of
/// dataflows.
void TestCliSystolic::edgeRatesReachEveryFigure()
{
    for (const char* dataflow : {"os", "ws", "is"}) {
        const QString call = QStringLiteral("systolic --gemm 64x48x70 --west-rate 8 --json --dataflow ") +
                             QLatin1String(dataflow);
        const Json closed = cli(call).json();
        QVERIFY(closed == cli(call + QStringLiteral(" --simulate")).json());
        QVERIFY(closed["stalled_cycles"].get<int>() > 0);
        const Json& p = closed["phases"];
        QCOMPARE(p["fill"].get<int>() + p["steady"].get<int>() + p["drain"].get<int>(),
                 closed["cycles"].get<int>());
        for (const Json& row : closed["dataflows"])
            if (row["dataflow"] == dataflow)
                QCOMPARE(row["array_cycles"].get<int>(), closed["cycles"].get<int>());
    }
    const CliRun large = cli("systolic --gemm 4096x4096x4096 --west-rate 8");
    QCOMPARE(large.code, 2);
    QVERIFY(large.err.contains("choose a smaller GEMM"));
}

/// Less bandwidth shifts the comparison from the array to DRAM.
void TestCliSystolic::dataflowsAtAFiniteBandwidth()
{
    const auto at = [](const char* gb) {
        return cli(QStringLiteral("systolic --gemm 4096x64x1024 --tile 64x64x64 --json --dram-gb-per-s ") +
                   QLatin1String(gb))
            .json();
    };
    const Json fast = at("100000");
    for (const Json& row : fast["dataflows"])
        QCOMPARE(row["total_cycles"].get<std::int64_t>(), row["array_cycles"].get<std::int64_t>());
    const Json slow = at("1");
    for (const Json& row : slow["dataflows"]) {
        QCOMPARE(row["total_cycles"].get<std::int64_t>(), row["dram_bytes"].get<std::int64_t>());
        QVERIFY(row["total_cycles"] > row["array_cycles"]);
    }
    // C has a long column: the partial sums of ws come and go, so os needs fewer cycles the slower DRAM is.
    const auto fewer = [](const Json& j) {
        return 1 - j["dataflows"][0]["total_cycles"].get<double>() /
                       j["dataflows"][1]["total_cycles"].get<double>();
    };
    QVERIFY(fewer(slow) > fewer(fast));
    // The verdict is that of the programs.
    QVERIFY(slow["os_fewer_than_ws"].get<double>() > 0.1 && fast["os_fewer_than_ws"].get<double>() > 0.1);
    QVERIFY(cli("systolic --gemm 4096x64x1024 --tile 64x64x64 --dram-gb-per-s 1")
                .out.contains("fewer cycles than ws at 1 GB/s"));
    // By array and DRAM alone os would need fewer cycles here too; the program of ws keeps its column of C in
    // L2.
    QVERIFY(cli("systolic --gemm 4096x64x1024 --dram-gb-per-s 1 --bandwidth hierarchy --pipeline pipelined "
                "--compare")
                .out.contains("more cycles than that of ws"));
    QVERIFY(!cli("systolic --gemm 4096x64x1024 --dram-gb-per-s 1").out.contains("cycles than ws"));
    QCOMPARE(cli("systolic --gemm 4x4x4 --dram-gb-per-s 0").code, 2);
}

/// docs/rules/systolic.md 8: the comparison of dataflows and the programs of the same tile say the same of os
/// and ws, for drawn products and for those of the samples.
void TestCliSystolic::dataflowsAgreeWithThePrograms()
{
    QStringList calls;
    const QString edge = QStringLiteral(" --machine edge");
    if (!tilewright::test::kSanitized)
        for (const char* layer :
             {"llama-block.onnx --layer gate", "llama-block.onnx --layer gate --tile 128x128x64",
              "llama-decode-block.json --layer gate"})
            calls << QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/") + QLatin1String(layer) + edge;
    if (!tilewright::test::kSanitized)
        for (const char* gb : {"10", "100"}) // the experiment of the seed document
            calls << QStringLiteral("--gemm 1024x1024x1024 --tile 64x64x64 --machine kpu --dram-gb-per-s ") +
                         QLatin1String(gb);
    std::mt19937 random(7);
    const auto draw = [&random](unsigned from, unsigned to) {
        return static_cast<int>(from + random() % (to - from + 1));
    };
    for (int i = 0; i < tilewright::test::drawnCases(60); ++i) {
        const std::array side{draw(1, 400), draw(1, 400), draw(1, 800)};
        QString call = QStringLiteral("--gemm %1x%2x%3").arg(side[0]).arg(side[1]).arg(side[2]);
        if (i % 3 > 0)
            call += QStringLiteral(" --tile %1x%2x%3")
                        .arg(draw(std::min(8, side[0]), side[0]))
                        .arg(draw(std::min(8, side[1]), side[1]))
                        .arg(draw(std::min(8, side[2]), side[2]));
        call += QLatin1String(std::array{" --machine edge", " --machine kpu", " --machine server"}.at(
            static_cast<std::size_t>(draw(0, 2))));
        if (i % 4 == 0)
            call += QStringLiteral(" --dram-gb-per-s %1").arg(draw(1, 50));
        calls << call;
    }
    int compared = 0, beyond = 0;
    for (const QString& call : calls) {
        const CliRun run = cli(QStringLiteral("systolic ") + call +
                               QStringLiteral(" --dataflow os --pipeline pipelined --compare --json"));
        if (run.code != 0)
            continue; // no program of os fits
        const Json j = run.json();
        const Json &os = j["program_dataflows"][0], &ws = j["program_dataflows"][1];
        if (os.contains("refusal") || ws.contains("refusal"))
            continue;
        ++compared;
        const auto a = os["cycles"].get<double>(), b = ws["cycles"].get<double>();
        const bool ran = !j["os_fewer_than_ws"].is_null();
        const QByteArray what = (call + QStringLiteral(": programs %1 and %2").arg(a).arg(b)).toUtf8();
        if (ran) {
            for (std::size_t d = 0; d < 3; ++d)
                if (const Json& p = j["program_dataflows"][d]; !p.contains("refusal"))
                    QVERIFY2(p["cycles"] == j["dataflows"][d]["program_cycles"], what.constData());
            QCOMPARE(j["os_fewer_than_ws"].get<double>(), 1 - a / b);
        } else {
            ++beyond;
            for (std::size_t d = 0; d < 3; ++d)
                if (const Json& p = j["program_dataflows"][d]; !p.contains("refusal"))
                    QVERIFY2(p["cycles"] >= j["dataflows"][d]["program_cycles"], what.constData());
        }
    }
    QVERIFY2(compared > tilewright::test::drawnAtLeast(40) && (beyond >= 2 || tilewright::test::kSanitized),
             qPrintable(QStringLiteral("%1, %2").arg(compared).arg(beyond)));
}

/// One definition: the traffic of a tile is the same wherever it is printed.
void TestCliSystolic::dramFiguresAgree()
{
    for (const char* more : {"--dataflow os", "--dataflow ws", "--dataflow is",
                             "--dataflow os --tile 64x64x64", "--dataflow ws --tile 64x64x64"}) {
        const Json j =
            cli(QStringLiteral("systolic --gemm 1024x1024x1024 --json ") + QLatin1String(more)).json();
        const auto bytes = j["traffic_bytes"]["dram"].get<std::int64_t>();
        QCOMPARE(j["roofline"]["levels"][3]["bytes"].get<std::int64_t>(), bytes);
        for (const Json& row : j["dataflows"])
            if (row["dataflow"] == j["dataflow"])
                QCOMPARE(row["dram_bytes"].get<std::int64_t>(), bytes);
        QVERIFY(j["dram"]["assumes"].get<std::string>().starts_with("tile "));
    }
    const Json systolic = cli("systolic --gemm 1024x1024x1024 --tile 64x64x64 --json").json();
    const Json tile = cli("tile --gemm 1024x1024x1024 --tile 64x64x64 --json").json();
    QVERIFY(tile["dram_by_dataflow"][0]["bytes"] == systolic["traffic_bytes"]["dram"]);
    QVERIFY(tile["dram_by_dataflow"][0]["assumes"] == systolic["dram"]["assumes"]);
}

void TestCliSystolic::tileGivenByHand()
{
    const Json j = cli("tile --gemm 1024x1024x1024 --tile 64x64x64 --json").json();
    QCOMPARE(j["method"].get<std::string>(), std::string("given"));
    QCOMPARE(j["Ti"].get<int>(), 64);
    QCOMPARE(j["footprint_elements"].get<int>(), 3 * 64 * 64);
    QCOMPARE(j["elements"].get<std::int64_t>(), std::int64_t{33} * 1024 * 1024);
    QCOMPARE(j["reuse"]["A"].get<int>(), 16);
    QVERIFY(j["fits"].get<bool>());
    const Json big = cli("tile --gemm 1024x1024x1024 --tile 128x128x128 --json").json();
    QVERIFY(!big["fits"].get<bool>()); // the document's 128 does not fit 64 KB
    QCOMPARE(cli("tile --gemm 64x64x64 --tile 65x1x1").code, 2);
    QCOMPARE(cli("tile --gemm 64x64x64 --tile 16x16").code, 2);
    QVERIFY(cli("tile --gemm 1024x1024x1024 --tile 64x64x64").out.contains("above the optimum"));
    // One text says which memory the tile fits into and which not.
    const QByteArray text =
        cli("tile --gemm 1024x1024x1024 --machine kpu --level l2-buffer --tile 128x128x128").out;
    QVERIFY2(
        text.contains("49\u202f152 of 16\u202f384 elements of L2, one buffer (conservative: A, B and C), "
                      "does not fit"),
        text);
    QVERIFY2(text.contains("ok   L2, all 8 buffers: the tile's A, B and C "), text);
    QVERIFY2(text.contains("below the optimum of the tiles that fit"), text);
    const QByteArray pes = cli("tile --gemm 1024x1024x1024 --tile 512x512x16 --footprint aggressive").out;
    QVERIFY2(pes.contains("(aggressive: A and B); C needs 1\u202f024 sums in a PE, which has one, does not "
                          "fit"),
             pes);
    QVERIFY2(pes.contains("ok   L2, all 8 buffers: the tile's A and B "), pes);
    // The L2 tile of the document: one bank of 64 KB.
    const Json bank = cli("tile --gemm 1024x1024x1024 --level-buffers 0,1,1 --json").json();
    QCOMPARE(bank["levels"][1]["capacity_bytes"].get<int>(), 64 * 1024);
    QCOMPARE(cli("tile --gemm 64x64x64 --level-buffers 0,9,1").code, 2);
}

void TestCliSystolic::tileJson()
{
    const Json analytic = cli("tile --gemm 1024x1024x1024 --method analytic --json").json();
    QCOMPARE(analytic["method"].get<std::string>(), std::string("analytic"));
    QCOMPARE(analytic["Ti"].get<int>(), 64);
    QCOMPARE(analytic["Tj"].get<int>(), 64);
    QCOMPARE(analytic["Tk"].get<int>(), 96);
    QVERIFY(analytic["fits"].get<bool>());
    QCOMPARE(analytic["footprint_elements"].get<int>(), 16384);
    const Json best = cli("tile --gemm 1024x1024x1024 --method exhaustive --json").json();
    const Json learned = cli("tile --gemm 1024x1024x1024 --method learned --json").json();
    QVERIFY(best["dram_bytes"] <= analytic["dram_bytes"]);
    QVERIFY(best["dram_bytes"] <= learned["dram_bytes"]);
    QVERIFY(best["points_visited"].get<int>() > 0);
    QVERIFY(best["space_reduction"].get<double>() > 1000);
    const auto tileOf = [](const char* footprint) {
        const Json d = cli(QStringLiteral("tile --gemm 925x506x36 --array 16x64 --method exhaustive --json "
                                          "--footprint %1")
                               .arg(QLatin1String(footprint)))
                           .json();
        return std::vector<std::int64_t>{d["dram_bytes"], d["Ti"], d["Tj"], d["Tk"]};
    };
    // First line of the oracle.
    QCOMPARE(tileOf("conservative"), (std::vector<std::int64_t>{783410 * 4, 96, 128, 16}));
    // C stays in the 16 x 64 PEs: A is read for 8 tiles of columns, B for 58 of rows.
    QCOMPARE(tileOf("aggressive"),
             (std::vector<std::int64_t>{(925 * 36 * 8 + 36 * 506 * 58 + 925 * 506) * 4, 16, 64, 36}));
}

void TestCliSystolic::tileWithHierarchy()
{
    const QString file = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/hierarchies/kpu.json");
    const QString base = QStringLiteral("tile --gemm 500x600x700 --json --method exhaustive ");
    QVERIFY(cli(base + QStringLiteral("--hierarchy ") + file).json() == cli(base).json());
    QVERIFY(cli(base + QStringLiteral("--level l3 --hierarchy ") + file).json() ==
            cli(base + QStringLiteral("--capacity 524288")).json());
    QCOMPARE(cli(base + QStringLiteral("--level l9 --hierarchy ") + file).code, 2);
}

void TestCliSystolic::trainingSetCommand()
{
    QTemporaryDir folder;
    const QString file = folder.filePath(QStringLiteral("data.inc"));
    QCOMPARE(cli(QStringLiteral("tile --write-training-set ") + file).code, 0);
    QFile written(file);
    QFile shipped(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/core/systolic/tile_training_data.inc"));
    QVERIFY(written.open(QIODevice::ReadOnly) && shipped.open(QIODevice::ReadOnly));
    QVERIFY(written.readAll() == shipped.readAll());
    QVERIFY(cli("tile --held-out").err.contains("within 10 % of the optimum"));
}

void TestCliSystolic::refusals()
{
    const char* bad[] = {"systolic",
                         "systolic --gemm 0x4x4",
                         "systolic --gemm 4x4",
                         "systolic --gemm 2097152x2097152x2097152",
                         "systolic --gemm 4x4x4 --array 0x4",
                         "systolic --gemm 4x4x4 --dataflow rs",
                         "systolic --gemm 4x4x4 --readout never",
                         "systolic --gemm 4x4x4 --weight-buffers 3",
                         "systolic --gemm 4x4x4 --array 2000x4 --simulate",
                         "systolic --gemm 4x4x4 --pipeline fast",
                         "systolic --gemm 4x4x4 --pipeline pipelined --readout shift",
                         "systolic --gemm 4x4x4 --pipeline pipelined --dataflow ws --schedule a",
                         "systolic --gemm 4x4x4 --compare",
                         "systolic --gemm 4x4x4 --max-commands 9",
                         "systolic --gemm 8192x8192x8192 --pipeline pipelined",
                         "systolic --gemm 64x64x64 --pipeline pipelined --max-commands 100",
                         "systolic --gemm 4x4x4 --layer q",
                         "systolic --gemm 4x4x4 --reports /tmp",
                         "systolic --gemm 4000x4000x4000 --address-traces /tmp/none",
                         "systolic --gemm 4x4x4 --simulate --fifo-depth 0",
                         "systolic --gemm 4x4x4 --hierarchy /nowhere.json",
                         "systolic --gemm 4x4x4 --listing",
                         "tile --gemm 64x64x64 --capacity 10",
                         "tile --gemm 64x64x64 --capacity -1",
                         "tile --gemm 64x64x64 --method best",
                         "tile --gemm 64x64x64 --footprint big",
                         "tile"};
    for (const char* arguments : bad) {
        const CliRun run = cli(QLatin1String(arguments));
        QVERIFY2(run.code == 2, arguments);
        QVERIFY2(run.out.isEmpty(), arguments);
        QVERIFY2(!run.err.isEmpty(), arguments);
    }
    QVERIFY(cli("tile --gemm 64x64x64 --capacity 10").err.contains("3\u202f072 bytes"));
    QCOMPARE(cli("systolic --gemm 4x4x4 --array 2000x4").code, 0); // closed forms have no such limit
}

TILEWRIGHT_TEST(TestCliSystolic)

} // namespace test_cli_systolic
#include "test_cli_systolic.moc"
