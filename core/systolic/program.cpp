// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/program.h"

#include <algorithm>

namespace tilewright::systolic {

namespace {

/// Appends commands and keeps track of which command produced which tile where.
class Builder
{
public:
    explicit Builder(Program& program)
        : m_program(program), m_options(program.options), m_banks(program.bankMap())
    {
    }

    void barriered()
    {
        for (std::int64_t i = 0; i < m_program.nM; ++i)
            for (std::int64_t j = 0; j < m_program.nN; ++j) {
                for (std::int64_t k = 0; k < m_program.nK; ++k) {
                    const auto a = load(CommandKind::DmaLoad, Matrix::A, i, j, k);
                    const auto b = load(CommandKind::DmaLoad, Matrix::B, i, j, k);
                    barrier();
                    const auto a2 = move(Matrix::A, i, j, k, a);
                    const auto b2 = move(Matrix::B, i, j, k, b);
                    barrier();
                    step(i, j, k, a2, b2);
                    barrier();
                }
                drain(i, j);
                store();
            }
    }

    void pipelined()
    {
        m_a.assign(static_cast<std::size_t>(m_program.nK), 0);
        m_b[0] = m_b[1] = m_a;
        m_bLoaded.resize(m_program.bInL3 ? static_cast<std::size_t>(m_program.nK * m_program.nN) : 0);
        fetch(0, 0, CommandKind::DmaLoad);
        for (std::int64_t i = 0; i < m_program.nM; ++i)
            for (std::int64_t j = 0; j < m_program.nN; ++j) {
                // Feed first from what is there: fetch() below overwrites m_a when a row ends.
                const std::vector<std::uint32_t> a = m_a;
                const std::vector<std::uint32_t> b = m_b[static_cast<std::size_t>(m_buffer)];
                const bool rowEnds = j + 1 == m_program.nN;
                if (!rowEnds || i + 1 < m_program.nM) {
                    m_buffer = 1 - m_buffer;
                    fetch(rowEnds ? i + 1 : i, rowEnds ? 0 : j + 1, CommandKind::DmaPrefetch);
                }
                // The DMA works in order: a store placed before these loads would hold them up until its
                // output tile has left the array.
                if (i + j > 0)
                    store();
                for (std::int64_t k = 0; k < m_program.nK; ++k)
                    step(i, j, k, a[static_cast<std::size_t>(k)], b[static_cast<std::size_t>(k)]);
                drain(i, j);
            }
        store();
    }

private:
    using Ref = std::uint32_t;

    [[nodiscard]] std::int64_t rows(std::int64_t i) const
    {
        return std::min(m_options.array.rows, m_options.gemm.m - i * m_options.array.rows);
    }
    [[nodiscard]] std::int64_t cols(std::int64_t j) const
    {
        return std::min(m_options.array.cols, m_options.gemm.n - j * m_options.array.cols);
    }
    [[nodiscard]] std::int64_t depth(std::int64_t k) const
    {
        return std::min(m_options.depth, m_options.gemm.k - k * m_options.depth);
    }

    Ref add(CommandKind kind, Matrix matrix, std::int64_t i, std::int64_t j, std::int64_t k)
    {
        Command c;
        c.kind = kind;
        c.matrix = matrix;
        c.i = i;
        c.j = j;
        c.k = k;
        const std::int64_t elements = matrix == Matrix::A   ? rows(i) * depth(k)
                                      : matrix == Matrix::B ? depth(k) * cols(j)
                                                            : rows(i) * cols(j);
        c.bytes = elements * m_options.elementBytes;
        m_program.commands.push_back(std::move(c));
        return static_cast<Ref>(m_program.commands.size() - 1);
    }

    Command& at(Ref ref) { return m_program.commands[ref]; }

    void into(Ref ref, Pool pool)
    {
        const auto p = static_cast<std::size_t>(pool);
        at(ref).pool = pool;
        at(ref).slot = m_written[p]++ % m_program.poolSlots[p];
    }

    /// `ref` needs the result of `source` and reads it from its slot.
    void from(Ref ref, Ref source)
    {
        at(ref).waits.push_back(source);
        at(ref).reads.push_back(source);
    }

    void barrier() { m_program.commands.emplace_back(); }

    Ref load(CommandKind kind, Matrix m, std::int64_t i, std::int64_t j, std::int64_t k)
    {
        const Ref ref = add(kind, m, i, j, k);
        into(ref, m == Matrix::A ? Pool::L3A : Pool::L3B);
        return ref;
    }

    Ref move(Matrix m, std::int64_t i, std::int64_t j, std::int64_t k, Ref source)
    {
        const Ref ref = add(CommandKind::BmMove, m, i, j, k);
        into(ref, m == Matrix::A ? Pool::L2A : Pool::L2B);
        from(ref, source);
        return ref;
    }

