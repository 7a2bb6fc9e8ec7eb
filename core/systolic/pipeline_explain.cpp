// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/pipeline_explain.h"

#include <algorithm>
#include <map>
#include <optional>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kNotRead = -1;
constexpr int kLookBack = 4096; ///< number of earlier commands that are checked for being still active

/// Finds the reason why a command of a finished run had not started at a given time.
class StallReasons
{
public:
    StallReasons(const Program& program, const PipelineRun& run, const PipelineMachine& machine)
        : m_commands(program.commands), m_events(run.events), m_machine(machine)
    {
        std::array<std::uint32_t, 5> last{};
        std::array<bool, 5> any{};
        std::uint32_t barrier = 0;
        bool anyBarrier = false;
        for (std::size_t c = 0; c < m_commands.size(); ++c) {
            m_barrierBefore.push_back(anyBarrier ? static_cast<std::int64_t>(barrier) : -1);
            const auto r = resourceOf(m_commands[c].kind);
            if (!r) {
                barrier = static_cast<std::uint32_t>(c);
                anyBarrier = true;
                m_before.push_back(-1);
                continue;
            }
            const auto index = static_cast<std::size_t>(*r);
            m_before.push_back(any[index] ? static_cast<std::int64_t>(last[index]) : -1);
            last[index] = static_cast<std::uint32_t>(c);
            any[index] = true;
        }
    }

    struct Answer
    {
        std::string reason;
        std::uint32_t command;
    };

    /// The reason why command `c` has not started at time t; t must be before its start.
    [[nodiscard]] Answer reasonNotStarted(std::uint32_t c, std::int64_t t, bool atBarrier = false) const
    {
        while (true) {
            const Command& command = m_commands[c];
            std::int64_t next = -1;
            if (const std::int64_t b = m_barrierBefore[c];
                b >= 0 && m_events[static_cast<std::size_t>(b)].start > t) {
                atBarrier = true;
                next = unfinishedBefore(static_cast<std::uint32_t>(b), t);
            }
            for (const std::uint32_t w : command.waits)
                if (next < 0 && m_events[w].ready > t)
                    next = w;
            if (next < 0 && m_before[c] >= 0 && m_events[static_cast<std::size_t>(m_before[c])].start > t)
                next = m_before[c];
            if (next < 0) // only a unit or a slot is missing
                return {prefixed(ownObstacle(c, t), atBarrier), c};
            c = static_cast<std::uint32_t>(next);
            if (m_events[c].start <= t) {
                const bool settles =
                    m_commands[c].kind == CommandKind::StrFeedWeights && m_events[c].end <= t;
                return {
                    prefixed(settles ? "weights" : std::string(resourceName(*resourceOf(m_commands[c].kind))),
                             atBarrier),
                    c};
            }
        }
    }

    /// The activity that continues at time t after the last operand has entered.
    [[nodiscard]] Answer reasonAfterLastOperand(std::int64_t t) const
    {
        for (std::size_t c = 0; c < m_commands.size(); ++c) {
            const auto r = resourceOf(m_commands[c].kind);
            if (!r || m_events[c].ready <= t)
                continue;
            const auto index = static_cast<std::uint32_t>(c);
            if (m_events[c].start > t)
                return reasonNotStarted(index, t);
            return {*r == Resource::Array ? "fill_drain" : std::string(resourceName(*r)), index};
        }
        return {"fill_drain", 0};
    }

private:
    static std::string prefixed(const std::string& reason, bool atBarrier)
    {
        return atBarrier ? "barrier_" + reason : reason;
    }

    /// The first command before the barrier that is not ready at t. The search ends at the previous barrier.
    [[nodiscard]] std::int64_t unfinishedBefore(std::uint32_t barrier, std::int64_t t) const
    {
        std::int64_t first = -1;
        for (std::int64_t c = barrier - std::int64_t{1}; c >= 0; --c) {
            const auto index = static_cast<std::size_t>(c);
            if (!resourceOf(m_commands[index].kind)) {
                if (m_events[index].start <= t)
                    break; // everything before that barrier is ready
                continue;
            }
            if (m_events[index].ready > t)
                first = c;
        }
        return first;
    }

    [[nodiscard]] std::string ownObstacle(std::uint32_t c, std::int64_t t) const
    {
        const Command& command = m_commands[c];
        const Resource r = *resourceOf(command.kind);
        // If a unit is free, the slot was missing. Only the previous few commands can still be active.
        std::int64_t busy = 0;
        std::int64_t before = m_before[c];
        for (int looked = 0; before >= 0 && looked < kLookBack; ++looked) {
            busy += m_events[static_cast<std::size_t>(before)].end > t;
            before = m_before[static_cast<std::size_t>(before)];
        }
        if (busy >= m_machine.at(r).units || !command.pool)
            return std::string(resourceName(r));
        switch (*command.pool) {
        case Pool::L3A:
        case Pool::L3B:
        case Pool::L3C:
            return "l3_full";
        case Pool::L2A:
        case Pool::L2B:
        case Pool::L2C:
        case Pool::L2P:
            return "l2_full";
        case Pool::L1A:
        case Pool::L1B:
            return "l1_full";
        case Pool::Weights:
            return "weights_full";
        case Pool::Accumulator:
            break;
        }
        return "accumulators_full";
    }

