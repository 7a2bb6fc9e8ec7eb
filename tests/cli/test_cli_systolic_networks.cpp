// SPDX-License-Identifier: GPL-3.0-or-later
// Programs of every dataflow, networks, their reports, traces and energy.
#include "cli_run.h"
#include "test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace test_cli_systolic_networks {

using Json = nlohmann::ordered_json;
using namespace tilewright::test;

namespace {

CliRun cli(const QString& arguments)
{
    return runCli(arguments.split(QLatin1Char(' '), Qt::SkipEmptyParts));
}

QString sample(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/") + QLatin1String(name);
}

std::vector<QByteArrayList> csvRows(const QString& path)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        return {};
    std::vector<QByteArrayList> out;
    for (const QByteArray& line : file.readAll().trimmed().split('\n')) {
        QByteArrayList cells = line.split(',');
        for (QByteArray& cell : cells)
            cell = cell.trimmed();
        out.push_back(cells);
    }
    return out;
}

} // namespace

class TestCliSystolicNetworks : public QObject
{
    Q_OBJECT
private slots:
    void stationaryPrograms();
    void dataflowsAsPrograms();
    void networkUnderEachDataflow();
    void oneLayerOfANetwork();
    void scaleSimReports();
    void addressTraces();
    void energyAndThePointWithoutReuse();
    void tileCsv();
};

/// WS and IS as programs: the closed form with unlimited bandwidth, more with that of a machine.
void TestCliSystolicNetworks::stationaryPrograms()
{
    for (const char* dataflow : {"ws", "is"})
        for (const char* buffers : {"1", "2"}) {
            const QString call =
                QStringLiteral(
                    "systolic --gemm 128x128x48 --array 8x8 --json --dataflow %1 --weight-buffers %2")
                    .arg(QLatin1String(dataflow), QLatin1String(buffers));
            const Json closed = cli(call).json();
            const Json program = cli(call + QStringLiteral(" --pipeline pipelined")).json();
            QCOMPARE(program["cycles"].get<int>(), closed["cycles"].get<int>());
            QCOMPARE(program["program"]["dataflow"].get<std::string>(), std::string(dataflow));
            const Json slow = cli(call + QStringLiteral(" --pipeline barriered")).json();
            QVERIFY(slow["cycles"].get<int>() > program["cycles"].get<int>());
            const Json finite =
                cli(call + QStringLiteral(" --pipeline pipelined --bandwidth hierarchy")).json();
            QVERIFY(finite["cycles"].get<int>() > program["cycles"].get<int>());
        }
    const CliRun listing = cli("systolic --gemm 32x32x32 --dataflow ws --pipeline pipelined --listing");
    QVERIFY2(listing.out.contains("STR_FEED_WEIGHTS B[0,0]") && listing.out.contains("STR_FEED_PARTIAL"),
             listing.out.constData());
}

/// Finite bandwidth in the comparison of dataflows, stall by stall.
void TestCliSystolicNetworks::dataflowsAsPrograms()
{
    const QString call =
        QStringLiteral("systolic --gemm 256x256x256 --pipeline pipelined --compare --dram-gb-per-s 16");
    const CliRun run = cli(call + QStringLiteral(" --json"));
    QCOMPARE(run.code, 0);
    const Json j = run.json();
    QCOMPARE(j["program_dataflows"].size(), std::size_t{3});
    QVERIFY(j["program_dataflows"][0]["cycles"] == j["cycles"]);
    for (const Json& p : j["program_dataflows"]) {
        QVERIFY(p["array_busy"].get<int>() >= 65536);
        QVERIFY(p["dram_bytes"].get<int>() >= 3 * 256 * 256 * 4);
        QVERIFY(p["cycles"].get<int>() >= p["dram_bytes"].get<int>() / 16); // bytes a cycle
    }
    const CliRun text = cli(call);
    QVERIFY2(text.out.contains("cycles than that of ws"), text.out.constData());
}

/// The experiment of the source document: OS against WS over a network, DRAM stalls included.
void TestCliSystolicNetworks::networkUnderEachDataflow()
{
    const QString call = QStringLiteral("systolic %1 --machine edge --json").arg(sample("small-conv.csv"));
    const Json j = cli(call).json();
    QCOMPARE(j["dataflows"].size(), std::size_t{3});
    for (const Json& row : j["dataflows"]) {
        const Json alone = cli(call + QStringLiteral(" --dataflow ") +
                               QString::fromStdString(row["dataflow"].get<std::string>()))
                               .json();
        QVERIFY(alone["total"]["bound_cycles"] == row["total_cycles"]);
        QVERIFY(alone["total"]["energy_pj"] == row["energy_pj"]);
    }
    const double os = j["dataflows"][0]["total_cycles"].get<double>();
    const double ws = j["dataflows"][1]["total_cycles"].get<double>();
    QCOMPARE(j["os_fewer_than_ws"].get<double>(), 1 - os / ws);
    QVERIFY(
        cli(QStringLiteral("systolic %1").arg(sample("small-conv.csv"))).out.contains("cycles than ws at"));
}

