// SPDX-License-Identifier: GPL-3.0-or-later
// The npu verb as docs/design.md 3.2 promises it.
#include "base/file.h"
#include "cli_run.h"
#include "model/machine.h"
#include "test_main.h"

#include <nlohmann/json.hpp>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <cmath>
#include <csignal>
#include <set>

namespace test_cli_npu {

using Json = nlohmann::json;
using namespace tilewright::test;

namespace {

CliRun run(const QStringList& arguments)
{
    return runCli(QStringList{QStringLiteral("npu")} + arguments);
}

QString sample(const char* name)
{
    return QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/npu/%1.json").arg(QLatin1String(name));
}

} // namespace

class TestCliNpu : public QObject
{
    Q_OBJECT

private slots:
    void jsonHasTheContractsFields();
    void graphAndTraceAgree();
    void badInputIsExitCode2();
    void aMachineThatIsTooLargeIsNamed();
    void aMemoryThatIsTooSlowIsRefused();
    void operatorsInTextJsonAndCsv();
    void searchedTilesAreNotSlower();
    void theFastestSchedulerIsTaken();
    void theMachineIsNamed();
    void tilesAreCutAnewForLessSpm();
    void coreToCoreBytesAreTold();
    void whatASharedMemoryDeliversIsTold();
    void blocksWithGroupedQueriesFromAFile();
    void graphHasTheStaticSchedule();
    void traceWithoutBursts();
    void interruptedTellsWhatIsKnown_data();
    void interruptedTellsWhatIsKnown();
};

void TestCliNpu::interruptedTellsWhatIsKnown_data()
{
    QTest::addColumn<bool>("json");
    QTest::newRow("json") << true;
    QTest::newRow("text") << false;
}

/// SIGINT while a long run is simulated: exit code 130 with the bounds.
void TestCliNpu::interruptedTellsWhatIsKnown()
{
    QFETCH(bool, json);
    const QTemporaryDir dir;
    QFile file(dir.filePath(QStringLiteral("long.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"name": "long", "tensors": [{"name": "a", "shape": [4096, 4096]},
        {"name": "b", "shape": [4096, 4096]}, {"name": "c", "shape": [4096, 4096]}],
        "ops": [{"type": "matmul", "name": "mm", "inputs": ["a", "b"], "outputs": ["c"],
                 "tile": {"m": 64, "n": 64, "k": 64}}]})");
    file.close();
    QProcess process;
    QStringList arguments{QStringLiteral("npu"), file.fileName(), QStringLiteral("--progress")};
    if (json)
        arguments << QStringLiteral("--json");
    process.start(QStringLiteral(TILEWRIGHT_CLI), arguments);
    QVERIFY(process.waitForStarted());
    process.setReadChannel(QProcess::StandardError);
    QVERIFY(process.waitForReadyRead(120'000)); // the first line of progress: it is being simulated
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), SIGINT), 0);
    QVERIFY(process.waitForFinished(120'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    const QByteArray out = process.readAllStandardOutput();
    if (json) {
        const Json j = Json::parse(out.toStdString());
        QVERIFY(j["interrupted"].get<bool>());
        QVERIFY(j["makespan"].is_null() && j["verified"].is_null());
        QVERIFY(j["lower_bound"].get<long>() > 0);
        QVERIFY(j["estimated_makespan"].get<long>() >= j["lower_bound"].get<long>() / 2);
        QVERIFY(j["simulated"].get<double>() < 1);
        QCOMPARE(j["nodes"].get<int>(), 64 * 64 * 64);
    } else {
        QVERIFY2(out.contains("interrupted after"), out.constData());
        QVERIFY2(out.contains("at least"), out.constData());
    }
}

void TestCliNpu::jsonHasTheContractsFields()
{
    for (const char* scheduler : {"static", "dynamic"}) {
        QStringList call{sample("bert_block"), "--cores",       "2",     "--scheduler", scheduler,
                         "--assignment",       "head_parallel", "--json"};
        const QStringList weighted = call + QStringList{"--weights", "1,0.5,0.25"};
        if (scheduler == QLatin1String("dynamic"))
            call = weighted;
        else
            QCOMPARE(run(weighted).code, 2); // they are weights of the dynamic score
        const CliRun o = run(call);
        QCOMPARE(o.code, 0);
        const Json j = o.json();
        QCOMPARE(j["scheduler"].get<std::string>(), std::string(scheduler));
        QCOMPARE(j["cores"].get<int>(), 2);
        QVERIFY(j["tiles"].get<int>() > 100);
        QVERIFY(j["makespan"].get<long>() >= j["lower_bound"].get<long>());
        QVERIFY(j["dram_bytes"].get<long>() > 0);
        QCOMPARE(j["per_core"].size(), std::size_t{2});
        for (const Json& core : j["per_core"]) {
            long sum = 0;
            for (const char* key :
                 {"tensor", "vector", "wait_dependency", "wait_spm", "wait_dram", "wait_noc", "idle"})
                sum += core.at(key).get<long>();
            QCOMPARE(sum, j["makespan"].get<long>());
        }
        QCOMPARE(j["verified"].get<bool>(), true);
    }
}

void TestCliNpu::graphAndTraceAgree()
{
    QTemporaryDir dir;
    const QString graphFile = dir.filePath(QStringLiteral("g.json"));
    const QString traceFile = dir.filePath(QStringLiteral("t.json"));
    QCOMPARE(
        run({sample("conv_net"), "--scheduler", "dynamic", "--graph", graphFile, "--trace", traceFile}).code,
        0);
    const auto read = [](const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? Json::parse(file.readAll().toStdString()) : Json();
    };
    const Json graph = read(graphFile);
    const Json trace = read(traceFile);
    std::map<long, long> cycles;
    for (const Json& n : graph["nodes"])
        cycles[n["id"].get<long>()] = n["compute_cycles"].get<long>();
    std::set<long> units;
    for (const Json& n : graph["nodes"])
        units.insert(n["unit"].get<long>());
    std::size_t choices = 0;
    long moved = 0;
    long onBus = 0;
    for (const Json& e : trace["traceEvents"]) {
        const std::string cat = e.value("cat", "");
        if (cat == "compute") {
            const auto node = cycles.find(e["args"]["node"].get<long>());
            QVERIFY(node != cycles.end());
            QCOMPARE(e["dur"].get<long>(), node->second);
            cycles.erase(node); // one event a node
        } else if (cat == "load" || cat == "store") {
            moved += e["args"]["bytes"].get<long>();
        } else if (cat == "dram") {
            onBus += e["args"]["bytes"].get<long>();
        } else if (cat == "choice") { // of the dynamic scheduler, with the terms of its score
            ++choices;
            const Json& s = e["args"];
            const double sum = s["critical_path"].get<double>() + 0.3 * s["intensity"].get<double>() -
                               0.5 * s["dram_stall"].get<double>();
            QVERIFY(std::abs(sum - s["score"].get<double>()) < 1e-9);
            QVERIFY(s["candidates"].get<long>() >= 1);
        } else if (e["ph"] == "C" && e["name"] == "spm") {
            QVERIFY(e["args"]["bytes"].get<long>() <= graph["spm_bytes"].get<long>());
        }
    }
    QVERIFY(cycles.empty());
    QVERIFY(moved > 0);
    QCOMPARE(onBus, moved);
    QCOMPARE(choices, units.size());
}

void TestCliNpu::badInputIsExitCode2()
{
    const QString bad = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/invalid_npu/%1.json");
    for (const QStringList& arguments :
         {QStringList{QStringLiteral("/nonexistent.json")},
          QStringList{bad.arg(QStringLiteral("cyclic_graph"))},
          QStringList{bad.arg(QStringLiteral("node_larger_than_spm")), QStringLiteral("--json")},
          QStringList{sample("bert_block"), QStringLiteral("--scheduler"), QStringLiteral("magic")},
          QStringList{sample("bert_block"), QStringLiteral("--assignment"), QStringLiteral("magic")},
          QStringList{sample("bert_block"), QStringLiteral("--cores"), QStringLiteral("9999")},
          QStringList{sample("bert_block"), QStringLiteral("--weights"), QStringLiteral("1,2")},
          QStringList{sample("bert_block"), QStringLiteral("--weights"), QStringLiteral("nan,1,1")},
          QStringList{sample("bert_block"), QStringLiteral("--tiles"), QStringLiteral("magic")},
          QStringList{}}) {
        const CliRun o = run(arguments);
        QCOMPARE(o.code, 2);
        QVERIFY(o.out.isEmpty());
        QVERIFY(!o.err.isEmpty());
    }
}

/// More cores than the lens takes: the file of the machine is named.
void TestCliNpu::aMachineThatIsTooLargeIsNamed()
{
    const QTemporaryDir dir;
    const QString file = dir.filePath(QStringLiteral("many.json"));
    Json machine = Json::parse(std::string(tilewright::writeMachine(*tilewright::machinePreset("edge"))));
    machine["cores"] = 8192;
    QVERIFY(tilewright::writeFileAtomically(file.toStdString(), machine.dump()));
    const CliRun o = run({QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json"),
                          QStringLiteral("--machine"), file});
    QCOMPARE(o.code, 2);
    QVERIFY2(o.err.contains("many.json: cores: expected an integer from 1 to 1024, got 8192"), o.err);
}

/// The simulator moved one byte per cycle all the same: the run was faster than the memory and its floor.
void TestCliNpu::aMemoryThatIsTooSlowIsRefused()
{
    const QTemporaryDir dir;
    const QString file = dir.filePath(QStringLiteral("slow.json"));
    const auto runWith = [&](const char* rate) {
        const auto machine = tilewright::withMachineField(*tilewright::machinePreset("edge"),
                                                          "levels.external.gb_per_s", rate);
        (void)tilewright::writeFileAtomically(file.toStdString(), tilewright::writeMachine(*machine));
        return run({QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json"),
                    QStringLiteral("--machine"), file});
    };
    const CliRun slow = runWith("0.5");
    QCOMPARE(slow.code, 2);
    QVERIFY2(
        slow.err.contains("slow.json: dram.bytes_per_cycle: the external memory moves less than one byte"),
        slow.err);
    // What whole bytes lose is told.
    const CliRun rounded = runWith("1.5");
    QCOMPARE(rounded.code, 0);
    QVERIFY2(rounded.out.contains("the external memory moves 1.5 bytes per cycle; this lens counts whole "
                                  "bytes of each channel: 1"),
             rounded.out.right(900));
}

void TestCliNpu::operatorsInTextJsonAndCsv()
{
    const QTemporaryDir dir;
    const QString csv = dir.filePath(QStringLiteral("ops.csv"));
    const Json j = run({sample("conv_net"), QStringLiteral("--json"), QStringLiteral("--csv"), csv}).json();
    long bytes = 0, end = 0;
    double energy = 0;
    for (const Json& o : j["operators"]) {
        bytes += o["loaded_bytes"].get<long>() + o["stored_bytes"].get<long>();
        end = std::max(end, o["end"].get<long>());
        energy += o["energy_pj"]["total"].get<double>();
        QVERIFY(o["start"].get<long>() < o["end"].get<long>());
        QVERIFY(!o["cores"].empty() && !o["tile"].empty());
    }
    QCOMPARE(bytes, j["dram_bytes"].get<long>());
    QCOMPARE(end, j["makespan"].get<long>());
    QCOMPARE(energy, j["energy_pj"].get<double>());
    QFile file(csv);
    QVERIFY(file.open(QIODevice::ReadOnly));
    QCOMPARE(file.readAll().count('\n'), static_cast<qsizetype>(j["operators"].size()) + 1);
    const CliRun text = run({sample("conv_net")});
    QVERIFY(text.out.contains("pointwise3"));
    QVERIFY(text.out.contains("energy nJ"));
}

void TestCliNpu::searchedTilesAreNotSlower()
{
    const QStringList dynamic{"--scheduler", "dynamic", "--json"};
    const Json before = run(QStringList{sample("conv_net")} + dynamic).json();
    const CliRun o = run(QStringList{sample("conv_net"), "--tiles", "searched"} + dynamic);
    QCOMPARE(o.code, 0);
    const Json after = o.json();
    QCOMPARE(after["tile_search"]["before"]["makespan"], before["makespan"]);
    QCOMPARE(after["tile_search"]["after"]["makespan"], after["makespan"]);
    QVERIFY(after["makespan"].get<long>() < before["makespan"].get<long>());
    QVERIFY(after["verified"].get<bool>());
    for (const Json& op : after["tile_search"]["operators"])
        if (!op["before"]["cycles_alone"].is_null())
            QVERIFY(op["fastest_alone"]["cycles_alone"].get<long>() <=
                    op["before"]["cycles_alone"].get<long>());
    // The search is under the dynamic scheduler, and the best one runs what it found.
    const CliRun best = run({sample("conv_net"), "--tiles", "searched"});
    QVERIFY(best.out.contains("fastest alone of the ") && best.out.contains(" runs, dynamic: "));
    QVERIFY(run({sample("conv_net"), "--tiles", "searched", "--json"}).json()["makespan"] <=
            after["makespan"]);
}

/// docs/rules/npu.md 4.1
void TestCliNpu::theFastestSchedulerIsTaken()
{
    for (const char* name : {"bert_block", "kv_three_banks"}) {
        const CliRun text = run({sample(name)});
        const Json best = run({sample(name), "--json"}).json();
        QVERIFY2(text.out.contains(("\nscheduler    " + best["scheduler"].get<std::string>()).c_str()) &&
                     text.out.contains(", the fastest of "),
                 text.out);
        QVERIFY(best["schedulers"].size() >= 3);
        for (const Json& tried : best["schedulers"]) {
            QStringList call{sample(name), "--json", "--scheduler",
                             QString::fromStdString(tried["scheduler"].get<std::string>())};
            if (tried["scheduler"] == "static" || tried["assignment"] == "head_parallel")
                call << "--assignment" << QString::fromStdString(tried["assignment"].get<std::string>());
            const Json one = run(call).json();
            QCOMPARE(one["makespan"], tried["makespan"]);
            QVERIFY(best["makespan"] <= one["makespan"] && !one.contains("schedulers"));
        }
    }
}

/// A file without hardware ran on a machine that nothing named, and on another one when it was lowered.
void TestCliNpu::theMachineIsNamed()
{
    const QString machine = QStringLiteral("--machine");
    const CliRun silent = run({sample("conv_net")});
    QVERIFY2(silent.out.contains(" on 4 cores of the default NPU, as none was named\n"), silent.out);
    QCOMPARE(run({sample("conv_net"), QStringLiteral("--json")}).json()["machine"].get<std::string>(),
             std::string("default"));
    QVERIFY(run({sample("conv_net"), machine, QStringLiteral("edge")}).out.contains(" on 4 cores of edge\n"));
    QVERIFY(run({sample("kv_three_banks")}).out.contains(" of example NPU\n"));
    const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
    QVERIFY(run({model}).out.contains(" of edge, as none was named\n"));
    QCOMPARE(run({model, QStringLiteral("--json")}).json()["makespan"],
             run({model, machine, QStringLiteral("edge"), QStringLiteral("--json")}).json()["makespan"]);
}

/// docs/rules/npu.md 5.8: the figures of text, JSON and operators; without the option they are not there.
void TestCliNpu::coreToCoreBytesAreTold()
{
    const QTemporaryDir dir;
    const QString hardware = dir.filePath(QStringLiteral("transfers.json"));
    QFile file(hardware);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"noc": {"core_to_core": true}})");
    file.close();
    const CliRun r = run({sample("conv_net"), "--hardware", hardware});
    QCOMPARE(r.code, 0);
    QVERIFY2(r.out.contains("\ncore to core 1\u202f252\u202f608 bytes\n"), r.out.constData());
    const Json with =
        Json::parse(run({sample("conv_net"), "--hardware", hardware, "--json"}).out.toStdString());
    const Json without = Json::parse(run({sample("conv_net"), "--json"}).out.toStdString());
    QVERIFY(!without.contains("core_to_core_bytes"));
    QVERIFY(with["dram_bytes"] < without["dram_bytes"] && with["makespan"] < without["makespan"]);
    std::int64_t sum = 0;
    for (const Json& op : with["operators"])
        sum += op["core_to_core_bytes"].get<std::int64_t>();
    QCOMPARE(sum, with["core_to_core_bytes"].get<std::int64_t>());
    file.setFileName(dir.filePath(QStringLiteral("odd.json")));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"noc": {"core_to_core": 1}})");
    file.close();
    const CliRun odd = run({sample("conv_net"), "--hardware", file.fileName()});
    QCOMPARE(odd.code, 2);
    QVERIFY2(odd.err.contains("noc.core_to_core"), odd.err.constData());
}

