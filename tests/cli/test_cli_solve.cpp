// SPDX-License-Identifier: GPL-3.0-or-later
#include "cli_run.h"
#include "eval/evaluation.h"
#include "schedule/schedule_json.h"
#include "test_main.h"
#include "workload/generate.h"
#include "workload/problem_json.h"

#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <csignal>

namespace test_cli_solve {

using namespace tilewright;
using namespace tilewright::test;
using nlohmann::json;

namespace {

CliRun run(const QStringList& arguments)
{
    return runCli(QStringList{"solve"} + arguments);
}

} // namespace

class TestCliSolve : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void json_oneDocumentWithTheCurve();
    void output_isAValidSchedule();
    void output_keepsTheTotal();
    void set_readsTheRulesSo();
    void iterations_sameSeedSameFile();
    void start_isNeverMadeWorse();
    void progress_goesToStderr();
    void seconds_endTheSearch();
    void interrupted_writesTheBestSoFar();
    void interrupted_stillPrintsItsDocument();
    void progress_isTheCurve();
    void start_keepsWhatIsLocked();
    void start_thatIsNotValidIsSaid();
    void badInput_data();
    void badInput();
    void nothingFits_isTheAnswerNo();
    void objective_saysEnergyAndFront();
    void constraints_areKeptAndPriced();
    void constraints_badFiles_data();
    void constraints_badFiles();

private:
    [[nodiscard]] QString path(const char* name) const { return m_dir.filePath(name); }
    void write(const QString& file, const std::string& text)
    {
        QFile f(file);
        QVERIFY(f.open(QIODevice::WriteOnly));
        f.write(text.data(), static_cast<qint64>(text.size()));
    }
    QTemporaryDir m_dir;
    ProblemPtr m_problem;
    QString m_file;
};

void TestCliSolve::initTestCase()
{
    GenerateOptions options;
    options.kind = WorkloadKind::Transformer;
    options.layers = 2;
    m_problem = generateWorkload(options).value();
    m_file = path("problem.json");
    write(m_file, writeProblem(*m_problem));
}

void TestCliSolve::json_oneDocumentWithTheCurve()
{
    const CliRun r = run({m_file, "--seconds", "0.3", "--json"});
    QCOMPARE(r.code, 0);
    QVERIFY2(r.err.isEmpty(), r.err.constData());
    const json d = r.json();
    QVERIFY(d["valid"].get<bool>());
    QVERIFY(d["error"].is_null());
    QCOMPARE(d["rules"].get<std::string>(), std::string("final"));
    const double total = d["total_latency"].get<double>();
    QVERIFY(d["lower_bound"].get<double>() <= total);
    QVERIFY(d["evaluations"].get<std::int64_t>() > 0);
    QVERIFY(d["seconds"].get<double>() > 0);
    QVERIFY(!d["curve"].empty());
    QCOMPARE(d["curve"].back()[1].get<double>(), total);
    double before = 1e300;
    double sum = 0;
    for (const json& point : d["curve"]) {
        QVERIFY(point[1].get<double>() < before);
        before = point[1].get<double>();
    }
    for (const json& s : d["subgraphs"])
        sum += s["latency"].get<double>();
    QVERIFY(std::abs(sum - total) <= 1e-9 * total);
}

void TestCliSolve::output_isAValidSchedule()
{
    const QString out = path("out.json");
    const CliRun r = run({m_file, "--seconds", "0.3", "-o", out});
    QCOMPARE(r.code, 0);
    QVERIFY(r.out.contains("total latency"));
    const auto loaded = loadSchedule(*m_problem, out.toStdString());
    QVERIFY(loaded);
    QVERIFY(loaded->formatIssues.empty());
    const Evaluation e = evaluateByTrace(*m_problem, loaded->schedule, Rules::final());
    QVERIFY(e.valid());
}

void TestCliSolve::output_keepsTheTotal()
{
    const QString out = path("total.json");
    const CliRun r = run({m_file, "--seconds", "0.3", "-o", out, "--json"});
    QCOMPARE(r.code, 0);
    const auto loaded = loadSchedule(*m_problem, out.toStdString());
    QVERIFY(loaded);
    const Evaluation e = evaluate(*m_problem, loaded->schedule, Rules::final());
    const double total = r.json()["total_latency"].get<double>();
    QVERIFY(std::abs(e.total - total) <= 1e-9 * total);
    double reported = 0;
    for (const SubgraphPtr& s : loaded->schedule.subgraphs)
        reported += s->reportedLatency.value_or(0);
    QVERIFY(std::abs(reported - total) <= 1e-9 * total);
}

