// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/tile_search.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tilewright::systolic {

namespace {

constexpr std::int64_t kHuge = std::numeric_limits<std::int64_t>::max();

/// Largest candidate min(size, multiple of step) that is at most `limit`; 0 if there is none.
std::int64_t candidateBelow(std::int64_t limit, std::int64_t size, std::int64_t step) noexcept
{
    return limit >= size ? size : roundDown(std::max<std::int64_t>(limit, 0), step);
}

/// Smallest candidate size that cuts `size` into at most `parts` parts.
std::int64_t candidateForParts(std::int64_t parts, std::int64_t size, std::int64_t step) noexcept
{
    return std::min(size, roundUp(ceilDiv(size, parts), step));
}

TileChoice describe(const TileQuery& q, TileMethod method, const TileShape& tile, std::int64_t visited)
{
    TileChoice c;
    c.method = method;
    c.tile = tile;
    c.footprintElements = tileFootprint(tile, q.footprint);
    c.fits = tileFits(q, tile);
    c.elements = tileTraffic(q.gemm, tile.ti, tile.tj);
    c.pointsVisited = visited;
    c.spaceReduction = static_cast<double>(macs(q.gemm)) / static_cast<double>(visited);
    return c;
}

} // namespace

std::string_view footprintName(Footprint footprint) noexcept
{
    return footprint == Footprint::Conservative ? "conservative" : "aggressive";
}

std::string_view tileMethodName(TileMethod method) noexcept
{
    return method == TileMethod::Analytic     ? "analytic"
           : method == TileMethod::Exhaustive ? "exhaustive"
                                              : "learned";
}

Result<Footprint> parseFootprint(std::string_view text)
{
    for (const Footprint f : {Footprint::Conservative, Footprint::Aggressive})
        if (text == footprintName(f))
            return f;
    return Error{ErrorCode::Problem,
                 "expected conservative or aggressive, got \"" + std::string(text) + "\"",
                 "footprint",
                 {}};
}

Result<TileMethod> parseTileMethod(std::string_view text)
{
    for (const TileMethod m : {TileMethod::Analytic, TileMethod::Exhaustive, TileMethod::Learned})
        if (text == tileMethodName(m))
            return m;
    return Error{ErrorCode::Problem,
                 "expected analytic, exhaustive or learned, got \"" + std::string(text) + "\"",
                 "method",
                 {}};
}

Status checkTileQuery(const TileQuery& q)
{
    for (const Status& ok : {checkGemm(q.gemm), checkArray(q.array)})
        if (!ok)
            return ok;
    const auto within = [](std::int64_t value, std::int64_t max, const char* path) -> Status {
        if (value >= 1 && value <= max)
            return Unit{};
        return Error{ErrorCode::Problem,
                     "must be from 1 to " + std::to_string(max) + ", got " + std::to_string(value),
                     path,
                     {}};
    };
    if (auto ok = within(q.capacityBytes, kMaxArea, "capacity"); !ok)
        return ok;
    if (auto ok = within(q.elementBytes, 64, "element_bytes"); !ok)
        return ok;
    if (auto ok = within(q.buffering, 64, "buffering"); !ok)
        return ok;
    return within(q.sumsPerPe, kMaxArea, "sums_per_pe");
}

std::int64_t tileTraffic(const Gemm& g, std::int64_t ti, std::int64_t tj) noexcept
{
    return g.m * g.k * ceilDiv(g.n, tj) + g.k * g.n * ceilDiv(g.m, ti) + g.m * g.n;
}

std::int64_t tileFootprint(const TileShape& t, Footprint footprint) noexcept
{
    const std::int64_t inputs = saturatingMul(saturatingAdd(t.ti, t.tj), t.tk);
    return footprint == Footprint::Aggressive ? inputs : saturatingAdd(inputs, saturatingMul(t.ti, t.tj));
}

std::int64_t sumsPerPe(const ArrayShape& array, std::int64_t ti, std::int64_t tj) noexcept
{
    return saturatingMul(ceilDiv(ti, array.rows), ceilDiv(tj, array.cols));
}

bool tileFits(const TileQuery& q, const TileShape& tile) noexcept
{
    return tileFootprint(tile, q.footprint) <= q.cap() &&
           (q.footprint == Footprint::Conservative || sumsPerPe(q.array, tile.ti, tile.tj) <= q.sumsPerPe);
}

