// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/dram_traffic.h"

#include "base/text.h"
#include "systolic/tile_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kMaxSteps = std::int64_t{1} << 27;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

enum Loop { I, J, K };

constexpr std::array<Loop, 3> loopsOf(LoopOrder order) noexcept
{
    constexpr std::array<std::array<Loop, 3>, 6> table{
        {{I, J, K}, {I, K, J}, {J, I, K}, {J, K, I}, {K, I, J}, {K, J, I}}};
    return table[static_cast<std::size_t>(order)];
}

/// The loop that does not index the matrix. Its iterations reuse the same tiles of the matrix.
constexpr Loop reuseLoop(Matrix m) noexcept
{
    return m == Matrix::A ? J : m == Matrix::B ? I : K;
}

struct Grid
{
    std::array<std::int64_t, 3> size; ///< extents along i, j and k, in elements
    std::array<std::int64_t, 3> step;
    std::array<std::int64_t, 3> count;
    std::int64_t elementBytes;

    explicit Grid(const DramQuery& q)
        : size{q.gemm.m, q.gemm.n, q.gemm.k}, step{q.tile.ti, q.tile.tj, q.tile.tk},
          count{ceilDiv(size[0], step[0]), ceilDiv(size[1], step[1]), ceilDiv(size[2], step[2])},
          elementBytes(q.elementBytes)
    {
    }
    [[nodiscard]] std::int64_t extent(Loop loop, std::int64_t index) const
    {
        return std::min(step[loop], size[loop] - index * step[loop]);
    }
    [[nodiscard]] std::int64_t tileBytes(Matrix m, const std::array<std::int64_t, 3>& at) const
    {
        std::int64_t bytes = elementBytes;
        for (const Loop loop : {I, J, K})
            if (loop != reuseLoop(m))
                bytes *= extent(loop, at[loop]);
        return bytes;
    }
    [[nodiscard]] std::int64_t tileId(Matrix m, const std::array<std::int64_t, 3>& at) const
    {
        return m == Matrix::A   ? at[I] * count[K] + at[K]
               : m == Matrix::B ? at[K] * count[J] + at[J]
                                : at[I] * count[J] + at[J];
    }
    [[nodiscard]] std::int64_t steps() const { return count[0] * count[1] * count[2]; }
};

/// The part of L3 that is reserved for one matrix. It holds whole tiles and counts the traffic.
class Share
{
public:
    Share(std::int64_t capacity, std::int64_t tiles, Replacement replacement, bool dirty)
        : m_capacity(capacity), m_replacement(replacement), m_dirty(dirty),
          m_tiles(static_cast<std::size_t>(tiles))
    {
    }

    /// Uses a tile at time `now`. `next` is the time of the tile's next use (kNever = none); only Belady's
    /// replacement reads it.
    void use(std::int64_t id, std::int64_t bytes, std::int64_t now, std::int64_t next)
    {
        Tile& tile = m_tiles[static_cast<std::size_t>(id)];
        const std::int64_t key = m_replacement == Replacement::Lru ? now : -next;
        if (tile.resident) {
            m_order.erase({tile.key, id});
            tile.key = key;
            m_order.insert({key, id});
            return;
        }
        if (!m_dirty || tile.used) {
            ++traffic.loads;
            traffic.loadBytes += bytes;
        }
        tile.used = true;
        tile.bytes = bytes;
        if (bytes > m_capacity) {
            // A tile larger than the share is not kept but streams through. With LRU it evicts all tiles,
            // with Belady none.
            if (m_replacement == Replacement::Lru)
                flush();
            writeBack(tile);
            return;
        }
        while (m_held + bytes > m_capacity) {
            const auto [victimKey, victim] = *m_order.begin();
            if (m_replacement == Replacement::Belady && victimKey >= key) {
                // Is not kept, because its next use is later than that of every resident tile.
                writeBack(tile);
                return;
            }
            evict(victim);
        }
        tile.resident = true;
        tile.key = key;
        m_held += bytes;
        m_order.insert({key, id});
    }

