// SPDX-License-Identifier: GPL-3.0-or-later
// Values of a machine fitted to measurements (docs/rules/validation.md 4).
#include "test_main.h"
#include "verbs/fit.h"

#include <QTest>

#include <cmath>

namespace test_fit {

using namespace tilewright;

namespace {

const std::string kFolder = TILEWRIGHT_SOURCE_DIR "/validation/";

verbs::FitCall call(const std::string& file, const char* machine)
{
    verbs::FitCall out;
    out.measurements = kFolder + file;
    out.workload.machine = machinePreset(machine);
    if (const Status s = readFiles(out); !s)
        qFatal("%s", s.error().text().c_str());
    return out;
}

/// The set with what a machine predicts in the place of what was measured. The name of a row is its sizes.
std::string predictedSet(const verbs::FitCall& call)
{
    const auto compared = verbs::validate(call);
    if (!compared)
        qFatal("%s", compared.error().text().c_str());
    std::string out = "M,N,K,ms\n";
    for (const validation::ComparedRow& row : compared->rows) {
        std::string sizes = row.name;
        for (std::size_t at = sizes.find(" x "); at != std::string::npos; at = sizes.find(" x "))
            sizes.replace(at, 3, ",");
        out += sizes + "," + std::to_string(row.predicted) + "\n";
    }
    return out;
}

double valueOf(const verbs::FitAnswer& answer, const std::string& path)
{
    for (const verbs::FittedValue& v : answer.values)
        if (v.path == path)
            return v.after;
    return -1;
}

} // namespace

class TestFit : public QObject
{
    Q_OBJECT
private slots:
    void leastSquaresOfKnownValues_4_3();
    void rangesAreKept_4_2();
    void valuesThatAreNotDeterminedAreKept_4_5();
    void usualValues_4_1();
    void rowsLeftOut_4_4();
    void theMachineNamesItsSource_4_6();
    void whatCannotBeFittedIsSaid_4_1();
    void aStoppedFitHasTheBestSoFar();
};

void TestFit::leastSquaresOfKnownValues_4_3()
{
    verbs::FitCall c = call("tpu_v4_gemm.csv", "tpu-v4");
    c.where = {"M=1024"};
    const Machine before = *c.workload.machine;
    auto changed = withMachineField(before, "array.rates.16", "0.62");
    changed = withMachineField(*changed, "launch_us.product", "7");
    QVERIFY(changed);
    c.workload.machine = *changed;
    c.text = predictedSet(c);
    c.where.clear();
    c.measurements = "known.csv";
    c.workload.machine = before;
    const auto answer = verbs::fitMachine(c);
    QVERIFY2(answer, answer ? "" : answer.error().text().c_str());
    QCOMPARE(valueOf(*answer, "array.rates.16"), 0.62);
    QVERIFY2(std::abs(valueOf(*answer, "launch_us.product") - 7) < 0.1,
             std::to_string(valueOf(*answer, "launch_us.product")).c_str());
    QVERIFY(answer->before.error > 0.3);
    QVERIFY2(answer->after.error < 0.005, std::to_string(answer->after.error).c_str());
    QVERIFY(answer->fit.errorLeftOut < 0.005);
}

void TestFit::rangesAreKept_4_2()
{
    // The best value lies outside: predicted 1 / value, measured 100 times as much.
    const std::vector<double> measured{100, 200, 400};
    const auto result = validation::fit(measured, {{1, 0.05, 20, true}}, [](const std::vector<double>& v) {
        return std::vector<double>{1 / v[0], 2 / v[0], 4 / v[0]};
    });
    QCOMPARE(result.values[0], 0.05);
    // A difference that may be 0, and is.
    const auto none = validation::fit(measured, {{30, 0, 100, false}}, [&](const std::vector<double>& v) {
        return std::vector<double>{100 + v[0], 200 + v[0], 400 + v[0]};
    });
    QVERIFY(none.values[0] < 0.05);
}

/// Rows that are bound by compute say nothing about the bandwidth: it became any value of a wide range.
void TestFit::valuesThatAreNotDeterminedAreKept_4_5()
{
    const std::vector<double> work{100, 200, 400};
    const auto times = [&](const std::vector<double>& v) { // v[0]: rate of the array, v[1]: bandwidth
        std::vector<double> out;
        for (const double w : work)
            out.push_back(std::max(w / v[0], w / 10 / v[1]));
        return out;
    };
    const std::vector<validation::FitRange> ranges{{1, 0.05, 20, true}, {64, 3.2, 1280, true}};
    const auto result = validation::fit({200, 400, 800}, ranges, times);
    QVERIFY(std::abs(result.values[0] - 0.5) < 0.005);
    QCOMPARE(result.values[1], 64.0);
    QVERIFY(result.isDetermined[0] && !result.isDetermined[1]);
    // Rows that are bound by the memory determine it.
    const auto memory = validation::fit({1000, 2000, 4000}, {ranges[1]}, [&](const std::vector<double>& v) {
        return times({20, v[0] / 64});
    });
    QVERIFY(memory.isDetermined[0] && memory.values[0] < 1.1 * 3.2);
}

void TestFit::usualValues_4_1()
{
    const auto products = verbs::fitMachine(call("a100_gemm.csv", "a100"));
    QVERIFY(products);
    QCOMPARE(products->values.size(), std::size_t{2});
    QCOMPARE(products->values[0].path, std::string("array.rates.16"));
    QCOMPARE(products->values[1].path, std::string("launch_us.product"));
    verbs::FitCall vectors = call("a100_softmax.csv", "a100");
    vectors.operatorKind = "softmax";
    const auto fitted = verbs::fitMachine(vectors);
    QVERIFY2(fitted, fitted ? "" : fitted.error().text().c_str());
    QCOMPARE(fitted->values[0].path, std::string("levels.external.gb_per_s"));
    QCOMPARE(fitted->values[1].path, std::string("launch_us.softmax"));
    QVERIFY(fitted->after.error < fitted->before.error);
}

void TestFit::rowsLeftOut_4_4()
{
    // Two rows: each is predicted with the value of the other. The values are 10 and 40; ln 4 apart.
    const auto result = validation::fit({10, 40}, {{20, 1, 400, true}}, [](const std::vector<double>& v) {
        return std::vector<double>{v[0], v[0]};
    });
    QVERIFY(std::abs(result.values[0] - 20) < 0.1);
    QVERIFY2(std::abs(result.errorAfter - 1) < 0.01, std::to_string(result.errorAfter).c_str());
    QVERIFY2(std::abs(result.errorLeftOut - 3) < 0.01, std::to_string(result.errorLeftOut).c_str());
    QCOMPARE(result.rows, std::size_t{2});
    // Rows without a prediction count for nothing.
    const auto fewer = validation::fit({10, 7, 40}, {{20, 1, 400, true}}, [](const std::vector<double>& v) {
        return std::vector<double>{v[0], 0, v[0]};
    });
    QCOMPARE(fewer.rows, std::size_t{2});
    QVERIFY(std::abs(fewer.values[0] - 20) < 0.1);
}

void TestFit::theMachineNamesItsSource_4_6()
{
    const auto answer = verbs::fitMachine(call("a100_gemm.csv", "a100"));
    QVERIFY(answer);
    QCOMPARE(answer->machine.name, std::string("a100-fitted"));
    const Provenance& source = answer->machine.sources.at("launch_us.product");
    QVERIFY(source.kind == SourceKind::Fitted);
    QCOMPARE(source.source, std::string("a100_gemm.csv"));
    QVERIFY2(source.note.find("rows left out") != std::string::npos, source.note.c_str());
    const auto again = readMachine(writeMachine(answer->machine), "fitted.json");
    QVERIFY2(again, again ? "" : again.error().text().c_str());
    verbs::FitCall c = call("a100_gemm.csv", "a100");
    c.workload.machine = *again;
    const auto compared = verbs::validate(c);
    QVERIFY(compared);
    QCOMPARE(compared->agreement.error, answer->after.error);
    QVERIFY(answer->after.error < 0.1); // 18 % before
}

void TestFit::whatCannotBeFittedIsSaid_4_1()
{
    const auto refusal = [](const std::string& value) {
        verbs::FitCall c = call("a100_gemm.csv", "a100");
        c.values = {value};
        const auto answer = verbs::fitMachine(c);
        return answer ? std::string("fitted") : answer.error().text();
    };
    QCOMPARE(refusal("cores"),
             std::string("--value: cores is neither a rate nor a time; only these are fitted"));
    QCOMPARE(refusal("speed"),
             std::string("--value: speed is not a field of the machine; `info MACHINE` lists them"));
    QCOMPARE(refusal("array.rates"),
             std::string("--value: array.rates stands for several values or follows from others"));
    verbs::FitCall one = call("a100_gemm.csv", "a100");
    one.where = {"M=64"};
    const auto answer = verbs::fitMachine(one);
    QVERIFY(!answer);
    QVERIFY2(answer.error().text().find("two rows") != std::string::npos, answer.error().text().c_str());
}

void TestFit::aStoppedFitHasTheBestSoFar()
{
    std::stop_source stop;
    int calls = 0;
    const auto result = validation::fit({10, 20, 30}, {{1, 0.05, 20, true}},
                                        [&](const std::vector<double>& v) {
                                            if (++calls == 5)
                                                stop.request_stop();
                                            return std::vector<double>{v[0], v[0], v[0]};
                                        },
                                        {stop.get_token(), {}});
    QVERIFY(result.interrupted);
    QVERIFY(result.errorAfter < result.errorBefore);
}

TILEWRIGHT_TEST(TestFit)

} // namespace test_fit
#include "test_fit.moc"
