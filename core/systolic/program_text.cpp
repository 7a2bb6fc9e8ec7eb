// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/program_plan.h"

#include <algorithm>
#include <unordered_map>

namespace tilewright::systolic {

namespace {

std::string slotText(const Command& c)
{
    return std::string(poolName(*c.pool)) + "#" + std::to_string(c.slot);
}

/// Writes the text lines of commands. Remembers the slots of kept commands, which much later commands read.
class Lines
{
public:
    explicit Lines(std::unique_ptr<ProgramStream> stream) : m_stream(std::move(stream)) {}

    /// Writes the lines of the next part, at most `limit`; false if there is no further part.
    bool next(std::string& out, std::int64_t limit)
    {
        const ProgramStream::Ref before = m_stream->part();
        if (!m_stream->next())
            return false;
        for (ProgramStream::Ref c = m_stream->part(); c < m_stream->end(); ++c) {
            const Command& command = of(c);
            if (command.kept)
                m_kept.emplace(c, slotText(command));
            if (limit-- > 0)
                line(out, command);
        }
        for (const ProgramStream::Ref ref : m_stream->released())
            m_released.push_back(ref);
        if (m_released.size() > 4096) { // drops slots of released commands, long after their last readers
            for (std::size_t n = 0; n < m_released.size() / 2; ++n)
                m_kept.erase(m_released[n]);
            m_released.erase(m_released.begin(),
                             m_released.begin() + static_cast<std::ptrdiff_t>(m_released.size() / 2));
        }
        m_stream->forget(before);
        return true;
    }
    [[nodiscard]] std::int64_t written() const { return m_stream->end(); }

private:
    [[nodiscard]] const Command& of(ProgramStream::Ref c) const
    {
        return m_stream->commands()[c - m_stream->first()];
    }
    [[nodiscard]] std::string source(const Command& command) const
    {
        if (command.kind == CommandKind::DmaLoad || command.kind == CommandKind::DmaPrefetch)
            return "DRAM";
        std::string out;
        for (const ProgramStream::Ref read : command.reads) {
            const auto kept = m_kept.find(read);
            if (kept == m_kept.end() && command.kind == CommandKind::Compute &&
                of(read).pool == Pool::Accumulator)
                continue;
            out += (out.empty() ? "" : " + ") + (kept == m_kept.end() ? slotText(of(read)) : kept->second);
        }
        return out;
    }
    static std::string destination(const Command& command)
    {
        if (command.kind == CommandKind::DmaStore)
            return "DRAM";
        if (command.kind == CommandKind::Compute)
            return "PEs";
        return command.pool ? slotText(command) : std::string();
    }
    void line(std::string& out, const Command& c) const
    {
        std::string line = commandTitle(c);
        if (c.kind == CommandKind::Barrier) {
            out += line + "\n";
            return;
        }
        const BankMap banks = m_stream->plan().bankMap();
        line.resize(std::max<std::size_t>(line.size() + 1, 28), ' ');
        line += "; " + std::to_string(c.bytes) + " B, " + source(c) + " -> " + destination(c);
        if (m_stream->plan().options.dataflow == Dataflow::Os && c.kind == CommandKind::StrFeedRows)
            line += ", bank " + std::to_string(banks.bankA(c.i, c.k));
        if (c.kind == CommandKind::StrFeedCols)
            line += ", bank " + std::to_string(banks.bankB(c.k, c.j)) + (c.bankConflict ? " (conflict)" : "");
        if (c.kind == CommandKind::Compute)
            line += ", " + std::to_string(c.cycles) + " cycles";
        out += line + "\n";
    }

