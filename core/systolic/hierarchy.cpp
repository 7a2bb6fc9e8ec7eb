// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/hierarchy.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>
#include <span>

namespace tilewright::systolic {

std::string_view levelName(Level level) noexcept
{
    constexpr std::array<std::string_view, 5> names{"host", "external", "l3", "l2", "l1"};
    return names[static_cast<std::size_t>(level)];
}

Hierarchy kpuHierarchy()
{
    Hierarchy h;
    h.name = "kpu";
    h.at(Level::Host) = {1, std::int64_t{4} << 30, 50};
    h.at(Level::External) = {2, std::int64_t{1} << 30, 100};
    h.at(Level::L3) = {4, 128 * 1024, 256};
    h.at(Level::L2) = {8, 64 * 1024, 512};
    h.at(Level::L1) = {4, 32 * 1024, 1024};
    return h;
}

Status checkHierarchy(const Hierarchy& h)
{
    const auto refuse = [](std::string message, std::string path) -> Status {
        return Error{ErrorCode::Field, std::move(message), std::move(path), {}};
    };
    if (!(h.frequencyGhz > 0) || !std::isfinite(h.frequencyGhz))
        return refuse("the frequency must be positive", "frequency_ghz");
    if (h.elementBytes < 1 || h.elementBytes > 64)
        return refuse("must be from 1 to 64", "element_bytes");
    if (auto ok = checkArray(h.array); !ok)
        return ok;
    for (const Level level : kLevels) {
        const MemoryLevel& m = h.at(level);
        const std::string path = "levels." + std::string(levelName(level));
        if (!(m.gbPerSecond > 0) || !std::isfinite(m.gbPerSecond))
            return refuse("the bandwidth must be greater than zero", path + ".gb_per_s");
        if (m.bytes < 1 || m.buffers < 1 || !checkedMul(m.bytes, m.buffers))
            return refuse("needs at least one buffer of at least one byte, all together below 2^63 bytes",
                          path);
    }
    return Unit{};
}

std::int64_t maxL1Depth(const Hierarchy& h, std::int64_t buffering, bool separate) noexcept
{
    const std::int64_t perK = separate ? std::max(h.array.rows, h.array.cols) : h.array.rows + h.array.cols;
    return h.at(Level::L1).bytes / (perK * h.elementBytes * buffering);
}

std::int64_t maxL2Depth(const Hierarchy& h) noexcept
{
    const std::int64_t elements = h.at(Level::L2).bytes / h.elementBytes - h.array.rows * h.array.cols;
    return std::max<std::int64_t>(0, elements) / (h.array.rows + h.array.cols);
}

std::string roomText(std::int64_t used, std::int64_t buffers)
{
    if (buffers == 1)
        return "the one buffer";
    return used == buffers ? "all " + formatGrouped(buffers) + " buffers" : "one buffer";
}

std::vector<Constraint> tileConstraints(const Hierarchy& h, const Gemm& gemm, const TileShape& tile,
                                        std::int64_t buffering, Footprint footprint)
{
    const std::int64_t e = h.elementBytes;
    const std::int64_t r = std::min(h.array.rows, gemm.m);
    const std::int64_t c = std::min(h.array.cols, gemm.n);
    const std::int64_t l1 = h.at(Level::L1).bytes;
    const std::int64_t l2 = h.at(Level::L2).bytes;
    const std::string times = buffering == 2   ? ", double-buffered"
                              : buffering == 1 ? ", single-buffered"
                                               : "";
    const auto atMost = [](const char* what, std::int64_t k) {
        return std::string(what) + " <= " + formatGrouped(k);
    };

    std::vector<Constraint> out;
    out.push_back({"L1, A and B in one buffer" + times, saturatingMul((r + c) * tile.tk, e * buffering), l1,
                   "bytes", atMost("Kt", maxL1Depth(h, buffering, false))});
    out.push_back({"L1, A and B in separate buffers" + times,
                   saturatingMul(std::max(r, c) * tile.tk, e * buffering), l1, "bytes",
                   atMost("Kt", maxL1Depth(h, buffering, true))});
    const std::int64_t k2 = maxL2Depth(h);
    out.push_back({"L2, an output tile over all K", saturatingMul(r * gemm.k + gemm.k * c + r * c, e), l2,
                   "bytes",
                   atMost("K", k2) + ", " + formatGrouped(roundDown(k2, kTileDepth)) + " in steps of 16"});
    const std::string what =
        footprint == Footprint::Conservative ? ": the tile's A, B and C" : ": the tile's A and B";
    const std::int64_t bytes = saturatingMul(tileFootprint(tile, footprint), e);
    for (const auto& [name, memory] : {std::pair("L2", h.at(Level::L2)), std::pair("L3", h.at(Level::L3))})
        out.push_back({std::string(name) + ", " + roomText(memory.buffers, memory.buffers) + what,
                       bytes,
                       memory.totalBytes(),
                       "bytes",
                       {}});
    if (footprint == Footprint::Aggressive)
        out.push_back(
            {"PEs, one sum each: the tile's C",
             saturatingMul(saturatingMul(sumsPerPe(h.array, tile.ti, tile.tj), h.array.rows * h.array.cols),
                           e),
             h.array.rows * h.array.cols * e, "bytes",
             "Ti <= " + formatGrouped(h.array.rows) + ", Tj <= " + formatGrouped(h.array.cols)});
    const std::int64_t l3 = h.at(Level::L3).totalBytes();
    const auto panels = [&](const char* name, std::int64_t panelBytes, std::int64_t count) {
        out.push_back(
            {name, count, l3 / panelBytes, "panels",
             formatGrouped(l3 / panelBytes) + " fit at " + formatGrouped(panelBytes) + " bytes each"});
    };
    panels("L3, A row panels (Ti x K)", saturatingMul(tile.ti * gemm.k, e), ceilDiv(gemm.m, tile.ti));
    panels("L3, B column panels (K x Tj)", saturatingMul(gemm.k * tile.tj, e), ceilDiv(gemm.n, tile.tj));
    return out;
}

namespace {

/// Number of innermost tiles along a dimension of `size` that is cut by nested tile sizes. A smaller last
/// tile counts as one.
std::int64_t nestedTiles(std::int64_t size, std::span<const std::int64_t> steps)
{
    if (steps.empty())
        return 1;
    const std::int64_t step = std::min(size, steps.front());
    const std::int64_t whole = size / step;
    const std::int64_t rest = size % step;
    return whole * nestedTiles(step, steps.subspan(1)) + (rest > 0 ? nestedTiles(rest, steps.subspan(1)) : 0);
}

/// Bytes moved into level `n` (0 = L3) for the whole GEMM, by the model of LevelTile.
std::int64_t trafficInto(const Gemm& g, const std::array<LevelTile, 3>& levels, std::size_t n,
                         std::int64_t elementBytes)
{
    std::array<std::int64_t, 3> ti{};
    std::array<std::int64_t, 3> tj{};
    std::array<std::int64_t, 3> tk{};
    for (std::size_t l = 0; l <= n; ++l) {
        ti[l] = levels[l].tile.ti;
        tj[l] = levels[l].tile.tj;
        tk[l] = levels[l].tile.tk;
    }
    const auto along = [&](std::int64_t size, const std::array<std::int64_t, 3>& steps, std::size_t count) {
        return nestedTiles(size, std::span(steps).first(count));
    };
    // Number of visits to C: partial sums leave this level once per k tile of level `left - 1`, the innermost
    // level above whose tile is larger along i or j than the tile inside it.
    std::size_t left = 0;
    for (std::size_t l = 1; l <= n; ++l)
        if (ti[l] < ti[l - 1] || tj[l] < tj[l - 1])
            left = l;
    const std::int64_t visits = along(g.k, tk, left);
    const std::int64_t a = saturatingMul(g.m * g.k, along(g.n, tj, n + 1));
    const std::int64_t b = saturatingMul(g.k * g.n, along(g.m, ti, n + 1));
    const std::int64_t c = saturatingMul(g.m * g.n, 2 * visits - 1);
    return saturatingMul(saturatingAdd(saturatingAdd(a, b), c), elementBytes);
}

} // namespace

Result<ThreeLevelTiling> threeLevelTiling(const Hierarchy& h, const Gemm& gemm,
                                          const ThreeLevelOptions& options)
{
    for (const Status& ok : {checkHierarchy(h), checkGemm(gemm)})
        if (!ok)
            return ok.error();
    constexpr std::array kInside{Level::L3, Level::L2, Level::L1};
    ThreeLevelTiling out;
    for (std::size_t l = 0; l < kInside.size(); ++l) {
        const MemoryLevel& memory = h.at(kInside[l]);
        const LevelRoom& room = options.room[l];
        const std::string name(levelName(kInside[l]));
        if (room.buffers < 0 || room.buffers > memory.buffers)
            return Error{ErrorCode::Problem,
                         "the level has " + formatGrouped(memory.buffers) + " buffers, got " +
                             formatGrouped(room.buffers),
                         name,
                         {}};
        if (room.buffering < 1 || room.buffering > 64)
            return Error{ErrorCode::Problem,
                         "the buffering must be from 1 to 64, got " + formatGrouped(room.buffering),
                         name,
                         {}};
        out.level[l].level = kInside[l];
        out.level[l].capacityBytes = (room.buffers == 0 ? memory.buffers : room.buffers) * memory.bytes;
    }
    // The tile of a level is the GEMM that the level below cuts.
    Gemm inside = gemm;
    for (std::size_t l = 0; l < 2; ++l) {
        LevelTile& t = out.level[l];
        TileQuery q;
        q.gemm = inside;
        q.array = h.array;
        q.capacityBytes = t.capacityBytes;
        q.elementBytes = h.elementBytes;
        q.buffering = options.room[l].buffering;
        q.footprint = options.footprint;
        const auto choice = exhaustiveTile(q);
        if (!choice) {
            Error error = choice.error();
            error.path = std::string(levelName(t.level));
            return error;
        }
        t.tile = choice->tile;
        t.usedBytes = choice->footprintElements * h.elementBytes * q.buffering;
        inside = {t.tile.ti, t.tile.tj, t.tile.tk};
    }
    LevelTile& l1 = out.level[2];
    const std::int64_t r = std::min(h.array.rows, inside.m);
    const std::int64_t c = std::min(h.array.cols, inside.n);
    const std::int64_t perK = (r + c) * h.elementBytes * options.room[2].buffering;
    const std::int64_t depth = std::min<std::int64_t>({l1.capacityBytes / perK, 256, inside.k});
    if (depth < std::min(kTileDepth, inside.k))
        return Error{ErrorCode::Problem,
                     "no tile fits into the " + formatGrouped(l1.capacityBytes) + " bytes of L1; " +
                         formatGrouped(perK * std::min(kTileDepth, inside.k)) + " would do",
                     "l1",
                     {}};
    l1.tile = {r, c, depth == inside.k ? depth : roundDown(depth, kTileDepth)};
    l1.usedBytes = perK * l1.tile.tk;
    for (std::size_t l = 0; l < kInside.size(); ++l)
        out.level[l].trafficBytes = trafficInto(gemm, out.level, l, h.elementBytes);
    return out;
}

} // namespace tilewright::systolic
