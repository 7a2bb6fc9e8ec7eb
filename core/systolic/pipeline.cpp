// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/pipeline.h"

#include "systolic/pipeline_engine.h"
#include "systolic/program_plan.h"

#include <algorithm>
#include <cmath>

namespace tilewright::systolic {

PipelineMachine machineOf(const Hierarchy& h) noexcept
{
    PipelineMachine m;
    m.at(Resource::Dma).bytesPerCycle = h.bytesPerCycle(Level::External);
    m.at(Resource::BlockMover).bytesPerCycle = h.bytesPerCycle(Level::L3);
    m.at(Resource::Streamer).bytesPerCycle = h.bytesPerCycle(Level::L2);
    m.at(Resource::Drain).bytesPerCycle = h.bytesPerCycle(Level::L1);
    return m;
}

Status checkMachine(const PipelineMachine& machine)
{
    for (const Resource r : kResources) {
        const PipelineUnits& c = machine.at(r);
        if (c.units < 1 || c.units > 1024 || c.latency < 0 || c.latency > (1 << 30) ||
            !std::isfinite(c.bytesPerCycle) || c.bytesPerCycle < 0 ||
            (c.bytesPerCycle > 0 && c.bytesPerCycle < 1e-6))
            return Error{
                ErrorCode::Problem,
                "needs 1 to 1024 units, a latency up to 2^30 cycles and a bandwidth of 0 (unlimited) or "
                "at least 1e-6 bytes a cycle",
                "machine." + std::string(resourceName(r)),
                {}};
    }
    if (machine.at(Resource::Array).units != 1)
        return Error{ErrorCode::Problem, "must have exactly one unit", "machine.array", {}};
    return Unit{};
}

std::int64_t commandCycles(const Command& command, const PipelineMachine& machine) noexcept
{
    if (command.kind == CommandKind::Compute)
        return command.cycles;
    const auto r = resourceOf(command.kind);
    if (!r)
        return 0;
    const PipelineUnits& c = machine.at(*r);
    if (c.bytesPerCycle == 0)
        return c.latency;
    // The small epsilon avoids that rounding errors round an exact quotient up.
    const double cycles = static_cast<double>(command.bytes) * static_cast<double>(c.units) / c.bytesPerCycle;
    return c.latency + static_cast<std::int64_t>(std::ceil(cycles - 1e-9 * std::max(1.0, cycles)));
}

Result<PipelineRun> runPipeline(const Program& program, const PipelineMachine& machine)
{
    if (const auto ok = checkMachine(machine); !ok)
        return ok.error();
    PipelineEngine engine(program, machine);
    if (const auto ok = engine.run({}); !ok)
        return ok.error();
    return engine.take();
}

Result<ProgramRun> runProgram(const ProgramOptions& options, const PipelineMachine& machine,
                              std::int64_t mostWhole, const Progress& progress)
{
    auto plan = planProgram(options);
    if (!plan)
        return plan.error();
    if (const auto ok = checkMachine(machine); !ok)
        return ok.error();
    if (const auto ok = checkLength(options, 0); !ok)
        return ok.error();
    const std::int64_t most = mostCommands(*plan);
    const auto ran = [&](Program program, PipelineEngine engine) -> Result<ProgramRun> {
        if (const auto ok = engine.run(progress); !ok)
            return ok.error();
        program.length = engine.commands();
        program.moved = engine.moved();
        return ProgramRun{std::move(program), engine.take()};
    };
    if (most > std::min(mostWhole, kMaxWholeCommands))
        return ran(*plan, PipelineEngine(streamOf(*plan), machine));
    auto program = buildProgram(options);
    if (!program)
        return program.error();
    auto run = runPipeline(*program, machine);
    if (!run)
        return run.error();
    return ProgramRun{std::move(*program), std::move(*run)};
}

std::int64_t PipelineRun::occupancyAt(Level level, std::int64_t time) const noexcept
{
    if (level == Level::Host || level == Level::External || time < 0)
        return 0;
    const auto& steps = occupancy[static_cast<std::size_t>(level) - static_cast<std::size_t>(Level::L3)];
    const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                        [](std::int64_t t, const OccupancyPoint& p) { return t < p.time; });
    return after == steps.begin() ? 0 : (after - 1)->bytes;
}

std::vector<std::uint32_t> PipelineRun::runningAt(std::int64_t time) const
{
    std::vector<std::uint32_t> out;
    for (std::size_t c = 0; c < events.size(); ++c)
        if (events[c].start <= time && time < events[c].end)
            out.push_back(static_cast<std::uint32_t>(c));
    return out;
}

const ArrayBubble* PipelineRun::bubbleAt(std::int64_t time) const noexcept
{
    const auto after = std::upper_bound(bubbles.begin(), bubbles.end(), time,
                                        [](std::int64_t t, const ArrayBubble& b) { return t < b.start; });
    if (after == bubbles.begin())
        return nullptr;
    const ArrayBubble& bubble = *(after - 1);
    return time < bubble.start + bubble.length ? &bubble : nullptr;
}

Result<PipelineComparison> comparePipelines(ProgramOptions options, const PipelineMachine& machine,
                                            const Progress& progress)
{
    PipelineComparison out;
    std::optional<Error> first;
    for (const ProgramStyle style : {ProgramStyle::Barriered, ProgramStyle::Pipelined}) {
        options.style = style;
        const auto refuse = [&](const Error& error) {
            out.refusal[static_cast<std::size_t>(style)] = error.message;
            first = first.value_or(error);
        };
        auto ran = runProgram(options, machine, kMaxWholeCommands, progress);
        if (!ran) {
            refuse(ran.error());
            continue;
        }
        const bool barriered = style == ProgramStyle::Barriered;
        (barriered ? out.barriered : out.pipelined) = std::move(ran->program);
        (barriered ? out.barrieredRun : out.pipelinedRun) = std::move(ran->run);
    }
    if (!out.has(ProgramStyle::Barriered) && !out.has(ProgramStyle::Pipelined))
        return *first;
    return out;
}

} // namespace tilewright::systolic
