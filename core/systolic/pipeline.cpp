// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/pipeline.h"

#include "systolic/pipeline_explain.h"

#include <algorithm>
#include <cmath>
#include <queue>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kNotYet = -1;

/// Simulation state: queues of the resources, occupied slots, passed barriers.
class Simulation
{
public:
    Simulation(const Program& program, const PipelineMachine& machine)
        : m_commands(program.commands), m_machine(machine), m_events(program.commands.size()),
          m_readers(program.commands.size(), 0)
    {
        for (std::size_t p = 0; p < kPools; ++p)
            m_taken[p].assign(static_cast<std::size_t>(program.poolSlots[p]), false);
        for (std::size_t r = 0; r < kResources.size(); ++r)
            m_unitBusy[r].assign(static_cast<std::size_t>(machine.classes[r].units), false);
        for (PipelineEvent& e : m_events)
            e = {kNotYet, kNotYet, kNotYet, -1};
        m_segmentOf.reserve(m_commands.size());
        m_openInSegment.push_back(0);
        for (std::size_t c = 0; c < m_commands.size(); ++c) {
            for (const std::uint32_t read : m_commands[c].reads)
                ++m_readers[read];
            if (const auto r = resourceOf(m_commands[c].kind)) {
                m_queue[static_cast<std::size_t>(*r)].push_back(static_cast<std::uint32_t>(c));
                ++m_openInSegment.back();
                m_segmentOf.push_back(static_cast<std::uint32_t>(m_openInSegment.size() - 1));
            } else {
                m_barriers.push_back(static_cast<std::uint32_t>(c));
                m_segmentOf.push_back(static_cast<std::uint32_t>(m_openInSegment.size() - 1));
                m_openInSegment.push_back(0);
            }
        }
    }

    Result<std::vector<PipelineEvent>> run()
    {
        std::int64_t now = 0;
        passBarriers(now);
        while (true) {
            bool changed = true;
            finishAll(now);
            while (changed) {
                changed = false;
                for (std::size_t r = 0; r < kResources.size(); ++r)
                    while (startHead(r, now)) {
                        finishAll(now); // ends commands of no duration
                        changed = true;
                    }
            }
            if (m_pending.empty())
                break;
            now = m_pending.top().time;
        }
        for (std::size_t r = 0; r < kResources.size(); ++r)
            if (m_head[r] < m_queue[r].size())
                return Error{ErrorCode::Problem,
                             commandTitle(m_commands[m_queue[r][m_head[r]]]) +
                                 " can never start: a slot that it needs is never freed",
                             "program",
                             {}};
        return m_events;
    }

private:
    struct Moment
    {
        std::int64_t time;
        std::uint32_t command;
        bool ready; ///< false: end of the command, which releases its unit and the slots it read
        bool operator>(const Moment& o) const { return time > o.time; }
    };

    bool startHead(std::size_t r, std::int64_t now)
    {
        if (m_head[r] == m_queue[r].size())
            return false;
        const std::uint32_t c = m_queue[r][m_head[r]];
        const Command& command = m_commands[c];
        if (m_segmentOf[c] > m_passed)
            return false;
        for (const std::uint32_t w : command.waits)
            if (m_events[w].ready == kNotYet || m_events[w].ready > now)
                return false;
        const auto unit = std::find(m_unitBusy[r].begin(), m_unitBusy[r].end(), false);
        if (unit == m_unitBusy[r].end())
            return false;
        if (command.pool) {
            auto& taken = m_taken[static_cast<std::size_t>(*command.pool)];
            if (taken[static_cast<std::size_t>(command.slot)])
                return false;
            taken[static_cast<std::size_t>(command.slot)] = true;
        }
        ++m_head[r];
        *unit = true;
        PipelineEvent& e = m_events[c];
        e.start = now;
        e.end = now + commandCycles(command, m_machine);
        e.ready = e.end + command.tail;
        e.unit = static_cast<std::int32_t>(unit - m_unitBusy[r].begin());
        m_pending.push({e.end, c, false});
        m_pending.push({e.ready, c, true});
        return true;
    }

    void finishAll(std::int64_t now)
    {
        while (!m_pending.empty() && m_pending.top().time == now) {
            const Moment moment = m_pending.top();
            m_pending.pop();
            finish(moment);
        }
        passBarriers(now);
    }