/// docs/rules/npu.md 5.10: bytes of the shared memory and of loads that joined another one.
void TestCliNpu::whatASharedMemoryDeliversIsTold()
{
    const QTemporaryDir dir;
    const auto withShared = [&](const char* text) {
        QFile file(dir.filePath(QStringLiteral("shared.json")));
        if (file.open(QIODevice::WriteOnly))
            file.write(text);
        file.close();
        return run({sample("conv_net"), "--hardware", file.fileName(), "--json"});
    };
    const char* const kOnePort = R"({"shared": {"bytes": 1048576, "bytes_per_cycle": 64}})";
    const char* const kMulticast =
        R"({"shared": {"bytes": 1048576, "bytes_per_cycle": 64, "multicast": true}})";
    const Json one = Json::parse(withShared(kOnePort).out.toStdString());
    QVERIFY(one["shared_bytes"] > 0 && !one.contains("multicast_bytes"));
    const Json both = Json::parse(withShared(kMulticast).out.toStdString());
    QVERIFY(both["multicast_bytes"] > 0 && both["multicast_bytes"] <= both["shared_bytes"]);
    QVERIFY(both["makespan"] < one["makespan"]);
    std::int64_t sum = 0;
    for (const Json& op : both["operators"])
        sum += op["multicast_bytes"].get<std::int64_t>();
    QCOMPARE(sum, both["multicast_bytes"].get<std::int64_t>());
    QVERIFY(run({sample("conv_net"), "--hardware", dir.filePath(QStringLiteral("shared.json"))})
                .out.contains("\nmulticast    "));
    const Json ports = Json::parse(withShared(R"({"shared": {"bytes": 1048576, "read_bytes_per_cycle": 64,
        "write_bytes_per_cycle": 2}, "dram": {"address_hash": true}})")
                                       .out.toStdString());
    QVERIFY(ports["makespan"] > one["makespan"]);
    const CliRun odd = withShared(R"({"shared": {"bytes": 4096, "write_bytes_per_cycle": 2}})");
    QCOMPARE(odd.code, 2);
    QVERIFY2(odd.err.contains("shared.write_bytes_per_cycle: a memory with two ports needs both rates"),
             odd.err.constData());
}

