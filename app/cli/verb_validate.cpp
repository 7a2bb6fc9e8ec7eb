// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "rescue.h"
#include "table.h"
#include "verbs.h"
#include "verbs/validate.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct ValidateArguments : verbs::ValidateCall
{
    std::string html;
    bool progress = false, json = false;
};

void bindOptions(verbs::OptionList& o, ValidateArguments& a)
{
    bindOptions(o, static_cast<verbs::ValidateCall&>(a));
    o.add("--html", a.html, "FILE", "Write a page with a picture of all rows", o.writes());
    o.flag("--progress", a.progress, "Print progress on stderr");
    o.flag("--json", a.json, kJsonHelp);
}

void printText(const validation::Comparison& c)
{
    std::cout << "lens " << c.lens << " on " << c.machine << " against " << c.column << " of "
              << printable(c.file) << '\n';
    print(validation::comparisonTable(c));
    if (c.leftOut > 0)
        std::cout << formatGrouped(c.leftOut)
                  << (c.leftOut == 1 ? " row of the file is" : " rows of the file are")
                  << " not compared: without a measurement, or excluded by --where\n";
    Table figures({"figure", "value"});
    for (const auto& [name, text] : validation::agreementLines(c.agreement))
        figures.add(name, text);
    std::cout << '\n';
    print(figures);
    for (const std::string& sentence : c.notModelled)
        std::cout << "not modelled: " << sentence << '\n';
}

int runValidate(const ValidateArguments& a)
{
    const InterruptGuard interrupt;
    const auto comparison = verbs::validate(a, progressLine(interrupt.token(), a.progress, "predicted"));
    if (!comparison)
        return fail(comparison.error());
    int code = comparison->interrupted ? Exit::Interrupted : comparison->failed() ? Exit::No : Exit::Success;
    if (!a.html.empty())
        if (auto s = writeFound(a.html, validation::comparisonHtml(*comparison)); !s)
            code = fail(s.error());
    const auto json = [&] { return validation::comparisonJson(*comparison); };
    if (a.json)
        std::cout << json();
    else
        printText(*comparison);
    rescueOutput(a.measurements, json);
    return code;
}

} // namespace

void addValidateVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<ValidateArguments>(
        app, "validate", "Predictions of a lens beside measurements: ratios, errors, correlations",
        runValidate, exitCode);
}

} // namespace tilewright::cli