    /// Loads and moves the operands of output tile (i, j) that are not in L2 yet.
    void fetch(std::int64_t i, std::int64_t j, CommandKind kind)
    {
        std::vector<Ref> a;
        std::vector<Ref> b;
        for (std::int64_t k = 0; k < m_program.nK; ++k) {
            if (j == 0)
                a.push_back(load(kind, Matrix::A, i, j, k));
            if (!m_program.bInL3 || i == 0) {
                b.push_back(load(kind, Matrix::B, i, j, k));
                if (m_program.bInL3)
                    m_bLoaded[static_cast<std::size_t>(k * m_program.nN + j)] = b.back();
            } else {
                b.push_back(m_bLoaded[static_cast<std::size_t>(k * m_program.nN + j)]);
            }
        }
        for (std::int64_t k = 0; k < m_program.nK; ++k) {
            const auto index = static_cast<std::size_t>(k);
            m_b[static_cast<std::size_t>(m_buffer)][index] = move(Matrix::B, i, j, k, b[index]);
            if (j == 0)
                m_a[index] = move(Matrix::A, i, j, k, a[index]);
        }
    }

    void step(std::int64_t i, std::int64_t j, std::int64_t k, Ref a, Ref b)
    {
        const Ref feedRows = add(CommandKind::StrFeedRows, Matrix::A, i, j, k);
        into(feedRows, Pool::L1A);
        from(feedRows, a);
        const Ref feedCols = add(CommandKind::StrFeedCols, Matrix::B, i, j, k);
        into(feedCols, Pool::L1B);
        from(feedCols, b);
        if (m_banks.conflicts(i, j, k)) {
            // Both tiles in one bank: the second read waits for the first.
            at(feedCols).bankConflict = true;
            at(feedCols).waits.push_back(feedRows);
        }
        const Ref compute = add(CommandKind::Compute, Matrix::C, i, j, k);
        at(compute).cycles = depth(k);
        at(compute).tail = rows(i) + cols(j) - 2;
        from(compute, feedRows);
        from(compute, feedCols);
        if (k == 0) {
            into(compute, Pool::Accumulator);
            m_accumulator = compute;
        } else {
            at(compute).reads.push_back(m_accumulator);
        }
        m_lastCompute = compute;
    }

    void drain(std::int64_t i, std::int64_t j)
    {
        m_drain = add(CommandKind::StrDrain, Matrix::C, i, j, m_program.nK - 1);
        into(m_drain, Pool::L2C);
        at(m_drain).waits.push_back(m_lastCompute);
        at(m_drain).reads.push_back(m_accumulator);
    }

    /// Stores the output tile that was drained last.
    void store()
    {
        const Command& drained = at(m_drain);
        from(add(CommandKind::DmaStore, Matrix::C, drained.i, drained.j, drained.k), m_drain);
    }

