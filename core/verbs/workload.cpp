// SPDX-License-Identifier: GPL-3.0-or-later
#include "verbs/workload.h"

#include "base/notice.h"
#include "base/text.h"
#include "workload/problem_json.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace tilewright::verbs {

void noticeOf(const std::string& file, const std::string& text)
{
    if (!text.empty())
        notice({ErrorCode::Field, text, {}, file});
}

Error namingMemories(Error error, const WorkloadCall& call, const std::string& hierarchyFile)
{
    static constexpr std::string_view kMemories[] = {"capacity", "l1", "l2", "l3"};
    if (error.file.empty() && (error.path.starts_with("machine.") ||
                               std::ranges::find(kMemories, error.path) != std::end(kMemories))) {
        if (!hierarchyFile.empty())
            error.file = hierarchyFile;
        else if (!call.machines.empty())
            error.file = call.machines.back();
    }
    return error;
}

Machine WorkloadCall::machineOrEdge() const
{
    return machine ? *machine : *machinePreset("edge");
}

std::string oneArrayText(const Machine& machine)
{
    std::string has;
    const auto add = [&has](const std::string& what) { has += (has.empty() ? "" : ", ") + what; };
    if (machine.kind != ArrayKind::Systolic)
        add("array.kind (" + std::string(toString(machine.kind)) + ")");
    if (machine.arrays > 1)
        add("arrays (" + std::to_string(machine.arrays) + ")");
    if (!machine.rates.empty())
        add("array.rates");
    return has.empty()
               ? has
               : "one product is counted on one systolic array of " + std::to_string(machine.rows) + " x " +
                     std::to_string(machine.cols) + ", without the " + has + " of the machine";
}

std::string oneWidthText(const lower::ModelOnMachine& model)
{
    const Problem& problem = *model.problem;
    for (std::size_t i = 0; i < problem.tensorCount(); ++i)
        if (const Tensor& tensor = problem.tensor(TensorId(i)); tensor.bits != 0)
            return "every element has the width of the machine's elements (" +
                   std::to_string(8 * model.machine.elementBytes) +
                   " bits), also those of tensors with other bits, such as " +
                   problem.tensorName(TensorId(i));
    return {};
}

std::vector<std::string> lensNotes(const std::vector<lower::NodeReport>& nodes, const Machine& machine,
                                   MachineLens lens)
{
    std::vector<std::string> out;
    for (std::string text : {lower::leftOutText(nodes), leftOutText(machine, lens)})
        if (!text.empty())
            out.push_back(std::move(text));
    if (lens == MachineLens::Npu && !machine.has("dram.bytes_per_cycle")) {
        const double exact = machine.bytesPerCycle(MachineLevel::External);
        const double counted = static_cast<double>(machine.dram.channels) * machine.dram.bytesPerCycle;
        if (std::abs(exact - counted) > 0.01 * exact)
            out.push_back(
                "the external memory moves " + significantNumber(exact) +
                " bytes per cycle; this lens counts whole bytes of each channel: " + formatGrouped(counted));
    }
    return out;
}

std::vector<std::string> lensNotes(const std::vector<lower::NodeReport>& nodes,
                                   const std::vector<std::string>& ofMachine)
{
    std::vector<std::string> out = ofMachine;
    if (std::string text = lower::leftOutText(nodes); !text.empty())
        out.insert(out.begin(), std::move(text));
    return out;
}

Result<lower::ModelOnMachinePtr> putOnMachine(const WorkloadCall& call)
{
    auto model = lower::putOnMachine(call.workload, call.machineOrEdge());
    if (model)
        return model;
    Error error = model.error();
    error.file = call.file;
    return error;
}

Result<lower::ModelOnMachinePtr> readOnMachine(WorkloadCall& call)
{
    if (Status s = readFiles(call); !s)
        return s.error();
    return putOnMachine(call);
}

namespace {

/// Returns the element of `layers` that belongs to the operator `name`, or with "NAME:2" the operator's
/// second one. `what` is the word for an element in messages.
template <typename Layer>
Result<Layer> layerOf(const std::vector<Layer>& layers, const std::string& name, const std::string& what)
{
    const auto found = [&](const std::string& wanted) {
        std::vector<const Layer*> out;
        for (const Layer& layer : layers)
            if (std::find(layer.operators.begin(), layer.operators.end(), wanted) != layer.operators.end())
                out.push_back(&layer);
        return out;
    };
    if (const auto whole = found(name); !whole.empty())
        return *whole.front();
    const std::size_t colon = name.rfind(':');
    if (colon != std::string::npos) {
        const auto several = found(name.substr(0, colon));
        std::size_t n = 0;
        const char* end = name.data() + name.size();
        const auto read = std::from_chars(name.data() + colon + 1, end, n);
        if (read.ec == std::errc() && read.ptr == end && n >= 1 && n <= several.size())
            return *several[n - 1];
        if (!several.empty())
            return Error{ErrorCode::Problem,
                         "has " + std::to_string(several.size()) + " " + what +
                             "s; write :1 to :" + std::to_string(several.size()) + " after its name",
                         name.substr(0, colon),
                         {}};
    }
    std::string known;
    for (std::size_t i = 0; i < std::min<std::size_t>(8, layers.size()); ++i)
        known += (i > 0 ? ", " : "") + layers[i].operators.front();
    return Error{ErrorCode::Problem,
                 "no operator of this name is a " + what + "; there are " + known +
                     (layers.size() > 8 ? ", …" : ""),
                 name,
                 {}};
}

} // namespace

Result<lower::GemmLayer> productNamed(const lower::LoweredProblem& lowered, const std::string& name)
{
    return layerOf(lower::gemmsOf(lowered), name, "product");
}

Result<lower::NamedLayer> layerNamed(const std::vector<lower::NamedLayer>& layers, const std::string& name)
{
    return layerOf(layers, name, "layer");
}

Result<systolic::Gemm> productOf(const WorkloadCall& call, const std::string& gemm, const std::string& layer)
{
    if (!call.workload) {
        if (gemm.empty())
            return Error{ErrorCode::Problem, "is required (MxNxK), or a workload file", "--gemm", {}};
        return systolic::parseGemm(gemm);
    }
    if (layer.empty())
        return systolic::Gemm{1, 1, 1};
    const auto model = putOnMachine(call);
    if (!model)
        return model.error();
    const auto found = productNamed((*model)->lowered, layer);
    if (!found)
        return found.error();
    return found->gemm;
}

namespace {

std::string sizesOf(const Hardware& hardware)
{
    return formatGrouped(hardware.fastMemoryCapacity) + " elements of fast memory, " +
           formatGrouped(hardware.slowMemoryBandwidth) + " elements per unit of time, native " +
           formatGrouped(hardware.nativeWidth) + " x " + formatGrouped(hardware.nativeHeight) +
           (hardware.nativeDepth ? " x " + formatGrouped(*hardware.nativeDepth) : std::string());
}

std::string unitOf(std::int64_t cycles)
{
    return cycles == 1 ? ", a unit of time is a cycle"
                       : ", a unit of time is " + formatGrouped(cycles) + " cycles";
}

/// Text about a machine or hardware in the schedule file that is not used, because the options name another
/// one.
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
    if (const std::string left = leftOutText(machine, MachineLens::Schedule); !left.empty())
        text += "; " + left;
    return ProblemOnHardware{problem, {machine, {}, {}}, std::move(text), *model};
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
