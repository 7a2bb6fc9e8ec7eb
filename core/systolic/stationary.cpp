// SPDX-License-Identifier: GPL-3.0-or-later
// Weight-stationary (WS) and input-stationary (IS) programs: their commands.
// The comments describe WS: B is in the array, rows of A stream past it, and the loops over tiles are j, k, i
// with i innermost. IS is WS of the transposed product.
#include "systolic/stationary.h"

#include "systolic/program_plan.h"

namespace tilewright::systolic {

namespace {

class StationaryWriter final : public ProgramWriter
{
public:
    explicit StationaryWriter(Program p)
        : ProgramWriter(std::move(p)), m_program(plan()), m_options(plan().options), m_of(m_program),
          m_keepsA(m_of.transposed ? m_program.bInL3 : m_program.aInL3),
          m_stored(static_cast<std::size_t>(m_of.nI)),
          m_partial(static_cast<std::size_t>(m_program.outputTiles * m_of.places()), 0)
    {
        if (m_keepsA)
            m_aLoaded.resize(static_cast<std::size_t>(m_of.nI * m_of.nK));
    }
    StationaryWriter(const StationaryWriter&) = default;

    [[nodiscard]] std::unique_ptr<ProgramStream> clone() const override
    {
        return std::make_unique<StationaryWriter>(*this);
    }

private:
    bool writePart() override
    {
        if (!m_current)
            return false;
        if (m_options.style == ProgramStyle::Pipelined)
            pipelined();
        else
            barriered();
        return true;
    }
    [[nodiscard]] std::optional<Ref> oldestNeeded() const override
    {
        return m_toStore.empty() ? std::nullopt : std::optional(m_toStore.front().drain);
    }

    /// Writes the commands of a unit, and the loads and moves of the next unit. Returns false if no unit is
    /// left.
    void pipelined()
    {
        if (m_unit == 0) {
            m_ahead = fetchB(*m_current, CommandKind::DmaLoad);
            m_operands = fetch(*m_current, CommandKind::DmaLoad);
        }
        const std::optional<Unit> next = after(*m_current);
        Operands ahead;
        if (next)
            ahead = fetch(*next, CommandKind::DmaPrefetch);
        storeUpTo(m_unit - m_of.storeLag());
        run(*m_current, m_operands);
        m_current = next;
        m_operands = ahead;
        ++m_unit;
        if (!m_current)
            storeUpTo(m_unit);
    }

    /// Writes the commands of one unit of a barriered program. Returns false if no unit is left.
    void barriered()
    {
        const Operands loaded = load(*m_current, CommandKind::DmaLoad);
        std::optional<Ref> b;
        if (m_current->i == 0)
            b = loadB(*m_current, CommandKind::DmaLoad);
        barrier();
        if (b)
            m_operands.b = moveB(*m_current, *b);
        const Ref tile = m_operands.b;
        m_operands = move(*m_current, loaded);
        m_operands.b = tile;
        barrier();
        run(*m_current, m_operands);
        barrier();
        storeUpTo(m_unit);
        m_current = after(*m_current);
        ++m_unit;
    }

    /// A unit of work: the product of one tile of A and one tile of B.
    struct Unit
    {
        std::int64_t j = 0, k = 0, i = 0;
    };
    /// Commands that put the operands of a unit, and its partial sums from DRAM, into L2.
    struct Operands
    {
        Ref a = 0;
        Ref b = 0;
        std::optional<Ref> c;
        std::optional<Ref> nextB; ///< the next tile of B, if it is prefetched
    };
    /// One block of B that is stationary in the array.
    struct Fold
    {
        Unit unit;
        std::int64_t bj = 0, bk = 0;
        Ref b = 0; ///< command that moved the tile of the block to L2

        [[nodiscard]] bool sameBlock(const Fold& o) const
        {
            return unit.j == o.unit.j && unit.k == o.unit.k && bj == o.bj && bk == o.bk;
        }
    };

    [[nodiscard]] std::optional<Unit> after(Unit u) const
    {
        if (u.i + 1 < m_of.nI)
            return Unit{u.j, u.k, u.i + 1};
        if (u.k + 1 < m_of.nK)
            return Unit{u.j, u.k + 1, 0};
        return u.j + 1 < m_of.nJ ? std::optional(Unit{u.j + 1, 0, 0}) : std::nullopt;
    }

