// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "manual/program.h"
#include "rescue.h"
#include "verbs.h"
#include "verbs/schedule.h"

#include <iostream>

namespace tilewright::cli {

namespace {

using BoundArguments = WithJson<verbs::BoundCall>;

void printText(const verbs::BoundAnswer& answer)
{
    const LowerBound& b = answer.bound;
    const std::optional<BoundedBest>& best = answer.best;
    std::cout << "lower bound  " << formatGrouped(b.value) << '\n'
              << "compute      " << formatGrouped(b.compute) << '\n'
              << "memory       " << formatGrouped(b.memory) << '\n'
              << "machine      " << answer.on.text << '\n';
    if (const EnergyBound& e = answer.energy; answer.on.problem->hasEnergy())
        std::cout << "energy       " << formatGrouped(e.value) << " pJ (slow memory " << formatGrouped(e.slow)
                  << ", fast memory " << formatGrouped(e.fast) << ", MACs " << formatGrouped(e.mac)
                  << ", vector unit " << formatGrouped(e.vector) << ")\n"
                  << "EDP          " << formatGrouped(e.value * b.value) << " (energy times latency)\n";
    for (const BoundPart& part : b.parts)
        std::cout << "  " << part.text << '\n';
    if (best)
        std::cout << "best         " << formatGrouped(best->latency) << " (" << percent(best->gap(b.value), 2)
                  << " above it)\n";
    if (best && best->proven)
        std::cout << "proven       optimal over " << best->space << '\n';
}

int bound(BoundArguments& arguments)
{
    if (const Status s = verbs::readFiles(arguments.workload, {}, true);
        !s) // files are read before signals are caught: reading a FIFO can wait forever
        return fail(s.error());
    const InterruptGuard interrupt;
    const auto answer = verbs::boundOf(arguments, interrupt.token());
    if (!answer)
        return fail(answer.error());
    if (arguments.json)
        std::cout << answer->json();
    else
        printText(*answer);
    rescueOutput(arguments.workload.file, [&] { return answer->json(); });
    return interrupt.token().stop_requested() ? Exit::Interrupted : Exit::Success;
}

} // namespace

void addBoundVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<BoundArguments>(
        app, "bound", "A latency that no valid schedule goes below, and what it is made of", bound, exitCode);
}

} // namespace tilewright::cli
