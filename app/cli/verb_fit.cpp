// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "base/utf8.h"
#include "manual/program.h"
#include "rescue.h"
#include "table.h"
#include "verbs.h"
#include "verbs/fit.h"

#include <iostream>

namespace tilewright::cli {

namespace {

struct FitArguments : verbs::FitCall
{
    std::string output;
    bool progress = false, json = false;
};

void bindOptions(verbs::OptionList& o, FitArguments& a)
{
    bindOptions(o, static_cast<verbs::FitCall&>(a));
    o.add("-o,--output", a.output, "FILE", "Write the machine with the fitted values and their source",
          o.writes());
    o.flag("--progress", a.progress, "Print progress on stderr");
    o.flag("--json", a.json, kJsonHelp);
}

int runFit(const FitArguments& a)
{
    const InterruptGuard interrupt;
    const auto answer = verbs::fitMachine(a, progressLine(interrupt.token(), a.progress, "fitted"));
    if (!answer)
        return fail(answer.error());
    int code = answer->fit.interrupted ? Exit::Interrupted : Exit::Success;
    if (!a.output.empty())
        if (auto s = writeFound(a.output, writeMachine(answer->machine)); !s)
            code = fail(s.error());
    const auto json = [&] { return answer->json(); };
    if (a.json) {
        std::cout << json();
    } else {
        std::cout << "lens " << a.lens << " on " << a.workload.machine->name << ", fitted to "
                  << formatGrouped(answer->after.rows) << " rows of " << printable(a.measurements) << '\n';
        print(answer->table());
        std::cout << '\n';
        print(answer->errors());
    }
    rescueOutput(a.measurements, json);
    return code;
}

} // namespace

void addFitVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<FitArguments>(app, "fit", "Values of a machine fitted to measurements", runFit, exitCode);
}

} // namespace tilewright::cli
