// SPDX-License-Identifier: GPL-3.0-or-later
// Weight-stationary (WS) and input-stationary (IS) programs: tiles, slots, place of partial sums, commands.
// The comments describe WS: B is in the array, rows of A stream past it, and the loops over tiles are j, k, i
// with i innermost. IS is WS of the transposed product.
#include "systolic/stationary.h"

#include "systolic/dram_traffic.h"
#include "systolic/program_plan.h"

namespace tilewright::systolic {

namespace {

constexpr double kOperandShare = 0.4; // share of L3 per operand (docs/rules/systolic.md 7)

/// Sets the place of partial sums and the slots of L2 and L3.
Status assignStationarySlots(Program& p)
{
    const ProgramOptions& o = p.options;
    const Stationary of(p);
    const TileBytes bytes(p.tile, o.elementBytes);
    const bool pipelined = o.style == ProgramStyle::Pipelined;
    const std::int64_t twice = pipelined ? 2 : 1;
    const std::int64_t lag = pipelined ? of.storeLag() : 0;
    const auto slots = [&](Pool pool) -> std::int64_t& {
        return p.poolSlots[static_cast<std::size_t>(of.pool(pool))];
    };
    slots(Pool::L2A) = slots(Pool::L2B) = slots(Pool::L3B) = slots(Pool::L3A) = twice;
    slots(Pool::L1A) = o.l1Slots;
    slots(Pool::Weights) = o.weightBuffers;
    // Accumulators: results in the array, including those of shorter steps and tiles, and one partial sum
    // ahead.
    slots(Pool::Accumulator) =
        std::max(o.accumulators, 2 + of.steps() * (1 + ceilDiv(of.wave() + of.depth, of.tile.ti)));

    const std::int64_t operands = saturatingMul(twice, saturatingAdd(bytes.a, bytes.b));
    const std::int64_t room = o.capacityBytes[1];
    const auto need = [&](std::int64_t outputs) {
        return saturatingAdd(operands, saturatingMul(outputs, bytes.c));
    };
    const std::int64_t passing = pipelined ? lag + 2 : 1;
    const std::int64_t column = of.nK > 1 ? std::max(of.nI, passing) : passing;
    p.outputTiles = std::min(column, saturatingMul(of.nI, of.nJ));
    if (room > 0 && need(p.outputTiles) > room) {
        const std::string why = "the " + std::string(of.transposed ? "row" : "column") +
                                " of C that is summed up needs " + bytesText(need(p.outputTiles)) +
                                " of L2 with its operands, it has " + bytesText(room);
        const bool canSpill = of.nK > 1 && of.nI >= lag + 2;
        if (!canSpill || need(passing + twice) > room)
            return programError(why + (canSpill
                                           ? "; with the sums in DRAM " + bytesText(need(passing + twice))
                                           : std::string()),
                                "l2");
        p.outputTiles = passing;
        p.spillsC = true;
        slots(Pool::L2P) = slots(Pool::L3C) = twice;
        p.reason = why + ": partial sums go to DRAM";
    }
    slots(Pool::L2C) = p.outputTiles * of.places();

    const double streamed =
        static_cast<double>(of.gemm.m) * static_cast<double>(of.gemm.k) * static_cast<double>(o.elementBytes);
    const bool kept = pipelined && of.nJ > 1 && streamed <= kOperandShare * static_cast<double>(o.l3Bytes);
    (of.transposed ? p.bInL3 : p.aInL3) = kept;
    if (kept)
        slots(Pool::L3A) = of.nI * of.nK;
    const std::int64_t l3 = o.capacityBytes[0];
    const auto inL3 = [&] {
        const auto of3 = [&](Pool pool, std::int64_t tile) {
            return saturatingMul(p.poolSlots[static_cast<std::size_t>(pool)], tile);
        };
        return saturatingAdd(saturatingAdd(of3(Pool::L3A, bytes.a), of3(Pool::L3B, bytes.b)),
                             of3(Pool::L3C, bytes.c));
    };
    if (l3 > 0 && inL3() > l3) { // streamed operands get fewer slots
        slots(Pool::L3B) = 1;
        if (!kept)
            slots(Pool::L3A) = 1;
        if (p.spillsC)
            slots(Pool::L3C) = 1;
        if (inL3() > l3)
            return programError(
                "the tiles of a step need " + bytesText(inL3()) + " of L3, it has " + bytesText(l3), "l3");
    }
    return checkDepth(p);
}

} // namespace

std::int64_t maxStationaryCommands(const Program& p)
{
    const Stationary of(p);
    const auto times = [](std::int64_t a, std::int64_t b) { return saturatingMul(a, b); };
    const std::int64_t tiles = times(times(of.nI, of.nJ), of.nK);
    const std::int64_t folds = times(tiles, ceilDiv(of.tile.tk, of.rows) * ceilDiv(of.tile.tj, of.cols));
    const std::int64_t stored = times(p.spillsC ? tiles : times(of.nI, of.nJ), of.places());
    // Commands per step: a partial sum, a feed, a compute, a drain. Per fold: its weights. Per tile: load and
    // move of A, three barriers (barriered only), load and move of partial sums in DRAM. B: once per column
    // of tiles.
    const std::int64_t perTile =
        2 + (p.options.style == ProgramStyle::Barriered ? 3 : 0) + (p.spillsC ? 2 : 0);
    const std::int64_t moving = saturatingAdd(times(tiles, perTile), times(times(of.nJ, of.nK), 2));
    return saturatingAdd(saturatingAdd(times(times(folds, of.steps()), 4), folds),
                         saturatingAdd(moving, stored));
}

Result<Program> planStationary(const ProgramOptions& o)
{
    if (o.schedule)
        return programError("applies to output-stationary programs only; " +
                                std::string(dataflowName(o.dataflow)) + " has its own loop order",
                            "schedule");
    if (o.weightBuffers != 1 && o.weightBuffers != 2)
        return programError("must be 1 or 2, got " + std::to_string(o.weightBuffers), "weight buffers");
    Program p;
    p.options = o;
    p.tile = arrayTile(o.gemm, o.array, o.dataflow);
    if (o.tile) {
        if (const auto ok = checkTile(o.gemm, *o.tile); !ok)
            return ok.error();
        p.tile = *o.tile;
    }
    p.options.depth = std::min(o.depth, o.dataflow == Dataflow::Ws ? p.tile.ti : p.tile.tj);
    p.nM = ceilDiv(o.gemm.m, p.tile.ti);
    p.nN = ceilDiv(o.gemm.n, p.tile.tj);
    p.nK = ceilDiv(o.gemm.k, p.tile.tk);
    if (const auto ok = assignStationarySlots(p); !ok)
        return ok.error();
    if (const auto ok = checkCommands(maxStationaryCommands(p)); !ok)
        return ok.error();
    return p;
}

namespace {

class StationaryBuilder : private ProgramWriter
{
public:
    explicit StationaryBuilder(Program& program)
        : ProgramWriter(program), m_of(program), m_keepsA(m_of.transposed ? program.bInL3 : program.aInL3),
          m_stored(static_cast<std::size_t>(m_of.nI)),
          m_partial(static_cast<std::size_t>(program.outputTiles * m_of.places()), 0)
    {
        if (m_keepsA)
            m_aLoaded.resize(static_cast<std::size_t>(m_of.nI * m_of.nK));
    }