    std::unique_ptr<ProgramStream> m_stream;
    std::unordered_map<ProgramStream::Ref, std::string> m_kept;
    std::vector<ProgramStream::Ref> m_released;
};

} // namespace

std::string_view commandName(CommandKind kind) noexcept
{
    constexpr std::array<std::string_view, 11> names{
        "DMA_LOAD",         "DMA_PREFETCH", "BM_MOVE",   "STR_FEED_ROWS", "STR_FEED_COLS", "STR_FEED_WEIGHTS",
        "STR_FEED_PARTIAL", "COMPUTE",      "STR_DRAIN", "DMA_STORE",     "BARRIER"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view resourceName(Resource resource) noexcept
{
    constexpr std::array<std::string_view, 5> names{"dma", "block_mover", "streamer", "array", "drain"};
    return names[static_cast<std::size_t>(resource)];
}

std::string_view poolName(Pool pool) noexcept
{
    constexpr std::array<std::string_view, kPools> names{"L3.A", "L3.B", "L3.C", "L2.A", "L2.B", "L2.C",
                                                         "L2.P", "L1.A", "L1.B", "W",    "ACC"};
    return names[static_cast<std::size_t>(pool)];
}

std::string_view programStyleName(ProgramStyle style) noexcept
{
    return style == ProgramStyle::Barriered ? "barriered" : "pipelined";
}

Result<ProgramStyle> parseProgramStyle(std::string_view text)
{
    for (const ProgramStyle s : {ProgramStyle::Barriered, ProgramStyle::Pipelined})
        if (text == programStyleName(s))
            return s;
    return Error{ErrorCode::Problem,
                 "expected barriered or pipelined, got \"" + std::string(text) + "\"",
                 "pipeline",
                 {}};
}

std::optional<Resource> resourceOf(CommandKind kind) noexcept
{
    switch (kind) {
    case CommandKind::DmaLoad:
    case CommandKind::DmaPrefetch:
    case CommandKind::DmaStore:
        return Resource::Dma;
    case CommandKind::BmMove:
        return Resource::BlockMover;
    case CommandKind::StrFeedRows:
    case CommandKind::StrFeedCols:
    case CommandKind::StrFeedWeights:
    case CommandKind::StrFeedPartial:
        return Resource::Streamer;
    case CommandKind::Compute:
        return Resource::Array;
    case CommandKind::StrDrain:
        return Resource::Drain;
    case CommandKind::Barrier:
        break;
    }
    return std::nullopt;
}

std::array<std::int64_t, 3> capacitiesOf(const Hierarchy& h) noexcept
{
    return {h.at(Level::L3).totalBytes(), h.at(Level::L2).totalBytes(), h.at(Level::L1).totalBytes()};
}

std::int64_t fedLanes(const ArrayShape& array, const TileShape& tile, Dataflow dataflow) noexcept
{
    if (dataflow != Dataflow::Os)
        return std::min(array.rows, tile.tk);
    return std::min(array.rows, tile.ti) + std::min(array.cols, tile.tj);
}

std::int64_t deepestStep(const Hierarchy& h, const TileShape& tile, Dataflow dataflow,
                         std::int64_t l1Slots) noexcept
{
    const std::int64_t most = dataflow == Dataflow::Os   ? tile.tk
                              : dataflow == Dataflow::Ws ? tile.ti
                                                         : tile.tj;
    const std::int64_t fit =
        h.at(Level::L1).totalBytes() / (fedLanes(h.array, tile, dataflow) * h.elementBytes * l1Slots);
    if (fit >= most)
        return most;
    return std::max<std::int64_t>(1, fit > kTileDepth ? roundDown(fit, kTileDepth) : fit);
}

std::string commandTitle(const Command& c)
{
    std::string out(commandName(c.kind));
    const auto pair = [](std::int64_t x, std::int64_t y) {
        return "[" + std::to_string(x) + "," + std::to_string(y) + "]";
    };
    if (c.kind == CommandKind::Barrier)
        return out;
    out += " " + std::string(matrixName(c.matrix));
    out += c.matrix == Matrix::A ? pair(c.i, c.k) : c.matrix == Matrix::B ? pair(c.k, c.j) : pair(c.i, c.j);
    if (c.kind == CommandKind::Compute)
        out += " k=" + std::to_string(c.k) + (c.bk > 0 ? "." + std::to_string(c.bk) : "");
    else if (c.bk > 0)
        out += " k." + std::to_string(c.bk);
    if (c.bi + c.bj > 0)
        out += " block " + pair(c.bi, c.bj);
    return out;
}

std::string programScheduleText(const Program& p)
{
    if (p.options.dataflow != Dataflow::Os)
        return std::string(dataflowName(p.options.dataflow)) + ", " +
               (p.nK == 1   ? "no partial sums between tiles"
                : p.spillsC ? "partial sums in DRAM"
                            : "partial sums in L2");
    return "schedule " + std::string(l2ScheduleName(p.schedule)) +
           (p.passes > 1 ? " in " + std::to_string(p.passes) + " passes over k" : "");
}

Status writeProgramText(const Program& program, std::int64_t limit,
                        const std::function<Status(std::string_view)>& write)
{
    const ProgramOptions& o = program.options;
    const auto times = [](std::int64_t a, std::int64_t b, std::int64_t c) {
        return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
    };
    std::string out =
        "; " + std::string(programStyleName(o.style)) + ", GEMM " + times(o.gemm.m, o.gemm.n, o.gemm.k) +
        " in " + times(program.nM, program.nN, program.nK) + " tiles of " +
        times(program.tile.ti, program.tile.tj, program.tile.tk) + ", " + programScheduleText(program) + "\n";
    if (!program.reason.empty())
        out += "; " + program.reason + "\n";
    out += "; slots:";
    for (std::size_t p = 0; p < kPools; ++p)
        if (program.poolSlots[p] > 0)
            out += " " + std::string(poolName(static_cast<Pool>(p))) + "=" +
                   std::to_string(program.poolSlots[p]);
    out += "\n";
    auto plan = planProgram(o);
    if (!plan)
        return plan.error();
    Lines lines(streamOf(std::move(*plan)));
    while (lines.written() <= limit && lines.next(out, limit - lines.written())) {
        if (Status done = write(out); !done)
            return done;
        out.clear();
    }
    if (program.length > limit)
        out += "; ... " + std::to_string(program.length - limit) + " more commands\n";
    return write(out);
}

std::string programText(const Program& program, std::int64_t limit)
{
    std::string out;
    (void)writeProgramText(program, limit, [&out](std::string_view part) -> Status {
        out += part;
        return Unit{};
    });
    return out;
}

} // namespace tilewright::systolic
