// SPDX-License-Identifier: GPL-3.0-or-later
// The simulation behind runPipeline() and runProgram(): event semantics of pipeline.h, over the commands of a
// whole program or of a stream.
#pragma once

#include "systolic/pipeline.h"
#include "systolic/program_replay.h"
#include "systolic/program_stream.h"

#include <limits>
#include <queue>
#include <unordered_map>

namespace tilewright::systolic {

/// Simulation of one program. It holds the commands from the oldest one that is still needed to the last one
/// written: all commands of a whole program, or a few parts of a stream. A command starts only after the next
/// part is written, so that all readers of a slot are known before the slot is written again.
class PipelineEngine
{
public:
    PipelineEngine(const Program& whole, const PipelineMachine& machine);
    PipelineEngine(std::unique_ptr<ProgramStream> stream, const PipelineMachine& machine);
    PipelineEngine(PipelineEngine&&) = default;
    PipelineEngine& operator=(const PipelineEngine&) = delete;
    ~PipelineEngine() = default;

    /// Runs to the end. The Error names the command that can never start, or that the run was stopped.
    [[nodiscard]] Status run(const Progress& progress);
    /// The result of the run: its statistics, and the events of a whole program or the overview of a stream.
    [[nodiscard]] PipelineRun take();
    /// Number of commands of the program, after a run.
    [[nodiscard]] std::int64_t commands() const noexcept { return m_end; }
    [[nodiscard]] const std::array<std::int64_t, kCommandKinds>& moved() const noexcept { return m_moved; }

    // The following functions are for ProgramReplay, which continues the simulation of a stream from the
    // middle of a run.
    /// Returns a copy that continues from here, without statistics, and holds as few commands as possible.
    [[nodiscard]] std::unique_ptr<PipelineEngine> place() const;
    [[nodiscard]] std::int64_t time() const noexcept { return m_run.cycles; }
    [[nodiscard]] std::int64_t firstHeld() const noexcept { return m_first; }
    [[nodiscard]] std::size_t held() const noexcept { return m_events.size() + m_kept.size(); }
    /// Continues until the commands `from` to `to` have their times, and returns these commands. `from` must
    /// be held.
    [[nodiscard]] std::vector<TimedCommand> stretch(std::int64_t from, std::int64_t to,
                                                    const Progress& progress);
    /// Continues to a time, and returns the commands that occupy a unit at that time.
    [[nodiscard]] std::vector<std::uint32_t> runningAt(std::int64_t time, const Progress& progress);

private:
    using Ref = ProgramStream::Ref;
    /// A program stream that is copied together with the engine that reads it.
    class OwnStream
    {
    public:
        OwnStream() = default;
        explicit OwnStream(std::unique_ptr<ProgramStream> stream) : m_stream(std::move(stream)) {}
        OwnStream(const OwnStream& o) : m_stream(o.m_stream ? o.m_stream->clone() : nullptr) {}
        OwnStream(OwnStream&&) = default;
        OwnStream& operator=(const OwnStream&) = delete;
        ~OwnStream() = default;
        [[nodiscard]] explicit operator bool() const noexcept { return m_stream != nullptr; }
        ProgramStream* operator->() const noexcept { return m_stream.get(); }

    private:
        std::unique_ptr<ProgramStream> m_stream;
    };
    struct Moment
    {
        std::int64_t time;
        Ref command;
        bool ready; ///< false: the command ends, and releases its unit and the slots that it read
        bool operator>(const Moment& o) const { return time > o.time; }
    };
    /// The slot of a kept command, and the number of its readers that have not ended. The stream counts as a
    /// reader until it releases the command.
    struct Kept
    {
        Pool pool;
        std::int64_t slot, bytes, readers;
        bool released = false;
    };
    struct Answer
    {
        std::string reason;
        Ref command;
    };

    PipelineEngine(const PipelineEngine&) = default;
    [[nodiscard]] bool streams() const noexcept { return static_cast<bool>(m_stream); }
    [[nodiscard]] const Command& command(Ref c) const { return m_commands[c - m_first]; }
    [[nodiscard]] PipelineEvent& event(Ref c) { return m_events[c - m_first]; }
    [[nodiscard]] const PipelineEvent& event(Ref c) const { return m_events[c - m_first]; }
    [[nodiscard]] bool dropped(std::int64_t c) const noexcept
    {
        return c < static_cast<std::int64_t>(m_first);
    }
    /// True for a kept command. Other commands are not dropped before their last readers are written.
    [[nodiscard]] bool isKept(Ref c) const { return streams() && (dropped(c) || command(c).kept); }

