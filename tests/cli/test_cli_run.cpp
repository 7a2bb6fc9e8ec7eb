// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_run.h"
#include "test_main.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <algorithm>
#include <cmath>
#include <map>

namespace test_cli_run {

using namespace tilewright::test;

namespace {

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/");
const QStringList kCall{"run", kSamples + "attention-block.json",
                        kSamples + "attention-block.fused.schedule.json"};

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

/// The schedule of the file with tiles of at most so many columns.
void cutColumns(const QString& path, int most)
{
    QFile file(path);
    if (!file.open(QIODevice::ReadWrite))
        qFatal("%s", qPrintable(file.errorString()));
    auto schedule = nlohmann::json::parse(file.readAll().toStdString());
    for (auto& granularity : schedule["granularities"])
        granularity[0] = std::min(granularity[0].get<int>(), most);
    file.resize(0);
    file.write(QByteArray::fromStdString(schedule.dump()));
}

} // namespace

class TestCliRun : public QObject
{
    Q_OBJECT

private slots:
    void aSchedule()
    {
        const CliRun said = runCli(kCall);
        QCOMPARE(said.code, 0);
        QVERIFY2(said.out.contains("\nend          ") && said.out.contains("\narray        "), said.out);
        const CliRun r = runCli(kCall + QStringList{"--json"});
        QCOMPARE(r.code, 0);
        const auto json = r.json();
        for (const char* field :
             {"title", "rules", "rules_reason", "prefetch", "cores", "end", "latency", "exact", "steps",
              "load_elements", "store_elements", "peak_room", "capacity", "units", "subgraphs"})
            QVERIFY2(json.contains(field), field);
        const auto evaluated = runCli(QStringList{"evaluate"} + kCall.mid(1) + QStringList{"--json"}).json();
        QVERIFY(close(json["latency"], evaluated["total_latency"]));
        double lengths = 0;
        for (const auto& s : json["subgraphs"]) {
            lengths += s["length"].get<double>();
            QVERIFY(
                close(s["length"].get<double>(), s["latency"].get<double>() + s["start_up"].get<double>() +
                                                     s["drain"].get<double>() - s["overlap"].get<double>()));
        }
        QVERIFY(close(lengths, json["end"]));
        for (const auto& [name, unit] : json["units"].items()) {
            double all = unit["busy"];
            for (const auto& [what, time] : unit["waits"].items())
                all += time.get<double>();
            QVERIFY2(close(all, json["end"]), name.c_str());
        }
    }

    void prefetch()
    {
        std::map<int, double> ends;
        for (const int steps : {0, 1, 4})
            ends[steps] = runCli(kCall + QStringList{"--json", "--prefetch", QString::number(steps)})
                              .json()["end"]
                              .get<double>();
        QVERIFY(ends[1] < ends[0]);
        QVERIFY(ends[4] <= ends[0]);
        QCOMPARE(runCli(kCall + QStringList{"--prefetch", "-1"}).code, 2);
    }

    /// The spans of a unit do not overlap and fill its time.
    void trace()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath("trace.json");
        const CliRun r = runCli(kCall + QStringList{"--json", "--trace", file});
        QCOMPARE(r.code, 0);
        QFile written(file);
        QVERIFY(written.open(QIODevice::ReadOnly));
        const auto events = nlohmann::json::parse(written.readAll().toStdString())["traceEvents"];
        std::map<int, double> busy;
        std::size_t counters = 0;
        for (const auto& e : events) {
            if (e["ph"] == "X" && e["cat"] != "wait")
                busy[e["tid"].get<int>()] += e["dur"].get<double>();
            counters += e["ph"] == "C";
        }
        const auto units = r.json()["units"];
        QVERIFY(close(busy[0], units["load"]["busy"]) && close(busy[1], units["array"]["busy"]));
        QVERIFY(close(busy[2], units["vector"]["busy"]) && close(busy[3], units["store"]["busy"]));
        QVERIFY(counters > 2);
    }

    void aModelOnAMachine()
    {
        const QTemporaryDir folder;
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
        const QString schedule = folder.filePath("s.json");
        QCOMPARE(runCli({"convert", model, "--to", "schedule", "-o", schedule}).code, 0);
        const auto json = runCli({"run", model, schedule, "--machine", "edge", "--json"}).json();
        QCOMPARE(json["rules"].get<std::string>(), std::string("machine"));
        QVERIFY(json["end"] > 0 && json["peak_room"] <= json["capacity"]);
    }

    /// docs/rules/run.md 5
    void severalCores()
    {
        const auto one = runCli(kCall + QStringList{"--json"}).json();
        QVERIFY(!one.contains("per_core"));
        const CliRun r = runCli(kCall + QStringList{"--cores", "4", "--json"});
        QCOMPARE(r.code, 0);
        const auto four = r.json();
        QCOMPARE(four["cores"].get<int>(), 4);
        QCOMPARE(four["per_core"].size(), std::size_t{4});
        int steps = 0;
        std::map<std::string, double> busy;
        for (const auto& core : four["per_core"]) {
            steps += core["steps"].get<int>();
            QVERIFY(core["peak_room"] <= four["capacity"]);
            for (const auto& [name, unit] : core["units"].items()) {
                busy[name] += unit["busy"].get<double>();
                double all = unit["busy"];
                for (const auto& [what, time] : unit["waits"].items())
                    all += time.get<double>();
                QVERIFY2(close(all, four["end"]), name.c_str());
            }
        }
        QCOMPARE(steps, one["steps"].get<int>());
        for (const auto& [name, time] : busy)
            QVERIFY2(close(time, four["units"][name]["busy"]), name.c_str());
        QVERIFY(four["channel_busy"] <= four["end"] && four["load_elements"] >= one["load_elements"]);
        const CliRun said = runCli(kCall + QStringList{"--cores", "2"});
        QVERIFY2(said.out.contains("planned for 1 core") && said.out.contains("\ncore 1 array"), said.out);
    }

