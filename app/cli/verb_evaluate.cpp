// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/output_file.h"
#include "base/text.h"
#include "eval/waste.h"
#include "explained.h"
#include "figures/schedule_figures.h"
#include "manual/program.h"
#include "report/evaluation_json.h"
#include "report/html_report.h"
#include "report/writers.h"
#include "table.h"
#include "verbs.h"
#include "verbs/summary.h"

#include <algorithm>
#include <ctime>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

using verbs::EvaluatedFiles;

struct EvaluateArguments : verbs::EvaluateCall
{
    std::string trace;
    std::string report, explain;
    bool json = false;
};

void bindOptions(verbs::OptionList& o, EvaluateArguments& a)
{
    bindOptions(o, static_cast<verbs::EvaluateCall&>(a));
    o.add("--trace", a.trace, "FILE",
          "Write every step: FILE.csv as a table, FILE.json as Chrome trace events (Perfetto)", o.writes());
    o.add("--report", a.report, "FILE",
          "Write a report: FILE.html as a page of tables (the verb report of tilewright adds the charts), "
          "FILE.csv as a table of the subgraphs",
          o.writes());
    addExplain(o, a.explain, "total_latency");
    o.flag("--json", a.json, kJsonHelp);
}

/// Prints the subgraph with the highest latency, if there are several subgraphs.
void printSlowest(const EvaluatedFiles& r)
{
    const Evaluation& e = r.evaluation;
    if (e.subgraphs.size() < 2 || e.total <= 0)
        return;
    const auto slowest = std::ranges::max_element(e.subgraphs, {}, &SubgraphEvaluation::latency);
    const auto at = static_cast<std::size_t>(slowest - e.subgraphs.begin());
    const std::string names = opNames(*r.problem, r.loaded.schedule[SubgraphId(at)].ops);
    std::cout << "slowest      subgraph " << at << (names.empty() ? "" : " (" + names + ")") << ": "
              << formatGrouped(slowest->latency) << " (" << percent(slowest->latency / e.total) << ")\n";
}

/// Padding and reloads in sum, where there are any.
void printWaste(const EvaluatedFiles& r)
{
    const Evaluation& e = r.evaluation;
    const Waste waste = sumOf(wasteOf(*r.problem, r.loaded.schedule, e));
    double compute = 0, loads = 0;
    for (const SubgraphEvaluation& s : e.subgraphs) {
        compute += s.compute;
        loads += s.loadElements;
    }
    if (waste.padding > 0)
        std::cout << "padding      " << formatGrouped(waste.padding) << " ("
                  << percent(waste.padding / compute) << " of the compute time), with repeated work\n";
    if (!waste.loads || waste.loads->again <= 0)
        return;
    std::cout << "loaded again " << formatGrouped(waste.loads->again) << " elements ("
              << percent(waste.loads->again / loads) << " of the loads)";
    if (waste.loads->halo > 0)
        std::cout << ", " << formatGrouped(waste.loads->halo) << " of them halo";
    std::cout << '\n';
}

void printText(const EvaluatedFiles& r, const Snapshot& snapshot)
{
    const Evaluation& e = r.evaluation;
    const double bound = snapshot.lowerBound;
    if (!e.subgraphs.empty()) {
        printSubgraphs(*r.problem, r.loaded.schedule, e, e.subgraphs.size());
        std::cout << '\n';
    }
    std::cout << "machine      " << r.hardware << '\n';
    std::cout << "rules        " << ruleSetTitle(e.rules) << " (" << r.rules.reason << ")\n";
    if (!e.valid()) {
        std::cout << "invalid      " << sentence(*e.verdict()) << '\n';
        for (std::size_t i = 1; i < e.issues.size(); ++i)
            std::cout << "             " << sentence(e.issues[i]) << '\n';
        return;
    }
    std::cout << "total        " << formatGrouped(e.total) << '\n';
    if (e.rules != e.rules.onArray())
        std::cout << "on the array " << formatGrouped(snapshot.arrayTotal) << " (with compute=array)\n";
    printSlowest(r);
    printWaste(r);
    std::cout << "lower bound  " << formatGrouped(bound);
    if (bound > 0)
        std::cout << " (" << percent(e.total / bound - 1) << " above it)";
    std::cout << '\n';
    if (!r.problem->hasEnergy())
        return;
    const double least = energyBound(*r.problem, e.rules).value;
    std::cout << "energy       " << formatGrouped(e.energy) << " pJ, at least " << formatGrouped(least)
              << '\n'
              << "EDP          " << formatGrouped(e.edp()) << " (energy times latency), at least "
              << formatGrouped(least * bound) << '\n';
}

