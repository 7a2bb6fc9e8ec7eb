// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "rescue.h"
#include "table.h"
#include "verbs.h"
#include "verbs/traces.h"

#include <iostream>

namespace tilewright::cli {

namespace {

constexpr std::size_t kMostPrinted = 20; ///< maximum number of printed pairs

struct TracesArguments : verbs::TracesCall
{
    std::string csv;
    bool json = false;
};

void bindOptions(verbs::OptionList& o, TracesArguments& a)
{
    bindOptions(o, static_cast<verbs::TracesCall&>(a));
    o.add("--csv", a.csv, "FILE", "Write all pairs as CSV, those that differ most first", o.writes());
    o.flag("--json", a.json, kJsonHelp);
}

void printText(const overlay::TraceComparison& c)
{
    for (const std::string& text : overlay::textsOf(c))
        std::cout << printable(text) << '\n';
    std::cout << '\n';
    print(overlay::tracksTable(c));
    Table pairs = overlay::tracesTable(c);
    if (pairs.rowCount() == 0)
        return;
    std::cout << "\nwhat differs most:\n";
    const std::size_t more = pairs.rows.size() - std::min(pairs.rows.size(), kMostPrinted);
    pairs.rows.resize(pairs.rows.size() - more);
    print(pairs);
    if (more > 0)
        std::cout << "and " << formatGrouped(more) << " more (--csv, --json)\n";
}

int runTraces(const TracesArguments& a)
{
    const auto comparison = verbs::tracesOf(a);
    if (!comparison)
        return fail(comparison.error());
    int code = comparison->pairs.empty() ? Exit::No : Exit::Success;
    if (!a.csv.empty())
        if (auto s = writeFound(a.csv, csvOf(overlay::tracesTable(*comparison))); !s)
            code = fail(s.error());
    const auto json = [&] { return overlay::tracesJson(*comparison); };
    if (a.json)
        std::cout << json();
    else
        printText(*comparison);
    rescueOutput(a.file, json);
    return code;
}

} // namespace

void addTracesVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<TracesArguments>(
        app, "traces", "Two traces on one axis: what both have, and what differs most", runTraces, exitCode);
}

} // namespace tilewright::cli
