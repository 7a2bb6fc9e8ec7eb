// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/no_tile.h"

#include "base/integer.h"
#include "base/text.h"

#include <algorithm>
#include <array>

namespace tilewright::systolic {

namespace {

/// The candidate that is smallest on every axis.
TileShape leastTile(const TileQuery& q)
{
    return {std::min(q.gemm.m, q.array.rows), std::min(q.gemm.n, q.array.cols),
            std::min(q.gemm.k, kTileDepth)};
}

/// Bytes of the smallest candidate tile.
std::int64_t leastBytes(const TileQuery& q, Footprint footprint, std::int64_t buffering)
{
    return saturatingMul(saturatingMul(tileFootprint(leastTile(q), footprint), q.elementBytes), buffering);
}

} // namespace

std::optional<Exclusion> whyNoTile(const TileQuery& q, Footprint footprint)
{
    enum : std::size_t { kCapacity, kBuffering, kFootprint };
    const bool hasC = footprint == Footprint::Conservative;
    const auto needs = [&](const std::vector<std::size_t>& kept) {
        const auto isKept = [&](std::size_t limit) { return std::ranges::count(kept, limit) > 0; };
        return leastBytes(q, hasC && isKept(kFootprint) ? Footprint::Conservative : Footprint::Aggressive,
                          isKept(kBuffering) ? q.buffering : 1);
    };
    const auto excludes = [&](const std::vector<std::size_t>& kept) {
        return std::ranges::count(kept, kCapacity) > 0 && needs(kept) > q.capacityBytes;
    };
    if (!excludes({kCapacity, kBuffering, kFootprint}))
        return std::nullopt;
    Exclusion out;
    const std::vector<std::size_t> core = smallestExcluding(3, excludes);
    for (const std::size_t limit : core) {
        if (limit == kCapacity) {
            out.limits.push_back(
                {"capacity",
                 formatGrouped(q.capacityBytes) + " bytes",
                 {"a capacity of " + formatGrouped(leastBytes(q, footprint, q.buffering)) + " bytes"}});
        } else if (limit == kBuffering) {
            ExcludingLimit buffering{"buffering", formatGrouped(q.buffering), {}};
            if (const std::int64_t most = q.capacityBytes / leastBytes(q, footprint, 1); most >= 1)
                buffering.enough.push_back("buffering " + formatGrouped(most));
            out.limits.push_back(std::move(buffering));
        } else {
            // In a query with the aggressive footprint, only the analytic method counts C.
            const bool isAsked = q.footprint == footprint;
            ExcludingLimit c{isAsked ? "footprint" : "method", isAsked ? "conservative" : "analytic", {}};
            if (leastBytes(q, Footprint::Aggressive, q.buffering) <= q.capacityBytes)
                c.enough.push_back(isAsked ? "footprint aggressive" : "method exhaustive");
            out.limits.push_back(std::move(c));
        }
    }
    const TileShape least = leastTile(q);
    out.because = "the smallest tile " + formatGrouped(least.ti) + "x" + formatGrouped(least.tj) + "x" +
                  formatGrouped(least.tk) + " takes " + formatGrouped(needs(core)) + " bytes";
    return out;
}

Error nothingFits(const TileQuery& q, Footprint footprint)
{
    const auto why = whyNoTile(q, footprint);
    return {ErrorCode::Problem,
            "no tile fits into " + formatGrouped(q.capacityBytes) + " bytes" +
                (why ? "; " + why->text() : std::string()),
            "capacity",
            {}};
}

} // namespace tilewright::systolic