    [[nodiscard]] std::int64_t blockRows(const Fold& f) const
    {
        return std::min(m_of.rows, m_of.tileDepth(f.unit.k) - f.bk * m_of.rows);
    }
    [[nodiscard]] std::int64_t blockCols(const Fold& f) const
    {
        return std::min(m_of.cols, m_of.tileCols(f.unit.j) - f.bj * m_of.cols);
    }

    Ref add(CommandKind kind, Matrix matrix, const Unit& u, std::int64_t elements)
    {
        Command c;
        c.kind = kind;
        c.matrix = matrix;
        c.i = u.i;
        c.j = u.j;
        c.k = u.k;
        c.bytes = elements * m_options.elementBytes;
        if (m_of.transposed) {
            std::swap(c.i, c.j);
            if (matrix != Matrix::C)
                c.matrix = matrix == Matrix::A ? Matrix::B : Matrix::A;
        }
        return append(std::move(c));
    }
    /// Adds a command of a fold, or of one of its steps.
    Ref addOfFold(CommandKind kind, Matrix matrix, const Fold& f, std::int64_t step, std::int64_t elements)
    {
        const Ref ref = add(kind, matrix, f.unit, elements);
        Command& c = at(ref);
        c.bi = matrix == Matrix::B ? 0 : step;
        c.bj = matrix == Matrix::A ? 0 : f.bj;
        c.bk = f.bk;
        if (m_of.transposed)
            std::swap(c.bi, c.bj);
        return ref;
    }

    void intoPool(Ref ref, Pool pool) { into(ref, m_of.pool(pool)); }

    Operands load(const Unit& u, CommandKind kind)
    {
        Operands out;
        const bool again = m_keepsA && u.j > 0;
        if (!again) {
            out.a = add(kind, Matrix::A, u, m_of.tileRows(u.i) * m_of.tileDepth(u.k));
            intoPool(out.a, Pool::L3A);
        }
        if (m_keepsA) {
            Ref& kept = m_aLoaded[static_cast<std::size_t>(u.i * m_of.nK + u.k)];
            if (!again)
                keep(kept = out.a);
            out.a = kept;
            if (u.j + 1 == m_of.nJ)
                release(kept);
        }
        if (m_program.spillsC && u.k > 0) {
            out.c = add(kind, Matrix::C, u, m_of.tileRows(u.i) * m_of.tileCols(u.j));
            at(*out.c).waits = m_stored[static_cast<std::size_t>(u.i)];
            intoPool(*out.c, Pool::L3C);
        }
        return out;
    }
    Ref loadB(const Unit& u, CommandKind kind)
    {
        const Ref ref = add(kind, Matrix::B, u, m_of.tileDepth(u.k) * m_of.tileCols(u.j));
        intoPool(ref, Pool::L3B);
        return ref;
    }

    Ref moveOne(Matrix matrix, Pool pool, const Unit& u, std::int64_t elements, Ref source)
    {
        const Ref ref = add(CommandKind::BmMove, matrix, u, elements);
        intoPool(ref, pool);
        from(ref, source);
        return ref;
    }
    Ref moveB(const Unit& u, Ref source)
    {
        const Ref ref = moveOne(Matrix::B, Pool::L2B, u, m_of.tileDepth(u.k) * m_of.tileCols(u.j), source);
        keep(ref);
        return ref;
    }
    Operands move(const Unit& u, const Operands& loaded)
    {
        Operands out;
        out.a = moveOne(Matrix::A, Pool::L2A, u, m_of.tileRows(u.i) * m_of.tileDepth(u.k), loaded.a);
        if (loaded.c)
            out.c = moveOne(Matrix::C, Pool::L2P, u, m_of.tileRows(u.i) * m_of.tileCols(u.j), *loaded.c);
        return out;
    }

