// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/pipeline_engine.h"

#include <algorithm>
#include <utility>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kNotYet = -1;
/// Up to this number of held commands, no command of a stream is dropped.
constexpr std::size_t kHeld = 1 << 15;

template <typename T> void dropFront(std::vector<T>& from, std::size_t count)
{
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(count));
}

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

PipelineEngine::PipelineEngine(const Program& whole, const PipelineMachine& machine) : m_machine(machine)
{
    m_commands = whole.commands.data();
    prepare(whole.poolSlots);
    const std::size_t n = whole.commands.size();
    m_readers.reserve(n);
    m_events.reserve(n);
    m_segmentOf.reserve(n);
    m_before.reserve(n);
    admit(0, static_cast<Ref>(n));
}

PipelineEngine::PipelineEngine(std::unique_ptr<ProgramStream> stream, const PipelineMachine& machine)
    : m_machine(machine), m_stream(std::move(stream)), m_written(false), m_forgetAt(kHeld)
{
    prepare(m_stream->plan().poolSlots);
    m_run.overview = std::make_shared<RunOverview>();
    m_replay = std::make_shared<ProgramReplay>();
    std::size_t units = 0;
    for (std::size_t r = 0; r < kResources.size(); ++r) {
        m_firstUnit[r] = units;
        units += m_unitBusy[r].size();
    }
    m_run.overview->setUnits(units);
}

void PipelineEngine::prepare(const std::array<std::int64_t, kPools>& slots)
{
    for (std::size_t p = 0; p < kPools; ++p)
        m_taken[p].assign(static_cast<std::size_t>(slots[p]), false);
    for (std::size_t r = 0; r < kResources.size(); ++r)
        m_unitBusy[r].assign(static_cast<std::size_t>(m_machine.classes[r].units), false);
    m_openInSegment.push_back(0);
    if (!streams())
        for (auto& level : m_run.occupancy)
            level.push_back({0, 0});
}

/// Takes newly written commands into the simulation.
void PipelineEngine::admit(Ref from, Ref to)
{
    for (Ref c = from; c < to; ++c) {
        const Command& next = command(c);
        m_events.push_back({kNotYet, kNotYet, kNotYet, -1});
        m_readers.push_back(0);
        m_moved[static_cast<std::size_t>(next.kind)] += next.bytes;
        for (const Ref read : next.reads) {
            if (isKept(read))
                ++m_kept.at(read).readers;
            else
                ++m_readers[read - m_first];
        }
        m_segmentOf.push_back(m_firstSegment + static_cast<std::uint32_t>(m_openInSegment.size() - 1));
        const auto r = resourceOf(next.kind);
        if (!r) {
            m_before.push_back(-1);
            m_barriers.push_back(c);
            m_openInSegment.push_back(0);
            continue;
        }
        const auto index = static_cast<std::size_t>(*r);
        m_queue[index].push_back(c);
        m_before.push_back(m_lastOf[index]);
        m_lastOf[index] = c;
        ++m_openInSegment.back();
        if (streams() && next.kept && next.pool)
            m_kept.emplace(c, Kept{*next.pool, next.slot, next.bytes, 1});
    }
    m_end = to;
}

void PipelineEngine::pull()
{
    const bool more = m_stream->next();
    m_part = m_stream->part();
    m_commands = m_stream->commands().data() + (m_first - m_stream->first());
    // Kept commands are released after the readers of the same part were added.
    if (more)
        admit(m_end, m_stream->end());
    const std::int64_t now = m_run.cycles;
    for (const Ref ref : m_stream->released())
        release(ref, now);
    if (more)
        return;
    m_written = true;
    std::vector<Ref> left;
    for (const auto& [ref, kept] : m_kept)
        left.push_back(ref);
    for (const Ref ref : left)
        release(ref, now);
}

void PipelineEngine::release(Ref ref, std::int64_t now)
{
    const auto kept = m_kept.find(ref);
    if (kept == m_kept.end() || kept->second.released)
        return;
    kept->second.released = true;
    dropReader(ref, now);
}

/// True if the stream has been written far enough for the next command of the resource to start.
bool PipelineEngine::headKnown(std::size_t r)
{
    while (!m_written && (m_head[r] == m_queue[r].size() || m_queue[r][m_head[r]] >= m_part))
        pull();
    return m_head[r] < m_queue[r].size();
}

