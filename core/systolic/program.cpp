// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/program_plan.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright::systolic {

namespace {

/// Writes output-stationary programs. It tracks which command produced each tile.
class OutputStationary final : public ProgramWriter
{
public:
    explicit OutputStationary(Program p)
        : ProgramWriter(std::move(p)), m_program(plan()), m_options(plan().options), m_tile(plan().tile),
          m_banks(plan().bankMap()), m_partial(static_cast<std::size_t>(plan().blocks()), 0)
    {
    }
    OutputStationary(const OutputStationary&) = default;

    [[nodiscard]] std::unique_ptr<ProgramStream> clone() const override
    {
        return std::make_unique<OutputStationary>(*this);
    }

private:
    bool writePart() override
    {
        return m_options.style == ProgramStyle::Pipelined ? pipelined() : barriered();
    }
    [[nodiscard]] std::optional<Ref> oldestNeeded() const override
    {
        return m_complete.empty() ? std::nullopt : std::optional(m_complete.front());
    }

    /// Writes the commands of one output tile of a barriered program. Returns false if no tile is left.
    bool barriered()
    {
        if (!m_unit)
            return false;
        const std::int64_t i = m_unit->i, j = m_unit->j;
        const bool partials = m_program.blocks() > 1; // with a single block, the sums stay in the array
        for (std::int64_t k = 0; k < m_program.nK; ++k) {
            const auto a = load(CommandKind::DmaLoad, Matrix::A, i, j, k);
            const auto b = load(CommandKind::DmaLoad, Matrix::B, i, j, k);
            barrier();
            const auto a2 = move(Matrix::A, i, j, k, a);
            const auto b2 = move(Matrix::B, i, j, k, b);
            barrier();
            eachBlock(i, j, [&](std::size_t index) {
                if (partials && k > 0)
                    restore(index);
                accumulate(k, a2, b2, k == 0);
                if (partials)
                    drain(index, k + 1 == m_program.nK);
            });
            barrier();
        }
        if (!partials)
            eachBlock(i, j, [&](std::size_t index) { drain(index, true); });
        store();
        m_unit = after({i, j, m_program.passes - 1});
        return true;
    }

    /// Writes the commands of a unit, and the loads and moves of the next unit. Returns false if no unit is
    /// left.
    bool pipelined()
    {
        if (!m_unit)
            return false;
        if (m_rowA.empty()) {
            m_rowA.resize(static_cast<std::size_t>(m_program.nK));
            m_aLoaded.resize(static_cast<std::size_t>(m_program.nK));
            m_bLoaded.resize(m_program.bInL3 ? static_cast<std::size_t>(m_program.nK * m_program.nN) : 0);
            m_bMoved.resize(full() ? static_cast<std::size_t>(m_program.nK * m_program.nN) : 0);
            m_operands = fetch(*m_unit, CommandKind::DmaLoad);
        }
        // The DMA works in order. A store placed before these loads delays them until its output tile has
        // left the array. With several blocks per tile the stores must come first: they free the space
        // that the blocks of this tile need.
        if (m_program.blocks() > 1)
            store();
        const std::optional<Unit> next = after(*m_unit);
        Operands ahead;
        if (next)
            ahead = fetch(*next, CommandKind::DmaPrefetch);
        store();
        run(*m_unit, m_operands);
        m_unit = next;
        m_operands = std::move(ahead);
        if (!m_unit)
            store();
        return true;
    }

    /// A unit of work: one output tile, or one pass over k of an output tile.
    struct Unit
    {
        std::int64_t i = 0, j = 0, pass = 0;
    };
    /// Commands that put the operands of a unit into L2, per k tile.
    struct Operands
    {
        std::vector<Ref> a, b;
    };

