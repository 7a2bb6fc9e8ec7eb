// SPDX-License-Identifier: GPL-3.0-or-later
// Every expected value of the oracle files, by both forms of the evaluator.
#include "oracle_reader.h"
#include "test_main.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <cmath>
#include <map>

namespace test_oracles {

using namespace tilewright;
using oracle::json;

namespace {

/// "final", "seed", "machine" or "switch=value,switch=value" on top of final; nothing for the switches that
/// only explain history.
std::optional<Rules> rulesOf(const std::string& name)
{
    if (name == "final")
        return Rules::final();
    if (name == "seed")
        return Rules::seed();
    if (name == "machine")
        return Rules::machine();
    Rules rules;
    for (std::size_t at = 0; at <= name.size();) {
        const std::size_t end = std::min(name.find(',', at), name.size());
        if (!setRule(rules, name.substr(at, end - at)))
            return std::nullopt;
        at = end + 1;
    }
    return rules;
}

bool close(double a, double b)
{
    return std::abs(a - b) <= 1e-9 * std::max(1.0, std::abs(b));
}

/// Empty when the evaluation is what the oracle says.
std::string compare(const Evaluation& e, const json& expect)
{
    if (e.valid() != expect["valid"].get<bool>())
        return e.valid() ? "valid, expected " + expect.value("code", "an error")
                         : std::string(issueCodeName(e.verdict()->code)) + ": " + e.verdict()->text;
    if (!e.valid()) {
        if (issueCodeName(e.verdict()->code) != expect["code"].get<std::string>())
            return std::string(issueCodeName(e.verdict()->code)) + ", expected " +
                   expect["code"].get<std::string>();
        if (expect.contains("subgraph")) {
            const auto& got = e.verdict()->subgraph;
            const json& want = expect["subgraph"];
            if (want.is_null() ? got.has_value() : !got || got->index() != want.get<std::size_t>())
                return "another subgraph index";
        }
        return {};
    }
    if (!close(e.total, expect["total"]))
        return "total " + std::to_string(e.total) + ", expected " + expect["total"].dump();
    for (std::size_t i = 0; i < expect["latencies"].size(); ++i)
        if (!close(e.subgraphs.at(i).latency, expect["latencies"][i]))
            return "latency " + std::to_string(i) + " = " + std::to_string(e.subgraphs[i].latency);
    if (expect.contains("peaks"))
        for (std::size_t i = 0; i < expect["peaks"].size(); ++i)
            if (e.subgraphs.at(i).peakWorkingSet != expect["peaks"][i].get<double>())
                return "peak " + std::to_string(i) + " = " + std::to_string(e.subgraphs[i].peakWorkingSet);
    if (expect.contains("energies"))
        for (std::size_t i = 0; i < expect["energies"].size(); ++i)
            if (!close(e.subgraphs.at(i).energy, expect["energies"][i]))
                return "energy " + std::to_string(i) + " = " + std::to_string(e.subgraphs[i].energy) +
                       ", expected " + expect["energies"][i].dump();
    return {};
}

} // namespace

class TestOracles : public QObject
{
    Q_OBJECT

    std::map<std::string, int> m_checked;

    void check(const std::string& name, const json& problemJson, const json& solutionJson, const json& expect)
    {
        const ProblemPtr problem = oracle::problem(problemJson);
        Schedule schedule;
        try {
            schedule = oracle::schedule(solutionJson);
        } catch (const std::exception&) {
            // Raw files that cannot be held in memory at all (R2.2) belong to the schedule reader.
            for (const auto& [ruleName, expected] : expect.items())
                QVERIFY2(expected.value("code", "") == "FORMAT" ||
                             expected.value("code", "") == "GRANULARITY",
                         name.c_str());
            ++m_checked["unreadable"];
            return;
        }
        for (const auto& [ruleName, expected] : expect.items()) {
            const auto rules = rulesOf(ruleName);
            if (!rules)
                continue;
            ++m_checked[ruleName];
            const std::string traced = compare(evaluateByTrace(*problem, schedule, *rules), expected);
            QVERIFY2(traced.empty(), (name + " " + ruleName + " (trace): " + traced).c_str());
            const std::string fast = compare(evaluate(*problem, schedule, *rules), expected);
            QVERIFY2(fast.empty(), (name + " " + ruleName + " (fast): " + fast).c_str());
        }
    }

    void checkLines(const char* file, int cases)
    {
        int n = 0;
        for (const json& c : oracle::lines(file)) {
            check(c["id"].get<std::string>(), c["problem"], c["solution"], c["expect"]);
            if (QTest::currentTestFailed())
                return;
            ++n;
        }
        QCOMPARE(n, cases);
    }

private slots:
    void examples()
    {
        const json manifest = oracle::load(oracle::folder() + "examples/manifest.json");
        int n = 0;
        for (const json& c : manifest["cases"]) {
            const std::string folder = oracle::folder() + "examples/";
            check(c["name"].get<std::string>(), oracle::load(folder + c["problem"].get<std::string>()),
                  oracle::load(folder + c["solution"].get<std::string>()), c["expect"]);
            if (QTest::currentTestFailed())
                return;
            ++n;
        }
        QCOMPARE(n, 25);
    }

    void fuzzCases() { checkLines("fuzz_cases.jsonl", 600); }
    void focusCases() { checkLines("focus_cases.jsonl", 133); }
    void viewCases() { checkLines("view_cases.jsonl", 215); }
    void switchCases() { checkLines("switch_cases.jsonl", 305); }

    /// R1.8, R1.9, R17, R18: maps, bits and energy, alone and together.
    void realCases() { checkLines("real_cases.jsonl", 362); }

    void everySwitchWasChecked()
    {
        // k_above_K=clamp is only exercised inside `seed`, and what is new in `machine` only there.
        QVERIFY(m_checked["machine"] > 0);
        for (const RuleSwitch& s : ruleSwitches())
            for (const std::string_view value : s.values().subspan(1))
                QVERIFY2(m_checked[std::string(s.name) + "=" + std::string(value)] > 0 ||
                             s.name == "k_above_K" || (s.machineValue == value && value != s.seedValue),
                         (std::string(s.name) + "=" + std::string(value)).c_str());
        qInfo("%d raw schedules left to the schedule reader", m_checked["unreadable"]);
    }
};

TILEWRIGHT_TEST(TestOracles)

} // namespace test_oracles
#include "test_oracles.moc"