    const std::vector<Command>& m_commands;
    const std::vector<PipelineEvent>& m_events;
    const PipelineMachine& m_machine;
    std::vector<std::int64_t> m_barrierBefore; ///< index of the barrier before each command, -1 = none
    std::vector<std::int64_t> m_before;        ///< previous command of the same resource, -1 = none
};

std::optional<std::size_t> levelIndex(Pool pool)
{
    switch (pool) {
    case Pool::L3A:
    case Pool::L3B:
    case Pool::L3C:
        return 0;
    case Pool::L2A:
    case Pool::L2B:
    case Pool::L2C:
    case Pool::L2P:
        return 1;
    case Pool::L1A:
    case Pool::L1B:
        return 2;
    case Pool::Weights:
    case Pool::Accumulator:
        break;
    }
    return std::nullopt;
}

} // namespace

std::string stallText(std::string_view reason)
{
    constexpr std::string_view kBarrier = "barrier_";
    const bool atBarrier = reason.starts_with(kBarrier);
    if (atBarrier)
        reason.remove_prefix(kBarrier.size());
    constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kTexts{{
        {"dma", "the DMA still moves what is needed"},
        {"block_mover", "a block mover still moves what is needed"},
        {"streamer", "a streamer still moves what is needed"},
        {"array", "the wave of an earlier block is still in the array"},
        {"drain", "sums still leave the array"},
        {"weights", "a block moves to its registers"},
        {"weights_full", "all registers for weights are in use"},
        {"l3_full", "L3 has no free slot"},
        {"l2_full", "L2 has no free slot"},
        {"l1_full", "L1 has no free slot"},
        {"accumulators_full", "all accumulators are in use"},
        {"fill_drain", "the last wave leaves the array"},
    }};
    const auto* const found =
        std::ranges::find(kTexts, reason, &std::pair<std::string_view, std::string_view>::first);
    if (found == kTexts.end())
        return {};
    return (atBarrier ? "at a barrier, " : "") + std::string(found->second);
}

void explainBubbles(const Program& program, const PipelineMachine& machine, PipelineRun& run)
{
    const StallReasons blame(program, run, machine);
    std::vector<std::int64_t> moments{0, run.cycles};
    for (const PipelineEvent& e : run.events)
        moments.insert(moments.end(), {e.start, e.end, e.ready});
    std::sort(moments.begin(), moments.end());
    moments.erase(std::unique(moments.begin(), moments.end()), moments.end());

    // The reason is constant between two events, so one answer holds for the whole interval.
    const auto attribute = [&](std::int64_t from, std::int64_t to, auto&& why) {
        for (std::int64_t t = from; t < to;) {
            const std::int64_t next = std::min(to, *std::upper_bound(moments.begin(), moments.end(), t));
            const StallReasons::Answer answer = why(t);
            if (!run.bubbles.empty() && run.bubbles.back().start + run.bubbles.back().length == t &&
                run.bubbles.back().reason == answer.reason)
                run.bubbles.back().length += next - t;
            else
                run.bubbles.push_back({t, next - t, answer.reason, answer.command});
            run.stalls[answer.reason] += next - t;
            t = next;
        }
    };
    std::int64_t fed = 0; // end of the time that is already explained
    for (std::size_t c = 0; c < program.commands.size(); ++c) {
        if (program.commands[c].kind != CommandKind::Compute)
            continue;
        attribute(fed, run.events[c].start,
                  [&](std::int64_t t) { return blame.reasonNotStarted(static_cast<std::uint32_t>(c), t); });
        fed = run.events[c].end;
    }
    attribute(fed, run.cycles, [&](std::int64_t t) { return blame.reasonAfterLastOperand(t); });

    std::int64_t most = 0;
    run.bottleneck = "array";
    for (const auto& [reason, cycles] : run.stalls)
        if (reason != "fill_drain" && cycles > most) {
            most = cycles;
            run.bottleneck = reason;
        }
    run.largestLoss = most;
}

void fillOccupancy(const Program& program, PipelineRun& run)
{
    std::vector<std::int64_t> freed(program.commands.size(), kNotRead);
    for (std::size_t c = 0; c < program.commands.size(); ++c)
        for (const std::uint32_t read : program.commands[c].reads)
            freed[read] = std::max(freed[read], run.events[c].end);
    std::array<std::map<std::int64_t, std::int64_t>, 3> changes;
    for (std::size_t c = 0; c < program.commands.size(); ++c) {
        const Command& command = program.commands[c];
        const auto level = command.pool ? levelIndex(*command.pool) : std::nullopt;
        if (!level)
            continue;
        changes[*level][run.events[c].start] += command.bytes;
        changes[*level][freed[c] == kNotRead ? run.cycles : freed[c]] -= command.bytes;
    }
    for (std::size_t level = 0; level < 3; ++level) {
        std::int64_t bytes = 0;
        run.occupancy[level].push_back({0, 0});
        for (const auto& [time, change] : changes[level]) {
            bytes += change;
            if (time == run.occupancy[level].back().time)
                run.occupancy[level].back().bytes = bytes;
            else
                run.occupancy[level].push_back({time, bytes});
            run.peakBytes[level] = std::max(run.peakBytes[level], bytes);
        }
    }
}

} // namespace tilewright::systolic