/// "layers" of a generated model are not those of a layer list.
void TestCliNpu::tilesAreCutAnewForLessSpm()
{
    const QTemporaryDir dir;
    const QString hardware = dir.filePath(QStringLiteral("small.json"));
    QFile file(hardware);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"spm_bytes": 131072})");
    file.close();
    const CliRun r = run({sample("bert_block"), "--hardware", hardware});
    QCOMPARE(r.code, 0);
    QVERIFY2(r.out.contains(" bytes of SPM and are cut anew: q m 64, k 128 instead of m 128, k 256"),
             r.out.constData());
    const Json json =
        Json::parse(run({sample("bert_block"), "--hardware", hardware, "--json"}).out.toStdString());
    QCOMPARE(json["notes"].size(), std::size_t{1});
    QVERIFY(json["verified"].get<bool>());
    const CliRun searched = run({sample("kv_three_banks"), "--hardware", hardware, "--tiles", "searched"});
    QCOMPARE(searched.code, 0);
    QVERIFY(!run({sample("bert_block")}).out.contains("cut anew"));
}

void TestCliNpu::blocksWithGroupedQueriesFromAFile()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("blocks.json"));
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(R"({"generate": "llama_block", "phase": "decode", "hidden": 256, "heads": 8, "kv_heads": 2,
                   "ffn": 512, "cached": 40, "layers": 3})");
    file.close();
    const CliRun o = run({path, QStringLiteral("--json")});
    QVERIFY2(o.code == 0, o.err.constData());
    QVERIFY(o.json()["operators"].back()["name"].get<std::string>().starts_with("block2."));
}

