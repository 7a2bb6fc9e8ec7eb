// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_run.h"
#include "test_main.h"

#include <QtTest>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace test_cli_schedule {

using Json = nlohmann::ordered_json;
using namespace tilewright::test;

namespace {

const QString kExamples = TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/";
const QString kData = TILEWRIGHT_SOURCE_DIR "/tests/data/";

std::string content(const QString& file)
{
    std::ifstream in(file.toStdString(), std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

bool near(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
}

} // namespace

class TestCliSchedule : public QObject
{
    Q_OBJECT

private slots:
    /// The totals that the seed prints for its worked examples, with rules chosen by the reported latencies.
    void workedExamples_data()
    {
        QTest::addColumn<QString>("problem");
        QTest::addColumn<QString>("schedule");
        QTest::addColumn<QStringList>("options");
        QTest::addColumn<QString>("line");
        QTest::addColumn<int>("code");
        const auto row = [](const char* schedule, const char* line, QStringList options = {}, int code = 0) {
            const QString name = schedule;
            const QString problem = name.startsWith("ex2") ? "ex2_" + name.section('_', 1) : name.left(3);
            QTest::newRow(qPrintable(name + " " + options.join(' ')))
                << problem << name << options << line << code;
        };
        row("ex1A", "total        6\u202f553.6");
        row("ex1B", "total        3\u202f276.8");
        row("ex1C", "total        4\u202f400");
        row("ex2A_final", "total        26\u202f214.4");
        row("ex2B_final", "total        13\u202f107.2");
        row("ex3A", "total        11\u202f468.8");
        row("ex3B", "total        6\u202f276.8");
        row("ex3C", "total        4\u202f638.4");
        row("ex4A_null", "total        8\u202f192");
        row("ex4A_null", "total        7\u202f096", {"--rules", "final"});
        row("ex4A_null", "total        8\u202f192", {"--set", "null_order_reuse=no"});
        row("ex4B", "total        6\u202f548");
        row("ex5A", "invalid      OOM in subgraph 0: the working set needs up to 65\u202f536 elements", {},
            1);
        row("ex5B", "total        6\u202f915.2");
    }
    void workedExamples()
    {
        QFETCH(QString, problem);
        QFETCH(QString, schedule);
        QFETCH(QStringList, options);
        QFETCH(QString, line);
        const CliRun r = runCli(QStringList{"evaluate", kExamples + problem + ".problem.json",
                                            kExamples + schedule + ".solution.json"} +
                                options);
        QVERIFY2(("\n" + r.out).contains("\n" + line.toUtf8()), qPrintable(r.out + r.err));
        QTEST(r.code, "code");
    }

    /// Every case of the manifest, through the JSON contract of docs/design.md 3.2.
    void manifest()
    {
        const Json cases = Json::parse(content(kExamples + "manifest.json"))["cases"];
        for (const Json& c : cases)
            for (const auto& [rules, expected] : c["expect"].items()) {
                if (rules != "final" && rules != "seed")
                    continue;
                const QString problem = kExamples + QString::fromStdString(c["problem"]);
                const QString schedule = kExamples + QString::fromStdString(c["solution"]);
                const CliRun r = runCli(
                    {"evaluate", problem, schedule, "--json", "--rules", QString::fromStdString(rules)});
                QVERIFY2(r.err.isEmpty() || r.err.contains(": subgraph_latencies: of subgraph "),
                         qPrintable(r.err));
                const Json out = r.json();
                const std::string where = c["name"].get<std::string>() + " " + rules;
                QCOMPARE(out["rules"].get<std::string>(), rules);
                QVERIFY(out["rules_reason"].is_string() && out["lower_bound"].is_number());
                QVERIFY2(out["valid"] == expected["valid"], where.c_str());
                QCOMPARE(r.code, expected["valid"] ? 0 : 1);
                const CliRun check =
                    runCli({"check", problem, schedule, "--json", "--rules", QString::fromStdString(rules)});
                QCOMPARE(check.code, r.code);
                QVERIFY(check.json()["valid"] == out["valid"] && check.json()["error"] == out["error"]);
                if (!expected["valid"]) {
                    QVERIFY2(out["error"]["code"] == expected["code"], where.c_str());
                    QVERIFY(!out["error"]["message"].get<std::string>().empty());
                    if (expected.contains("subgraph"))
                        QVERIFY2(out["error"]["subgraph"] == expected["subgraph"], where.c_str());
                    continue;
                }
                QVERIFY(out["error"].is_null());
                QVERIFY2(near(out["total_latency"], expected["total"]), where.c_str());
                if (rules == "final")
                    QVERIFY2(out["lower_bound"].get<double>() <=
                                 out["total_latency"].get<double>() * (1 + 1e-12),
                             where.c_str());
                for (std::size_t i = 0; i < expected["latencies"].size(); ++i) {
                    const Json& s = out["subgraphs"][i];
                    QVERIFY2(near(s["latency"], expected["latencies"][i]), where.c_str());
                    if (expected.contains("peaks"))
                        QVERIFY2(s["peak_working_set"] == expected["peaks"][i], where.c_str());
                    for (const char* key : {"compute", "load_elements", "store_elements", "steps", "bound"})
                        QVERIFY2(s.contains(key), key);
                }
            }
        QCOMPARE(cases.size(), 25u);
    }

    void autoNamesItsReason()
    {
        const auto reason = [](const char* problem, const char* schedule) {
            const Json out = runCli({"evaluate", kExamples + problem, kExamples + schedule, "--json"}).json();
            return QString::fromStdString(out["rules"].get<std::string>() + ": " +
                                          out["rules_reason"].get<std::string>());
        };
        QCOMPARE(reason("ex4.problem.json", "ex4A_null.solution.json"),
                 QString("seed: the reported latencies agree with contest first statement only"));
        QVERIFY(reason("ex1.problem.json", "ex1A.solution.json").startsWith("final: "));
    }

    /// R10.2: every verb that reads a schedule says which latency of its file is wrong or missing.
    void wrongLatenciesAreTold()
    {
        QTemporaryDir dir;
        const QString problem = kExamples + "ex3.problem.json";
        const auto written = [&](const char* name, const Json& latencies) {
            Json file = Json::parse(content(kExamples + "ex3C.solution.json"));
            if (latencies.is_null())
                file.erase("subgraph_latencies");
            else
                file["subgraph_latencies"] = latencies;
            const QString path = dir.filePath(QLatin1String(name));
            std::ofstream(path.toStdString()) << file;
            return path;
        };
        const QString wrong = written("wrong.json", {1638.4, 20});
        const QString none = written("none.json", nullptr);
        const QByteArray ofWrong =
            ": subgraph_latencies: of subgraph 1, 20 is reported, 3\u202f000 is computed\n";
        const QByteArray ofNone =
            ": subgraph_latencies: of subgraph 0, none is reported, 1\u202f638.4 is computed; "
            "1 other subgraph deviates\n";
        for (const QStringList& verb :
             {QStringList{"check"}, {"check", "--rules", "seed"}, {"evaluate"}, {"place"}}) {
            const CliRun a = runCli(QStringList{verb.front(), problem, wrong} + verb.mid(1));
            QVERIFY2(a.code == 0 && a.err.contains(ofWrong), qPrintable(a.err));
            const CliRun b = runCli(QStringList{verb.front(), problem, none} + verb.mid(1));
            QVERIFY2(b.code == 0 && b.err.contains(ofNone), qPrintable(b.err));
        }
        const CliRun solved =
            runCli({"solve", problem, "--seconds", "0.1", "--start", wrong, "-o", dir.filePath("o.json")});
        QVERIFY2(solved.code == 0 && solved.err.contains(ofWrong), qPrintable(solved.err));
        const QString plan = dir.filePath("plan.json");
        std::ofstream(plan.toStdString())
            << Json{{"lens", "schedule"},
                    {"what", "evaluate"},
                    {"workload", {problem.toStdString()}},
                    {"schedule", wrong.toStdString()},
                    {"axes", {{{"name", "fast_memory_capacity"}, {"values", {30000, 60000}}}}}};
        const CliRun swept = runCli({"sweep", plan, "-o", dir.filePath("swept")});
        QVERIFY2(swept.code == 0 && swept.err.contains(ofWrong), qPrintable(swept.err));
        const Json d = runCli({"check", problem, wrong, "--json"}).json()["latency_deviations"];
        QCOMPARE(d.size(), 1U);
        QVERIFY(d[0]["subgraph"] == 1 && d[0]["reported"] == 20 && d[0]["computed"] == 3000);
        QVERIFY(
            runCli({"check", problem, none, "--json"}).json()["latency_deviations"][0]["reported"].is_null());
        // On other hardware the latencies are others, and a right file is not spoken of.
        QVERIFY(!runCli({"check", problem, wrong, "--machine", "edge"}).err.contains("subgraph_latencies"));
        QVERIFY(runCli({"check", problem, kExamples + "ex3C.solution.json"}).err.isEmpty());
    }

    void switches()
    {
        const QStringList files{kExamples + "ex4.problem.json", kExamples + "ex4B.solution.json"};
        CliRun r = runCli(QStringList{"check"} + files +
                          QStringList{"--set", "prologue=off", "--set", "k_scaling=native"});
        QCOMPARE(r.code, 0);
        QVERIFY2(r.out.contains("custom"), qPrintable(r.out));
        r = runCli(QStringList{"check"} + files + QStringList{"--set", "no_such_rule=1"});
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("no_such_rule") && r.out.isEmpty(), qPrintable(r.err));
        r = runCli(QStringList{"check"} + files + QStringList{"--set", "prologue=maybe"});
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("maybe"), qPrintable(r.err));
        r = runCli(QStringList{"check"} + files + QStringList{"--set", "prologue"});
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("expected NAME=VALUE"), qPrintable(r.err));
        QCOMPARE(runCli(QStringList{"check"} + files + QStringList{"--rules", "strict"}).code, 2);
        const QString chain = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/valid/chain.problem.json");
        const auto bound = [&](const QStringList& more) {
            return runCli(QStringList{"bound", chain, "--json"} + more).json()["compute"].get<double>();
        };
        QVERIFY(bound({"--set", "compute=array"}) != bound({}));
        QCOMPARE(runCli({"bound", chain, "--set", "compute=slow"}).code, 2);
    }

    void badUsage_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("nothing") << QStringList{};
        QTest::newRow("unknown verb") << QStringList{"frobnicate"};
        QTest::newRow("no file") << QStringList{"evaluate"};
        QTest::newRow("one file") << QStringList{"evaluate", "a.json"};
        QTest::newRow("missing file") << QStringList{"info", "/nowhere/at/all.json"};
        QTest::newRow("unknown option")
            << QStringList{"info", kExamples + "ex1.problem.json", "--frobnicate"};
        QTest::newRow("unknown kind") << QStringList{"generate", "lstm"};
        QTest::newRow("bad number") << QStringList{"generate", "mlp", "--rows", "many"};
        QTest::newRow("out of range") << QStringList{"generate", "mlp", "--rows", "-1"};
        QTest::newRow("trace not writable")
            << QStringList{"evaluate", kExamples + "ex1.problem.json", kExamples + "ex1A.solution.json",
                           "--trace", "/nowhere/at/all.csv"};
    }
    void badUsage()
    {
        QFETCH(QStringList, arguments);
        const CliRun r = runCli(arguments);
        QCOMPARE(r.code, 2);
        QVERIFY2(r.out.isEmpty() && !r.err.isEmpty(), qPrintable(r.out));
    }

    /// One sentence on stderr, nothing on stdout, exit 2, whichever verb reads the file.
    void invalidFiles_data()
    {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("sentence");
        for (const QString folder : {"invalid", "invalid_schedule"}) {
            std::istringstream lines(content(kData + folder + "/expected.jsonl"));
            std::string line;
            for (int n = 0; std::getline(lines, line); ++n) {
                const Json row = Json::parse(line);
                const auto text = [&](const char* key) { return QString::fromStdString(row[key]); };
                const QString file = kData + folder + "/" + text("file");
                constexpr std::array kVerbs{"info", "bound", "solve"};
                const QStringList arguments =
                    folder == "invalid" ? QStringList{kVerbs[static_cast<std::size_t>(n) % 3], file, "--json"}
                                        : QStringList{n % 2 ? "check" : "evaluate",
                                                      kData + "valid/chain.problem.json", file, "--json"};
                QTest::newRow(qPrintable(folder + "/" + text("file")))
                    << arguments
                    << "tilewright-cli: " + file + ": " +
                           (text("path").isEmpty() ? "" : text("path") + ": ") + text("reason") + "\n";
            }
        }
    }
    void invalidFiles()
    {
        QFETCH(QStringList, arguments);
        const CliRun r = runCli(arguments);
        QCOMPARE(r.code, 2);
        QTEST(QString::fromUtf8(r.err), "sentence");
        QVERIFY(r.out.isEmpty());
    }

    void formatVerdictsAreAnswersNotErrors()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("s.json");
        std::ofstream(file.toStdString())
            << R"({"subgraphs": [[0], [1, 1]], "granularities": [[4,4,4], [4,4,1]],
            "tensors_to_retain": [[], []]})";
        const CliRun r = runCli({"evaluate", kData + "valid/chain.problem.json", file, "--json"});
        QCOMPARE(r.code, 1);
        const Json out = r.json();
        QVERIFY(out["valid"] == false && out["total_latency"].is_null());
        QVERIFY(out["error"]["code"] == "FORMAT" && out["error"]["subgraph"] == 1);
        const CliRun text = runCli({"check", kData + "valid/chain.problem.json", file});
        QCOMPARE(text.code, 1);
        QCOMPARE(text.out,
                 QByteArray("invalid (rules: contest final): FORMAT in subgraph 1: subgraphs[1][1]: op 1 is "
                            "listed twice\n"));
    }

    void traceCsvAddsUp()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("steps.csv");
        const CliRun r = runCli({"evaluate", kExamples + "ex3.problem.json", kExamples + "ex3B.solution.json",
                                 "--json", "--trace", file});
        QCOMPARE(r.code, 0);
        std::istringstream lines(content(file));
        std::string line;
        std::getline(lines, line);
        const QStringList header = QString::fromStdString(line).split(',');
        QCOMPARE(header.mid(0, 7),
                 (QStringList{"subgraph", "step", "tile", "row", "col", "k_step", "k_steps"}));
        double latency = 0;
        qint64 load = 0;
        qint64 store = 0;
        int steps = 0;
        while (std::getline(lines, line)) {
            const QStringList cells = QString::fromStdString(line).split(',');
            QCOMPARE(cells.size(), header.size());
            QVERIFY(near(cells[header.indexOf("start")].toDouble(), latency));
            latency += cells[header.indexOf("latency")].toDouble();
            load += cells[header.indexOf("load_elements")].toLongLong();
            store += cells[header.indexOf("store_elements")].toLongLong();
            ++steps;
        }
        const Json out = r.json();
        QVERIFY(near(latency, out["total_latency"]));
        qint64 expectedLoad = 0;
        qint64 expectedStore = 0;
        int expectedSteps = 0;
        for (const Json& s : out["subgraphs"]) {
            expectedLoad += s["load_elements"].get<qint64>();
            expectedStore += s["store_elements"].get<qint64>();
            expectedSteps += s["steps"].get<int>();
        }
        QCOMPARE(load, expectedLoad);
        QCOMPARE(store, expectedStore);
        QCOMPARE(steps, expectedSteps);
    }

    void traceEvents()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("steps.json");
        const CliRun r = runCli(
            {"evaluate", kExamples + "ex5.problem.json", kExamples + "ex5B.solution.json", "--trace", file});
        QCOMPARE(r.code, 0);
        const Json trace = Json::parse(content(file));
        double end = 0;
        int steps = 0;
        for (const Json& e : trace["traceEvents"])
            if (e["ph"] == "X") {
                end = std::max(end, e["ts"].get<double>() + e["dur"].get<double>());
                steps += e["tid"] == 1;
            }
        QVERIFY(near(end, 6915.2));
        QCOMPARE(steps, 4);
    }

    void info()
    {
        const CliRun r = runCli({"info", kExamples + "ex3.problem.json", "--json"});
        QCOMPARE(r.code, 0);
        const Json out = r.json();
        QVERIFY(out["ops"] == 3 && out["tensors"] == 4 && out["depth"] == 3);
        QVERIFY(out["lower_bound"] <= 4638.4);
        QVERIFY(runCli({"info", kExamples + "ex3.problem.json"})
                    .out.contains("3 (0 MatMul, 3 Pointwise), longest chain 3"));
    }

    void bound()
    {
        const CliRun r = runCli({"bound", kExamples + "ex3.problem.json", "--json"});
        QCOMPARE(r.code, 0);
        const Json out = r.json();
        double sum = 0;
        for (const Json& part : out["parts"])
            sum += part["lower_bound"].get<double>();
        QVERIFY(near(sum, out["lower_bound"]));
        QVERIFY(out["lower_bound"] >= out["compute"] && out["lower_bound"] >= out["memory"]);
        QVERIFY(runCli({"bound", kExamples + "ex3.problem.json"}).out.startsWith("lower bound  "));
    }

    /// The bound by prices (docs/rules/bound.md), of a block whose accumulators do not fit at native tiles.
    void boundWithSeconds()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("diamond.json"));
        QCOMPARE(runCli({"generate", "diamond", "--layers", "4", "--rows", "512", "--width", "512",
                         "--branches", "3", "--capacity", "50000", "--bandwidth", "20", "-o", file})
                     .code,
                 0);
        const auto quick = runCli({"bound", file, "--json"}).json();
        const auto priced = runCli({"bound", file, "--seconds", "5", "--json"}).json();
        QVERIFY(quick["prices"].empty());
        QVERIFY(priced["lower_bound"].get<double>() > 1.05 * quick["lower_bound"].get<double>());
        double parts = 0, prices = 0;
        for (const auto& part : priced["parts"])
            parts += part["lower_bound"].get<double>();
        for (const auto& price : priced["prices"])
            prices += price.get<double>();
        QVERIFY(near(parts, priced["lower_bound"]) && near(prices, priced["lower_bound"]));
        QVERIFY(runCli({"bound", file, "--seconds", "5"}).out.contains("take"));
        QVERIFY(!quick.contains("best") &&
                priced["best"] >= priced["lower_bound"].get<double>() * (1 - 1e-9));
        QVERIFY(near(priced["gap"].get<double>() + 1,
                     priced["best"].get<double>() / priced["lower_bound"].get<double>()));
        QCOMPARE(priced["proven_optimal"].get<bool>(), priced["proven_space"].is_string());
        const auto solved = runCli({"solve", file, "--seconds", "1", "--prove", "5", "--json"}).json();
        QVERIFY(solved["lower_bound"].get<double>() >= priced["lower_bound"].get<double>() * (1 - 1e-9));
        QVERIFY(solved["gap"].get<double>() < 0.1);
        QCOMPARE(runCli({"bound", file, "--seconds", "-1"}).code, 2);
    }

    /// More ops than the search proves by itself.
    void solveProvesTwentyOps()
    {
        const QTemporaryDir folder;
        const QString file = folder.filePath(QStringLiteral("mlp.json"));
        const QString output = folder.filePath(QStringLiteral("schedule.json"));
        QCOMPARE(runCli({"generate", "mlp", "--layers", "5", "--rows", "256", "--width", "256", "--capacity",
                         "60000", "--bandwidth", "20", "-o", file})
                     .code,
                 0);
        const CliRun run = runCli(
            {"solve", file, "--seconds", "0.5", "--prove", "60", "--progress", "--json", "-o", output});
        const auto solved = run.json();
        QVERIFY(solved["proven_optimal"].get<bool>() && solved["valid"].get<bool>());
        QVERIFY(solved["lower_bound"].get<double>() <= solved["total_latency"].get<double>() * (1 + 1e-9));
        QVERIFY(run.err.contains(" at least "));
        const auto again = runCli({"evaluate", file, output, "--json"}).json();
        QCOMPARE(again["total_latency"].get<double>(), solved["total_latency"].get<double>());
        const auto bound = runCli({"bound", file, "--seconds", "60", "--json"}).json();
        QVERIFY(bound["proven_optimal"].get<bool>());
        QVERIFY(near(bound["best"], solved["total_latency"]));
    }

    void generate()
    {
        QTemporaryDir dir;
        for (const char* kind : {"transformer", "mlp", "conv-net", "diamond", "moe", "fan-out", "random"}) {
            const QString file = dir.filePath(QString(kind) + ".json");
            QStringList call{"generate", kind, "--rows", "96", "--width", "64",
                             "--native", "32", "--seed", "5",  "--ragged"};
            // Each kind refuses the sizes that it does not have.
            const auto size = [&call](const QString& option, const QString& value, bool isUsed) {
                QCOMPARE(runCli(call + QStringList{option, value}).code, isUsed ? 0 : 2);
                if (isUsed)
                    call << option << value;
            };
            size("--hidden", "80", QStringList{"transformer", "mlp", "conv-net", "moe"}.contains(kind));
            size("--branches", "3", QString(kind) != "mlp");
            const CliRun r = runCli(call + QStringList{"-o", file});
            QCOMPARE(r.code, 0);
            QVERIFY2(r.out.isEmpty(), qPrintable(r.out));
            QCOMPARE(runCli({"info", file}).code, 0);
            QCOMPARE(runCli(call).out.toStdString(), content(file));
        }
        QCOMPARE(runCli({"generate", "mlp", "-o", "/nowhere/at/all.json"}).code, 2);
    }

    void bracketsBeyondAnyLimit()
    {
        QTemporaryDir dir;
        const QString file = dir.filePath("brackets.json");
        {
            std::ofstream out(file.toStdString(), std::ios::binary);
            const std::string block(1 << 20, '[');
            for (int i = 0; i < 100; ++i)
                out << block;
        }
        const CliRun r = runCli({"info", file});
        QCOMPARE(r.code, 2);
        QVERIFY2(r.err.contains("is larger than 64 MiB"), qPrintable(r.err));
    }
};

TILEWRIGHT_TEST(TestCliSchedule)

} // namespace test_cli_schedule
#include "test_cli_schedule.moc"