std::int64_t deepestTile(const TileQuery& q, std::int64_t ti, std::int64_t tj) noexcept
{
    const std::int64_t c = q.footprint == Footprint::Conservative ? saturatingMul(ti, tj) : 0;
    if (c >= q.cap() || (q.footprint == Footprint::Aggressive && sumsPerPe(q.array, ti, tj) > q.sumsPerPe))
        return 0;
    return candidateBelow((q.cap() - c) / saturatingAdd(ti, tj), q.gemm.k, kTileDepth);
}

std::int64_t widestTile(const TileQuery& q, std::int64_t ti, std::int64_t tk) noexcept
{
    const std::int64_t a = saturatingMul(ti, tk);
    if (a >= q.cap())
        return 0;
    if (q.footprint == Footprint::Conservative)
        return candidateBelow((q.cap() - a) / (tk + ti), q.gemm.n, q.array.cols);
    const std::int64_t inPes = saturatingMul(q.sumsPerPe / ceilDiv(ti, q.array.rows), q.array.cols);
    return candidateBelow(std::min((q.cap() - a) / tk, inPes), q.gemm.n, q.array.cols);
}

Result<TileChoice> analyticTile(const TileQuery& q)
{
    if (const auto ok = checkTileQuery(q); !ok)
        return ok.error();
    const Gemm& g = q.gemm;
    const auto cap = static_cast<double>(q.cap());
    // A side equal to the whole dimension is kept; other sides are rounded down to a multiple of the step.
    const auto side = [&](std::int64_t size, std::int64_t step) {
        const auto d = static_cast<double>(size);
        const double value = std::min(d, std::sqrt(cap * d / (2 * static_cast<double>(g.k) + d)));
        const auto whole = static_cast<std::int64_t>(value);
        return whole >= size ? size : std::min(size, std::max(step, roundDown(whole, step)));
    };
    TileShape t{side(g.m, q.array.rows), side(g.n, q.array.cols), 0};
    if (q.footprint == Footprint::Aggressive && sumsPerPe(q.array, t.ti, t.tj) > q.sumsPerPe) {
        t.ti = std::min(g.m, q.array.rows);
        t.tj = std::min({g.n, t.tj, saturatingMul(q.sumsPerPe, q.array.cols)});
    }
    const std::int64_t depth =
        std::max<std::int64_t>(0, q.cap() - saturatingMul(t.ti, t.tj)) / saturatingAdd(t.ti, t.tj);
    t.tk = depth >= g.k ? g.k : std::min(g.k, std::max(kTileDepth, roundDown(depth, kTileDepth)));

    const std::int64_t leastK = std::min(kTileDepth, g.k);
    const auto fits = [&] { return tileFootprint(t, Footprint::Conservative) <= q.cap(); };
    while (!fits() && t.tk > leastK)
        t.tk = std::max(leastK, t.tk - kTileDepth);
    const auto shrink = [](std::int64_t& value, std::int64_t step) {
        const std::int64_t down = value % step != 0 ? roundDown(value, step) : value - step;
        if (down < 1)
            return false;
        value = down;
        return true;
    };
    while (!fits()) {
        const bool rowsFirst = t.ti >= t.tj;
        const bool shrunk = rowsFirst ? shrink(t.ti, q.array.rows) || shrink(t.tj, q.array.cols)
                                      : shrink(t.tj, q.array.cols) || shrink(t.ti, q.array.rows);
        if (!shrunk)
            return nothingFits(q, Footprint::Conservative);
    }
    return describe(q, TileMethod::Analytic, t, 1);
}