/// Convolution and attention through their products.
void TestCliSystolicNetworks::oneLayerOfANetwork()
{
    const QString llama =
        QStringLiteral("systolic %1 --json --machine edge --layer ").arg(sample("llama-block.json"));
    const Json scores = cli(llama + QStringLiteral("layer0.attention")).json();
    const Json context = cli(llama + QStringLiteral("layer0.attention:2")).json();
    QCOMPARE(scores["n"].get<int>(), 128);
    QCOMPARE(scores["k"].get<int>(), 64);
    QCOMPARE(context["n"].get<int>(), 64);
    QCOMPARE(context["k"].get<int>(), 128);
    QVERIFY(scores == cli("systolic --gemm 128x128x64 --json --machine edge").json());
    const CliRun conv =
        cli(QStringLiteral("systolic %1 --layer Deep3 --machine kpu --pipeline pipelined --json")
                .arg(sample("small-conv.csv")));
    QCOMPARE(conv.json()["k"].get<int>(), 576);
    QVERIFY(!conv.json()["events"].empty());
    QCOMPARE(cli(QStringLiteral("tile %1 --layer Deep3 --json").arg(sample("small-conv.csv"))).code, 0);
    const CliRun none = cli(llama + QStringLiteral("nowhere"));
    QCOMPARE(none.code, 2);
    QVERIFY2(none.err.contains("layer0.q"), none.err.constData());
    QCOMPARE(cli(llama + QStringLiteral("layer0.attention:9")).code, 2);
}

void TestCliSystolicNetworks::scaleSimReports()
{
    QTemporaryDir folder;
    const CliRun run = cli(QStringLiteral("systolic %1 --machine kpu --dataflow ws --json --reports %2")
                               .arg(sample("small-conv.csv"), folder.path()));
    QCOMPARE(run.code, 0);
    const Json layers = run.json()["layers"];
    const auto compute = csvRows(folder.filePath(QStringLiteral("COMPUTE_REPORT.csv")));
    const auto bandwidth = csvRows(folder.filePath(QStringLiteral("BANDWIDTH_REPORT.csv")));
    const auto access = csvRows(folder.filePath(QStringLiteral("DETAILED_ACCESS_REPORT.csv")));
    QCOMPARE(compute.size(), layers.size() + 1);
    QCOMPARE(compute[0].mid(0, 6),
             (QByteArrayList{"LayerID", "Total Cycles", "Stall Cycles", "Overall Util %",
                             "Mapping Efficiency %", "Compute Util %"}));
    QCOMPARE(bandwidth[0][4], QByteArray("Avg IFMAP DRAM BW"));
    QCOMPARE(access[0].mid(1, 3),
             (QByteArrayList{"SRAM IFMAP Start Cycle", "SRAM IFMAP Stop Cycle", "SRAM IFMAP Reads"}));
    QCOMPARE(access[0].size(), access[1].size());
    for (std::size_t i = 0; i < layers.size(); ++i) {
        const Json& layer = layers[i];
        const auto total = layer["bound_cycles"].get<long long>();
        QCOMPARE(compute[i + 1][1].toLongLong(), total);
        QCOMPARE(total - compute[i + 1][2].toLongLong(), layer["cycles"].get<long long>());
        const QByteArrayList& a = access[i + 1];
        const auto l2 = layer["traffic_bytes"]["l2"].get<long long>();
        // What passes the edges is the L2 traffic, what DRAM moves its traffic, in elements of 4 bytes.
        QCOMPARE(4 * (a[3].toLongLong() + a[6].toLongLong() + a[9].toLongLong() + a[19].toLongLong()), l2);
        QCOMPARE(4 * (a[12].toLongLong() + a[15].toLongLong() + a[18].toLongLong() + a[20].toLongLong()),
                 layer["traffic_bytes"]["dram"].get<long long>());
        double perCycle = 0;
        for (const int column : {1, 2, 3})
            perCycle += bandwidth[i + 1][column].toDouble();
        QVERIFY(std::abs(perCycle * static_cast<double>(4 * total) / static_cast<double>(l2) - 1) < 1e-9);
    }
    QCOMPARE(cli(QStringLiteral("systolic %1 --reports /proc/none").arg(sample("small-conv.csv"))).code, 2);
}