    void pipelined()
    {
        std::optional<Unit> unit = Unit{};
        m_ahead = fetchB(*unit, CommandKind::DmaLoad);
        Operands operands = fetch(*unit, CommandKind::DmaLoad);
        while (unit) {
            const std::optional<Unit> next = after(*unit);
            Operands ahead;
            if (next)
                ahead = fetch(*next, CommandKind::DmaPrefetch);
            storeUpTo(m_unit - m_of.storeLag());
            run(*unit, operands);
            unit = next;
            operands = ahead;
            ++m_unit;
        }
        storeUpTo(m_unit);
    }

    void barriered()
    {
        Operands moved;
        for (std::optional<Unit> unit = Unit{}; unit; unit = after(*unit), ++m_unit) {
            const Operands loaded = load(*unit, CommandKind::DmaLoad);
            std::optional<Ref> b;
            if (unit->i == 0)
                b = loadB(*unit, CommandKind::DmaLoad);
            barrier();
            if (b)
                moved.b = moveB(*unit, *b);
            const Ref tile = moved.b;
            moved = move(*unit, loaded);
            moved.b = tile;
            barrier();
            run(*unit, moved);
            barrier();
            storeUpTo(m_unit);
        }
    }

private:
    /// One tile of B with one tile of A.
    struct Unit
    {
        std::int64_t j = 0, k = 0, i = 0;
    };
    /// Commands that put the operands of a unit, and partial sums from DRAM, into L2.
    struct Operands
    {
        Ref a = 0;
        Ref b = 0;
        std::optional<Ref> c;
        std::optional<Ref> nextB; ///< the next tile of B, if it is being prefetched
    };
    /// One block of B in the array.
    struct Fold
    {
        Unit unit;
        std::int64_t bj = 0, bk = 0;
        Ref b = 0; ///< command that moved its tile to L2

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
            kept = again ? kept : out.a;
            out.a = kept;
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