Result<TileChoice> exhaustiveTile(const TileQuery& q)
{
    if (const auto ok = checkTileQuery(q); !ok)
        return ok.error();
    const Gemm& g = q.gemm;
    const std::int64_t leastK = std::min(kTileDepth, g.k);
    // The traffic depends on Ti only through the number of row panels p = ceil(M/Ti). Among all Ti with the
    // same p, the smallest leaves the most space for Tj, and for a given Ti the widest Tj has the least
    // traffic. So one Ti per p suffices to find the optimum. Afterwards ties are resolved among all Ti of the
    // best p.
    std::int64_t visited = 0;
    std::int64_t best = kHuge;
    struct Row
    {
        std::int64_t ti;
        std::int64_t tj;
    };
    std::vector<Row> rows;
    const auto nextPanels = [&](std::int64_t ti) -> std::int64_t { // largest candidate Ti with the same p
        const std::int64_t p = ceilDiv(g.m, ti);
        const std::int64_t limit = p == 1 ? g.m : (g.m - 1) / (p - 1);
        return candidateBelow(limit, g.m, q.array.rows);
    };
    for (std::int64_t ti = std::min(g.m, q.array.rows);;) {
        ++visited;
        const std::int64_t tj = widestTile(q, ti, leastK);
        if (tj == 0)
            break; // a larger Ti leaves less space for Tj
        const std::int64_t elements = tileTraffic(g, ti, tj);
        if (elements < best) {
            best = elements;
            rows.clear();
        }
        if (elements == best)
            rows.push_back({ti, tj});
        const std::int64_t last = nextPanels(ti);
        if (last >= g.m)
            break;
        ti = std::min(g.m, last + q.array.rows);
    }
    if (rows.empty())
        return nothingFits(q, q.footprint);

    TileShape chosen;
    for (const Row& row : rows) {
        const std::int64_t narrow = candidateForParts(ceilDiv(g.n, row.tj), g.n, q.array.cols);
        TileShape t{row.ti, narrow, deepestTile(q, row.ti, narrow)};
        ++visited;
        // Ties prefer larger Tk, then larger Ti, then larger Tj.
        const std::int64_t room =
            q.footprint == Footprint::Conservative
                ? (q.cap() - narrow * t.tk) / (t.tk + narrow)
                : std::min((q.cap() - narrow * t.tk) / t.tk,
                           saturatingMul(q.sumsPerPe / ceilDiv(narrow, q.array.cols), q.array.rows));
        t.ti = std::min(nextPanels(row.ti), candidateBelow(room, g.m, q.array.rows));
        t.tj = widestTile(q, t.ti, t.tk);
        visited += 2;
        if (t.tk > chosen.tk ||
            (t.tk == chosen.tk && (t.ti > chosen.ti || (t.ti == chosen.ti && t.tj > chosen.tj))))
            chosen = t;
    }
    return describe(q, TileMethod::Exhaustive, chosen, visited);
}

Result<TileChoice> chooseTile(const TileQuery& query, TileMethod method)
{
    switch (method) {
    case TileMethod::Analytic:
        return analyticTile(query);
    case TileMethod::Exhaustive:
        return exhaustiveTile(query);
    case TileMethod::Learned:
        return learnedTile(query);
    }
    return Error{ErrorCode::Internal, "unknown method", "method", {}};
}

Result<TileChoice> describeTile(const TileQuery& query, const TileShape& tile)
{
    for (const Status& ok : {checkTileQuery(query), checkTile(query.gemm, tile)})
        if (!ok)
            return ok.error();
    return describe(query, TileMethod::Exhaustive, tile, 1);
}

Result<TileLandscape> tileLandscape(const TileQuery& q, std::size_t maxPerAxis)
{
    if (const auto ok = checkTileQuery(q); !ok)
        return ok.error();
    const auto axis = [&](std::int64_t size, std::int64_t step) {
        const std::int64_t count = ceilDiv(size, step);
        const auto shown =
            std::min<std::int64_t>(count, static_cast<std::int64_t>(std::max<std::size_t>(2, maxPerAxis)));
        std::vector<std::int64_t> out;
        for (std::int64_t i = 1; i <= shown; ++i)
            out.push_back(i == shown ? size : i == 1 ? step : count * i / shown * step);
        return out;
    };
    TileLandscape land;
    land.ti = axis(q.gemm.m, q.array.rows);
    land.tj = axis(q.gemm.n, q.array.cols);
    for (const std::int64_t ti : land.ti)
        for (const std::int64_t tj : land.tj) {
            const std::int64_t tk = deepestTile(q, ti, tj);
            land.cells.push_back({tk > 0, tk, tileTraffic(q.gemm, ti, tj)});
        }
    return land;
}

} // namespace tilewright::systolic
