// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/text.h"
#include "explained.h"
#include "figures/place_figures.h"
#include "manual/program.h"
#include "place/unplaceable.h"
#include "report/evaluation_json.h"
#include "rescue.h"
#include "verbs.h"
#include "verbs/schedule.h"

#include <algorithm>
#include <chrono>
#include <iostream>
#include <memory>

namespace tilewright::cli {

namespace {

struct PlaceArguments : verbs::PlaceCall
{
    std::string output, explain;
    bool inPlace = false, json = false;
};

void bindOptions(verbs::OptionList& o, PlaceArguments& a)
{
    bindOptions(o, static_cast<verbs::PlaceCall&>(a));
    o.add("-o,--output", a.output, "FILE", "Write the offsets to this CSV file", o.writes());
    o.inPlace(a.inPlace);
    addExplain(o, a.explain, "height");
    o.flag("--json", a.json, kJsonHelp);
}

void printText(const verbs::PlaceAnswer& answer)
{
    const Placement& placement = answer.placement;
    std::cout << placementText(placement, answer.capacity) << '\n'
              << "items          " << formatGrouped(answer.buffers.items.size()) << " in "
              << formatGrouped(placement.timePoints) << " time points\n"
              << "height         " << formatGrouped(placement.height) << '\n'
              << "least height   " << formatGrouped(placement.leastHeight)
              << (placement.proven() ? " (proven)\n" : " (not excluded yet)\n") << "peak           "
              << formatGrouped(placement.peak) << '\n'
              << "fragmentation  " << percent(placement.fragmentation(), 2) << '\n'
              << "searched       " << formatGrouped(placement.nodes) << " nodes\n";
}

int place(PlaceArguments& args)
{
    const auto begun = std::chrono::steady_clock::now();
    // Files are read before signals are caught: reading a FIFO can wait forever.
    std::optional<verbs::EvaluatedFiles> schedule;
    std::optional<Buffers> buffers;
    if (!args.schedule.empty()) {
        auto evaluated = verbs::evaluateFiles(args);
        if (!evaluated)
            return fail(evaluated.error());
        if (const std::string why = verbs::whyNotPlaced(*evaluated); !why.empty()) {
            tell(args.schedule + ": " + why);
            if (args.json)
                std::cout << checkJson(*evaluated->problem, evaluated->evaluation, evaluated->rules.reason);
            return Exit::No;
        }
        schedule = std::move(*evaluated);
    } else {
        auto read = verbs::readBuffers(args);
        if (!read)
            return fail(read.error());
        buffers = std::move(*read);
    }
    const InterruptGuard interrupt;
    // The time limit covers the whole call, including the time to read up to a million buffers.
    const std::chrono::duration<double> reading = std::chrono::steady_clock::now() - begun;
    const verbs::Deadline deadline(args.seconds > 0 ? std::max(1e-3, args.seconds - reading.count()) : 0,
                                   interrupt.token());
    const auto stopped = [&] { return interrupt.token().stop_requested(); };
    const auto answer = schedule
                            ? verbs::placeItems(*schedule, deadline.progress())
                            : verbs::placeBuffers(std::move(*buffers), args.capacity, deadline.progress());
    if (!answer) {
        Error error = answer.error();
        if (schedule)
            error.file = args.schedule;
        return schedule && stopped() ? Exit::Interrupted : fail(error);
    }
    const auto figure = explained(args.explain, "height", [&] {
        return figures::placeFigures(std::make_shared<const verbs::PlaceAnswer>(*answer));
    });
    if (!figure)
        return fail(figure.error());
    int code = stopped()                                      ? Exit::Interrupted
               : answer->placement.height <= answer->capacity ? Exit::Success
                                                              : Exit::No;
    if (!args.output.empty())
        if (const Status s =
                writeFound(args.output, writeBuffers(answer->buffers, answer->placement.offsets));
            !s)
            code = fail(s.error());
    if (args.json)
        std::cout << withExplanation(answer->json(), *figure);
    else
        printText(*answer);
    if (!schedule)
        if (const auto why = whyUnplaceable(answer->buffers, answer->capacity, answer->placement))
            tell(why->sentence("placement"));
    if (!args.json && schedule)
        std::cout << "machine        " << schedule->hardware << '\n';
    if (!args.json)
        printExplanation(*figure);
    rescueOutput(args.workload.file, [&] { return answer->json(); });
    return code;
}

} // namespace

void addPlaceVerb(CLI::App& app, int& exitCode)
{
    manual::addVerb<PlaceArguments>(
        app, "place", "Addresses in fast memory for every buffer of a schedule, or of a CSV file of buffers",
        place, exitCode);
}

} // namespace tilewright::cli
