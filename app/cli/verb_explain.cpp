// SPDX-License-Identifier: GPL-3.0-or-later
#include "figures/explain.h"
#include "manual/program.h"
#include "verbs.h"

#include <iostream>

namespace tilewright::cli {

namespace {

using ExplainArguments = WithJson<figures::ExplainCall>;

int runExplain(ExplainArguments& a)
{
    const auto answer = figures::explain(a);
    if (!answer)
        return fail(answer.error());
    if (a.json)
        std::cout << figures::explainJson(*answer);
    else if (answer->figure)
        std::cout << figures::figureText(*answer->figure)
                  << (a.whatIf ? "With 10 % more of one value of the machine, and this schedule:\n" : "")
                  << figures::whatIfText(answer->whatIf);
    else
        std::cout << figures::figureList(answer->figures, figures::kListedElements);
    return Exit::Success;
}

} // namespace

void addExplainVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<ExplainArguments>(app, "explain", "What a figure is, and how it came about", runExplain,
                                      exitCode);
}

} // namespace tilewright::cli