    // Functions of pipeline_engine.cpp:
    void prepare(const std::array<std::int64_t, kPools>& slots);
    void admit(Ref from, Ref to);
    void pull();
    void begin();
    void advance();
    void settle(std::int64_t now);
    [[nodiscard]] bool headKnown(std::size_t r);
    [[nodiscard]] bool startHead(std::size_t r, std::int64_t now);
    void note(Ref c, std::size_t r);
    void finishAll(std::int64_t now);
    void finish(const Moment& moment, std::int64_t now);
    void passBarriers(std::int64_t now);
    void release(Ref kept, std::int64_t now);
    void dropReader(Ref read, std::int64_t now);
    void freeSlot(Pool pool, std::int64_t slot, std::int64_t bytes, std::int64_t now);
    void drawOverview();
    void hold(Pool pool, std::int64_t change, std::int64_t now);
    void forget(std::int64_t now, bool any = false);

    // Functions of pipeline_explain.cpp:
    /// Explains the cycles in which no operands entered the array, up to the start of the COMPUTE `compute`
    /// or the end.
    void explainUntil(std::int64_t to, std::optional<Ref> compute);
    [[nodiscard]] Answer reasonNotStarted(Ref c, std::int64_t t, bool atBarrier = false) const;
    [[nodiscard]] Answer reasonAfterLastOperand(std::int64_t t) const;
    [[nodiscard]] std::int64_t unfinishedBefore(Ref barrier, std::int64_t t) const;
    [[nodiscard]] std::string ownObstacle(Ref c, std::int64_t t) const;
    [[nodiscard]] std::int64_t barrierBefore(Ref c) const; ///< -1: no barrier that matters

    PipelineMachine m_machine;
    OwnStream m_stream;                  ///< empty for a whole program
    bool m_written = true;               ///< true if all commands are written
    Ref m_part = 0;                      ///< first command of the latest part
    const Command* m_commands = nullptr; ///< first held command
    Ref m_first = 0, m_end = 0; ///< number of the first held command; number after that of the last one

    // Values of each held command:
    std::vector<PipelineEvent> m_events;
    /// Number of readers that have not ended; not used for kept commands.
    std::vector<std::int32_t> m_readers;
    std::vector<std::uint32_t> m_segmentOf; ///< number of barriers before each command
    std::vector<std::int64_t> m_before;     ///< previous command of the same resource, -1 = none

    std::unordered_map<Ref, Kept> m_kept;
    std::array<std::int64_t, 5> m_lastOf{-1, -1, -1, -1, -1}; ///< last command written, per resource
    std::array<std::vector<Ref>, 5> m_queue;
    std::array<std::size_t, 5> m_head{};
    std::array<std::vector<bool>, kPools> m_taken;
    std::array<std::vector<bool>, 5> m_unitBusy;
    std::array<std::size_t, 5> m_firstUnit{};
    // Barriers and segments from number m_firstSegment on. Segment n consists of the commands before barrier
    // n.
    std::uint32_t m_firstSegment = 0;
    std::vector<Ref> m_barriers;
    std::vector<std::int64_t> m_openInSegment; ///< number of commands of a segment that are not ready
    std::uint32_t m_passed = 0;                ///< number of passed barriers
    std::priority_queue<Moment, std::vector<Moment>, std::greater<>> m_pending;
    std::size_t m_forgetAt = 0; ///< number of held commands from which old ones are dropped
    Ref m_wanted = std::numeric_limits<Ref>::max(); ///< commands from this number on are not dropped
    bool m_silent = false;                          ///< true if no statistics are collected
    bool m_isShort = true;                          ///< true if old commands were dropped a moment ago
    std::shared_ptr<ProgramReplay> m_replay;        ///< records the run of a stream for replay

    // Result of the run:
    PipelineRun m_run;
    std::array<std::int64_t, kCommandKinds> m_moved{};
    std::array<std::int64_t, 5> m_busy{};
    std::int64_t m_firstOperand = -1, m_lastMac = 0;
    std::int64_t m_fed = 0;                 ///< waits before this time are explained
    std::vector<std::int64_t> m_moments;    ///< times of events since the last COMPUTE began
    std::array<OccupancyPoint, 3> m_held{}; ///< bytes in L3, L2 and L1
};

} // namespace tilewright::systolic