    void finish(const Moment& moment)
    {
        const Command& command = m_commands[moment.command];
        if (moment.ready) {
            --m_openInSegment[m_segmentOf[moment.command]];
            return;
        }
        const auto r = static_cast<std::size_t>(*resourceOf(command.kind));
        m_unitBusy[r][static_cast<std::size_t>(m_events[moment.command].unit)] = false;
        for (const std::uint32_t read : command.reads)
            if (--m_readers[read] == 0) {
                const Command& from = m_commands[read];
                m_taken[static_cast<std::size_t>(*from.pool)][static_cast<std::size_t>(from.slot)] = false;
            }
    }

    void passBarriers(std::int64_t now)
    {
        while (m_passed < m_barriers.size() && m_openInSegment[m_passed] == 0) {
            m_events[m_barriers[m_passed]] = {now, now, now, -1};
            ++m_passed;
        }
    }

    const std::vector<Command>& m_commands;
    const PipelineMachine& m_machine;
    std::vector<PipelineEvent> m_events;
    std::vector<std::int64_t> m_readers; ///< readers that have not ended, by command
    std::array<std::vector<std::uint32_t>, 5> m_queue;
    std::array<std::size_t, 5> m_head{};
    std::array<std::vector<bool>, kPools> m_taken;
    std::array<std::vector<bool>, 5> m_unitBusy;
    std::vector<std::uint32_t> m_barriers;
    std::vector<std::uint32_t> m_segmentOf;    ///< number of barriers before each command
    std::vector<std::int64_t> m_openInSegment; ///< commands between two barriers that are not ready
    std::size_t m_passed = 0;
    std::priority_queue<Moment, std::vector<Moment>, std::greater<>> m_pending;
};

} // namespace

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
    // The small epsilon keeps exact quotients from rounding up.
    const double cycles = static_cast<double>(command.bytes) * static_cast<double>(c.units) / c.bytesPerCycle;
    return c.latency + static_cast<std::int64_t>(std::ceil(cycles - 1e-9 * std::max(1.0, cycles)));
}

Result<PipelineRun> runPipeline(const Program& program, const PipelineMachine& machine)
{
    if (const auto ok = checkMachine(machine); !ok)
        return ok.error();
    auto events = Simulation(program, machine).run();
    if (!events)
        return events.error();
    PipelineRun run;
    run.events = std::move(*events);
    std::int64_t firstOperand = -1;
    std::int64_t lastMac = 0;
    std::array<std::int64_t, 5> busy{};
    for (std::size_t c = 0; c < run.events.size(); ++c) {
        const PipelineEvent& e = run.events[c];
        run.cycles = std::max(run.cycles, e.ready);
        if (const auto r = resourceOf(program.commands[c].kind))
            busy[static_cast<std::size_t>(*r)] += e.end - e.start;
        if (program.commands[c].kind == CommandKind::StrFeedWeights && firstOperand < 0)
            firstOperand = e.start;
        if (program.commands[c].kind == CommandKind::Compute) {
            firstOperand = firstOperand < 0 ? e.start : firstOperand;
            lastMac = std::max(lastMac, e.ready);
        }
    }
    run.computeCycles = lastMac - std::max<std::int64_t>(0, firstOperand);
    run.arrayBusy = busy[static_cast<std::size_t>(Resource::Array)];
    for (std::size_t r = 0; r < 5; ++r)
        run.busyFraction[r] = run.cycles == 0
                                  ? 0
                                  : static_cast<double>(busy[r]) / static_cast<double>(run.cycles) /
                                        static_cast<double>(machine.classes[r].units);
    for (const Resource r : kResources)
        if (run.busyFraction[static_cast<std::size_t>(r)] >
            run.busyFraction[static_cast<std::size_t>(run.busiest)])
            run.busiest = r;
    explainBubbles(program, machine, run);
    fillOccupancy(program, run);
    return run;
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

Result<PipelineComparison> comparePipelines(ProgramOptions options, const PipelineMachine& machine)
{
    PipelineComparison out;
    std::optional<Error> first;
    for (const ProgramStyle style : {ProgramStyle::Barriered, ProgramStyle::Pipelined}) {
        options.style = style;
        const auto refuse = [&](const Error& error) {
            out.refusal[static_cast<std::size_t>(style)] = error.message;
            first = first.value_or(error);
        };
        auto program = buildProgram(options);
        if (!program) {
            refuse(program.error());
            continue;
        }
        auto run = runPipeline(*program, machine);
        if (!run) {
            refuse(run.error());
            continue;
        }
        const bool barriered = style == ProgramStyle::Barriered;
        (barriered ? out.barriered : out.pipelined) = std::move(*program);
        (barriered ? out.barrieredRun : out.pipelinedRun) = std::move(*run);
    }
    if (!out.has(ProgramStyle::Barriered) && !out.has(ProgramStyle::Pipelined))
        return *first;
    return out;
}

} // namespace tilewright::systolic
