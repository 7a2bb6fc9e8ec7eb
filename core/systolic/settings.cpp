// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/settings.h"

#include <algorithm>

namespace tilewright::systolic {

TileQuery Settings::tileQuery() const
{
    TileQuery q;
    q.gemm = gemm;
    q.array = hierarchy.array;
    q.elementBytes = hierarchy.elementBytes;
    const MemoryLevel& level = hierarchy.at(tileLevel);
    q.capacityBytes = wholeLevel ? level.totalBytes() : level.bytes;
    q.buffering = buffering;
    q.footprint = footprint;
    return q;
}

std::optional<TileShape> Settings::programTile() const
{
    if (ownTile || !searchedTile)
        return ownTile;
    const auto choice = chooseTile(tileQuery(), method);
    return choice && choice->fits ? std::optional(choice->tile) : std::nullopt;
}

namespace {

/// True if both queries have equal products and memories.
bool sameQuery(const TileQuery& a, const TileQuery& b)
{
    return a.capacityBytes == b.capacityBytes && a.buffering == b.buffering && a.footprint == b.footprint;
}

} // namespace

bool sameArrayRun(const Settings& a, const Settings& b)
{
    return a.gemm == b.gemm && a.timing == b.timing && a.hierarchy.array == b.hierarchy.array &&
           a.supply == b.supply;
}

bool samePrograms(const Settings& a, const Settings& b)
{
    return a.gemm == b.gemm && a.hierarchy == b.hierarchy && a.unlimitedBandwidth == b.unlimitedBandwidth &&
           a.layout == b.layout && a.depth == b.depth && a.timing.dataflow == b.timing.dataflow &&
           a.timing.weightBuffers == b.timing.weightBuffers && a.schedule == b.schedule &&
           a.passes == b.passes && a.ownTile == b.ownTile && a.searchedTile == b.searchedTile &&
           (a.ownTile || !a.searchedTile ||
            (a.method == b.method && sameQuery(a.tileQuery(), b.tileQuery())));
}

Status checkSettings(const Settings& s)
{
    for (const Status& ok : {checkGemm(s.gemm), checkArray(s.hierarchy.array), checkHierarchy(s.hierarchy),
                             checkSupply(s.supply), checkTileQuery(s.tileQuery())})
        if (!ok)
            return ok.error();
    if (s.ownTile)
        return checkTile(s.gemm, *s.ownTile);
    return Unit{};
}

} // namespace tilewright::systolic
