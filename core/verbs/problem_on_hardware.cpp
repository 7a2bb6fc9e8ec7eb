// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/problem_on_hardware.h"

#include "base/text.h"
#include "workload/problem_json.h"

namespace tilewright::verbs {

namespace {

std::string sizesOf(const Hardware& hardware)
{
    return formatGrouped(hardware.fastMemoryCapacity) + " elements of fast memory, " +
           formatGrouped(hardware.slowMemoryBandwidth) + " elements a unit of time, native " +
           formatGrouped(hardware.nativeWidth) + " x " + formatGrouped(hardware.nativeHeight) +
           (hardware.nativeDepth ? " x " + formatGrouped(*hardware.nativeDepth) : std::string());
}

std::string unitOf(std::int64_t cycles)
{
    return cycles == 1 ? ", a unit of time is a cycle"
                       : ", a unit of time is " + formatGrouped(cycles) + " cycles";
}

/// Where several say something of the machine, only one holds.
std::string unusedText(const lower::ScheduleTarget& schedule, const Machine& used, const Hardware& hardware)
{
    if (schedule.machine && !(*schedule.machine == used))
        return "; the machine in the schedule file (" + schedule.machine->name + ") is not used";
    if (schedule.hardware && *schedule.hardware != hardware)
        return "; the hardware in the schedule file (" + sizesOf(*schedule.hardware) + ") is not used";
    return {};
}

} // namespace

Result<ProblemOnHardware> problemOnHardware(const WorkloadCall& call, const std::string& named,
                                            const TargetOfFile& schedule)
{
    const bool ofSchedule = !call.machine && schedule.target.machine;
    if (call.workload->problem && !call.machine && !ofSchedule)
        return problemAsItStands(call.workload->problem, schedule);
    WorkloadCall onMachine = call;
    if (ofSchedule)
        onMachine.machine = schedule.target.machine;
    const auto model = putOnMachine(onMachine);
    if (!model)
        return model.error();
    const Machine& machine = (*model)->machine;
    std::string text = machine.name;
    if (ofSchedule)
        text = text.empty() ? "the one in the schedule file" : text + ", named in the schedule file";
    else if (!call.machine)
        text += ", as no --machine was given";
    else if (!named.empty() && named != machine.name)
        text = named + (machine.name.empty() ? std::string() : " (" + machine.name + ")");
    const ProblemPtr& problem = (*model)->problem;
    text += ": " + sizesOf(problem->hardware()) + unitOf((*model)->lowered.timeUnit) +
            unusedText(schedule.target, machine, problem->hardware());
    return ProblemOnHardware{problem, {machine, {}, {}}, std::move(text)};
}

Result<ProblemOnHardware> problemAsItStands(const ProblemPtr& problem, const TargetOfFile& schedule)
{
    const std::optional<Hardware>& other = schedule.target.hardware;
    if (!other || *other == problem->hardware())
        return ProblemOnHardware{problem, {}, "the problem's own: " + sizesOf(problem->hardware())};
    auto moved = lower::withHardware(*problem, *other);
    if (!moved) {
        Error error = moved.error();
        error.file = schedule.file;
        return error;
    }
    return ProblemOnHardware{std::move(*moved),
                             {std::nullopt, {}, other},
                             "the one in the schedule file: " + sizesOf(*other) +
                                 " (the problem's own: " + sizesOf(problem->hardware()) + ")"};
}

Result<ProblemOnHardware> readProblem(WorkloadCall& call, const TargetOfFile& schedule)
{
    if (Status s = readFiles(call, schedule.target.dimensions, true); !s)
        return s.error();
    std::string named;
    for (const std::string& name : call.machines)
        named += (named.empty() ? "" : " and ") + name;
    auto out = problemOnHardware(call, named, schedule);
    if (out && out->target.machine) {
        const auto given = call.dimensions();
        out->target.dimensions = call.dims.empty() ? schedule.target.dimensions : *given;
    }
    return out;
}

} // namespace tilewright::verbs
