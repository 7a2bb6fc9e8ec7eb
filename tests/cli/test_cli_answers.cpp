// SPDX-License-Identifier: GPL-3.0-or-later
// What the answers of `evaluate`, `check`, `solve`, `bound` and `place` say about themselves: which machine
// they hold on, and which ops they are about.
#include "base/text.h"
#include "cli_run.h"
#include "edit/fit.h"
#include "eval/evaluation.h"
#include "sweep_support.h"
#include "test_main.h"

#include <QTest>

namespace test_cli_answers {

using namespace tilewright;
using namespace tilewright::test;

namespace {

const QString kModel = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/models/llama-block.json");
const QString kSchedules = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/");

/// The one line that starts so.
QByteArray lineOf(const QByteArray& text, const QByteArray& start)
{
    QByteArray out;
    for (const QByteArray& line : text.split('\n'))
        if (line.startsWith(start))
            out = out.isEmpty() ? line : QByteArray("several lines");
    return out;
}

} // namespace

class TestCliAnswers : public QObject
{
    Q_OBJECT
private slots:
    /// Finding C21: a model without --machine was on edge without a word.
    void everyAnswerNamesItsMachine()
    {
        const SweepFolder folder;
        const QString schedule = folder.path("s.json");
        const CliRun solved = runCli({"solve", kModel, "--iterations", "20", "-o", schedule});
        QVERIFY2(lineOf(solved.out, "machine")
                     .startsWith("machine         edge, as no --machine was given: 524\u202f288 elements"),
                 solved.out.constData());
        QVERIFY(lineOf(solved.out, "machine").contains("a unit of time is "));
        for (const QStringList& verb :
             {QStringList{"evaluate", kModel, schedule}, QStringList{"check", kModel, schedule},
              QStringList{"place", kModel, schedule, "--seconds", "1"}})
            QVERIFY2(lineOf(runCli(verb).out, "machine").contains("edge, named in the schedule file: 524"),
                     qPrintable(verb.join(' ')));
        QVERIFY(lineOf(runCli({"bound", kModel, "--machine", "server"}).out, "machine")
                    .startsWith("machine      server: "));
        QVERIFY(lineOf(runCli({"bound", kSchedules + "example-5.json"}).out, "machine")
                    .startsWith("machine      the problem's own: 45\u202f000 elements of fast memory, 10 "));
        const auto json = runCli({"bound", kSchedules + "example-5.json", "--json"}).json();
        QCOMPARE(json["hardware"]["fast_memory_capacity"].get<int>(), 45'000);
    }

    /// A machine file is named as it was given, with the name that it has inside.
    void aMachineFileIsNamed()
    {
        const SweepFolder folder;
        folder.write("mine.json",
                     R"({"name": "two cores", "element_bytes": 2, "array": {"rows": 32, "cols": 32},
            "levels": {"l3": {"buffers": 1, "bytes": 98304, "gb_per_s": 25},
                       "external": {"buffers": 1, "bytes": 1073741824, "gb_per_s": 25}}, "scratchpad": "l3"})");
        const CliRun run = runCli({"bound", kModel, "--machine", folder.path("mine.json")});
        QVERIFY2(lineOf(run.out, "machine").contains("mine.json (two cores): 49\u202f152 elements"),
                 (run.out + run.err).constData());
    }