    /// True if tiles of A are not kept in L2 after a unit.
    [[nodiscard]] bool movesAgain() const
    {
        return m_program.schedule == L2Schedule::NoReuse || m_program.schedule == L2Schedule::PartialC;
    }
    [[nodiscard]] bool full() const { return m_program.schedule == L2Schedule::FullReuse; }
    /// First k tile of a pass. Passes differ by at most one tile in length.
    [[nodiscard]] std::int64_t passBegins(std::int64_t pass) const
    {
        return pass * m_program.nK / m_program.passes;
    }
    [[nodiscard]] std::optional<Unit> after(Unit u) const
    {
        if (u.pass + 1 < m_program.passes)
            return Unit{u.i, u.j, u.pass + 1};
        if (u.j + 1 < m_program.nN)
            return Unit{u.i, u.j + 1, 0};
        return u.i + 1 < m_program.nM ? std::optional(Unit{u.i + 1, 0, 0}) : std::nullopt;
    }

    [[nodiscard]] std::int64_t tileRows(std::int64_t i) const
    {
        return std::min(m_tile.ti, m_options.gemm.m - i * m_tile.ti);
    }
    [[nodiscard]] std::int64_t tileCols(std::int64_t j) const
    {
        return std::min(m_tile.tj, m_options.gemm.n - j * m_tile.tj);
    }
    [[nodiscard]] std::int64_t tileDepth(std::int64_t k) const
    {
        return std::min(m_tile.tk, m_options.gemm.k - k * m_tile.tk);
    }
    // Number of rows (columns) of the current block.
    [[nodiscard]] std::int64_t rows() const
    {
        return std::min(m_options.array.rows, tileRows(m_at.i) - m_at.bi * m_options.array.rows);
    }
    [[nodiscard]] std::int64_t cols() const
    {
        return std::min(m_options.array.cols, tileCols(m_at.j) - m_at.bj * m_options.array.cols);
    }

    template <typename Visit> void eachBlock(std::int64_t i, std::int64_t j, Visit&& visit)
    {
        std::size_t index = 0;
        for (std::int64_t bi = 0; bi < ceilDiv(tileRows(i), m_options.array.rows); ++bi)
            for (std::int64_t bj = 0; bj < ceilDiv(tileCols(j), m_options.array.cols); ++bj) {
                m_at = {i, j, bi, bj};
                visit(index++);
            }
    }

    Ref add(CommandKind kind, Matrix matrix, std::int64_t i, std::int64_t j, std::int64_t k,
            std::int64_t elements)
    {
        Command c;
        c.kind = kind;
        c.matrix = matrix;
        c.i = i;
        c.j = j;
        c.k = k;
        c.bytes = elements * m_options.elementBytes;
        return append(std::move(c));
    }
    /// Adds a command of the current block.
    Ref addOfBlock(CommandKind kind, Matrix matrix, std::int64_t k, std::int64_t bk, std::int64_t elements)
    {
        const Ref ref = add(kind, matrix, m_at.i, m_at.j, k, elements);
        at(ref).bi = matrix == Matrix::B ? 0 : m_at.bi;
        at(ref).bj = matrix == Matrix::A ? 0 : m_at.bj;
        at(ref).bk = bk;
        return ref;
    }

    [[nodiscard]] std::int64_t tileElements(Matrix m, std::int64_t i, std::int64_t j, std::int64_t k) const
    {
        return m == Matrix::A ? tileRows(i) * tileDepth(k) : tileDepth(k) * tileCols(j);
    }

    Ref load(CommandKind kind, Matrix m, std::int64_t i, std::int64_t j, std::int64_t k)
    {
        const Ref ref = add(kind, m, i, j, k, tileElements(m, i, j, k));
        into(ref, m == Matrix::A ? Pool::L3A : Pool::L3B);
        return ref;
    }

    Ref move(Matrix m, std::int64_t i, std::int64_t j, std::int64_t k, Ref source)
    {
        const Ref ref = add(CommandKind::BmMove, m, i, j, k, tileElements(m, i, j, k));
        into(ref, m == Matrix::A ? Pool::L2A : Pool::L2B);
        from(ref, source);
        return ref;
    }

