// SPDX-License-Identifier: GPL-3.0-or-later
// Issue 41 a, on the command line: explain.
#include "base/file.h"
#include "cli_run.h"
#include "test_main.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

namespace test_cli_explain {

using namespace tilewright;
using namespace tilewright::test;
using nlohmann::json;

class TestCliExplain : public QObject
{
    Q_OBJECT

private slots:
    void aFigureIsThatOfItsVerb_data();
    void aFigureIsThatOfItsVerb();
    void withoutAFigureAllAreListed();
    void moreOfEachValueOfTheMachine();
    void besideAVerbItIsThatOfExplain_data();
    void besideAVerbItIsThatOfExplain();
    void besideAVerbWrongAddressesAreRefused();
    void wasteIsAColumnAndASum();
    void wrongAddressesAreRefused_data();
    void wrongAddressesAreRefused();

private:
    QTemporaryDir m_folder;
};

const QString kSamples = QStringLiteral(TILEWRIGHT_SOURCE_DIR "/samples/");
const QString kProblem = kSamples + QStringLiteral("schedule/conv-net.json");
const QString kSchedule = kSamples + QStringLiteral("schedule/conv-net.fused.schedule.json");
const QString kModel = kSamples + QStringLiteral("models/llama-block.json");

json answerOf(const QStringList& arguments)
{
    const CliRun run = runCli(QStringList(arguments) << QStringLiteral("--json"));
    return run.code == 0 ? json::parse(run.out.toStdString()) : json();
}

void TestCliExplain::aFigureIsThatOfItsVerb_data()
{
    QTest::addColumn<QStringList>("verb");
    QTest::addColumn<QStringList>("asked");
    QTest::addColumn<QString>("address");
    const QStringList machine{"--machine", "edge"};
    QTest::newRow("schedule") << QStringList{"evaluate", kProblem, kSchedule}
                              << QStringList{kProblem, kSchedule} << "subgraphs.2.latency";
    QTest::newRow("total") << QStringList{"evaluate", kProblem, kSchedule} << QStringList{kProblem, kSchedule}
                           << "total_latency";
    QTest::newRow("npu") << QStringList{"npu", kModel} + machine
                         << QStringList{kModel, "--lens", "npu"} + machine << "operators.3.energy_pj.total";
    QTest::newRow("systolic") << QStringList{"systolic", kModel} + machine
                              << QStringList{kModel, "--lens", "systolic"} + machine << "total.utilization";
    const QString layer = kSamples + QStringLiteral("mapping/layers/gemm-1000.json");
    QTest::newRow("mapping") << QStringList{"map", layer} << QStringList{layer, "--lens", "mapping"}
                             << "energy_parts.rf";
}

void TestCliExplain::aFigureIsThatOfItsVerb()
{
    QFETCH(QStringList, verb);
    QFETCH(QStringList, asked);
    QFETCH(QString, address);
    const json explained = answerOf(QStringList{"explain"} + asked + QStringList{address});
    QVERIFY(explained.is_object());
    QCOMPARE(QString::fromStdString(explained["address"]), address);
    std::string pointer = "/" + address.toStdString();
    std::ranges::replace(pointer, '.', '/');
    QCOMPARE(explained["explanation"]["value"].get<double>(),
             answerOf(verb).at(json::json_pointer(pointer)).get<double>());
}

void TestCliExplain::withoutAFigureAllAreListed()
{
    // The name that the window gives a figure has its lens in front.
    QCOMPARE(runCli({"explain", kProblem, "schedule:total_latency"}).out,
             runCli({"explain", kProblem, "total_latency"}).out);
    QCOMPARE(runCli({"explain", kModel, "npu:makespan", "--machine", "edge"}).out,
             runCli({"explain", kModel, "makespan", "--machine", "edge", "--lens", "npu"}).out);
    const CliRun run = runCli({"explain", kProblem, kSchedule});
    QCOMPARE(run.code, 0);
    QVERIFY(run.out.contains("total_latency: ") && run.out.contains("subgraphs.1.reserved: "));
    const json list = answerOf({"explain", kProblem, kSchedule});
    QVERIFY(list["figures"].size() > 25);
    for (const json& figure : list["figures"])
        QVERIFY(figure["value"].is_number() && !figure["title"].get<std::string>().empty());
    // a problem without a schedule: one op a subgraph
    QCOMPARE(runCli({"explain", kProblem}).code, 0);
}

void TestCliExplain::moreOfEachValueOfTheMachine()
{
    const json answer = answerOf({"explain", kModel, "total_latency", "--machine", "edge", "--what-if"});
    bool hasBandwidth = false;
    const CliRun text = runCli({"explain", kModel, "total_latency", "--machine", "edge", "--what-if"});
    QVERIFY2(text.out.contains("; cycles that are 9.1"), text.out.constData());
    for (const json& value : answer["what_if"])
        if (value["field"] == "levels.external.gb_per_s") {
            hasBandwidth = true;
            QVERIFY(value["change"].get<double>() < 0);
            QCOMPARE(value["figure"].get<double>() - value["change"].get<double>(),
                     answer["explanation"]["value"].get<double>());
        }
    QVERIFY(hasBandwidth);
}

void TestCliExplain::besideAVerbItIsThatOfExplain_data()
{
    QTest::addColumn<QStringList>("verb");
    QTest::addColumn<QStringList>("asked");
    QTest::addColumn<QString>("headline");
    QTest::addColumn<QString>("other");
    const QStringList machine{"--machine", "edge"};
    QTest::newRow("evaluate") << QStringList{"evaluate", kProblem, kSchedule}
                              << QStringList{kProblem, kSchedule} << "total_latency"
                              << "subgraphs.2.padding_time";
    QTest::newRow("npu") << QStringList{"npu", kModel} + machine
                         << QStringList{kModel, "--lens", "npu"} + machine << "makespan"
                         << "per_core.1.tensor";
    QTest::newRow("systolic") << QStringList{"systolic", kModel} + machine
                              << QStringList{kModel, "--lens", "systolic"} + machine << "total.bound_cycles"
                              << "layers.2.padding.macs";
    QTest::newRow("product") << QStringList{"systolic", "--gemm", "100x37x250", "--array", "32x8"}
                             << QStringList() << "cycles"
                             << "padding.macs";
    QTest::newRow("run") << QStringList{"run", kProblem, kSchedule} << QStringList() << "end"
                         << "units.load.waits.room";
    QTest::newRow("place") << QStringList{"place", kProblem, kSchedule} << QStringList() << "height"
                           << "peak";
    const QString layer = kSamples + QStringLiteral("mapping/layers/gemm-1000.json");
    const QString levels = kSamples + QStringLiteral("mapping/hierarchies/five-levels.json");
    QTest::newRow("map on levels") << QStringList{"map", layer, levels, "--quick"} << QStringList() << "edp"
                                   << "levels.1.energy";
    QTest::newRow("map") << QStringList{"map", layer} << QStringList{layer, "--lens", "mapping"} << "edp"
                         << "energy_parts.rf";
}

/// `--explain` beside a verb explains its headline, `--explain=FIGURE` another figure: below the answer, or
/// as a field of the document.
void TestCliExplain::besideAVerbItIsThatOfExplain()
{
    QFETCH(QStringList, verb);
    QFETCH(QStringList, asked);
    QFETCH(QString, headline);
    QFETCH(QString, other);
    const auto ofExplain = [&](const QString& figure) {
        return QStringList{"explain"} + asked + QStringList{figure};
    };
    const auto beside = [&](const QString& option) {
        QStringList call = verb; // in front of the files, too: what follows without "=" is no figure
        call.insert(1, option);
        return call;
    };
    for (const QString& figure : {headline, other}) {
        const json answer =
            answerOf(beside(figure == headline ? QStringLiteral("--explain") : "--explain=" + figure));
        QVERIFY(answer.is_object());
        QCOMPARE(QString::fromStdString(answer["explain"]["address"]), figure);
        std::string pointer = "/" + figure.toStdString();
        std::ranges::replace(pointer, '.', '/');
        if (answer.contains(
                json::json_pointer(pointer))) // the document of `map` names its best methods apart
            QCOMPARE(answer["explain"]["explanation"]["value"].get<double>(),
                     answer.at(json::json_pointer(pointer)).get<double>());
        if (!asked.isEmpty()) // explain asks for no single product
            QCOMPARE(answer["explain"].dump(), answerOf(ofExplain(figure)).dump());
    }
    const QByteArray below = runCli(beside("--explain=" + other)).out;
    QVERIFY2(below.contains("\n\n" + other.toUtf8() + ": "), below.constData());
    if (!asked.isEmpty())
        QVERIFY(below.endsWith("\n\n" + runCli(ofExplain(other)).out));
}

void TestCliExplain::besideAVerbWrongAddressesAreRefused()
{
    const CliRun run = runCli({"evaluate", kProblem, kSchedule, "--explain=colour"});
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains("--explain: there is no figure \"colour\""), run.err.constData());
    QVERIFY(run.out.isEmpty());
    // The schedule that was found has the figures.
    const json found = answerOf({"solve", kProblem, "--iterations", "20", "--threads", "1", "--explain"});
    QCOMPARE(found["explain"]["explanation"]["value"].get<double>(), found["total_latency"].get<double>());
    QCOMPARE(found["explain"]["address"].get<std::string>(), std::string("total_latency"));
}