    void flush()
    {
        while (!m_order.empty())
            evict(m_order.begin()->second);
    }

    /// Bytes of resident tiles that were changed and must still be written to DRAM.
    [[nodiscard]] std::int64_t dirtyBytes() const { return m_dirty ? m_held : 0; }

    MatrixTraffic traffic;

private:
    struct Tile
    {
        std::int64_t key = 0;
        std::int64_t bytes = 0;
        bool resident = false;
        bool used = false;
    };

    void writeBack(const Tile& tile)
    {
        if (!m_dirty)
            return;
        ++traffic.stores;
        traffic.storeBytes += tile.bytes;
    }

    void evict(std::int64_t id)
    {
        Tile& tile = m_tiles[static_cast<std::size_t>(id)];
        m_order.erase({tile.key, id});
        m_held -= tile.bytes;
        tile.resident = false;
        writeBack(tile);
    }

    std::int64_t m_capacity;
    Replacement m_replacement;
    bool m_dirty;
    std::int64_t m_held = 0;
    std::vector<Tile> m_tiles;
    std::set<std::pair<std::int64_t, std::int64_t>> m_order; ///< first = tile that is evicted next
};

/// Shares of L3 of A, B and C. `accumulate`: partial sums of C stay in the PEs over k, because k is the
/// innermost loop.
struct Residency
{
    Grid grid;
    std::array<Share, 3> share;

    Residency(const DramQuery& q, Replacement replacement)
        : grid(q), share{Share(q.shareBytes(Matrix::A), grid.count[I] * grid.count[K], replacement, false),
                         Share(q.shareBytes(Matrix::B), grid.count[K] * grid.count[J], replacement, false),
                         Share(q.shareBytes(Matrix::C), grid.count[I] * grid.count[J], replacement, true)}
    {
    }

    /// Time of the next use of a tile: the next iteration of loop `r` with all other indices equal.
    static std::int64_t nextUse(const Grid& g, const std::array<Loop, 3>& loops, Matrix m,
                                const std::array<std::int64_t, 3>& at, std::int64_t now)
    {
        const Loop r = reuseLoop(m);
        if (at[r] + 1 == g.count[r])
            return kNever;
        std::int64_t stride = 1;
        for (std::size_t d = 3; d-- > 0 && loops[d] != r;)
            stride *= g.count[loops[d]];
        return now + stride;
    }

    void step(const std::array<Loop, 3>& loops, const std::array<std::int64_t, 3>& at, std::int64_t now,
              bool accumulate)
    {
        for (const Matrix m : {Matrix::A, Matrix::B, Matrix::C}) {
            Share& s = share[static_cast<std::size_t>(m)];
            const std::int64_t bytes = grid.tileBytes(m, at);
            if (m == Matrix::C && accumulate) {
                if (at[K] + 1 == grid.count[K]) {
                    ++s.traffic.stores;
                    s.traffic.storeBytes += bytes;
                }
                continue;
            }
            s.use(grid.tileId(m, at), bytes, now, nextUse(grid, loops, m, at, now));
        }
    }

    [[nodiscard]] std::int64_t bytesSoFar() const
    {
        std::int64_t sum = 0;
        for (const Share& s : share)
            sum += s.traffic.loadBytes + s.traffic.storeBytes + s.dirtyBytes();
        return sum;
    }
};

DramTraffic result(const DramQuery& q, std::array<Share, 3>& shares)
{
    DramTraffic out;
    for (std::size_t m = 0; m < 3; ++m) {
        shares[m].flush();
        out.matrix[m] = shares[m].traffic;
    }
    out.compulsoryBytes = compulsoryElements(q.gemm) * q.elementBytes;
    return out;
}

Status checkSteps(const DramQuery& q)
{
    const Grid g(q);
    const auto plane = checkedMul(g.count[0], g.count[1]);
    const auto steps = plane ? checkedMul(*plane, g.count[2]) : std::nullopt;
    if (!steps || *steps > kMaxSteps)
        return Error{ErrorCode::Problem,
                     "the residency simulation takes up to 2^27 tile steps; choose larger tiles",
                     "tile",
                     {}};
    return Unit{};
}

} // namespace

