// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "rescue.h"
#include "table.h"
#include "verbs.h"
#include "verbs/overlay.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct OverlayArguments : verbs::OverlayCall
{
    std::string csv;
    bool progress = false, json = false;
};

void bindOptions(verbs::OptionList& o, OverlayArguments& a)
{
    bindOptions(o, static_cast<verbs::OverlayCall&>(a));
    o.add("--csv", a.csv, "FILE", "Write the rows of all files as CSV", o.writes());
    o.flag("--progress", a.progress, "Print progress on stderr");
    o.flag("--json", a.json, kJsonHelp);
}

void printText(const overlay::Overlay& o)
{
    const validation::Comparison& c = o.comparison;
    std::cout << c.column << " of " << printable(c.file) << " (" << titleOf(o.form) << ") beside the "
              << toString(o.figure) << " of the lens " << c.lens << " on " << c.machine << '\n'
              << matchedText(o) << '\n';
    print(overlayTable(o));
    if (const Table unmatched = unmatchedTable(o); unmatched.rowCount() > 0) {
        std::cout << '\n';
        print(unmatched);
    }
    std::cout << '\n';
    Table figures({"figure", "value"});
    for (const auto& [name, text] : validation::agreementLines(c.agreement))
        figures.add(name, text);
    print(figures);
}

int runOverlay(const OverlayArguments& a)
{
    const InterruptGuard interrupt;
    const auto overlays = verbs::overlaysOf(a, progressLine(interrupt.token(), a.progress, "computed"));
    if (!overlays)
        return fail(overlays.error());
    int code = interrupt.token().stop_requested() ? Exit::Interrupted : Exit::Success;
    for (const overlay::Overlay& o : *overlays)
        if (o.comparison.rows.empty() && code == Exit::Success)
            code = Exit::No; // no name in the file is the name of an operator
    if (!a.csv.empty())
        if (auto s = writeFound(a.csv, overlay::overlaysCsv(*overlays)); !s)
            code = fail(s.error());
    const auto json = [&] { return overlay::overlaysJson(*overlays); };
    if (a.json) {
        std::cout << json();
    } else {
        for (std::size_t i = 0; i < overlays->size(); ++i) {
            std::cout << (i > 0 ? "\n" : "");
            printText((*overlays)[i]);
        }
    }
    rescueOutput(a.workload.file, json);
    return code;
}

} // namespace

void addOverlayVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<OverlayArguments>(
        app, "overlay", "Values of other programs or of a profiler beside ours, operator by operator",
        runOverlay, exitCode);
}

} // namespace tilewright::cli