    /// Every lens names the values of the machine that it does not model.
    void everyLensNamesWhatItLeavesOut()
    {
        const SweepFolder folder;
        folder.write("real.json",
                     R"({"name": "real", "element_bytes": 2, "array": {"rows": 32, "cols": 32},
            "levels": {"l3": {"buffers": 1, "bytes": 98304, "gb_per_s": 25},
                       "external": {"buffers": 1, "bytes": 1073741824, "gb_per_s": 25}}, "scratchpad": "l3",
            "launch_us": {"product": {"value": 21, "kind": "measured", "source": "a run", "year": 2024}}})");
        const QString real = folder.path("real.json");
        const QByteArray left = "does not model: launch_us.product (21)";
        QVERIFY(lineOf(runCli({"bound", kModel, "--machine", real}).out, "machine")
                    .contains("Schedule lens " + left));
        QVERIFY(runCli({"npu", kModel, "--machine", real}).out.contains("NPU lens " + left));
        QVERIFY(runCli({"systolic", kModel, "--machine", real}).out.contains("Systolic lens " + left));
        QVERIFY(runCli({"map", kModel, "--machine", real, "--quick"}).out.contains("Mapping lens " + left));
        QVERIFY(
            runCli({"tile", "--gemm", "64x64x64", "--machine", real}).err.contains("Systolic lens " + left));
        for (const char* verb : {"npu", "systolic"}) {
            const auto notes = runCli({verb, kModel, "--machine", real, "--json"}).json()["notes"];
            QVERIFY(QByteArray::fromStdString(notes.back().get<std::string>()).contains(left));
        }
        // The machine itself: every value with its origin.
        const CliRun told = runCli({"info", real});
        QCOMPARE(told.code, 0);
        const QByteArray line = lineOf(told.out, "launch_us.product");
        QVERIFY2(line.contains("21") && line.contains("measured: a run (2024)") &&
                     line.contains("Summary and floor (times)"),
                 line.constData());
        QVERIFY(lineOf(told.out, "vector.lanes").contains("derived: 2 * array cols"));
        QCOMPARE(runCli({"info", real, "--json"}).json()["kind"].get<std::string>(), std::string("machine"));
        QCOMPARE(runCli({"bound", real}).code, 2); // no workload
    }

