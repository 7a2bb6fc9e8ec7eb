// SPDX-License-Identifier: GPL-3.0-or-later
// Plans, results folders and the files in them: docs/rules/sweep.md 1 and 2.
#include "base/hash.h"
#include "base/output_file.h"
#include "files.h"
#include "sweep/folder.h"
#include "sweep/run.h"
#include "sweep_support.h"
#include "test_main.h"

#include <QProcess>
#include <QtTest>

#include <nlohmann/json.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace test_sweep_plan {

using namespace tilewright;
using namespace tilewright::test;

namespace {

sweep::Plan planOf(const std::string& json)
{
    auto plan = sweep::readPlan(json, "plan.json");
    if (!plan)
        qFatal("%s", plan.error().text().c_str());
    return *plan;
}

QStringList textsOf(const std::vector<sweep::AxisValue>& values)
{
    QStringList out;
    for (const sweep::AxisValue& value : values)
        out << QString::fromStdString(value.text);
    return out;
}

QByteArray smallPlan(const QByteArray& more = {})
{
    return R"({"workload": "problem.json", "axes": [{"name": "fast_memory_capacity", "values": [20000, 30000, 1]}],
              "budget": {"iterations": 50})" +
           more + "}";
}

/// A plan with its workload in a folder of its own.
struct PlanFolder : SweepFolder
{
    PlanFolder()
    {
        QFile::copy(sample("example-3.json"), path("problem.json"));
        write("plan.json", smallPlan());
    }
    [[nodiscard]] sweep::Sweep load() const
    {
        auto out = sweep::loadSweep(path("plan.json").toStdString());
        if (!out)
            qFatal("%s", out.error().text().c_str());
        return *out;
    }
    [[nodiscard]] std::string runs() const { return path("runs").toStdString(); }
};

QString textOf(const Error& error)
{
    return QString::fromStdString(error.text());
}

} // namespace

class TestSweepPlan : public QObject
{
    Q_OBJECT
private slots:
    /// Vectors of FIPS 180-4.
    void sha256IsThatOfOthers()
    {
        QCOMPARE(sha256(""), std::string("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"));
        QCOMPARE(sha256("abc"),
                 std::string("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
        QCOMPARE(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                 std::string("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"));
        QCOMPARE(sha256(std::string(1'000'000, 'a')),
                 std::string("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"));
        Sha256 pieces;
        for (int i = 0; i < 1'000'000; i += 125)
            pieces.add(std::string(125, 'a'));
        QCOMPARE(pieces.hex(), sha256(std::string(1'000'000, 'a')));
    }

    /// docs/rules/sweep.md 1.3: the product, the last axis fastest, the workload slowest.
    void pointsAreTheProduct()
    {
        const sweep::Plan plan =
            planOf(R"({"workload": ["a", "b"], "axes": [{"name": "cores", "values": [1, 2, 4]},
            {"name": "array.dataflow", "values": ["os", "ws"]}], "lens": "systolic"})");
        QCOMPARE(plan.pointCount(), std::size_t{12});
        QCOMPARE(textsOf(sweep::pointAt(plan, 0).values), (QStringList{"1", "os"}));
        QCOMPARE(textsOf(sweep::pointAt(plan, 3).values), (QStringList{"2", "ws"}));
        QCOMPARE(sweep::pointAt(plan, 5).workload, std::size_t{0});
        QCOMPARE(sweep::pointAt(plan, 11).workload, std::size_t{1});
        QCOMPARE(textsOf(sweep::pointAt(plan, 11).values), (QStringList{"4", "ws"}));
    }