    /// Adds the loads and moves for those operands of a unit that are not in L2.
    Operands fetch(const Unit& u, CommandKind kind)
    {
        const bool again = movesAgain();
        const bool movesA = again || u.j == 0;
        const bool movesB = !full() || u.i == 0;
        const bool loadsA = movesA && (!m_program.aInL3 || u.j == 0);
        const bool loadsB = movesB && (!m_program.bInL3 || u.i == 0);
        const std::int64_t from = passBegins(u.pass);
        const std::int64_t to = passBegins(u.pass + 1);
        const auto ofB = [&](std::int64_t k) { return static_cast<std::size_t>(k * m_program.nN + u.j); };
        std::vector<Ref> b;
        for (std::int64_t k = from; k < to; ++k) {
            if (loadsA) {
                m_aLoaded[static_cast<std::size_t>(k)] = load(kind, Matrix::A, u.i, u.j, k);
                if (m_program.aInL3)
                    keep(m_aLoaded[static_cast<std::size_t>(k)]);
            }
            if (loadsB) {
                b.push_back(load(kind, Matrix::B, u.i, u.j, k));
                if (m_program.bInL3) {
                    m_bLoaded[ofB(k)] = b.back();
                    keep(b.back());
                }
            } else if (movesB) {
                b.push_back(m_bLoaded[ofB(k)]);
            }
        }
        Operands out;
        const bool lastRow = u.i + 1 == m_program.nM, lastColumn = u.j + 1 == m_program.nN;
        for (std::int64_t k = from; k < to; ++k) {
            const auto index = static_cast<std::size_t>(k);
            if (movesB) {
                out.b.push_back(move(Matrix::B, u.i, u.j, k, b[static_cast<std::size_t>(k - from)]));
                if (full())
                    keep(out.b.back());
                if (m_program.bInL3 && (full() || lastRow))
                    release(b[static_cast<std::size_t>(k - from)]);
            } else {
                out.b.push_back(m_bMoved[ofB(k)]);
            }
            if (full())
                m_bMoved[ofB(k)] = out.b.back();
            if (movesA) {
                m_rowA[index] = move(Matrix::A, u.i, u.j, k, m_aLoaded[index]);
                if (!again)
                    keep(m_rowA[index]);
                else if (m_program.aInL3 && lastColumn)
                    release(m_aLoaded[index]);
            }
            out.a.push_back(m_rowA[index]);
        }
        return out;
    }

    void run(const Unit& u, const Operands& operands)
    {
        const bool last = u.pass + 1 == m_program.passes;
        eachBlock(u.i, u.j, [&](std::size_t index) {
            if (u.pass > 0)
                restore(index);
            for (std::size_t k = 0; k < operands.a.size(); ++k)
                accumulate(passBegins(u.pass) + static_cast<std::int64_t>(k), operands.a[k], operands.b[k],
                           u.pass == 0 && k == 0);
            drain(index, last);
        });
        // Releases what L2 keeps after its last readers.
        if (full() && u.i + 1 == m_program.nM)
            for (const Ref moved : operands.b)
                release(moved);
        if (!movesAgain() && u.j + 1 == m_program.nN)
            for (const Ref moved : operands.a)
                release(moved);
    }