    /// A dropped operator whose results are needed: a warning, and exit code 1 with --strict.
    void missingOperatorsAreRefusedIfAsked()
    {
        const SweepFolder folder;
        folder.write("odd.json", R"({"name": "odd", "tensors": [{"name": "x", "shape": [64, 64]},
            {"name": "w", "shape": [64, 64]}, {"name": "y", "shape": [64, 64]}, {"name": "z", "shape": [64, 64]}],
            "constants": ["w"], "ops": [
            {"type": "matmul", "name": "known", "inputs": ["x", "w"], "outputs": ["y"]},
            {"type": "unknown", "name": "riddle", "inputs": ["y"], "outputs": ["z"]}]})");
        const QString odd = folder.path("odd.json");
        for (const char* verb : {"info", "bound", "npu", "systolic", "map"}) {
            const CliRun told = runCli({verb, odd});
            QCOMPARE(told.code, 0);
            QVERIFY2(told.err.contains(
                         "1 operator is dropped although the model needs its results (unknown \"riddle\")"),
                     told.err.constData());
            const CliRun strict = runCli({verb, odd, "--strict"});
            QCOMPARE(strict.code, 1);
            QVERIFY(strict.out.isEmpty() && strict.err.contains("riddle"));
            QCOMPARE(runCli({verb, kModel, "--strict"}).code, 0);
        }
        const CliRun info = runCli({"info", odd});
        QVERIFY2(info.out.contains("an unknown share (1 operator without known MACs) dropped"),
                 info.out.constData());
        QCOMPARE(runCli({"npu", "--strict"}).code, 2); // needs a workload
    }

    /// docs/rules/workload.md 1: what `solve -o` writes brings its machine with it; --machine outranks it,
    /// which is said.
    void aScheduleIsEvaluatedOnTheMachineThatItWasFoundOn()
    {
        const SweepFolder folder;
        const QString schedule = folder.path("s.json");
        const auto solved =
            runCli({"solve", kModel, "--machine", "server", "--iterations", "20", "-o", schedule, "--json"})
                .json();
        const auto again = runCli({"evaluate", kModel, schedule, "--json"}).json();
        QCOMPARE(again["total_latency"].get<double>(), solved["total_latency"].get<double>());
        QVERIFY(again["hardware"] == solved["hardware"]);
        const CliRun other = runCli({"evaluate", kModel, schedule, "--machine", "edge"});
        QVERIFY2(
            lineOf(other.out, "machine").endsWith("; the machine in the schedule file (server) is not used"),
            other.out.constData());
        // A machine in the file that is none is an error, not edge.
        QByteArray text = folder.read("s.json");
        const qsizetype at = text.indexOf("\"element_bytes\":");
        QVERIFY(at > 0);
        folder.write("bad.json", text.insert(at, "\"colour\": \"blue\", "));
        const CliRun bad = runCli({"evaluate", kModel, folder.path("bad.json")});
        QCOMPARE(bad.code, 2);
        QVERIFY2(bad.err.contains("bad.json") && bad.err.contains("colour"), bad.err.constData());
    }

    /// docs/rules/sweep.md 6.8 on the command line: the field `hardware`.
    void aScheduleIsEvaluatedOnTheHardwareThatItNames()
    {
        const SweepFolder folder;
        const QString problem = kSchedules + "example-5.json";
        const QString schedule = kSchedules + "example-5.a-out-of-memory.schedule.json";
        QCOMPARE(runCli({"check", problem, schedule}).code, 1);
        QFile file(schedule);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray text = file.readAll();
        text.insert(text.lastIndexOf('}'), R"(, "hardware": {"fast_memory_capacity": 90000,
            "slow_memory_bandwidth": 20, "native_granularity": [128, 128]})");
        folder.write("larger.json", text);
        const CliRun larger = runCli({"evaluate", problem, folder.path("larger.json")});
        QCOMPARE(larger.code, 0);
        QVERIFY2(lineOf(larger.out, "machine").contains("the one in the schedule file: 90\u202f000 "),
                 larger.out.constData());
        QVERIFY(lineOf(larger.out, "machine").contains("the problem's own: 45\u202f000"));
        const CliRun edge = runCli({"evaluate", problem, folder.path("larger.json"), "--machine", "edge"});
        QVERIFY2(lineOf(edge.out, "machine").contains("the hardware in the schedule file (90\u202f000 "),
                 edge.out.constData());
    }

    /// Finding C18: something to compare with, of a problem and of a model on a machine.
    void eachOpAloneIsASchedule()
    {
        const SweepFolder folder;
        const QString schedule = folder.path("alone.json");
        const QString file = kSchedules + "attention-block.json";
        const CliRun written = runCli({"convert", file, "--to", "schedule", "-o", schedule});
        QCOMPARE(written.code, 0);
        const ProblemPtr problem = *loadProblem(file.toStdString());
        const double expected = evaluate(*problem, oneOpPerSubgraph(*problem), Rules::final()).total;
        const auto alone = runCli({"evaluate", file, schedule, "--json"}).json();
        QVERIFY(alone["valid"].get<bool>());
        QCOMPARE(alone["total_latency"].get<double>(), expected);
        QCOMPARE(alone["subgraphs"].size(), std::size_t{19});
        for (const auto& s : alone["subgraphs"])
            QCOMPARE(s["ops"].size(), std::size_t{1});
        QCOMPARE(lineOf(written.out, "total"), QByteArray("total        ") + formatGrouped(expected).c_str());
        const CliRun lowered =
            runCli({"convert", kModel, "--machine", "server", "--to", "schedule", "-o", schedule});
        QCOMPARE(lowered.code, 0);
        QVERIFY(lineOf(runCli({"evaluate", kModel, schedule}).out, "machine").contains("server, named in"));
    }

    /// Findings C13 and C14: op names beside the numbers, and the subgraph that takes longest.
    void opsHaveTheirNames()
    {
        const QString problem = kSchedules + "attention-block.json";
        const QString schedule = kSchedules + "attention-block.fused.schedule.json";
        const CliRun text = runCli({"evaluate", problem, schedule});
        QVERIFY2(lineOf(text.out, "7  ").endsWith("  layer0.up, layer0.gelu"), text.out.constData());
        QVERIFY2(
            lineOf(text.out, "slowest").contains("subgraph 7 (layer0.up, layer0.gelu): 131\u202f072 (32.5"),
            text.out.constData());
        const auto json = runCli({"evaluate", problem, schedule, "--json"}).json();
        QVERIFY(json["subgraphs"][7]["op_names"] == nlohmann::ordered_json({"layer0.up", "layer0.gelu"}));
        const CliRun solved = runCli({"solve", problem, "--iterations", "10", "--threads", "1"});
        QVERIFY2(lineOf(solved.out, "#").endsWith("names") && solved.out.contains("layer0.up"),
                 solved.out.constData());
        const auto found =
            runCli({"solve", problem, "--iterations", "10", "--threads", "1", "--json"}).json();
        std::size_t named = 0;
        for (const auto& s : found["subgraphs"]) {
            QCOMPARE(s["ops"].size(), s["op_names"].size());
            named += s["op_names"].size();
        }
        QVERIFY(named >= 19);
        // A problem without names has no such column.
        const QString examples =
            QStringLiteral(TILEWRIGHT_SOURCE_DIR "/tests/data/oracles/schedule/examples/");
        const CliRun unnamed =
            runCli({"evaluate", examples + "ex1.problem.json", examples + "ex1A.solution.json"});
        QVERIFY2(lineOf(unnamed.out, "#").endsWith("of capacity"), unnamed.out.constData());
    }

    /// docs/design.md 3.2: `solve --json` has every field of `evaluate --json`, with the same values.
    void solveAnswersWhatEvaluateAnswers()
    {
        const SweepFolder folder;
        const QString schedule = folder.path("s.json");
        for (const QStringList& problem :
             {QStringList{kSchedules + "attention-block.json"}, {kModel, "--machine", "server"}}) {
            const auto solved =
                runCli(QStringList{"solve"} + problem +
                       QStringList{"--iterations", "20", "--threads", "1", "-o", schedule, "--json"})
                    .json();
            const auto evaluated = runCli({"evaluate", problem.front(), schedule, "--json"}).json();
            QVERIFY(evaluated["subgraphs"].size() > 1 && evaluated.contains("problem"));
            for (const auto& [field, value] : evaluated.items())
                if (field != "rules_reason" && field != "lower_bound")
                    QVERIFY2(solved.contains(field) && solved[field] == value, field.c_str());
            // A search may know a higher bound than the one that an evaluation tells.
            QVERIFY(solved["lower_bound"].get<double>() >= evaluated["lower_bound"].get<double>());
            for (const char* own : {"seconds", "evaluations", "curve", "start_latency", "gap",
                                    "proven_optimal", "proven_space", "search_steps", "lookups"})
                QVERIFY2(solved.contains(own) && !evaluated.contains(own), own);
        }
    }

    /// Many ops stay readable: a row is not a list of all names, and `solve` has the slowest subgraphs only.
    void manyOpsStayReadable()
    {
        const SweepFolder folder;
        const QString problem = folder.path("long.json"), schedule = folder.path("s.json");
        QCOMPARE(runCli({"generate", "transformer", "--layers", "6", "-o", problem}).code, 0);
        const CliRun solved =
            runCli({"solve", problem, "--iterations", "1", "--threads", "1", "-o", schedule});
        const qsizetype subgraphs =
            runCli({"evaluate", problem, schedule, "--json"}).json()["subgraphs"].size();
        QVERIFY(subgraphs > 20);
        QVERIFY2(solved.out.contains("and " + QByteArray::number(subgraphs - 12) +
                                     " more, none of which takes longer\n"),
                 solved.out.constData());
        const CliRun all = runCli({"evaluate", problem, schedule});
        for (const QByteArray& line : all.out.split('\n'))
            QVERIFY2(QString::fromUtf8(line).size() < 240, line.constData());
    }
};

TILEWRIGHT_TEST(TestCliAnswers)

} // namespace test_cli_answers
#include "test_cli_answers.moc"
