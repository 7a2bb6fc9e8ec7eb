// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/hierarchy.h"

#include "base/text.h"

#include <algorithm>
#include <cmath>

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

std::vector<Constraint> tileConstraints(const Hierarchy& h, const Gemm& gemm, const TileShape& tile,
                                        std::int64_t buffering)
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
    out.push_back({"L2, one output tile resident over all of K",
                   saturatingMul(r * gemm.k + gemm.k * c + r * c, e), l2, "bytes",
                   atMost("K", k2) + ", " + formatGrouped(roundDown(k2, kTileDepth)) + " in steps of 16"});
    out.push_back({"L2, the chosen tile (conservative)",
                   saturatingMul(tileFootprint(tile, Footprint::Conservative), e),
                   h.at(Level::L2).totalBytes(),
                   "bytes",
                   {}});
    out.push_back({"L3, the chosen tile (conservative)",
                   saturatingMul(tileFootprint(tile, Footprint::Conservative), e),
                   h.at(Level::L3).totalBytes(),
                   "bytes",
                   {}});
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

Result<ThreeLevelTiling> threeLevelTiling(const Hierarchy& h, const Gemm& gemm, Footprint footprint,
                                          std::int64_t l1Buffering)
{
    for (const Status& ok : {checkHierarchy(h), checkGemm(gemm)})
        if (!ok)
            return ok.error();
    ThreeLevelTiling out;
    // The GEMM that a level sees is the tile of the level above; its traffic repeats for each of those tiles.
    Gemm inside = gemm;
    for (const auto& [index, level] : {std::pair{0, Level::L3}, {1, Level::L2}}) {
        TileQuery q;
        q.gemm = inside;
        q.array = h.array;
        q.capacityBytes = h.at(level).totalBytes();
        q.elementBytes = h.elementBytes;
        q.footprint = footprint;
        const auto choice = exhaustiveTile(q);
        if (!choice) {
            Error error = choice.error();
            error.path = std::string(levelName(level));
            return error;
        }
        LevelTile& t = out.level[static_cast<std::size_t>(index)];
        t.level = level;
        t.tile = choice->tile;
        t.capacityBytes = q.capacityBytes;
        t.usedBytes = choice->footprintElements * h.elementBytes;
        inside = {t.tile.ti, t.tile.tj, t.tile.tk};
    }
    LevelTile& l1 = out.level[2];
    l1.level = Level::L1;
    l1.capacityBytes = h.at(Level::L1).bytes;
    const std::int64_t r = std::min(h.array.rows, inside.m);
    const std::int64_t c = std::min(h.array.cols, inside.n);
    const std::int64_t fit = l1.capacityBytes / ((r + c) * h.elementBytes * l1Buffering);
    const std::int64_t depth = std::min<std::int64_t>({fit, 256, inside.k});
    if (depth < std::min(kTileDepth, inside.k))
        return Error{
            ErrorCode::Problem,
            "no tile fits into one L1 buffer of " + formatGrouped(l1.capacityBytes) + " bytes; " +
                formatGrouped((r + c) * std::min(kTileDepth, inside.k) * h.elementBytes * l1Buffering) +
                " would do",
            "l1",
            {}};
    l1.tile = {r, c, depth == inside.k ? depth : roundDown(depth, kTileDepth)};
    l1.usedBytes = (r + c) * l1.tile.tk * h.elementBytes * l1Buffering;

    // Into L3 once for the GEMM; into a lower level for every tile of the level above, each with its own
    // k chunks (partial C returns for every k tile of the level above but the first).
    Gemm outer = gemm;
    std::int64_t kTiles = 1;
    for (LevelTile& t : out.level) {
        const std::int64_t a =
            saturatingMul(gemm.m * gemm.k, ceilDiv(outer.n, t.tile.tj) * ceilDiv(gemm.n, outer.n));
        const std::int64_t b =
            saturatingMul(gemm.k * gemm.n, ceilDiv(outer.m, t.tile.ti) * ceilDiv(gemm.m, outer.m));
        const std::int64_t cc = saturatingMul(gemm.m * gemm.n, 2 * kTiles - 1);
        t.trafficBytes = saturatingMul(saturatingAdd(saturatingAdd(a, b), cc), h.elementBytes);
        kTiles = ceilDiv(gemm.k, t.tile.tk);
        outer = {t.tile.ti, t.tile.tj, t.tile.tk};
    }
    return out;
}

} // namespace tilewright::systolic