void TestCliExplain::wasteIsAColumnAndASum()
{
    const QString convolutions = kSamples + QStringLiteral("models/small-conv.csv");
    const QString schedule = m_folder.filePath(QStringLiteral("s.json"));
    QVERIFY(runCli({"solve", convolutions, "--machine", "edge", "--iterations", "20", "--threads", "1", "-o",
                    schedule})
                .code == 0);
    const json answer = answerOf({"evaluate", convolutions, schedule, "--machine", "edge"});
    double padding = 0, again = 0, halo = 0;
    for (const json& s : answer["subgraphs"]) {
        padding += s["padding_time"].get<double>();
        again += s["reloaded_elements"].get<double>();
        halo += s["halo_elements"].get<double>();
        QVERIFY(s["halo_elements"].get<double>() <= s["reloaded_elements"].get<double>());
    }
    QCOMPARE(answer["padding_time"].get<double>(), padding);
    QCOMPARE(answer["reloaded_elements"].get<double>(), again);
    QCOMPARE(answer["halo_elements"].get<double>(), halo);
    const QByteArray text = runCli({"evaluate", convolutions, schedule, "--machine", "edge"}).out;
    QCOMPARE(text.contains("\nloaded again "), again > 0);
    QCOMPARE(text.contains("\npadding      "), padding > 0);
    QVERIFY(padding > 0);
}