    Ref moveOne(Matrix matrix, Pool pool, const Unit& u, Ref source)
    {
        const Ref ref = add(CommandKind::BmMove, matrix, u, 0);
        at(ref).bytes = at(source).bytes;
        intoPool(ref, pool);
        from(ref, source);
        return ref;
    }
    Ref moveB(const Unit& u, Ref source) { return moveOne(Matrix::B, Pool::L2B, u, source); }
    Operands move(const Unit& u, const Operands& loaded)
    {
        Operands out;
        out.a = moveOne(Matrix::A, Pool::L2A, u, loaded.a);
        if (loaded.c)
            out.c = moveOne(Matrix::C, Pool::L2P, u, *loaded.c);
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
        // A tile with a single block stays in the array for all units of its column.
        const bool stays = folds.size() == 1;
        const std::int64_t before = stays ? u.i * m_of.tile.ti : 0;
        const std::int64_t rows = stays ? m_of.gemm.m : m_of.tileRows(u.i);
        const bool over = !stays || u.i + 1 == m_of.nI;
        for (std::size_t n = 0; n < folds.size(); ++n) {
            const Fold& f = folds[n];
            if (!m_atWork || !m_atWork->sameBlock(f)) {
                if (!m_loaded || !m_loaded->sameBlock(f))
                    loadWeights(f);
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
                // fed before the first step, because the registers become free when it begins.
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
    }

    void loadWeights(const Fold& f)
    {
        const Ref before = m_loadedBy;
        m_loadedBy = addOfFold(CommandKind::StrFeedWeights, Matrix::B, f, 0, blockRows(f) * blockCols(f));
        at(m_loadedBy).tail = blockRows(f);
        if (m_loaded) // one row of weights enters a cycle
            at(m_loadedBy).waits.push_back(before);
        into(m_loadedBy, Pool::Weights);
        from(m_loadedBy, f.b);
        if (m_options.weightBuffers == 1 &&
            m_loaded) // with one register set, the registers are in use until the wave has left
            at(m_loadedBy).waits.push_back(m_lastCompute);
        m_loaded = f;
    }

    /// Streams `depth` rows of A past the block.
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
            from(accumulator,
                 f.bk == 0 && operands.c ? *operands.c : m_partial[static_cast<std::size_t>(slot)]);
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
        m_drains.push_back(drain);
        m_partial[static_cast<std::size_t>(slot)] = drain;
        const bool tileDone = f.bk + 1 == ceilDiv(m_of.tileDepth(u.k), m_of.rows);
        if (tileDone && (u.k + 1 == m_of.nK || m_program.spillsC))
            m_toStore.push_back({m_unit, u.i, drain});
    }

    /// Slot of L2C for the block of C that a step of a fold adds to.
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
        }
        m_toStore.erase(m_toStore.begin(), m_toStore.begin() + static_cast<std::ptrdiff_t>(n));
    }

    struct ToStore
    {
        std::int64_t unit, i;
        Ref drain;
    };

    Stationary m_of;
    bool m_keepsA;
    std::int64_t m_unit = 0;
    /// The block whose weights were loaded last, and the command that loaded them
    std::optional<Fold> m_loaded;
    Ref m_loadedBy = 0;
    std::optional<Fold> m_atWork;
    Ref m_weights = 0; ///< command that loaded the current weights
    Ref m_lastCompute = 0, m_b = 0;
    std::optional<Ref> m_ahead; ///< the tile of B after m_b, in L2
    std::vector<Ref> m_aLoaded;
    std::vector<std::vector<Ref>> m_stored; ///< by tile of the column: stores of its partial sums
    std::vector<Ref> m_partial;             ///< command that wrote the last partial sum, by slot of L2C
    std::vector<ToStore> m_toStore;
};

} // namespace

void writeStationary(Program& program)
{
    StationaryBuilder builder(program);
    if (program.options.style == ProgramStyle::Pipelined)
        builder.pipelined();
    else
        builder.barriered();
}

} // namespace tilewright::systolic