    Program& m_program;
    const ProgramOptions& m_options;
    BankMap m_banks;
    std::array<std::int64_t, kPools> m_written{};
    std::vector<Ref> m_a;
    std::array<std::vector<Ref>, 2> m_b;
    std::vector<Ref> m_bLoaded;
    int m_buffer = 0;
    Ref m_accumulator = 0;
    Ref m_lastCompute = 0;
    Ref m_drain = 0;
};

std::string place(const Program& program, const Command& command, bool source)
{
    const auto slot = [](const Command& c) {
        return std::string(poolName(*c.pool)) + "#" + std::to_string(c.slot);
    };
    if (!source) {
        if (command.kind == CommandKind::DmaStore)
            return "DRAM";
        if (command.kind == CommandKind::Compute)
            return "PEs";
        return command.pool ? slot(command) : std::string();
    }
    if (command.kind == CommandKind::DmaLoad || command.kind == CommandKind::DmaPrefetch)
        return "DRAM";
    std::string out;
    for (const std::uint32_t read : command.reads) {
        const Command& from = program.commands[read];
        if (command.kind == CommandKind::Compute && from.kind == CommandKind::Compute)
            continue;
        out += (out.empty() ? "" : " + ") + slot(from);
    }
    return out;
}

} // namespace

std::string_view commandName(CommandKind kind) noexcept
{
    constexpr std::array<std::string_view, 9> names{"DMA_LOAD",      "DMA_PREFETCH",  "BM_MOVE",
                                                    "STR_FEED_ROWS", "STR_FEED_COLS", "COMPUTE",
                                                    "STR_DRAIN",     "DMA_STORE",     "BARRIER"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view resourceName(Resource resource) noexcept
{
    constexpr std::array<std::string_view, 5> names{"dma", "block_mover", "streamer", "array", "drain"};
    return names[static_cast<std::size_t>(resource)];
}

std::string_view poolName(Pool pool) noexcept
{
    constexpr std::array<std::string_view, kPools> names{"L3.A", "L3.B", "L2.A", "L2.B",
                                                         "L2.C", "L1.A", "L1.B", "ACC"};
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

std::int64_t Program::l2Bytes() const noexcept
{
    const std::int64_t e = options.elementBytes;
    const std::int64_t r = std::min(options.array.rows, options.gemm.m);
    const std::int64_t c = std::min(options.array.cols, options.gemm.n);
    const std::int64_t d = std::min(options.depth, options.gemm.k);
    return (poolSlots[static_cast<std::size_t>(Pool::L2A)] * r * d +
            poolSlots[static_cast<std::size_t>(Pool::L2B)] * d * c +
            poolSlots[static_cast<std::size_t>(Pool::L2C)] * r * c) *
           e;
}

Result<Program> buildProgram(const ProgramOptions& o)
{
    for (const Status& ok : {checkGemm(o.gemm), checkArray(o.array)})
        if (!ok)
            return ok.error();
    const auto refuse = [](std::string message, std::string path) {
        return Error{ErrorCode::Problem, std::move(message), std::move(path), {}};
    };
    if (o.depth < 1 || o.elementBytes < 1 || o.l2OutputSlots < 1 || o.l1Slots < 1 || o.accumulators < 1)
        return refuse("depth, element size and numbers of slots must be at least 1", "program");
    if (o.banks < (o.layout == BankLayout::Split ? 2 : 1))
        return refuse("the bank layout needs more banks", "banks");
    Program p;
    p.options = o;
    p.nM = ceilDiv(o.gemm.m, o.array.rows);
    p.nN = ceilDiv(o.gemm.n, o.array.cols);
    p.nK = ceilDiv(o.gemm.k, o.depth);
    // At most 10 commands a k step, and no overflow: each factor is below 2^31.
    const std::int64_t steps = saturatingMul(saturatingMul(p.nM, p.nN), p.nK);
    if (steps > kMaxCommands / 10)
        return refuse("the program would have more than " + std::to_string(kMaxCommands / 10) +
                          " k steps; choose a smaller GEMM or a larger array",
                      "gemm");
    if (saturatingMul(saturatingMul(o.depth, std::max(o.array.rows, o.array.cols)), o.elementBytes) >
        kMaxArea)
        return refuse("a tile in bytes overflows", "depth");

    const bool pipelined = o.style == ProgramStyle::Pipelined;
    const double bBytes =
        static_cast<double>(o.gemm.k) * static_cast<double>(o.gemm.n) * static_cast<double>(o.elementBytes);
    p.bInL3 = pipelined && bBytes <= 0.4 * static_cast<double>(o.l3Bytes);
    const auto slots = [&](Pool pool) -> std::int64_t& {
        return p.poolSlots[static_cast<std::size_t>(pool)];
    };
    slots(Pool::L3A) = pipelined ? p.nK : 1;
    slots(Pool::L3B) = p.bInL3 ? p.nK * p.nN : pipelined ? 2 * p.nK : 1;
    slots(Pool::L2A) = pipelined ? p.nK : 1;
    slots(Pool::L2B) = pipelined ? 2 * p.nK : 1;
    slots(Pool::L2C) = o.l2OutputSlots;
    slots(Pool::L1A) = slots(Pool::L1B) = o.l1Slots;
    slots(Pool::Accumulator) = o.accumulators;
    Builder builder(p);
    if (pipelined)
        builder.pipelined();
    else
        builder.barriered();
    return p;
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
        out += " k=" + std::to_string(c.k);
    return out;
}

std::string programText(const Program& program, std::size_t limit)
{
    const ProgramOptions& o = program.options;
    const auto times = [](std::int64_t a, std::int64_t b, std::int64_t c) {
        return std::to_string(a) + "x" + std::to_string(b) + "x" + std::to_string(c);
    };
    std::string out = "; " + std::string(programStyleName(o.style)) + ", GEMM " +
                      times(o.gemm.m, o.gemm.n, o.gemm.k) + " in " +
                      times(program.nM, program.nN, program.nK) + " tiles of " +
                      times(o.array.rows, o.array.cols, o.depth) + "\n";
    out += "; slots:";
    for (std::size_t p = 0; p < kPools; ++p)
        out += " " + std::string(poolName(static_cast<Pool>(p))) + "=" + std::to_string(program.poolSlots[p]);
    out += "\n";
    const BankMap banks = program.bankMap();
    std::size_t lines = 0;
    for (const Command& c : program.commands) {
        if (lines++ == limit) {
            out += "; ... " + std::to_string(program.commands.size() - limit) + " more commands\n";
            break;
        }
        std::string line = commandTitle(c);
        if (c.kind == CommandKind::Barrier) {
            out += line + "\n";
            continue;
        }
        line.resize(std::max<std::size_t>(line.size() + 1, 28), ' ');
        line += "; " + std::to_string(c.bytes) + " B, " + place(program, c, true) + " -> " +
                place(program, c, false);
        if (c.kind == CommandKind::StrFeedRows)
            line += ", bank " + std::to_string(banks.bankA(c.i, c.k));
        if (c.kind == CommandKind::StrFeedCols)
            line += ", bank " + std::to_string(banks.bankB(c.k, c.j)) + (c.bankConflict ? " (conflict)" : "");
        if (c.kind == CommandKind::Compute)
            line += ", " + std::to_string(c.cycles) + " cycles";
        out += line + "\n";
    }
    return out;
}

} // namespace tilewright::systolic