/// Prepares the events of cycle 0.
void PipelineEngine::begin()
{
    if (!m_written) { // the first parts may begin with barriers
        pull();
        pull();
    }
    passBarriers(0);
    settle(0);
}

/// Ends and starts all commands that can end or start at time `now`.
void PipelineEngine::settle(std::int64_t now)
{
    bool changed = true;
    finishAll(now);
    while (changed) {
        changed = false;
        for (std::size_t r = 0; r < kResources.size(); ++r)
            while (startHead(r, now)) {
                finishAll(now); // ends commands of no duration at once
                changed = true;
            }
    }
}

/// Advances to the next time at which a command ends. Precondition: a command is running.
void PipelineEngine::advance()
{
    if (m_events.size() >= m_forgetAt && streams())
        forget(m_run.cycles);
    const std::int64_t now = m_pending.top().time;
    m_run.cycles = now;
    if (!m_silent)
        m_moments.push_back(now);
    settle(now);
}

Status PipelineEngine::run(const Progress& progress)
{
    begin();
    for (std::size_t turns = 0; !m_pending.empty(); ++turns) {
        if (turns % 4096 == 0 && progress.stopRequested())
            return Error{ErrorCode::Refused, "stopped", {}, {}};
        if (m_replay && std::exchange(m_isShort, false))
            m_replay->pass(*this);
        advance();
    }
    for (std::size_t r = 0; r < kResources.size(); ++r)
        if (m_head[r] < m_queue[r].size())
            return Error{ErrorCode::Problem,
                         commandTitle(command(m_queue[r][m_head[r]])) +
                             " can never start: a slot that it needs is never freed",
                         "program",
                         {}};
    return Unit{};
}

bool PipelineEngine::startHead(std::size_t r, std::int64_t now)
{
    if (!headKnown(r))
        return false;
    const Ref c = m_queue[r][m_head[r]];
    const Command& next = command(c);
    if (m_segmentOf[c - m_first] > m_passed)
        return false;
    for (const Ref w : next.waits)
        if (!dropped(w) && (event(w).ready == kNotYet || event(w).ready > now))
            return false;
    const auto unit = std::find(m_unitBusy[r].begin(), m_unitBusy[r].end(), false);
    if (unit == m_unitBusy[r].end())
        return false;
    if (next.pool) {
        auto& taken = m_taken[static_cast<std::size_t>(*next.pool)];
        if (taken[static_cast<std::size_t>(next.slot)])
            return false;
        taken[static_cast<std::size_t>(next.slot)] = true;
        hold(*next.pool, next.bytes, now);
    }
    ++m_head[r];
    *unit = true;
    PipelineEvent& e = event(c);
    e.start = now;
    e.end = now + commandCycles(next, m_machine);
    e.ready = e.end + next.tail;
    e.unit = static_cast<std::int32_t>(unit - m_unitBusy[r].begin());
    m_pending.push({e.end, c, false});
    m_pending.push({e.ready, c, true});
    note(c, r);
    return true;
}

/// Adds a command that starts to the statistics of the run.
void PipelineEngine::note(Ref c, std::size_t r)
{
    const Command& started = command(c);
    const PipelineEvent& e = event(c);
    if (m_silent) {
        if (started.kind == CommandKind::Compute)
            m_fed = e.end;
        return;
    }
    m_busy[r] += e.end - e.start;
    if (m_run.overview)
        m_run.overview->work(m_firstUnit[r] + static_cast<std::size_t>(e.unit), started.matrix, e.start,
                             e.end);
    const bool compute = started.kind == CommandKind::Compute;
    if (m_firstOperand < 0 && (compute || started.kind == CommandKind::StrFeedWeights))
        m_firstOperand = e.start;
    if (!compute)
        return;
    m_lastMac = std::max(m_lastMac, e.ready);
    explainUntil(e.start, c);
    m_fed = e.end;
    m_moments.clear();
}

void PipelineEngine::finishAll(std::int64_t now)
{
    while (!m_pending.empty() && m_pending.top().time == now) {
        const Moment moment = m_pending.top();
        m_pending.pop();
        finish(moment, now);
    }
    passBarriers(now);
}