std::string_view loopOrderName(LoopOrder order) noexcept
{
    constexpr std::array<std::string_view, 6> names{"ijk", "ikj", "jik", "jki", "kij", "kji"};
    return names[static_cast<std::size_t>(order)];
}

LoopOrder loopOrderOf(Dataflow dataflow) noexcept
{
    return dataflow == Dataflow::Os   ? LoopOrder::Ijk
           : dataflow == Dataflow::Ws ? LoopOrder::Jki
                                      : LoopOrder::Ikj;
}

TileShape arrayTile(const Gemm& g, const ArrayShape& a, Dataflow d) noexcept
{
    const bool os = d == Dataflow::Os;
    const bool is = d == Dataflow::Is;
    return {std::min(g.m, is ? a.cols : a.rows), std::min(g.n, is ? a.rows : a.cols),
            std::min(g.k, os ? kTileDepth : a.rows)};
}

std::string dramAssumption(const DramQuery& q)
{
    const DramTraffic moved = dramClosedForm(q);
    std::string kept;
    for (const auto& [matrix, elements] : {std::pair{Matrix::A, q.gemm.m * q.gemm.k},
                                           {Matrix::B, q.gemm.k * q.gemm.n},
                                           {Matrix::C, q.gemm.m * q.gemm.n}}) {
        const MatrixTraffic& t = moved.of(matrix);
        const std::int64_t once = saturatingMul(elements, q.elementBytes);
        if (std::max(t.loadBytes, t.storeBytes) <= once)
            kept += (kept.empty() ? "" : ", ") + std::string(matrixName(matrix));
    }
    return "tile " + formatGrouped(q.tile.ti) + " x " + formatGrouped(q.tile.tj) + " x " +
           formatGrouped(q.tile.tk) + ", loops " + std::string(loopOrderName(q.order)) +
           (kept.empty() ? ", nothing moves only once" : ", moved only once: " + kept) + "; L3 of " +
           formatGrouped(q.l3Bytes) + " bytes";
}

std::int64_t DramQuery::shareBytes(Matrix matrix) const noexcept
{
    // Rounds down. The small epsilon avoids that 0.4 of 10 becomes 3.
    return static_cast<std::int64_t>(
        std::floor(shares[static_cast<std::size_t>(matrix)] * static_cast<double>(l3Bytes) + 1e-6));
}

std::int64_t DramTraffic::bytes() const noexcept
{
    std::int64_t sum = 0;
    for (const MatrixTraffic& m : matrix)
        sum = saturatingAdd(sum, saturatingAdd(m.loadBytes, m.storeBytes));
    return sum;
}

std::int64_t DramTraffic::transfers() const noexcept
{
    std::int64_t sum = 0;
    for (const MatrixTraffic& m : matrix)
        sum += m.loads + m.stores;
    return sum;
}

Status checkDramQuery(const DramQuery& q)
{
    for (const Status& ok : {checkGemm(q.gemm), checkTile(q.gemm, q.tile)})
        if (!ok)
            return ok;
    const auto refuse = [](std::string message, std::string path) -> Status {
        return Error{ErrorCode::Problem, std::move(message), std::move(path), {}};
    };
    if (q.elementBytes < 1 || q.l3Bytes < 0)
        return refuse("sizes in bytes must be positive", "l3");
    double sum = 0;
    for (const double share : q.shares) {
        if (!(share >= 0))
            return refuse("shares of L3 must not be negative", "shares");
        sum += share;
    }
    if (sum > 1 + 1e-9)
        return refuse("shares of L3 must not exceed 1 together", "shares");
    // With any replacement, the traffic is at most that of the closed form, so this bounds the simulation,
    // too.
    if (dramClosedForm(q).bytes() == kNever)
        return refuse("the traffic in bytes overflows", "gemm");
    return Unit{};
}

