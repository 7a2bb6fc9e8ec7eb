// SPDX-License-Identifier: GPL-3.0-or-later
#include "base/file.h"
#include "base/text.h"
#include "interrupt.h"
#include "place/placement_json.h"
#include "schedule_input.h"
#include "verbs.h"
#include "verbs/deadline.h"

#include <CLI/CLI.hpp>

#include <filesystem>
#include <iostream>
#include <memory>
#include <stop_token>

#include <unistd.h>

namespace tilewright::cli {

namespace {

struct PlaceArguments
{
    ScheduleArguments files; ///< without a schedule: a CSV file of buffers
    std::string output;
    std::int64_t capacity = 0; ///< 0: the problem's
    double seconds = 10;
};

int answer(const Placement& placement, std::int64_t capacity, std::size_t items, bool interrupted)
{
    std::cout << placementText(placement, capacity) << '\n'
              << "items          " << formatGrouped(items) << " in " << formatGrouped(placement.timePoints)
              << " time points\n"
              << "height         " << formatGrouped(placement.height) << '\n'
              << "least height   " << formatGrouped(placement.leastHeight)
              << (placement.proven() ? " (proven)\n" : " (not excluded yet)\n") << "peak           "
              << formatGrouped(placement.peak) << '\n'
              << "fragmentation  " << percent(placement.fragmentation(), 2) << '\n'
              << "searched       " << formatGrouped(placement.nodes) << " nodes\n";
    return interrupted ? Exit::Interrupted : placement.height <= capacity ? Exit::Success : Exit::No;
}

int finish(const PlaceArguments& args, const Buffers& buffers, const Placement& placement,
           std::int64_t capacity, const std::string& json, bool interrupted)
{
    if (!args.output.empty())
        if (const Status status = writeFileAtomically(args.output, writeBuffers(buffers, placement.offsets));
            !status)
            return fail(status.error());
    if (!args.files.json)
        return answer(placement, capacity, buffers.items.size(), interrupted);
    std::cout << json;
    return interrupted ? Exit::Interrupted : placement.height <= capacity ? Exit::Success : Exit::No;
}

int placeBuffers(const PlaceArguments& args, const Progress& progress, const std::stop_token& interrupt)
{
    if (args.capacity <= 0)
        return fail({ErrorCode::Field, "a file of buffers needs --capacity N", {}, args.files.problem});
    const auto text = readFile(args.files.problem);
    if (!text)
        return fail(text.error());
    const auto buffers = readBuffers(*text);
    if (!buffers) {
        Error error = buffers.error();
        error.file = args.files.problem;
        return fail(error);
    }
    const Placement placement = findPlacement(buffers->items, args.capacity, progress);
    return finish(args, *buffers, placement, args.capacity,
                  args.files.json ? placementJson(*buffers, placement, args.capacity) : std::string(),
                  interrupt.stop_requested());
}

int placeSchedules(const PlaceArguments& args, const Progress& progress, const std::stop_token& interrupt)
{
    if (args.capacity > 0)
        return fail({ErrorCode::Field, "--capacity is for a file of buffers; a problem has its own", {}, {}});
    const auto evaluated = evaluateFiles(args.files);
    if (!evaluated)
        return fail(evaluated.error());
    if (const std::string why = verbs::whyNotPlaced(*evaluated); !why.empty()) {
        std::cerr << "tilewright-cli: " << args.files.schedule << ": " << why << '\n';
        return Exit::No;
    }
    const Problem& problem = *evaluated->problem;
    const auto placed = placeSchedule(problem, evaluated->loaded.schedule, evaluated->rules.rules, progress);
    if (!placed) {
        Error error = placed.error();
        error.file = args.files.schedule;
        return interrupt.stop_requested() ? Exit::Interrupted : fail(error);
    }
    const int code = finish(
        args, buffersOf(problem, placed->items), placed->placement, problem.hardware().fastMemoryCapacity,
        args.files.json ? placementJson(problem, *placed) : std::string(), interrupt.stop_requested());
    if (!args.files.json && code != Exit::BadInput)
        std::cout << "machine        " << evaluated->hardware << '\n';
    return code;
}

int place(const PlaceArguments& args)
{
    if (!args.output.empty()) { // fail before the work, not after it
        const std::filesystem::path folder = std::filesystem::absolute(args.output).parent_path();
        if (::access(folder.c_str(), W_OK) != 0)
            return fail({ErrorCode::Io, "its folder cannot be written", {}, args.output});
    }
    const InterruptGuard interrupt;
    const verbs::Deadline deadline(args.seconds, interrupt.token());
    return args.files.schedule.empty() ? placeBuffers(args, deadline.progress(), interrupt.token())
                                       : placeSchedules(args, deadline.progress(), interrupt.token());
}

} // namespace

void addPlaceVerb(CLI::App& app, int& exitCode)
{
    auto* verb = app.add_subcommand(
        "place", "Addresses in fast memory for every buffer of a schedule, or of a CSV file of buffers");
    auto args = std::make_shared<PlaceArguments>();
    verb->add_option("problem", args->files.problem,
                     "Problem, or any workload to lower; without a schedule: a CSV file id,lower,upper,size")
        ->required();
    verb->add_option("schedule", args->files.schedule, "Schedule file (JSON)");
    args->files.machine.addTo(*verb);
    args->files.rules.addTo(*verb, true);
    verb->add_option("--capacity", args->capacity, "Fast memory for a file of buffers")
        ->check(CLI::PositiveNumber);
    verb->add_option("-o,--output", args->output, "CSV file with the offsets");
    verb->add_option("--seconds", args->seconds,
                     "Stop after so long with the best found (0: when it is proven)")
        ->check(CLI::NonNegativeNumber)
        ->capture_default_str();
    verb->add_flag("--json", args->files.json, "One JSON document on stdout");
    verb->callback([args, &exitCode] { exitCode = place(*args); });
}

} // namespace tilewright::cli