void TestCliSolve::set_readsTheRulesSo()
{
    const QString out = path("set.json");
    const CliRun r = run({m_file, "--seconds", "0.3", "--set", "k_limit=reduction", "--set", "compute=array",
                          "-o", out, "--json"});
    QCOMPARE(r.code, 0);
    const auto loaded = loadSchedule(*m_problem, out.toStdString());
    QVERIFY(loaded);
    Rules rules;
    rules.kLimit = Rules::KLimit::Reduction;
    rules.compute = Rules::Compute::Array;
    const Evaluation e = evaluate(*m_problem, loaded->schedule, rules);
    const auto d = r.json();
    QCOMPARE(d["rules"].get<std::string>(), std::string("custom"));
    QVERIFY(e.valid() && std::abs(e.total - d["total_latency"].get<double>()) <= 1e-9 * e.total);
}

void TestCliSolve::iterations_sameSeedSameFile()
{
    QByteArray files[2];
    for (int i = 0; i < 2; ++i) {
        const QString out = path(i == 0 ? "a.json" : "b.json");
        QCOMPARE(run({m_file, "--seconds", "0", "--iterations", "2000", "--threads", "1", "--seed", "7", "-o",
                      out})
                     .code,
                 0);
        QFile f(out);
        QVERIFY(f.open(QIODevice::ReadOnly));
        files[i] = f.readAll();
    }
    QVERIFY(!files[0].isEmpty());
    QCOMPARE(files[0], files[1]);
}

void TestCliSolve::start_isNeverMadeWorse()
{
    const QString first = path("first.json");
    const QString second = path("second.json");
    const CliRun a = run({m_file, "--seconds", "0.3", "-o", first, "--json"});
    const CliRun b =
        run({m_file, "--seconds", "0.05", "--start", first, "-o", second, "--json", "--seed", "99"});
    QCOMPARE(b.code, 0);
    const double before = a.json()["total_latency"].get<double>();
    const json d = b.json();
    QVERIFY(d["total_latency"].get<double>() <= before * (1 + 1e-12));
    QVERIFY(std::abs(d["start_latency"].get<double>() - before) <= 1e-9 * before);
}

void TestCliSolve::progress_goesToStderr()
{
    const CliRun r = run({m_file, "--seconds", "0.2", "--progress", "--json"});
    QCOMPARE(r.code, 0);
    QVERIFY(r.err.contains(" s  "));
    QVERIFY(r.json().is_object());
}

void TestCliSolve::seconds_endTheSearch()
{
    // Without a limit the search never ends (interrupted_stillPrintsItsDocument).
    const CliRun r = run({m_file, "--seconds", "0.5", "--json"});
    QCOMPARE(r.code, 0);
    QVERIFY(r.json()["seconds"].get<double>() < 100); // of the processor
}

