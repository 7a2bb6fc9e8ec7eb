// SPDX-License-Identifier: GPL-3.0-or-later
// The run of a schedule (R20): expected ends, and what must hold of every run.
#include "oracle_reader.h"
#include "run/run.h"
#include "test_main.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <string>

namespace test_run {

using namespace tilewright;
using oracle::json;

namespace {

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

} // namespace

class TestRun : public QObject
{
    Q_OBJECT

private slots:
    /// Ends that others computed from the text of the rules.
    void endsOfTheOracle()
    {
        int ends = 0;
        for (const json& c : oracle::lines("real_cases.jsonl")) {
            const json& expect = c["expect"]["machine"];
            if (!expect.contains("run"))
                continue;
            const ProblemPtr problem = oracle::problem(c["problem"]);
            const Schedule schedule = oracle::schedule(c["solution"]);
            for (const auto& [prefetch, end] : expect["run"].items()) {
                RunOptions options;
                options.prefetch = std::stoll(prefetch);
                const auto run = runSchedule(*problem, schedule, Rules::machine(), options);
                const std::string name = c["id"].get<std::string>() + " prefetch " + prefetch + ": ";
                QVERIFY2(run.hasValue(), (name + (run ? "" : run.error().text())).c_str());
                QVERIFY2(run->exact, name.c_str());
                QVERIFY2(close(run->end, end.get<double>()),
                         (name + std::to_string(run->end) + ", expected " + end.dump()).c_str());
                ++ends;
            }
        }
        QCOMPARE(ends, 735);
    }
};

TILEWRIGHT_TEST(TestRun)

} // namespace test_run
#include "test_run.moc"