void TestCliNpu::graphHasTheStaticSchedule()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("g.json"));
    QCOMPARE(run({sample("conv_net"), QStringLiteral("--graph"), path}).code, 0);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const Json graph = Json::parse(file.readAll().toStdString());
    const Json& schedule = graph["static_schedule"];
    QCOMPARE(schedule["order"].size(), graph["cores"].get<std::size_t>());
    std::size_t listed = 0;
    for (std::size_t c = 0; c < schedule["order"].size(); ++c)
        for (const Json& node : schedule["order"][c]) {
            QCOMPARE(graph["nodes"][node.get<std::size_t>()]["core"].get<std::size_t>(), c);
            ++listed;
        }
    QCOMPARE(listed, graph["nodes"].size());
    long last = 0;
    for (const Json& node : graph["nodes"]) {
        last = std::max(last, node["estimated_finish"].get<long>());
        for (const Json& dep : node["deps"]) {
            const Json& before = graph["nodes"][dep.get<std::size_t>()];
            QVERIFY(before["priority"].get<long>() > node["priority"].get<long>());
            QVERIFY(before["estimated_finish"].get<long>() < node["estimated_finish"].get<long>());
        }
    }
    QCOMPARE(last, schedule["estimated_makespan"].get<long>());
}

void TestCliNpu::traceWithoutBursts()
{
    const QTemporaryDir dir;
    const QString path = dir.filePath(QStringLiteral("t.json"));
    QCOMPARE(run({sample("conv_net"), QStringLiteral("--trace"), path, QStringLiteral("--no-bursts")}).code,
             0);
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QByteArray text = file.readAll();
    QVERIFY(!text.contains("\"cat\":\"dram\""));
    QVERIFY(text.contains("\"cat\":\"load\""));
    QCOMPARE(run({sample("conv_net"), QStringLiteral("--no-bursts")}).code, 2); // of what?
}

TILEWRIGHT_TEST(TestCliNpu)

} // namespace test_cli_npu
#include "test_cli_npu.moc"