void PipelineEngine::finish(const Moment& moment, std::int64_t now)
{
    const Command& ended = command(moment.command);
    if (moment.ready) {
        --m_openInSegment[m_segmentOf[moment.command - m_first] - m_firstSegment];
        return;
    }
    const auto r = static_cast<std::size_t>(*resourceOf(ended.kind));
    m_unitBusy[r][static_cast<std::size_t>(event(moment.command).unit)] = false;
    for (const Ref read : ended.reads)
        dropReader(read, now);
}

/// Frees the slot of a command when the last command that reads the slot ends.
void PipelineEngine::dropReader(Ref read, std::int64_t now)
{
    if (isKept(read)) {
        const auto kept = m_kept.find(read);
        Kept& slot = kept->second;
        // the slot is still needed: a command that has not started has readers in the next part
        if (--slot.readers > 0 || (!dropped(read) && event(read).start == kNotYet))
            return;
        freeSlot(slot.pool, slot.slot, slot.bytes, now);
        m_kept.erase(kept);
        return;
    }
    if (--m_readers[read - m_first] == 0) {
        const Command& from = command(read);
        freeSlot(*from.pool, from.slot, from.bytes, now);
    }
}

void PipelineEngine::freeSlot(Pool pool, std::int64_t slot, std::int64_t bytes, std::int64_t now)
{
    m_taken[static_cast<std::size_t>(pool)][static_cast<std::size_t>(slot)] = false;
    hold(pool, -bytes, now);
}

/// Changes the number of bytes that a level holds.
void PipelineEngine::hold(Pool pool, std::int64_t change, std::int64_t now)
{
    const auto level = levelIndex(pool);
    if (!level || m_silent)
        return;
    OccupancyPoint& held = m_held[*level];
    if (now != held.time) {
        m_run.peakBytes[*level] = std::max(m_run.peakBytes[*level], held.bytes);
        if (m_run.overview)
            m_run.overview->hold(*level, held.time, now, held.bytes);
        held.time = now;
    }
    held.bytes += change;
    if (m_run.overview)
        return;
    std::vector<OccupancyPoint>& points = m_run.occupancy[*level];
    if (points.back().time == now)
        points.back() = held;
    else
        points.push_back(held);
}

void PipelineEngine::passBarriers(std::int64_t now)
{
    while (m_passed - m_firstSegment < m_barriers.size() && m_openInSegment[m_passed - m_firstSegment] == 0) {
        event(m_barriers[m_passed - m_firstSegment]) = {now, now, now, -1};
        ++m_passed;
    }
}

/// Drops commands that neither the simulation nor the explanation of waits needs any more. These were ready
/// before the time that is still to be explained, and their slots are free or kept. If `any`, drops them even
/// if they are few.
void PipelineEngine::forget(std::int64_t now, bool any)
{
    std::size_t n = 0;
    for (; n < m_events.size() && m_first + n < m_wanted; ++n) {
        const PipelineEvent& e = m_events[n];
        if (e.start == kNotYet || e.ready >= now || e.ready > m_fed || m_readers[n] > 0)
            break;
    }
    if (any || n >= m_events.size() / 2) {
        dropFront(m_events, n);
        dropFront(m_readers, n);
        dropFront(m_segmentOf, n);
        dropFront(m_before, n);
        m_isShort = true;
        m_first += static_cast<Ref>(n);
        m_stream->forget(m_first);
        m_commands = m_stream->commands().data() + (m_first - m_stream->first());
        for (std::size_t r = 0; r < kResources.size(); ++r) {
            dropFront(m_queue[r], m_head[r]);
            m_head[r] = 0;
        }
        const std::uint32_t segment =
            std::min(m_passed, m_segmentOf.empty() ? m_passed : m_segmentOf.front());
        // The barrier before the first held command is kept, because it explains waits.
        const std::uint32_t drop = segment - m_firstSegment > 0 ? segment - m_firstSegment - 1 : 0;
        dropFront(m_barriers, drop);
        dropFront(m_openInSegment, drop);
        m_firstSegment += drop;
    }
    m_forgetAt = std::max(kHeld, 2 * m_events.size());
}