DramTraffic dramClosedForm(const DramQuery& q) noexcept
{
    const Grid g(q);
    const auto loops = loopsOf(q.order);
    const auto accumulate = [](std::int64_t& sum, std::int64_t value, std::int64_t count,
                               std::int64_t times) {
        sum = saturatingAdd(sum, saturatingMul(saturatingMul(value, count), times));
    };
    DramTraffic out;
    out.compulsoryBytes = saturatingMul(compulsoryElements(q.gemm), q.elementBytes);
    for (const Matrix m : {Matrix::A, Matrix::B, Matrix::C}) {
        const Loop r = reuseLoop(m);
        const auto depth = static_cast<std::size_t>(std::find(loops.begin(), loops.end(), r) - loops.begin());
        MatrixTraffic& t = out.matrix[static_cast<std::size_t>(m)];
        // Between two uses of a tile, the loops inside the reuse loop run once. The data that they touch must
        // fit. The loops outside cut the matrix into panels, which are equal except for the last panel of
        // each loop.
        std::array<std::int64_t, 2> outside{1, 1};
        std::array<std::optional<Loop>, 2> outerLoops;
        std::int64_t insideElements = 1;
        std::int64_t insideTiles = 1;
        for (std::size_t d = 0, o = 0; d < 3; ++d) {
            if (d < depth) {
                outerLoops[o] = loops[d];
                outside[o++] = g.count[loops[d]];
            } else if (d > depth) {
                insideElements *= g.size[loops[d]];
                insideTiles *= g.count[loops[d]];
            }
        }
        const auto panels = [&](std::size_t o, bool last) { return last ? 1 : outside[o] - 1; };
        for (const bool last0 : {false, true})
            for (const bool last1 : {false, true}) {
                if (!outerLoops[1] && !last1)
                    continue;
                if (!outerLoops[0] && !last0)
                    continue;
                const std::int64_t count = panels(0, last0) * panels(1, last1);
                if (count == 0)
                    continue;
                std::int64_t bytes = saturatingMul(insideElements, q.elementBytes);
                const std::array<bool, 2> lasts{last0, last1};
                for (std::size_t o = 0; o < 2; ++o)
                    if (outerLoops[o])
                        bytes = saturatingMul(bytes, g.extent(*outerLoops[o], lasts[o] ? outside[o] - 1 : 0));
                const bool inPes = m == Matrix::C && depth == 2;
                const bool fits = inPes || bytes <= q.shareBytes(m);
                const std::int64_t times = fits ? 1 : g.count[r];
                const std::int64_t loads = m == Matrix::C ? times - 1 : times;
                const std::int64_t stores = m == Matrix::C ? times : 0;
                accumulate(t.loads, insideTiles, count, loads);
                accumulate(t.loadBytes, bytes, count, loads);
                accumulate(t.stores, insideTiles, count, stores);
                accumulate(t.storeBytes, bytes, count, stores);
            }
    }
    return out;
}

Result<DramTraffic> simulateDram(const DramQuery& q, const Progress& progress)
{
    for (const Status& ok : {checkDramQuery(q), checkSteps(q)})
        if (!ok)
            return ok.error();
    Residency r(q, q.replacement);
    const auto loops = loopsOf(q.order);
    std::array<std::int64_t, 3> at{};
    std::int64_t now = 0;
    for (at[loops[0]] = 0; at[loops[0]] < r.grid.count[loops[0]]; ++at[loops[0]]) {
        if (progress.stopRequested())
            return Error{ErrorCode::Refused, "stopped", {}, {}};
        for (at[loops[1]] = 0; at[loops[1]] < r.grid.count[loops[1]]; ++at[loops[1]])
            for (at[loops[2]] = 0; at[loops[2]] < r.grid.count[loops[2]]; ++at[loops[2]])
                r.step(loops, at, now++, loops[2] == K);
        progress.tell(static_cast<double>(now) / static_cast<double>(r.grid.steps()), "residency");
    }
    return result(q, r.share);
}

