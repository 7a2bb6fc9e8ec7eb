// SPDX-License-Identifier: GPL-3.0-or-later
// What the builders of programs share: tiles, slots, and the writer of commands.
#pragma once

#include "systolic/program_stream.h"

namespace tilewright::systolic {

[[nodiscard]] Error programError(std::string message, std::string path);
[[nodiscard]] std::string bytesText(std::int64_t bytes);
/// Bytes of one whole tile of A, of B and of C, saturating.
struct TileBytes
{
    std::int64_t a, b, c;
    TileBytes(const TileShape& tile, std::int64_t elementBytes);
};
/// Returns an Error if L1 is too small for all buffers of a step.
[[nodiscard]] Status checkDepth(const Program& program);

/// Upper bound on the number of commands of the program, saturating.
[[nodiscard]] std::int64_t mostCommands(const Program& program);
/// Functions for WS and IS programs: the plan (tiles, slots, number of commands), an upper bound on the
/// number of commands, and the stream of commands.
[[nodiscard]] Result<Program> planStationary(const ProgramOptions& options);
[[nodiscard]] std::int64_t maxStationaryCommands(const Program& program);
[[nodiscard]] std::unique_ptr<ProgramStream> stationaryStream(Program plan);

/// Plans a program without its commands, of which there may be any number: tiles, schedule and slots of every
/// buffer. Returns an Error for illegal sizes and if the tiles exceed the capacities.
[[nodiscard]] Result<Program> planProgram(const ProgramOptions& options);

/// Base of the writers of programs. It appends commands and counts the tiles written to each buffer.
class ProgramWriter : public ProgramStream
{
protected:
    explicit ProgramWriter(Program plan)
        : ProgramStream(std::move(plan)), m_drains(slotsOf(Pool::Accumulator))
    {
    }

    /// Number of tiles written to a buffer so far.
    [[nodiscard]] std::int64_t written(Pool pool) const { return m_written[static_cast<std::size_t>(pool)]; }

    /// Makes the next slot of a buffer the destination of the command's result.
    void into(Ref ref, Pool pool)
    {
        const auto p = static_cast<std::size_t>(pool);
        at(ref).pool = pool;
        at(ref).slot = m_written[p]++ % plan().poolSlots[p];
    }

    /// Makes the command `ref` wait for the result of `source` and read its slot.
    void from(Ref ref, Ref source)
    {
        at(ref).waits.push_back(source);
        at(ref).reads.push_back(source);
    }

    void barrier() { append({}); }

    /// Makes the next accumulator the destination of a partial sum. The array also fills accumulators, so the
    /// command waits for the drain that frees this one; otherwise the streamer could take it out of order.
    void intoAccumulator(Ref ref)
    {
        const std::int64_t turn = written(Pool::Accumulator) - std::ssize(m_drains);
        if (turn >= 0)
            at(ref).waits.push_back(m_drains[static_cast<std::size_t>(turn) % m_drains.size()]);
        into(ref, Pool::Accumulator);
    }

    /// Records the drain that frees the accumulator that has been in use longest.
    void drained(Ref drain) { m_drains[m_drained++ % m_drains.size()] = drain; }

    Ref addStore(Ref drained)
    {
        Command c;
        c.kind = CommandKind::DmaStore;
        c.matrix = Matrix::C;
        c.i = at(drained).i;
        c.j = at(drained).j;
        c.k = at(drained).k;
        c.bi = at(drained).bi;
        c.bj = at(drained).bj;
        c.bytes = at(drained).bytes;
        c.waits = c.reads = {drained};
        return append(std::move(c));
    }

private:
    [[nodiscard]] std::size_t slotsOf(Pool pool) const
    {
        return static_cast<std::size_t>(plan().poolSlots[static_cast<std::size_t>(pool)]);
    }

    std::array<std::int64_t, kPools> m_written{};
    std::vector<Ref> m_drains; ///< the last drain of each accumulator
    std::size_t m_drained = 0;
};

} // namespace tilewright::systolic