    /// The machine's cores are the most, and rows that are cut are told (docs/rules/run.md 5.8).
    void severalCoresOfAMachine()
    {
        const QTemporaryDir folder;
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
        const QString schedule = folder.filePath("s.json");
        QCOMPARE(runCli({"convert", model, "--to", "schedule", "-o", schedule}).code, 0);
        const QStringList call{"run", model, schedule, "--machine", "edge", "--cores"};
        const CliRun many = runCli(call + QStringList{"5"});
        QCOMPARE(many.code, 2);
        QVERIFY2(many.err.contains("the machine edge has 4 cores, so a schedule does not run on 5"),
                 many.err);
        const auto whole = runCli(call + QStringList{"4", "--json"}).json();
        QCOMPARE(whole["per_core"].size(), std::size_t{4});
        QCOMPARE(whole["notes"].size(), std::size_t{0});
        cutColumns(schedule, 64);
        const auto json = runCli(call + QStringList{"4", "--json"}).json();
        QCOMPARE(json["notes"].size(), std::size_t{1});
        QVERIFY(json["notes"][0].get<std::string>().starts_with("the rows of "));
        QVERIFY(runCli(call + QStringList{"2"}).out.contains("\nleft out     the rows of "));
    }

    /// `npu --schedule` is the run of the schedule, on all cores of the machine unless it is said how many.
    void theNpuVerb()
    {
        const QTemporaryDir folder;
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
        const QString schedule = folder.filePath("s.json"), trace = folder.filePath("trace.json");
        QCOMPARE(runCli({"convert", model, "--to", "schedule", "-o", schedule}).code, 0);
        const QStringList call{"npu", model, "--schedule", schedule, "--machine", "edge"};
        const QStringList same{"run", model, schedule, "--machine", "edge", "--cores"};
        for (const QStringList& how : {QStringList{"--json"}, QStringList()}) {
            const CliRun all = runCli(call + how);
            QCOMPARE(all.code, 0);
            QCOMPARE(all.out, runCli(same + QStringList{"4"} + how).out);
            QCOMPARE(runCli(call + QStringList{"--cores", "2"} + how).out,
                     runCli(same + QStringList{"2"} + how).out);
            QVERIFY2(all.out.contains("this schedule, 40 subgraphs, 4 cores"), all.out);
        }
        QCOMPARE(runCli(call + QStringList{"--trace", trace}).code, 0);
        QVERIFY(QFile::exists(trace));
        const CliRun alone = runCli({"npu", kCall[1], "--schedule", kCall[2], "--json"});
        QCOMPARE(alone.out, runCli(kCall + QStringList{"--cores", "4", "--json"}).out);
        for (const QStringList& no :
             {QStringList{"--scheduler", "static"}, {"--tiles", "searched"}, {"--instructions"}}) {
            const CliRun r = runCli(call + no);
            QCOMPARE(r.code, 2);
            QVERIFY2(r.err.contains("--schedule"), r.err);
        }
    }

    /// `solve --finish run` gives a schedule whose run ends where it says, and not later than before.
    void finish()
    {
        const QTemporaryDir folder;
        const QString model = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
        const QString schedule = folder.filePath("s.json");
        const QStringList call{"solve",        model, "--machine", "edge", "--seconds", "0",
                               "--iterations", "50",  "--threads", "1",    "--finish",  "run"};
        const auto solved = runCli(call + QStringList{"--json", "-o", schedule}).json();
        const auto& finish = solved["finish"];
        QVERIFY(finish["run_end"] < finish["run_end_before"]);
        QVERIFY(!finish["retiled"].empty());
        const auto run = runCli({"run", model, schedule, "--machine", "edge", "--json"}).json();
        QVERIFY(close(run["end"], finish["run_end"]));
        QVERIFY(close(run["latency"], solved["total_latency"]));
        const CliRun said = runCli(call);
        QVERIFY2(said.out.contains("\nend of the run  "), said.out);
        QCOMPARE(runCli(call + QStringList{"--objective", "energy"}).code, 2);
    }

    void refusals()
    {
        const CliRun cores = runCli(kCall + QStringList{"--cores", "5"});
        QCOMPARE(cores.code, 2);
        QVERIFY2(
            cores.err.contains("a problem without a machine has 4 cores, so a schedule does not run on 5"),
            cores.err);
        const CliRun invalid = runCli(
            {"run", kSamples + "example-5.json", kSamples + "example-5.a-out-of-memory.schedule.json"});
        QCOMPARE(invalid.code, 1);
        QVERIFY2(invalid.err.contains("only a valid schedule runs; OOM in subgraph 0"), invalid.err);
        const CliRun donation = runCli(kCall + QStringList{"--set", "donation=yes"});
        QCOMPARE(donation.code, 2);
        QVERIFY2(donation.err.contains("donation=no"), donation.err);
        QCOMPARE(runCli({"run", kSamples + "example-5.json", "nothing.json"}).code, 2);
    }
};

TILEWRIGHT_TEST(TestCliRun)

} // namespace test_cli_run
#include "test_cli_run.moc"