/// Every address that passes an edge, a line a cycle; every byte that DRAM moves.
void TestCliSystolicNetworks::addressTraces()
{
    constexpr int kA = 20 * 37;
    constexpr int kB = 37 * 13;
    for (const char* dataflow : {"os", "ws", "is"}) {
        QTemporaryDir folder;
        const CliRun run = cli(QStringLiteral("systolic --gemm 20x13x37 --array 8x4 --dataflow %1 --json "
                                              "--pipeline pipelined --tile 9x7x16 --address-traces %2")
                                   .arg(QLatin1String(dataflow), folder.path()));
        QVERIFY2(run.code == 0, run.err.constData());
        std::int64_t cells = 0;
        std::vector<int> reads(kA + kB, 0);
        for (const char* name : {"IFMAP_SRAM_TRACE.csv", "FILTER_SRAM_TRACE.csv", "OFMAP_SRAM_TRACE.csv",
                                 "OFMAP_SRAM_READ_TRACE.csv"}) {
            std::int64_t last = -1;
            for (const QByteArrayList& line : csvRows(folder.filePath(QLatin1String(name)))) {
                QVERIFY(line[0].toLongLong() > last);
                last = line[0].toLongLong();
                for (int lane = 1; lane < line.size(); ++lane) {
                    const int address = line[lane].toInt();
                    cells += address >= 0;
                    if (address >= 0 && address < kA + kB)
                        ++reads[static_cast<std::size_t>(address)];
                }
            }
        }
        QCOMPARE(4 * cells, run.json()["traffic_bytes"]["l2"].get<std::int64_t>());
        QVERIFY(std::all_of(reads.begin(), reads.end(), [](int n) { return n > 0; }));
        std::int64_t bytes = 0;
        std::vector<int> touched(kA + kB + 20 * 13, 0);
        const auto dram = csvRows(folder.filePath(QStringLiteral("DRAM_TRACE.csv")));
        for (std::size_t i = 1; i < dram.size(); ++i) {
            const auto run4 = dram[i][5].toLongLong();
            bytes += run4;
            for (std::int64_t b = 0; b < run4; b += 4)
                ++touched.at(static_cast<std::size_t>((dram[i][4].toLongLong() + b) / 4));
        }
        QCOMPARE(bytes, run.json()["program"]["dram_bytes"].get<std::int64_t>());
        QVERIFY(std::all_of(touched.begin(), touched.end(), [](int n) { return n > 0; }));
        QVERIFY(std::all_of(touched.begin() + kA + kB, touched.end(), [](int n) { return n == 1; }));
    }
}

void TestCliSystolicNetworks::energyAndThePointWithoutReuse()
{
    const Json j = cli("systolic --gemm 64x64x64 --machine kpu --json").json();
    const Json& e = j["energy_pj"];
    const double macs = 64.0 * 64 * 64;
    QCOMPARE(e["mac"].get<double>(), macs * 0.075);
    QCOMPARE(e["dram"].get<double>(), j["traffic_bytes"]["dram"].get<double>() / 4 * 200);
    double sum = 0;
    for (const char* part : {"mac", "rf", "noc", "spm", "dram"})
        sum += e[part].get<double>();
    QCOMPARE(e["total"].get<double>(), sum);
    const Json& naive = j["roofline"]["no_reuse"];
    QCOMPARE(naive["flop_per_byte"].get<double>(), 1.0 / 12);
    QCOMPARE(naive["bytes"].get<double>(), 2 * macs * 12);
    const QByteArray text = cli("systolic --gemm 64x64x64").out;
    QVERIFY2(text.contains("no reuse") && text.contains("0.0833") && text.contains("energy"),
             text.constData());
}

void TestCliSystolicNetworks::tileCsv()
{
    QTemporaryDir folder;
    const QString one = folder.filePath(QStringLiteral("one.csv"));
    const Json j = cli(QStringLiteral("tile --gemm 1024x1024x1024 --json --csv ") + one).json();
    const auto rows = csvRows(one);
    const auto has = [&](const char* name, qlonglong value) {
        return std::find(rows.begin(), rows.end(), QByteArrayList{name, QByteArray::number(value)}) !=
               rows.end();
    };
    QVERIFY(has("Ti", j["Ti"].get<qlonglong>()));
    QVERIFY(has("adaptive.bytes", j["adaptive"]["bytes"].get<qlonglong>()));
    const QString all = folder.filePath(QStringLiteral("all.csv"));
    const CliRun network = cli(QStringLiteral("tile %1 --json --csv %2").arg(sample("small-conv.csv"), all));
    QCOMPARE(csvRows(all).size(), network.json().size() + 1);
    QCOMPARE(csvRows(all)[0].first(), QByteArray("operators"));
}

TILEWRIGHT_TEST(TestCliSystolicNetworks)

} // namespace test_cli_systolic_networks
#include "test_cli_systolic_networks.moc"