void TestCliSolve::interrupted_writesTheBestSoFar()
{
    const QString out = path("interrupted.json");
    QProcess process;
    process.start(TILEWRIGHT_CLI, {"solve", m_file, "--seconds", "100", "-o", out, "--progress", "--json"});
    QVERIFY(process.waitForStarted());
    process.setReadChannel(QProcess::StandardError);
    QByteArray seen;
    while (!seen.contains(" s  ") && process.waitForReadyRead(20'000))
        seen += process.readAll();
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(20'000));
    QCOMPARE(process.exitCode(), 130);
    const auto loaded = loadSchedule(*m_problem, out.toStdString());
    QVERIFY(loaded);
    QVERIFY(evaluate(*m_problem, loaded->schedule, Rules::final()).valid());
}

void TestCliSolve::interrupted_stillPrintsItsDocument()
{
    QProcess process;
    process.start(TILEWRIGHT_CLI,
                  {"solve", m_file, "--seconds", "0", "--threads", "1", "--progress", "--json"});
    QVERIFY(process.waitForStarted());
    process.setReadChannel(QProcess::StandardError);
    QByteArray seen;
    while (!seen.contains(" s  ") && process.waitForReadyRead(20'000))
        seen += process.readAll();
    ::kill(static_cast<pid_t>(process.processId()), SIGINT);
    QVERIFY(process.waitForFinished(20'000)); // by itself it never ends
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 130);
    const json d = json::parse(process.readAllStandardOutput().toStdString());
    QVERIFY(d["valid"].get<bool>());
    QCOMPARE(d["curve"].back()[1].get<double>(), d["total_latency"].get<double>());
}

/// One line an improvement, "0.012 s  4638.4", falling; the last one is the result.
void TestCliSolve::progress_isTheCurve()
{
    const CliRun r = run({m_file, "--seconds", "0.3", "--threads", "1", "--progress", "--json"});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    double before = 1e300;
    int lines = 0;
    for (const QByteArray& line : r.err.split('\n')) {
        if (line.isEmpty())
            continue;
        const qsizetype at = line.indexOf(" s  ");
        QVERIFY2(at > 0, line.constData());
        bool seconds = false;
        bool latency = false;
        (void)line.left(at).toDouble(&seconds);
        const double total = line.mid(at + 4).toDouble(&latency);
        QVERIFY2(seconds && latency, line.constData());
        QVERIFY(total < before);
        before = total;
        ++lines;
    }
    QVERIFY(lines > 0);
    const double total = d["total_latency"].get<double>();
    QVERIFY(std::abs(before - total) <= 1e-6 * total);
}

/// A locked subgraph of --start with an order of its own is in the result as it was.
void TestCliSolve::start_keepsWhatIsLocked()
{
    const QString first = path("unlocked.json");
    QCOMPARE(run({m_file, "--seconds", "0", "--iterations", "200", "--threads", "1", "-o", first}).code, 0);
    Schedule schedule = loadSchedule(*m_problem, first.toStdString())->schedule;
    const Evaluation e = evaluate(*m_problem, schedule, Rules::final());
    std::size_t chosen = 0;
    while (chosen < schedule.size() && e.subgraphs[chosen].rows * e.subgraphs[chosen].cols < 4)
        ++chosen;
    QVERIFY(chosen < schedule.size());
    Subgraph pinned = *schedule.subgraphs[chosen];
    std::vector<std::int64_t> order;
    for (std::int64_t i = e.subgraphs[chosen].rows * e.subgraphs[chosen].cols; i-- > 0;)
        order.push_back(i);
    std::swap(order[0], order[2]); // no preset
    pinned.traversal = Traversal::custom(order);
    pinned.locked = true;
    pinned.reportedLatency.reset();
    schedule.subgraphs[chosen] = std::make_shared<const Subgraph>(pinned);
    QVERIFY(evaluate(*m_problem, schedule, Rules::final()).valid());
    const QString start = path("locked.json");
    write(start, writeSchedule(*m_problem, schedule).value());
    const QString out = path("kept.json");
    const CliRun r = run({m_file, "--seconds", "0.3", "--threads", "2", "--start", start, "-o", out});
    QVERIFY2(r.code == 0, r.err.constData());
    const auto result = loadSchedule(*m_problem, out.toStdString());
    QVERIFY(result);
    QVERIFY(std::ranges::any_of(result->schedule.subgraphs, [&](const SubgraphPtr& s) {
        return s->locked && s->ops == pinned.ops && s->granularity == pinned.granularity &&
               s->traversal == pinned.traversal && std::ranges::is_permutation(s->retain, pinned.retain);
    }));
}

/// A schedule of a larger memory is no start on a smaller one: the search begins anew and says so.
void TestCliSolve::start_thatIsNotValidIsSaid()
{
    const QString samples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/schedule/");
    const QString problem = samples + "example-5.json";
    const QString tooLarge = samples + "example-5.a-out-of-memory.schedule.json";
    const CliRun r = run({problem, "--seconds", "0.1", "--start", tooLarge});
    QCOMPARE(r.code, 0);
    QVERIFY2(r.err.contains("example-5.a-out-of-memory.schedule.json: not valid") &&
                 r.err.contains("OOM in subgraph 0"),
             r.err.constData());
    const CliRun good =
        run({problem, "--seconds", "0.1", "--start", samples + "example-5.b-split-k.schedule.json"});
    QCOMPARE(good.code, 0);
    QVERIFY2(good.err.isEmpty(), good.err.constData());
}

void TestCliSolve::badInput_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QByteArray>("fragment");
    const QString broken = path("broken.json");
    write(broken, "{\"widths\": [1,");
    const QString empty = path("empty.json");
    write(
        empty,
        R"({"subgraphs": [[]], "granularities": [[1,1,1]], "tensors_to_retain": [[]], "subgraph_latencies": [0]})");
    QTest::newRow("no problem") << QStringList{} << QByteArray("problem is required");
    QTest::newRow("missing file") << QStringList{path("nowhere.json")} << QByteArray("nowhere.json");
    QTest::newRow("broken file") << QStringList{broken} << QByteArray("broken.json");
    QTest::newRow("rules") << QStringList{m_file, "--rules", "mine"} << QByteArray("--rules");
    QTest::newRow("set") << QStringList{m_file, "--set", "k_limit=none"} << QByteArray("native or reduction");
    QTest::newRow("seconds") << QStringList{m_file, "--seconds", "-1"} << QByteArray("--seconds");
    QTest::newRow("threads") << QStringList{m_file, "--threads", "x"} << QByteArray("--threads");
    QTest::newRow("start") << QStringList{m_file, "--start", empty} << QByteArray("empty.json");
    QTest::newRow("output") << QStringList{m_file, "-o", "/nowhere/at/all.json"}
                            << QByteArray("/nowhere/at/all.json");
}

void TestCliSolve::badInput()
{
    QFETCH(QStringList, arguments);
    QFETCH(QByteArray, fragment);
    const CliRun r = run(arguments);
    QCOMPARE(r.code, 2);
    QVERIFY(r.out.isEmpty());
    QVERIFY2(r.err.contains(fragment), r.err.constData());
}

void TestCliSolve::nothingFits_isTheAnswerNo()
{
    const QString tiny = path("tiny.json");
    write(
        tiny,
        R"({"widths": [4, 4, 4], "heights": [4, 4, 4], "inputs": [[0, 1]], "outputs": [[2]], "base_costs": [5],
                    "op_types": ["MatMul"], "fast_memory_capacity": 2, "slow_memory_bandwidth": 1,
                    "native_granularity": [4, 4]})");
    const CliRun r = run({tiny, "--seconds", "0.1"});
    QCOMPARE(r.code, 1);
    QVERIFY2(
        r.err.contains("no valid schedule exists: capacity 2 elements: the thinnest slices of op op0 need "
                       "3 elements; a capacity of 3 elements would do"),
        r.err.constData());
    const CliRun json = run({tiny, "--seconds", "0.1", "--json"});
    QCOMPARE(json.code, 1);
    const auto error = json.json()["error"];
    QCOMPARE(error["code"].get<std::string>(), std::string("NONE"));
    QCOMPARE(error["limits"][0]["limit"].get<std::string>(), std::string("capacity"));
    QCOMPARE(error["limits"][0]["would_do"][0].get<std::string>(), std::string("a capacity of 3 elements"));
    QVERIFY(error["proven"].get<bool>() && !json.json()["valid"].get<bool>());
}

/// Energy and EDP where the problem states energies, nothing new where it does not.
/// docs/rules/constraints.md: what is found keeps them, evaluate says so, each has its cost.
void TestCliSolve::constraints_areKeptAndPriced()
{
    const QString problem = path("diamond.json"), file = path("c.json"), out = path("kept.json");
    QVERIFY(QFile::copy(TILEWRIGHT_SOURCE_DIR "/samples/schedule/example-3.json", problem));
    write(file, R"({"together": [["top", "left"]], "apart": [["left", "join"]],
                    "tiles": [{"ops": ["join"], "w": {"most": 64}}], "retain": [{"tensor": 2, "when": "never"}]})");
    const QStringList call{problem, "--threads", "1", "--seconds", "2", "--constraints", file};
    const CliRun r = run(call + QStringList{"--constraint-costs", "--json", "-o", out});
    QCOMPARE(r.code, 0);
    const json d = r.json();
    QVERIFY(d["proven_optimal"].get<bool>());
    const json& costs = d["constraint_costs"];
    QCOMPARE(costs.size(), std::size_t{4});
    QCOMPARE(costs[2]["constraint"].get<std::string>(), std::string("tiles of join: w at most 64"));
    bool any = false;
    for (const json& c : costs) {
        QCOMPARE(c["certainty"].get<std::string>(), std::string("exactly"));
        const double cost = c["cost"].get<double>();
        QVERIFY(std::abs(c["without"].get<double>() + cost - d["total_latency"].get<double>()) < 1e-6);
        any |= cost > 0;
    }
    QVERIFY(any);
    const CliRun table = run(call + QStringList{"--constraint-costs"});
    QVERIFY2(table.out.contains("\nconstraint") && table.out.contains("exactly"), table.out.constData());
    // the schedule file has them now, so that the next search keeps them too
    const CliRun again =
        run({problem, "--threads", "1", "--seconds", "2", "--start", out, "--constraint-costs", "--json"});
    QVERIFY2(again.code == 0 && again.err.isEmpty(), again.err.constData());
    QCOMPARE(again.json()["total_latency"], d["total_latency"]);
    QCOMPARE(again.json()["constraint_costs"].size(), std::size_t{4});
    // evaluate compares any schedule with them
    const CliRun kept = runCli({"evaluate", problem, out, "--constraints", file, "--json"});
    QCOMPARE(kept.code, 0);
    const json compared = kept.json();
    for (const json& c : compared["constraints"])
        QVERIFY(c["kept"].get<bool>() && c["violations"].empty());
    const QString other = TILEWRIGHT_SOURCE_DIR "/samples/schedule/example-3.c-keep.schedule.json";
    const CliRun broken = runCli({"evaluate", problem, other, "--constraints", file, "--json"});
    QCOMPARE(broken.code, 1);
    QVERIFY(broken.json()["valid"].get<bool>());
    QVERIFY(!broken.json()["constraints"][0]["kept"].get<bool>());
    QVERIFY(
        runCli({"evaluate", problem, other, "--constraints", file}).out.contains("runs top but not left"));
    // those that exclude each other
    write(file, R"({"together": [["top", "left"]], "apart": [["top", "left"]]})");
    const CliRun none = run(call);
    QCOMPARE(none.code, 1);
    QVERIFY2(none.err.contains("no valid schedule exists: constraint together: top, left and constraint "),
             none.err.constData());
}

void TestCliSolve::constraints_badFiles_data()
{
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("error");
    QTest::newRow("missing") << QByteArray() << QByteArray("bad.json: cannot be opened");
    QTest::newRow("not JSON") << QByteArray("{") << QByteArray("bad.json: ");
    QTest::newRow("no such op") << QByteArray(R"({"apart": [["q", 99999]]})")
                                << QByteArray("bad.json: apart[0][");
    QTest::newRow("no range") << QByteArray(R"({"tiles": [{}]})")
                              << QByteArray("bad.json: tiles[0]: needs w, h or k");
}

void TestCliSolve::constraints_badFiles()
{
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, error);
    const QString file = path("bad.json");
    QFile::remove(file);
    if (!text.isEmpty())
        write(file, text.toStdString());
    const CliRun r = run({m_file, "--constraints", file});
    QCOMPARE(r.code, 2);
    QVERIFY2(r.err.contains(error) && r.err.count('\n') == 1, r.err.constData());
}

void TestCliSolve::objective_saysEnergyAndFront()
{
    Problem::Data data = m_problem->data();
    data.energy = EnergyCosts{10, 0.5, {0.02}, {1}};
    const QString problem = path("energy.json"), schedule = path("energy.schedule.json");
    write(problem, writeProblem(*Problem::build(std::move(data)).value()));
    for (const QString& objective :
         {QStringLiteral("latency"), QStringLiteral("energy"), QStringLiteral("edp")}) {
        const CliRun r = run({problem, "--objective", objective, "--iterations", "300", "--seconds", "0",
                              "--threads", "1", "--json", "-o", schedule});
        QCOMPARE(r.code, 0);
        const json d = json::parse(r.out.toStdString());
        QCOMPARE(d["objective"].get<std::string>(), objective.toStdString());
        QVERIFY(!d["front"].empty());
        const double latency = d["total_latency"].get<double>(), energy = d["energy_pj"].get<double>();
        QVERIFY(std::abs(d["edp"].get<double>() - latency * energy) <= 1e-9 * latency * energy);
        QVERIFY(d["energy_bound_pj"].get<double>() <= energy * (1 + 1e-9));
        double sum = 0;
        for (const json& s : d["subgraphs"])
            sum += s["energy_pj"].get<double>();
        QVERIFY(std::abs(sum - energy) <= 1e-9 * energy);
        const CliRun evaluated = runCli({"evaluate", problem, schedule, "--json"});
        QCOMPARE(json::parse(evaluated.out.toStdString())["energy_pj"].get<double>(), energy);
    }
    for (const QStringList& verb : {QStringList{"evaluate", problem, schedule}, QStringList{"bound", problem},
                                    QStringList{"info", problem}, QStringList{"check", problem, schedule}}) {
        QVERIFY2(runCli(verb).out.contains(" pJ"), qPrintable(verb.front()));
        QStringList without = verb;
        without[1] = m_file;
        QVERIFY2(!runCli(without).out.contains(" pJ"), qPrintable(verb.front()));
    }
    const CliRun refused = run({m_file, "--objective", "edp"});
    QCOMPARE(refused.code, 1);
    QVERIFY(refused.err.contains("needs a problem that states energies"));
    QCOMPARE(run({problem, "--objective", "speed"}).code, 2);
    QCOMPARE(run({problem, "--objective", "edp", "--prove", "1"}).code, 2);
}

TILEWRIGHT_TEST(TestCliSolve)

} // namespace test_cli_solve
#include "test_cli_solve.moc"
