// SPDX-License-Identifier: GPL-3.0-or-later
// Why the array takes no operands.
#include "systolic/pipeline_engine.h"

#include <algorithm>

namespace tilewright::systolic {

namespace {

/// Number of earlier commands that are checked for whether they are still active.
constexpr int kLookBack = 4096;

std::string prefixed(const std::string& reason, bool atBarrier)
{
    return atBarrier ? "barrier_" + reason : reason;
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

std::int64_t PipelineEngine::barrierBefore(Ref c) const
{
    const std::uint32_t segment = m_segmentOf[c - m_first];
    return segment > m_firstSegment ? static_cast<std::int64_t>(m_barriers[segment - m_firstSegment - 1])
                                    : -1;
}

/// Returns the reason why command `c` had not started at time t, at the end of its chain of waits.
/// Precondition: the command has started after t, so that the times of everything it waited for are known.
/// Dropped commands were ready at t.
PipelineEngine::Answer PipelineEngine::reasonNotStarted(Ref c, std::int64_t t, bool atBarrier) const
{
    while (true) {
        const Command& waiting = command(c);
        std::int64_t next = -1;
        if (const std::int64_t b = barrierBefore(c); !dropped(b) && event(static_cast<Ref>(b)).start > t) {
            atBarrier = true;
            next = unfinishedBefore(static_cast<Ref>(b), t);
        }
        for (const Ref w : waiting.waits)
            if (next < 0 && !dropped(w) && event(w).ready > t)
                next = w;
        const std::int64_t before = m_before[c - m_first];
        if (next < 0 && !dropped(before) && event(static_cast<Ref>(before)).start > t)
            next = before;
        if (next < 0) // only a free unit or slot was missing
            return {prefixed(ownObstacle(c, t), atBarrier), c};
        c = static_cast<Ref>(next);
        if (event(c).start <= t) {
            const bool settles = command(c).kind == CommandKind::StrFeedWeights && event(c).end <= t;
            return {prefixed(settles ? "weights" : std::string(resourceName(*resourceOf(command(c).kind))),
                             atBarrier),
                    c};
        }
    }
}

/// Returns the activity that continues at time t, after the last operand has entered the array.
PipelineEngine::Answer PipelineEngine::reasonAfterLastOperand(std::int64_t t) const
{
    for (Ref c = m_first; c < m_end; ++c) {
        const auto r = resourceOf(command(c).kind);
        if (!r || event(c).ready <= t)
            continue;
        if (event(c).start > t)
            return reasonNotStarted(c, t);
        return {*r == Resource::Array ? "fill_drain" : std::string(resourceName(*r)), c};
    }
    return {"fill_drain", 0};
}

/// Returns the first command before the barrier that is not ready at t. The search ends at the previous
/// barrier.
std::int64_t PipelineEngine::unfinishedBefore(Ref barrier, std::int64_t t) const
{
    std::int64_t first = -1;
    for (std::int64_t c = barrier - std::int64_t{1}; !dropped(c); --c) {
        const auto ref = static_cast<Ref>(c);
        if (!resourceOf(command(ref).kind)) {
            if (event(ref).start <= t)
                break; // everything before the previous barrier is ready
            continue;
        }
        if (event(ref).ready > t)
            first = c;
    }
    return first;
}

std::string PipelineEngine::ownObstacle(Ref c, std::int64_t t) const
{
    const Command& waiting = command(c);
    const Resource r = *resourceOf(waiting.kind);
    // If a unit was free, the command waited for a slot. Only the last few commands before it can still be
    // active.
    std::int64_t busy = 0;
    std::int64_t before = m_before[c - m_first];
    for (int looked = 0; !dropped(before) && looked < kLookBack; ++looked) {
        busy += event(static_cast<Ref>(before)).end > t;
        before = m_before[static_cast<Ref>(before) - m_first];
    }
    if (busy >= m_machine.at(r).units || !waiting.pool)
        return std::string(resourceName(r));
    switch (*waiting.pool) {
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

void PipelineEngine::explainUntil(std::int64_t to, std::optional<Ref> compute)
{
    // The reason does not change between two events, so one answer holds for the whole interval.
    auto moment = std::upper_bound(m_moments.begin(), m_moments.end(), m_fed);
    for (std::int64_t t = m_fed; t < to; ++moment) {
        const std::int64_t next = moment == m_moments.end() ? to : std::min(to, *moment);
        const Answer answer = compute ? reasonNotStarted(*compute, t) : reasonAfterLastOperand(t);
        m_run.stalls[answer.reason] += next - t;
        if (m_run.overview)
            m_run.overview->wait(answer.reason, t, next);
        else if (!m_run.bubbles.empty() && m_run.bubbles.back().start + m_run.bubbles.back().length == t &&
                 m_run.bubbles.back().reason == answer.reason)
            m_run.bubbles.back().length += next - t;
        else
            m_run.bubbles.push_back({t, next - t, answer.reason, answer.command});
        t = next;
        if (moment == m_moments.end())
            break;
    }
}

} // namespace tilewright::systolic