void printConstraints(const Problem& problem, const verbs::ConstraintCheck& check)
{
    std::cout << '\n';
    Table out({"constraint", "kept", "by subgraph", "which"});
    out.columns[2].kind = ColumnKind::Number;
    for (std::size_t i = 0; i < check.constraints.size(); ++i) {
        const std::string text = constraintText(problem, check.constraints, i);
        if (std::ranges::none_of(check.violations, [&](const auto& v) { return v.number == i; }))
            out.add(text, "yes", "", "");
        for (const ConstraintViolation& v : check.violations)
            if (v.number == i)
                out.add(text, "no", v.subgraph.index(), v.text);
    }
    print(out);
}

bool endsWith(const std::string& text, std::string_view end)
{
    return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

int writeTrace(const EvaluatedFiles& r, const std::string& file)
{
    const InterruptGuard guard;
    std::stop_source stop; // stopped by a signal, or because the file cannot be written any further
    const std::stop_callback forward(guard.token(), [&] { stop.request_stop(); });
    OutputFile out(file);
    const TextSink sink = [&](std::string_view text) {
        out.write(text);
        if (out.failed())
            stop.request_stop();
    };
    const auto write = endsWith(file, ".json") ? writeTraceEvents : writeStepsCsv;
    if (!write(*r.problem, r.loaded.schedule, r.rules.rules, sink, {stop.get_token(), {}}) && !out.failed())
        return Exit::Interrupted; // without commit() the old file stays unchanged
    const auto written = out.commit();
    return written ? static_cast<int>(Exit::Success) : fail(written.error());
}

std::string today()
{
    const std::time_t now = std::time(nullptr);
    char text[16];
    return {text, std::strftime(text, sizeof text, "%Y-%m-%d", std::localtime(&now))};
}

int writeReport(const EvaluatedFiles& r, const Snapshot& snapshot, const EvaluateArguments& arguments)
{
    std::string text;
    if (endsWith(arguments.report, ".csv")) {
        text = subgraphsCsv(snapshot);
    } else {
        HtmlReportOptions options{{}, arguments.workload.file + " · " + arguments.schedule + " · " + today()};
        if (r.model) {
            const verbs::Summary summary = verbs::quickSummary(verbs::subjectOf(r, arguments.workload));
            options.summary = {"Summary", verbs::summaryText({&summary, 1})};
            options.figures = verbs::reportFigures(*r.model, r.evaluation);
        }
        text = htmlReport(snapshot, options);
    }
    if (auto status = writeFileAtomically(arguments.report, text); !status)
        return fail(status.error());
    return Exit::Success;
}

int evaluateVerb(EvaluateArguments& arguments)
{
    const auto result = verbs::evaluateFiles(arguments);
    if (!result)
        return fail(result.error());
    if (!result->loaded.formatIssues.empty() && (!arguments.trace.empty() || !arguments.report.empty()))
        tell("--trace and --report: nothing is written of a schedule with format errors");
    const auto check = verbs::checkConstraints(arguments, *result);
    if (!check)
        return fail(check.error());
    int code =
        result->evaluation.valid() && (!*check || (*check)->violations.empty()) ? Exit::Success : Exit::No;
    if (!arguments.trace.empty() && result->loaded.formatIssues.empty())
        if (const int traced = writeTrace(*result, arguments.trace); traced != Exit::Success)
            code = traced;
    if (code == Exit::BadInput)
        return code;
    const auto taken = std::make_shared<const Snapshot>(verbs::snapshotOf(*result));
    const Snapshot& snapshot = *taken;
    const auto figure = explained(arguments.explain, "total_latency",
                                  [&] { return figures::scheduleFigures(taken, result->model); });
    if (!figure)
        return fail(figure.error());
    if (!arguments.report.empty() && result->loaded.formatIssues.empty())
        if (const int written = writeReport(*result, snapshot, arguments); written != Exit::Success)
            return written;
    if (arguments.json) {
        std::cout << withExplanation(*check ? evaluationJson(snapshot, result->rules.reason, **check)
                                            : evaluationJson(snapshot, result->rules.reason),
                                     *figure);
    } else {
        printText(*result, snapshot);
        if (*check)
            printConstraints(*result->problem, **check);
        printExplanation(*figure);
    }
    return code;
}

} // namespace

void addEvaluateVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<EvaluateArguments>(app, "evaluate",
                                       "Latency, traffic and memory of a schedule, subgraph by subgraph",
                                       evaluateVerb, exitCode);
}

} // namespace tilewright::cli