ReuseFactors reuseFactors(const Gemm& g, const TileShape& t) noexcept
{
    ReuseFactors f;
    f.nM = ceilDiv(g.m, t.ti);
    f.nN = ceilDiv(g.n, t.tj);
    f.nK = ceilDiv(g.k, t.tk);
    f.a = f.nN;
    f.b = f.nM;
    f.c = f.nK;
    f.transfersFullReuse = f.nM * f.nK + f.nK * f.nN + f.nM * f.nN;
    f.transfersNoReuse = 2 * f.nM * f.nN * f.nK + f.nM * f.nN;
    f.reductionOverUntiled = 2 * static_cast<double>(macs(g)) / static_cast<double>(compulsoryElements(g));
    return f;
}

double seedDramEstimateBytes(const Gemm& g, const TileShape& t, std::int64_t elementBytes,
                             std::int64_t l3Buffers) noexcept
{
    const ReuseFactors f = reuseFactors(g, t);
    const auto tiles = [&](std::int64_t count, std::int64_t rows, std::int64_t cols) {
        return static_cast<double>(count) * static_cast<double>(rows) * static_cast<double>(cols) *
               static_cast<double>(elementBytes);
    };
    return (tiles(f.nM * f.nK, t.ti, t.tk) + tiles(f.nK * f.nN, t.tk, t.tj)) /
               static_cast<double>(l3Buffers) +
           tiles(f.nM * f.nN, t.ti, t.tj);
}

Result<AdaptiveStationary> adaptiveStationary(const DramQuery& query, const Progress& progress)
{
    DramQuery q = query;
    q.replacement = Replacement::Lru;
    for (const Status& ok : {checkDramQuery(q), checkSteps(q)})
        if (!ok)
            return ok.error();
    constexpr std::array dataflows{Dataflow::Os, Dataflow::Ws, Dataflow::Is};
    AdaptiveStationary out;
    for (std::size_t d = 0; d < 3; ++d) {
        q.order = loopOrderOf(dataflows[d]);
        out.fixedBytes[d] = dramClosedForm(q).bytes(); // equal to the simulation with LRU
    }
    const auto least = std::min_element(out.fixedBytes.begin(), out.fixedBytes.end());
    out.bestFixed = dataflows[static_cast<std::size_t>(least - out.fixedBytes.begin())];

    Residency state(q, Replacement::Lru);
    std::int64_t now = 0;
    for (std::int64_t i = 0; i < state.grid.count[I]; ++i) {
        if (progress.stopRequested())
            return Error{ErrorCode::Refused, "stopped", {}, {}};
        std::optional<Residency> best;
        Dataflow choice = Dataflow::Os;
        std::int64_t bestNow = now;
        for (const Dataflow d : dataflows) {
            Residency trial = state;
            std::int64_t t = now;
            const auto loops = loopsOf(loopOrderOf(d));
            std::array<Loop, 2> inner{};
            std::copy_if(loops.begin(), loops.end(), inner.begin(), [](Loop loop) { return loop != I; });
            std::array<std::int64_t, 3> at{};
            at[I] = i;
            for (at[inner[0]] = 0; at[inner[0]] < trial.grid.count[inner[0]]; ++at[inner[0]])
                for (at[inner[1]] = 0; at[inner[1]] < trial.grid.count[inner[1]]; ++at[inner[1]])
                    trial.step(loops, at, t++, d == Dataflow::Os);
            if (!best || trial.bytesSoFar() < best->bytesSoFar()) {
                best = std::move(trial);
                choice = d;
                bestNow = t;
            }
        }
        state = std::move(*best);
        now = bestNow;
        out.rows.push_back(choice);
        progress.tell(static_cast<double>(i + 1) / static_cast<double>(state.grid.count[I]),
                      "adaptive stationary");
    }
    out.rowBytes = result(q, state.share).bytes();
    out.perRow = out.rowBytes < *least;
    out.bytes = std::min(out.rowBytes, *least);
    for (std::size_t d = 0; d < 3; ++d)
        out.saving[d] = 1 - static_cast<double>(out.bytes) / static_cast<double>(out.fixedBytes[d]);
    return out;
}

} // namespace tilewright::systolic