    /// Feeds one k tile to the block. `fresh`: the block starts a new sum.
    void accumulate(std::int64_t k, Ref a, Ref b, bool fresh)
    {
        for (std::int64_t bk = 0; bk < ceilDiv(tileDepth(k), m_options.depth); ++bk) {
            const std::int64_t depth = std::min(m_options.depth, tileDepth(k) - bk * m_options.depth);
            const Ref feedRows = addOfBlock(CommandKind::StrFeedRows, Matrix::A, k, bk, rows() * depth);
            into(feedRows, Pool::L1A);
            from(feedRows, a);
            const Ref feedCols = addOfBlock(CommandKind::StrFeedCols, Matrix::B, k, bk, depth * cols());
            into(feedCols, Pool::L1B);
            from(feedCols, b);
            if (m_banks.conflicts(m_at.i, m_at.j, k)) {
                // On a bank conflict, the second read waits for the first one.
                at(feedCols).bankConflict = true;
                at(feedCols).waits.push_back(feedRows);
            }
            const Ref compute = addOfBlock(CommandKind::Compute, Matrix::C, k, bk, rows() * cols());
            at(compute).cycles = depth;
            at(compute).tail = rows() + cols() - 2;
            from(compute, feedRows);
            from(compute, feedCols);
            if (fresh && bk == 0) {
                into(compute, Pool::Accumulator);
                m_accumulator = compute;
            } else {
                if (at(m_accumulator).kind == CommandKind::StrFeedPartial)
                    at(compute).waits.push_back(m_accumulator);
                at(compute).reads.push_back(m_accumulator);
            }
            m_lastCompute = compute;
        }
    }

    /// Adds the command that reads the partial sum of the block back into the array.
    void restore(std::size_t index)
    {
        m_accumulator = addOfBlock(CommandKind::StrFeedPartial, Matrix::C, 0, 0, rows() * cols());
        intoAccumulator(m_accumulator);
        from(m_accumulator, m_partial[index]);
    }

    void drain(std::size_t index, bool complete)
    {
        const Ref ref = addOfBlock(CommandKind::StrDrain, Matrix::C, at(m_lastCompute).k, 0, rows() * cols());
        into(ref, Pool::L2C);
        at(ref).waits.push_back(m_lastCompute);
        at(ref).reads.push_back(m_accumulator);
        drained(ref);
        if (complete)
            m_complete.push_back(ref);
        else
            m_partial[index] = ref;
    }

    /// Adds the DMA stores of the complete output blocks.
    void store()
    {
        for (const Ref ref : m_complete)
            addStore(ref);
        m_complete.clear();
    }

    struct BlockPlace
    {
        std::int64_t i = 0, j = 0, bi = 0, bj = 0;
    };

    const Program& m_program;
    const ProgramOptions& m_options;
    std::optional<Unit> m_unit = Unit{}; ///< unit of the next part
    Operands m_operands;                 ///< operands of m_unit
    TileShape m_tile;
    BankMap m_banks;
    BlockPlace m_at;
    std::vector<Ref> m_partial; ///< per block of the tile: drain that wrote its partial sum to L2
    std::vector<Ref> m_complete;
    std::vector<Ref> m_rowA; ///< per k tile: command that moved the A tile of this row to L2
    std::vector<Ref> m_aLoaded, m_bLoaded, m_bMoved;
    Ref m_accumulator = 0;
    Ref m_lastCompute = 0;
};

} // namespace

std::unique_ptr<ProgramStream> streamOf(Program plan)
{
    if (plan.options.dataflow != Dataflow::Os)
        return stationaryStream(std::move(plan));
    return std::make_unique<OutputStationary>(std::move(plan));
}

Result<Program> buildProgram(const ProgramOptions& options)
{
    auto program = planProgram(options);
    if (!program)
        return program.error();
    if (const std::int64_t most = mostCommands(*program); most > kMaxWholeCommands)
        return programError("the program would have up to " + formatGrouped(most) + " commands, more than " +
                                formatGrouped(kMaxWholeCommands) + " that are held as a whole",
                            "gemm");
    const std::unique_ptr<ProgramStream> stream = streamOf(*program);
    while (stream->next())
        ;
    program->commands = stream->take();
    program->length = std::ssize(program->commands);
    for (const Command& c : program->commands)
        program->moved[static_cast<std::size_t>(c.kind)] += c.bytes;
    return program;
}

} // namespace tilewright::systolic