    Ref fetchB(const Unit& u, CommandKind kind) { return moveB(u, loadB(u, kind)); }
    /// Adds the loads and moves of a unit. The first unit of a tile of B also prefetches the next tile of B.
    Operands fetch(const Unit& u, CommandKind kind)
    {
        Operands out = move(u, load(u, kind));
        if (u.i == 0) {
            m_b = *m_ahead;
            const std::optional<Unit> next = after({u.j, u.k, m_of.nI - 1});
            m_ahead = next ? std::optional(fetchB(*next, CommandKind::DmaPrefetch)) : std::nullopt;
        }
        out.b = m_b;
        out.nextB = m_ahead;
        return out;
    }

    void run(const Unit& u, const Operands& operands)
    {
        std::vector<Fold> folds;
        for (std::int64_t bj = 0; bj < ceilDiv(m_of.tileCols(u.j), m_of.cols); ++bj)
            for (std::int64_t bk = 0; bk < ceilDiv(m_of.tileDepth(u.k), m_of.rows); ++bk)
                folds.push_back({u, bj, bk, operands.b});
        // If a tile is a single block, it stays in the array for all units of its column.
        const bool stays = folds.size() == 1;
        const std::int64_t before = stays ? u.i * m_of.tile.ti : 0;
        const std::int64_t rows = stays ? m_of.gemm.m : m_of.tileRows(u.i);
        const bool over = !stays || u.i + 1 == m_of.nI;
        for (std::size_t n = 0; n < folds.size(); ++n) {
            const Fold& f = folds[n];
            if (!m_atWork || !m_atWork->sameBlock(f)) {
                if (!m_loaded || !m_loaded->sameBlock(f))
                    loadWeights(f);
                if (m_atWork)
                    release(m_weights);
                m_atWork = f;
                m_weights = m_loadedBy;
            }
            std::optional<Fold> next;
            if (n + 1 < folds.size())
                next = folds[n + 1];
            else if (const auto unit = after(stays ? Unit{u.j, u.k, m_of.nI - 1} : u); unit && unit->i > 0)
                next = Fold{*unit, 0, 0, operands.b};
            else if (unit && operands.nextB)
                next = Fold{*unit, 0, 0, *operands.nextB};
            const auto loadNext = [&] {
                if (next && !m_loaded->sameBlock(*next))
                    loadWeights(*next);
            };
            for (std::int64_t step = 0; step < ceilDiv(m_of.tileRows(u.i), m_of.depth); ++step) {
                // The streamers work in order, so the next weights are fed as late as possible. They are not
                // fed before the first step, because their registers become free when that step begins.
                const std::int64_t left =
                    rows - before - std::min(m_of.tileRows(u.i), (step + 1) * m_of.depth);
                if (next && m_options.weightBuffers > 1 && before + step > 0 &&
                    left < blockRows(*next) + m_of.depth)
                    loadNext();
                accumulate(f, step, operands);
            }
            if (over)
                loadNext();
        }
        if (!stays && u.i + 1 == m_of.nI)
            release(operands.b);
    }

    void loadWeights(const Fold& f)
    {
        const Ref before = m_loadedBy;
        m_loadedBy = addOfFold(CommandKind::StrFeedWeights, Matrix::B, f, 0, blockRows(f) * blockCols(f));
        at(m_loadedBy).tail = blockRows(f);
        if (m_loaded) // one row of weights enters per cycle
            at(m_loadedBy).waits.push_back(before);
        into(m_loadedBy, Pool::Weights);
        keep(m_loadedBy);
        from(m_loadedBy, f.b);
        const bool single = m_of.tileCols(f.unit.j) <= m_of.cols && m_of.tileDepth(f.unit.k) <= m_of.rows;
        if (single) // the block stays in the array for all units of its column
            release(f.b);
        if (m_options.weightBuffers == 1 &&
            m_loaded) // with one register set, the registers are in use until the wave has left
            at(m_loadedBy).waits.push_back(m_lastCompute);
        m_loaded = f;
    }