void TestCliExplain::wrongAddressesAreRefused_data()
{
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<QString>("reason");
    QTest::newRow("figure") << QStringList{kProblem, kSchedule, "colour"} << "there is no figure \"colour\"";
    QTest::newRow("element") << QStringList{kProblem, kSchedule, "subgraph.99.latency"}
                             << "there is no \"99\"";
    QTest::newRow("schedule") << QStringList{kProblem, "nowhere.json", "total_latency"} << "nowhere.json";
    QTest::newRow("many") << QStringList{kProblem, "a", "b", "c"} << "expected a schedule and a figure";
    QTest::newRow("lens") << QStringList{kModel, "makespan", "--lens", "npu", "--what-if"}
                          << "--what-if: needs a figure of the lens schedule";
    QTest::newRow("lens of the figure") << QStringList{kModel, "npu:makespan", "--what-if"}
                                        << "--what-if: needs a figure of the lens schedule";
    QTest::newRow("two lenses") << QStringList{kModel, "npu:makespan", "--lens", "systolic"}
                                << "--lens: is systolic, and the figure is of npu";
    QTest::newRow("model for mapping") << QStringList{kModel, "energy", "--lens", "mapping"} << "one layer";
}

void TestCliExplain::wrongAddressesAreRefused()
{
    QFETCH(QStringList, arguments);
    QFETCH(QString, reason);
    const CliRun run = runCli(QStringList{"explain"} + arguments);
    QCOMPARE(run.code, 2);
    QVERIFY2(run.err.contains(reason.toUtf8()), run.err.constData());
    QCOMPARE(run.err.count('\n'), 1);
}

TILEWRIGHT_TEST(TestCliExplain)

} // namespace test_cli_explain
#include "test_cli_explain.moc"