/// Derives the bubbles and the occupancy of a run by parts from the buckets of its overview. In a bucket, the
/// waits follow the work of the array, and a level holds its maximum throughout.
void PipelineEngine::drawOverview()
{
    const RunOverview& overview = *m_run.overview;
    const std::int64_t width = overview.width();
    const auto& array = overview.units()[m_firstUnit[static_cast<std::size_t>(Resource::Array)]];
    for (std::int64_t n = 0; n * width < m_run.cycles; ++n) {
        const auto bucket = static_cast<std::size_t>(n);
        std::int64_t at = n * width;
        if (bucket < array.size())
            for (const std::int64_t busy : array[bucket])
                at += busy;
        for (const auto& [reason, cycles] : overview.waits())
            if (bucket < cycles.size() && cycles[bucket] > 0) {
                m_run.bubbles.push_back({at, cycles[bucket], reason, 0});
                at += cycles[bucket];
            }
        for (std::size_t level = 0; level < m_held.size(); ++level)
            m_run.occupancy[level].push_back(
                {n * width, bucket < overview.held()[level].size() ? overview.held()[level][bucket] : 0});
    }
}

std::unique_ptr<PipelineEngine> PipelineEngine::place() const
{
    std::unique_ptr<PipelineEngine> out(new PipelineEngine(*this));
    out->m_commands = out->m_stream->commands().data() + (m_first - out->m_stream->first());
    out->m_replay.reset();
    const std::int64_t now = m_run.cycles;
    out->m_run = {};
    out->m_run.cycles = now;
    out->m_moments.clear();
    out->m_silent = true;
    out->forget(now, true);
    return out;
}

std::vector<TimedCommand> PipelineEngine::stretch(std::int64_t from, std::int64_t to,
                                                  const Progress& progress)
{
    m_wanted = static_cast<Ref>(from);
    std::int64_t known = from; // the commands before it have their times
    for (std::size_t turns = 0;; ++turns) {
        while (known < std::min<std::int64_t>(to, m_end) && event(static_cast<Ref>(known)).start != kNotYet)
            ++known;
        if (known == to || m_pending.empty() || (turns % 4096 == 0 && progress.stopRequested()))
            break;
        advance();
    }
    std::vector<TimedCommand> out;
    for (std::int64_t c = from; c < known; ++c)
        out.push_back({static_cast<Ref>(c), command(static_cast<Ref>(c)), event(static_cast<Ref>(c))});
    return out;
}

std::vector<std::uint32_t> PipelineEngine::runningAt(std::int64_t time, const Progress& progress)
{
    for (std::size_t turns = 0; !m_pending.empty() && m_pending.top().time <= time; ++turns) {
        if (turns % 4096 == 0 && progress.stopRequested())
            return {};
        advance();
    }
    std::vector<std::uint32_t> out;
    for (Ref c = m_first; c < m_end; ++c)
        if (event(c).start != kNotYet && event(c).start <= time && time < event(c).end)
            out.push_back(c);
    return out;
}

PipelineRun PipelineEngine::take()
{
    PipelineRun& run = m_run;
    explainUntil(run.cycles, std::nullopt);
    for (std::size_t level = 0; level < m_held.size(); ++level) {
        const OccupancyPoint& held = m_held[level];
        run.peakBytes[level] = std::max(run.peakBytes[level], held.bytes);
        if (run.overview)
            run.overview->hold(level, held.time, run.cycles, held.bytes);
        else if (held.bytes > 0 && run.occupancy[level].back().time < run.cycles)
            run.occupancy[level].push_back({run.cycles, 0}); // frees tiles that no command reads
        else if (held.bytes > 0)
            run.occupancy[level].back().bytes = 0;
    }
    run.computeCycles = m_lastMac - std::max<std::int64_t>(0, m_firstOperand);
    run.arrayBusy = m_busy[static_cast<std::size_t>(Resource::Array)];
    for (std::size_t r = 0; r < kResources.size(); ++r)
        run.busyFraction[r] = run.cycles == 0
                                  ? 0
                                  : static_cast<double>(m_busy[r]) / static_cast<double>(run.cycles) /
                                        static_cast<double>(m_machine.classes[r].units);
    for (const Resource r : kResources)
        if (run.busyFraction[static_cast<std::size_t>(r)] >
            run.busyFraction[static_cast<std::size_t>(run.busiest)])
            run.busiest = r;
    run.bottleneck = "array";
    for (const auto& [reason, cycles] : run.stalls)
        if (reason != "fill_drain" && cycles > run.largestLoss) {
            run.largestLoss = cycles;
            run.bottleneck = reason;
        }
    if (streams()) {
        drawOverview();
        run.replay = std::move(m_replay);
    } else {
        run.events = std::move(m_events);
    }
    return std::move(m_run);
}

} // namespace tilewright::systolic
