// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "manual/program.h"
#include "rescue.h"
#include "table.h"
#include "verbs.h"
#include "verbs/summary.h"

#include <iostream>

namespace tilewright::cli {

namespace {

using verbs::Summary;
using verbs::SummaryFigure;
using verbs::SummaryRow;

struct SummaryArguments : verbs::SummaryCall
{
    std::string csv;
    bool progress = false, json = false;
};

void bindOptions(verbs::OptionList& o, SummaryArguments& a)
{
    bindOptions(o, static_cast<verbs::SummaryCall&>(a));
    o.add("--csv", a.csv, "FILE", "Write the table as CSV", o.writes());
    o.flag("--progress", a.progress, "Print progress on stderr");
    o.flag("--json", a.json, kJsonHelp);
}

/// Prints one of the summaries. Each figure of a later summary is followed by its ratio to the figure of the
/// first one.
void printTable(std::span<const Summary> summaries, std::size_t shown)
{
    std::vector<TableText> titles{"row"};
    for (const verbs::SummaryColumn& column : verbs::summaryColumns())
        titles.emplace_back(std::string(column.title));
    titles.emplace_back("binds");
    Table table(titles);
    for (const verbs::SummaryLine& line : verbs::summaryLines(summaries)) {
        if (line.summary != shown || (!line.floor && !line.kind))
            continue;
        std::vector<TableCell> cells{line.kind ? std::string(verbs::titleOf(*line.kind)) : "floor"};
        for (const verbs::SummaryColumn& column : verbs::summaryColumns())
            cells.emplace_back(verbs::shownFigure(summaries, line, column.figure));
        cells.emplace_back(verbs::bindsInShort(summaries, line));
        table.add(std::move(cells));
    }
    print(table);
}

void printRow(const SummaryRow& row, bool explained)
{
    if (row.state == SummaryRow::State::NotRun)
        return;
    std::cout << verbs::titleOf(row.kind) << '\n';
    const auto line = [](const char* what, const std::string& text) {
        if (!text.empty())
            std::cout << "  " << what << ' ' << text << '\n';
    };
    line("error:", row.error);
    line("how:", row.how);
    line("binds:", row.binds);
    for (const std::string& text : row.leftOut)
        line("leaves out:", text);
    if (explained)
        for (const verbs::SummaryColumn& column : verbs::summaryColumns())
            if (const auto& figure = row.of(column.figure))
                std::cout << explanationText(*figure, 2);
}

void printLanguage(const Summary& summary, bool explained)
{
    if (!summary.language)
        return;
    Table table({"language model", "value"});
    for (const verbs::LanguageLine& line : verbs::languageLines(summary))
        table.add({line.name, line.text});
    std::cout << '\n';
    print(table);
    std::cout << '\n';
    if (explained)
        for (const verbs::LanguageColumn& column : verbs::languageColumns())
            if (const auto& figure = summary.language->of(column.figure))
                std::cout << explanationText(*figure, 0);
}

void printText(const verbs::SummaryAnswer& answer)
{
    for (std::size_t i = 0; i < answer.summaries.size(); ++i) {
        const Summary& summary = answer.summaries[i];
        std::cout << (i > 0 ? "\n" : "") << summary.model << " on " << summary.machine << ", clock "
                  << significantNumber(summary.clockGhz) << " GHz\n";
        printTable(answer.summaries, i);
        printLanguage(summary, answer.explained);
        for (const std::string& note : summary.notes)
            std::cout << note << '\n';
        if (answer.explained)
            for (const lower::Floor& floor : summary.floors)
                std::cout << "Floor on " << floor.cores << (floor.cores == 1 ? " core\n" : " cores\n")
                          << explanationText(floor.cycles, 2);
        for (const SummaryRow& row : summary.rows)
            printRow(row, answer.explained);
    }
}

int runSummary(const SummaryArguments& a)
{
    const InterruptGuard interrupt;
    const auto answer = verbs::summaryOf(a, progressLine(interrupt.token(), a.progress, "computed"));
    if (!answer)
        return fail(answer.error());
    int code = answer->interrupted ? Exit::Interrupted : answer->failed() ? Exit::No : Exit::Success;
    if (!a.csv.empty())
        if (auto s = writeFound(a.csv, verbs::summaryCsv(answer->summaries)); !s)
            code = fail(s.error());
    const auto json = [&] { return verbs::summaryJson(answer->summaries, answer->explained); };
    if (a.json)
        std::cout << json();
    else
        printText(*answer);
    rescueOutput(a.workload.file, json);
    return code;
}

} // namespace

void addSummaryVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<SummaryArguments>(
        app, "summary", "One table of a model on a machine: the figures of every lens beside the floor",
        runSummary, exitCode);
}

} // namespace tilewright::cli