    /// Adds the commands that stream `depth` rows of A past the block.
    void accumulate(const Fold& f, std::int64_t step, const Operands& operands)
    {
        const Unit& u = f.unit;
        const std::int64_t rows = std::min(m_of.depth, m_of.tileRows(u.i) - step * m_of.depth);
        const std::int64_t sums = rows * blockCols(f);
        const bool fresh = u.k == 0 && f.bk == 0;
        const std::int64_t slot = placeOf(f, step);
        Ref accumulator = 0;
        if (!fresh) {
            accumulator = addOfFold(CommandKind::StrFeedPartial, Matrix::C, f, step, sums);
            intoAccumulator(accumulator);
            const bool spilled = f.bk == 0 && operands.c;
            const Ref sum = spilled ? *operands.c : m_partial[static_cast<std::size_t>(slot)];
            from(accumulator, sum);
            if (!spilled)
                release(sum);
        }
        const Ref feed = addOfFold(CommandKind::StrFeedRows, Matrix::A, f, step, rows * blockRows(f));
        intoPool(feed, Pool::L1A);
        from(feed, operands.a);
        const Ref compute = addOfFold(CommandKind::Compute, Matrix::C, f, step, sums);
        at(compute).cycles = rows;
        at(compute).tail = blockRows(f) + blockCols(f) - 2;
        from(compute, feed);
        from(compute, m_weights);
        if (fresh) {
            into(compute, Pool::Accumulator);
            accumulator = compute;
        } else {
            from(compute, accumulator);
        }
        m_lastCompute = compute;

        const Ref drain = addOfFold(CommandKind::StrDrain, Matrix::C, f, step, sums);
        at(drain).pool = Pool::L2C;
        at(drain).slot = slot;
        at(drain).waits.push_back(compute);
        at(drain).reads.push_back(accumulator);
        keep(drain);
        drained(drain);
        m_partial[static_cast<std::size_t>(slot)] = drain;
        const bool tileDone = f.bk + 1 == ceilDiv(m_of.tileDepth(u.k), m_of.rows);
        if (tileDone && (u.k + 1 == m_of.nK || m_program.spillsC))
            m_toStore.push_back({m_unit, u.i, drain});
    }

    /// Slot of L2C with the block of C to which a step of a fold adds.
    [[nodiscard]] std::int64_t placeOf(const Fold& f, std::int64_t step) const
    {
        const std::int64_t tile = m_program.spillsC ? m_unit : f.unit.j * m_of.nI + f.unit.i;
        return tile % m_program.outputTiles * m_of.places() + f.bj * m_of.steps() + step;
    }

    /// Adds the DRAM stores of the results of all units up to `unit`.
    void storeUpTo(std::int64_t unit)
    {
        std::size_t n = 0;
        for (; n < m_toStore.size() && m_toStore[n].unit <= unit; ++n) {
            auto& stored = m_stored[static_cast<std::size_t>(m_toStore[n].i)];
            if (n == 0 || m_toStore[n - 1].unit != m_toStore[n].unit)
                stored.clear();
            stored.push_back(addStore(m_toStore[n].drain));
            release(m_toStore[n].drain);
        }
        m_toStore.erase(m_toStore.begin(), m_toStore.begin() + static_cast<std::ptrdiff_t>(n));
    }

    struct ToStore
    {
        std::int64_t unit, i;
        Ref drain;
    };

    const Program& m_program;
    const ProgramOptions& m_options;
    Stationary m_of;
    bool m_keepsA;
    std::optional<Unit> m_current = Unit{}; ///< unit of the next part
    std::int64_t m_unit = 0;                ///< number of units written
    Operands m_operands; ///< operands of m_current; in barriered programs, of the unit before
    /// The block whose weights were loaded last, and the command that loaded them.
    std::optional<Fold> m_loaded;
    Ref m_loadedBy = 0;
    std::optional<Fold> m_atWork;
    Ref m_weights = 0; ///< command that loaded the current weights
    Ref m_lastCompute = 0, m_b = 0;
    std::optional<Ref> m_ahead; ///< command that moved the tile of B after m_b to L2
    std::vector<Ref> m_aLoaded;
    std::vector<std::vector<Ref>> m_stored; ///< per tile of the column: stores of its partial sums
    std::vector<Ref> m_partial;             ///< per slot of L2C: command that wrote the last partial sum
    std::vector<ToStore> m_toStore;
};

} // namespace

std::unique_ptr<ProgramStream> stationaryStream(Program plan)
{
    return std::make_unique<StationaryWriter>(std::move(plan));
}

} // namespace tilewright::systolic