    void pointsCanBeListed()
    {
        const sweep::Plan plan = planOf(R"({"workload": ["a", "b"], "points": [
            {"workload": "b", "cores": 4, "array.rows": 16}, {"workload": "a", "array.rows": 8, "cores": 1}]})");
        QCOMPARE(plan.pointCount(), std::size_t{2});
        QCOMPARE(sweep::pointAt(plan, 0).workload, std::size_t{1});
        QCOMPARE(textsOf(sweep::pointAt(plan, 1).values), (QStringList{"1", "8"}));
    }

    /// docs/rules/sweep.md 1.4
    void rangesGiveWholeNumbersOnce()
    {
        const sweep::Plan plan = planOf(R"({"workload": "a", "axes": [
            {"name": "fast_memory_capacity", "from": 16384, "to": 4194304, "points": 17, "scale": "log2"},
            {"name": "slow_memory_bandwidth", "from": 1, "to": 3, "points": 5},
            {"name": "levels.l2.gb_per_s", "from": 1, "to": 2, "points": 3, "scale": "log2"},
            {"name": "energy_pj.mac", "from": 0, "to": 1, "points": 5}]})");
        const QStringList capacities = textsOf(plan.axes[0].values);
        QCOMPARE(capacities.size(), 17);
        for (int i = 0; i < 17; i += 2)
            QCOMPARE(capacities[i], QString::number(16384 << (i / 2)));
        QCOMPARE(textsOf(plan.axes[1].values), (QStringList{"1", "2", "3"}));
        QCOMPARE(textsOf(plan.axes[2].values), (QStringList{"1", "1.41421356", "2"}));
        QCOMPARE(textsOf(plan.axes[3].values), (QStringList{"0", "0.25", "0.5", "0.75", "1"}));
    }

    void plansComeBackAsTheyWere()
    {
        for (
            const char* text :
            {R"({"workload": "config.json", "lens": "language", "what": "dynamic", "dimensions": {"phase": 2},
               "axes": [{"name": "dimensions.batch", "values": [1, 2]}]})",
             R"({"workload": ["net.onnx"], "machine": "edge", "lens": "schedule",
               "axes": [{"name": "fast_memory_capacity", "from": 16384, "to": 4194304, "points": 17, "scale": "log2"},
                        {"name": "slow_memory_bandwidth", "values": [10, 20, 40]}],
               "what": "solve", "budget": {"iterations": 200000}, "objectives": ["latency", "fast_memory_capacity"]})",
             R"({"workload": ["a", "b"], "dimensions": {"batch": 1, "tokens": 128}, "rules": "seed", "seed": 7,
               "set": ["compute=array"], "minimise": "traffic", "points": [{"workload": "a", "cores": 2}]})",
             R"({"workload": "a", "schedule": "s.json", "what": "evaluate", "lens": "schedule",
               "axes": [{"name": "dma.mhz", "values": [0.5, 3200, "1e3", "2.50"]}]})",
             R"({"workload": "a", "lens": "npu", "tiles": "searched", "axes": [{"name": "cores", "values": [1]}]})",
             R"({"workload": "a", "lens": "mapping", "budget": {"seconds": 1.5},
               "axes": [{"name": "array.dataflow", "values": ["os"]}], "objectives": ["energy", "cycles"]})"}) {
            const sweep::Plan plan = planOf(text);
            const sweep::Plan back = planOf(sweep::writePlan(plan));
            QVERIFY2(back == plan, text);
            QCOMPARE(sweep::writePlan(back), sweep::writePlan(plan));
        }
    }

    void badPlansAreRefusedWithASentence_data()
    {
        QTest::addColumn<QString>("plan");
        QTest::addColumn<QString>("sentence");
        const auto axes = [](const char* axis) {
            return QStringLiteral(R"({"workload": "a", "axes": [%1]})").arg(QLatin1String(axis));
        };
        QTest::newRow("no JSON") << "{"
                                 << "line 1";
        QTest::newRow("no workload") << R"({"axes": []})"
                                     << "the field \"workload\" is missing";
        QTest::newRow("unknown") << R"({"workload": "a", "axis": []})"
                                 << "unknown field \"axis\"";
        QTest::newRow("nothing swept") << R"({"workload": "a"})"
                                       << "axes: needs at least one axis, or several workloads";
        QTest::newRow("lens") << R"({"workload": "a", "lens": "gpu"})"
                              << "expected \"schedule\"";
        QTest::newRow("what") << R"({"workload": "a", "lens": "npu", "what": "solve"})"
                              << "what: the lens npu has no \"solve\"";
        QTest::newRow("both") << R"({"workload": "a", "axes": [], "points": [{"cores": 1}]})"
                              << "axes: a plan has axes or points, not both";
        QTest::newRow("twice") << axes(R"({"name": "cores", "values": [1, 2, 1]})")
                               << "axes[0].values[2]: the value occurs twice";
        QTest::newRow("two axes")
            << axes(R"({"name": "cores", "values": [1]}, {"name": "cores", "values": [2]})")
            << "axes[1].name: \"cores\" occurs twice";
        QTest::newRow("empty") << axes(R"({"name": "cores", "values": []})") << "needs at least one value";
        QTest::newRow("range")
            << axes(R"({"name": "cores", "from": 0, "to": 4, "points": 3, "scale": "log2"})")
            << "axes[0].from: a logarithmic range needs numbers greater than zero";
        QTest::newRow("scale")
            << axes(R"({"name": "cores", "from": 1, "to": 4, "points": 3, "scale": "cubic"})")
            << "axes[0].scale: expected \"linear\"";
        QTest::newRow("too many")
            << axes(
                   R"({"name": "cores", "from": 1, "to": 2000, "points": 2000}, {"name": "array.rows", "from": 1, "to": 2000, "points": 2000})")
            << "more than 1000000 points";
        QTest::newRow("budgets") << R"({"workload": "a", "axes": [{"name": "cores", "values": [1]}],
                                       "budget": {"iterations": 5, "seconds": 1}})"
                                 << "budget.seconds: a budget is iterations or seconds, not both";
        QTest::newRow("schedule")
            << R"({"workload": "a", "what": "evaluate", "axes": [{"name": "cores", "values": [1]}]})"
            << "schedule: is missing";
        QTest::newRow("objective")
            << R"({"workload": "a", "axes": [{"name": "cores", "values": [1]}], "objectives": ["price"]})"
            << "objectives[0]: \"price\" is neither an axis nor one of latency";
        QTest::newRow("switch")
            << R"({"workload": "a", "axes": [{"name": "cores", "values": [1]}], "rules": "final", "set": ["x=y"]})"
            << "set[0]: ";
        QTest::newRow("switch of nothing")
            << R"({"workload": "a", "axes": [{"name": "cores", "values": [1]}], "set": ["k_limit=reduction"]})"
            << "the field \"rules\" is missing";
        QTest::newRow("dimension twice") << R"({"workload": "a", "dimensions": {"batch": 2},
            "axes": [{"name": "dimensions.batch", "values": [1]}]})"
                                         << "\"batch\" is one of the dimensions of the plan as well";
        QTest::newRow("schedule of a language model")
            << R"({"workload": "a", "lens": "language", "what": "evaluate", "schedule": "s.json",
                   "axes": [{"name": "cores", "values": [1]}]})"
            << "schedule: does not apply to the lens language";
        QTest::newRow("lens of hardware")
            << R"({"workload": "a", "lens": "npu", "axes": [{"name": "native_width", "values": [1]}]})"
            << "\"native_width\" is hardware of the lenses schedule and run";
        QTest::newRow("prefetch")
            << R"({"workload": "a", "axes": [{"name": "cores", "values": [1]}], "prefetch": 2})"
            << "prefetch: applies to the lens run only";
        QTest::newRow("minimise of a run")
            << R"({"workload": "a", "lens": "run", "minimise": "energy", "axes": [{"name": "cores", "values": [1]}]})"
            << "minimise: applies to the lens schedule only";
        QTest::newRow("bound of a run")
            << R"({"workload": "a", "lens": "run", "what": "bound", "axes": [{"name": "cores", "values": [1]}]})"
            << "what: the lens run has no \"bound\"";
        QTest::newRow("tiles")
            << R"({"workload": "a", "axes": [{"name": "cores", "values": [1]}], "tiles": "searched"})"
            << "tiles: applies to the lens npu only";
        QTest::newRow("ragged points")
            << R"({"workload": "a", "points": [{"cores": 1}, {"cores": 1, "clock_ghz": 2}]})"
            << "points[1]: must have the same axes as the first point";
        QTest::newRow("missing in a point")
            << R"({"workload": "a", "points": [{"cores": 1}, {"clock_ghz": 2}]})"
            << "points[1]";
    }
    void badPlansAreRefusedWithASentence()
    {
        QFETCH(const QString, plan);
        QFETCH(const QString, sentence);
        const auto read = sweep::readPlan(plan.toStdString(), "plan.json");
        QVERIFY(!read);
        const QString text = textOf(read.error());
        QVERIFY2(text.startsWith(QLatin1String("plan.json: ")) && text.contains(sentence), qPrintable(text));
    }

    /// docs/rules/sweep.md 1.2: an axis that nothing has, or values that are none.
    void axesAreWhatIsThere_data()
    {
        QTest::addColumn<QByteArray>("plan");
        QTest::addColumn<QString>("sentence");
        const auto plan = [](const char* axis, const char* more = "") {
            return QByteArray(R"({"workload": "problem.json")") + more + R"(, "axes": [)" + axis + "]}";
        };
        QTest::newRow("no machine") << plan(R"({"name": "array.rows", "values": [8]})")
                                    << "a problem with its own hardware";
        QTest::newRow("misspelt") << plan(R"({"name": "array.row", "values": [8]})", R"(, "machine": "edge")")
                                  << "axes[0].name: \"array.row\" is neither hardware of a problem";
        QTest::newRow("no number") << plan(R"({"name": "array.rows", "values": [8, "many"]})",
                                           R"(, "machine": "edge")")
                                   << "axes[0].values[1]: \"many\" is not a number";
        QTest::newRow("word") << plan(R"({"name": "array.dataflow", "values": ["rs"]})",
                                      R"(, "machine": "edge")")
                              << "\"rs\" is none of os, ws, is";
        QTest::newRow("fraction") << plan(R"({"name": "fast_memory_capacity", "values": [0.5]})")
                                  << "\"0.5\" is not a positive whole number";
        QTest::newRow("machine") << plan(R"({"name": "cores", "values": [1]})",
                                         R"(, "machine": "nowhere.json")")
                                 << "machine: ";
    }
    void axesAreWhatIsThere()
    {
        QFETCH(const QByteArray, plan);
        QFETCH(const QString, sentence);
        const PlanFolder folder;
        folder.write("plan.json", plan);
        const auto loaded = sweep::loadSweep(folder.path("plan.json").toStdString());
        QVERIFY(!loaded);
        QVERIFY2(textOf(loaded.error()).contains(sentence), qPrintable(textOf(loaded.error())));
    }

    /// docs/rules/sweep.md 2.2: all that the result depends on, and nothing else.
    void namesAreOfWhatTheResultDependsOn()
    {
        const PlanFolder folder;
        const sweep::Manifest plain = folder.load().manifest;
        const std::string name = sweep::PointNames(plain).of(0);
        QCOMPARE(name.size(), std::size_t{32});
        QVERIFY(name != sweep::PointNames(plain).of(1));
        sweep::Manifest same = plain;
        same.plan.workload = {"elsewhere/problem.json"};
        same.workloads[0].file = "elsewhere/problem.json";
        same.plan.objectives = {"latency"};
        std::swap(same.plan.axes[0].values[0], same.plan.axes[0].values[1]);
        QCOMPARE(sweep::PointNames(same).of(1), name);
        for (const auto& change : std::initializer_list<std::function<void(sweep::Manifest&)>>{
                 [](sweep::Manifest& m) { m.program = "9.9"; },
                 [](sweep::Manifest& m) { m.workloads[0].sha256[0] ^= 1; },
                 [](sweep::Manifest& m) { m.plan.seed = 2; },
                 [](sweep::Manifest& m) { m.plan.budget.iterations = 51; },
                 [](sweep::Manifest& m) { m.plan.rules = Rules::seed(); },
                 [](sweep::Manifest& m) { m.plan.minimise = sweep::Minimise::Traffic; },
                 [](sweep::Manifest& m) { m.plan.axes[0].values[0].text = "20001"; }}) {
            sweep::Manifest other = plain;
            change(other);
            QVERIFY(sweep::PointNames(other).of(0) != name);
        }
    }

    /// docs/rules/sweep.md 2.1: the same folder again goes on, another plan is refused with the difference.
    void foldersOfAnotherSweepAreRefused_data()
    {
        QTest::addColumn<QByteArray>("plan");
        QTest::addColumn<QByteArray>("problemEnd");
        QTest::addColumn<bool>("keepSchedules");
        QTest::addColumn<QString>("difference");
        QTest::newRow("none") << smallPlan() << QByteArray() << false << QString();
        QTest::newRow("budget") << smallPlan().replace("50", "60") << QByteArray() << false
                                << "plan.budget.iterations is 50 there and 60 here";
        QTest::newRow("axis") << smallPlan().replace("1]", "2]") << QByteArray() << false
                              << "plan.axes[0].values[2] is 1 there and 2 here";
        QTest::newRow("input") << smallPlan() << QByteArray("\n") << false
                               << "\"problem.json\" has changed since";
        QTest::newRow("schedules") << smallPlan() << QByteArray() << true
                                   << "keep_schedules is false there and true here";
    }
    void foldersOfAnotherSweepAreRefused()
    {
        QFETCH(const QByteArray, plan);
        QFETCH(const QByteArray, problemEnd);
        QFETCH(const bool, keepSchedules);
        QFETCH(const QString, difference);
        const PlanFolder folder;
        QVERIFY(sweep::ResultsFolder::prepare(folder.runs(), folder.load().manifest));
        folder.write("plan.json", plan);
        folder.write("problem.json", folder.read("problem.json") + problemEnd);
        sweep::Manifest manifest = folder.load().manifest;
        manifest.keepSchedules = keepSchedules;
        const auto again = sweep::ResultsFolder::prepare(folder.runs(), manifest);
        QCOMPARE(bool(again), difference.isEmpty());
        if (again)
            return;
        QVERIFY2(textOf(again.error()).contains(difference), qPrintable(textOf(again.error())));
        QVERIFY(textOf(again.error()).contains(QLatin1String("--fresh begins a new folder beside it")));
    }

    void anotherVersionIsRefused()
    {
        const PlanFolder folder;
        sweep::Manifest manifest = folder.load().manifest;
        const std::string version = manifest.program;
        manifest.program = "0.0.9";
        QVERIFY(sweep::ResultsFolder::prepare(folder.runs(), manifest));
        const auto again = sweep::ResultsFolder::prepare(folder.runs(), folder.load().manifest);
        QVERIFY(!again);
        QVERIFY(textOf(again.error())
                    .contains(QString::fromStdString(
                        "it was begun by version 0.0.9 of the program, and this is " + version)));
    }

    void foldersWithOtherFilesAreRefused()
    {
        const PlanFolder folder;
        QVERIFY(QDir().mkdir(folder.path("runs")));
        folder.write("runs/thesis.txt", "mine");
        const auto prepared = sweep::ResultsFolder::prepare(folder.runs(), folder.load().manifest);
        QVERIFY(!prepared);
        QVERIFY(textOf(prepared.error())
                    .contains(QLatin1String("is not a results folder and not empty: it has thesis.txt")));
        QCOMPARE(folder.list("runs"), QStringList{"thesis.txt"});
        const auto file =
            sweep::ResultsFolder::prepare(folder.path("plan.json").toStdString(), folder.load().manifest);
        QVERIFY(!file && textOf(file.error()).contains(QLatin1String("is a file, not a folder")));
    }

    /// docs/rules/sweep.md 2.1: two that begin at once agree on one plan.
    void onlyOneOfTwoPlansIsWritten()
    {
        const SweepFolder folder;
        const std::string path = folder.path("plan.json").toStdString();
        const std::string temporaries = QFileInfo(folder.path("x")).path().toStdString();
        const auto write = [&](const char* text, IfThere ifThere) {
            OutputFile out(path, temporaries);
            out.write(text);
            return out.commit(ifThere);
        };
        const auto first = write("one", IfThere::Keep);
        const auto second = write("two", IfThere::Keep);
        QVERIFY(first && *first);
        QVERIFY(second && !*second);
        QCOMPARE(folder.read("plan.json"), QByteArray("one"));
        const auto third = write("three", IfThere::Replace);
        QVERIFY(third && *third);
        QCOMPARE(folder.read("plan.json"), QByteArray("three"));
        QCOMPARE(folder.list("."), QStringList{"plan.json"}); // nothing temporary is left
    }

    void resultsComeBackAsTheyWere()
    {
        const PlanFolder folder;
        const sweep::Manifest manifest = folder.load().manifest;
        const auto results = sweep::ResultsFolder::prepare(folder.runs(), manifest);
        QVERIFY(results);
        sweep::PointResult done;
        done.metrics = {1.5, 0.1 + 0.2, 3e15, 4, 1};
        done.problem = sweep::SameProblem{"0123", 20000, 1.0 / 3};
        sweep::PointResult failed;
        failed.error = "\"no\" schedule, \xc3\xa4h";
        QVERIFY(results->put(0, done));
        QVERIFY(results->put(1, failed));
        QVERIFY(**results->get(0) == done);
        QVERIFY(**results->get(1) == failed);
        QVERIFY(!*results->get(2));
        QVERIFY(results->has(0) && !results->has(2));
        const auto opened = sweep::ResultsFolder::open(folder.runs());
        QVERIFY(opened && opened->manifest() == manifest);
        const auto counts = sweep::countResults(*opened);
        QVERIFY(counts);
        QCOMPARE((std::vector{counts->done, counts->failed, counts->toDo()}),
                 (std::vector<std::size_t>{1, 1, 1}));
    }

    void damagedResultsAreNamed()
    {
        const PlanFolder folder;
        const auto results = sweep::ResultsFolder::prepare(folder.runs(), folder.load().manifest);
        QVERIFY(results && results->put(0, {"sentence", {}, {}, {}}));
        const QString name = folder.list("runs/results").front();
        folder.write(("runs/results/" + name).toLatin1().constData(), "{\"state\": \"do");
        const auto read = results->get(0);
        QVERIFY(!read);
        QVERIFY(textOf(read.error()).contains(name));
    }

    /// docs/rules/sweep.md 2.3: a folder that cannot be written ends the run with its sentence.
    void readOnlyFoldersAreRefused()
    {
        if (::geteuid() == 0) {
            // Root writes everywhere but where nothing can be made.
            const auto prepared = sweep::ResultsFolder::prepare("/proc/runs", PlanFolder().load().manifest);
            QVERIFY(!prepared);
            QVERIFY(textOf(prepared.error())
                        .startsWith(QLatin1String("/proc/runs: the folder cannot be made (")));
            return;
        }
        const PlanFolder folder;
        QVERIFY(QDir().mkdir(folder.path("runs")));
        QVERIFY(::chmod(folder.runs().c_str(), 0555) == 0);
        const auto prepared = sweep::ResultsFolder::prepare(folder.runs(), folder.load().manifest);
        QVERIFY(!prepared);
        QVERIFY(textOf(prepared.error()).contains(QLatin1String("cannot be written")));
    }

    /// docs/rules/sweep.md 2.4
    void partsAreReadOrRefused()
    {
        const auto part = sweep::partFromText("3/8");
        QVERIFY(part && part->index == 3 && part->of == 8);
        for (const char* text : {"", "3", "0/8", "9/8", "3/", "/8", "3/8x", "a/b", "-1/2"})
            QVERIFY2(!sweep::partFromText(text), text);
    }

    /// What is written has exactly the fields that the schema names.
    void filesHaveTheFieldsOfTheSchema()
    {
        using Json = nlohmann::json;
        QFile file(QStringLiteral(TILEWRIGHT_SOURCE_DIR "/docs/schema/sweep.schema.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const Json defs = Json::parse(file.readAll().toStdString())["$defs"];
        const std::function<QString(const Json&, const Json&, const QString&)> fault =
            [&](const Json& schema, const Json& value, const QString& path) -> QString {
            if (schema.contains("$ref"))
                return fault(defs[schema["$ref"].get<std::string>().substr(8)], value, path);
            if (value.is_array() && schema.contains("items"))
                for (std::size_t i = 0; i < value.size(); ++i)
                    if (const QString f = fault(schema["items"], value[i], path + "[]"); !f.isEmpty())
                        return f;
            if (!value.is_object() || !schema.contains("properties"))
                return {};
            for (const auto& [key, member] : value.items()) {
                if (!schema["properties"].contains(key))
                    return path + " has the unknown field " + QString::fromStdString(key);
                if (const QString f =
                        fault(schema["properties"][key], member, path + "." + QString::fromStdString(key));
                    !f.isEmpty())
                    return f;
            }
            for (const Json& key : schema.value("required", Json::array()))
                if (!value.contains(key.get<std::string>()))
                    return path + " lacks " + QString::fromStdString(key.get<std::string>());
            return {};
        };
        const PlanFolder folder;
        folder.write("plan.json", smallPlan(R"(, "objectives": ["latency", "fast_memory_capacity"])"));
        const sweep::Sweep sweep = folder.load();
        sweep::Manifest manifest = sweep.manifest;
        manifest.keepSchedules = true;
        const auto results = sweep::ResultsFolder::prepare(folder.runs(), manifest);
        QVERIFY(results);
        sweep::Sweep keeping = sweep;
        keeping.manifest = manifest;
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(results->put(i, *sweep::computePoint(keeping, i)));
        QCOMPARE(fault(defs["manifest"], Json::parse(sweep::writeManifest(manifest)), "manifest"), QString());
        for (const QString& name : folder.list("runs/results"))
            QCOMPARE(
                fault(defs["result"],
                      Json::parse(folder.read(("runs/results/" + name).toLatin1().constData()).toStdString()),
                      "result"),
                QString());
        const auto table = sweep::collect(*results);
        QVERIFY(table);
        const Json json = Json::parse(sweep::tableJson(*table));
        QCOMPARE(fault(defs["table"], json, "table"), QString());
        QCOMPARE(json["rows"].size(), std::size_t{3});
        QCOMPARE(folder.list("runs/schedules").size(), 2);
        QVERIFY(json["rows"][2]["error"].get<std::string>().find("no valid schedule") != std::string::npos);
        // And what no program of ours reads is one: the plan's fields are those of the schema.
        for (const auto& [key, schema] : defs["plan"]["properties"].items()) {
            const auto read = sweep::readPlan("{\"" + key + "\": {\"x\": {}}}", "plan");
            QVERIFY2(!read && read.error().text().find("unknown field") == std::string::npos, key.c_str());
        }
    }

    /// docs/rules/sweep.md 5.1: words of a shell stay words, whatever is in them.
    void scriptsAreShellScripts()
    {
        sweep::SlurmJob job;
        job.program = "/bin/tilewright-cli";
        job.plan = "/home/o'neill/my plan $HOME.json";
        job.folder = "/data/100% runs";
        job.tasks = 8;
        job.sbatch = "--cpus-per-task=4 --time=1:00:00";
        const std::string script = sweep::slurmScript(job);
        for (const char* line :
             {"#SBATCH --array=1-8\n", "#SBATCH --requeue\n", "#SBATCH --cpus-per-task=4 --time=1:00:00\n",
              "#SBATCH --output=\"/data/100%% runs/log/slurm-%A_%a.txt\"\n",
              "'/bin/tilewright-cli' sweep '/home/o'\\''neill/my plan $HOME.json' -o '/data/100% runs' "
              "--part \"$SLURM_ARRAY_TASK_ID/8\" --threads \"$threads\""})
            QVERIFY2(script.find(line) != std::string::npos, line);
        for (const std::string& text : {script, sweep::slurmCollectScript(job)}) {
            QProcess bash;
            bash.start(QStringLiteral("bash"), {QStringLiteral("-n")});
            bash.write(QByteArray::fromStdString(text));
            bash.closeWriteChannel();
            QVERIFY(bash.waitForFinished());
            QCOMPARE(bash.exitCode(), 0);
        }
    }
};

TILEWRIGHT_TEST(TestSweepPlan)

} // namespace test_sweep_plan
#include "test_sweep_plan.moc"
