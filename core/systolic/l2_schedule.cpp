// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/l2_schedule.h"

#include <algorithm>
#include <array>

namespace tilewright::systolic {

std::string_view l2ScheduleName(L2Schedule schedule) noexcept
{
    switch (schedule) {
    case L2Schedule::NoReuse:
        return "A";
    case L2Schedule::RowReuse:
        return "A + row reuse";
    case L2Schedule::FullReuse:
        return "A + full reuse";
    case L2Schedule::PartialC:
        return "B";
    }
    return "";
}

std::string_view l2ScheduleWord(L2Schedule schedule) noexcept
{
    constexpr std::array<std::string_view, 4> words{"a", "a-row", "a-full", "b"};
    return words[static_cast<std::size_t>(schedule)];
}

Result<L2Schedule> parseL2Schedule(std::string_view text)
{
    for (const L2Schedule s :
         {L2Schedule::NoReuse, L2Schedule::RowReuse, L2Schedule::FullReuse, L2Schedule::PartialC})
        if (text == l2ScheduleWord(s))
            return s;
    return Error{ErrorCode::Problem,
                 "expected a, a-row, a-full or b, got \"" + std::string(text) + "\"",
                 "schedule",
                 {}};
}

std::optional<std::int64_t> fewestPasses(std::int64_t nK, std::int64_t perK, std::int64_t output,
                                         std::int64_t room) noexcept
{
    // The tiles of one pass and of the next pass are in L2 at the same time.
    const std::int64_t held = room > output ? (room - output) / saturatingMul(2, perK) : 0;
    return held >= 1 ? std::optional(ceilDiv(nK, std::min(held, nK))) : std::nullopt;
}

std::int64_t passesOfB(std::int64_t nK, std::int64_t perK, std::int64_t output, std::int64_t room) noexcept
{
    const std::int64_t two = std::min<std::int64_t>(2, nK);
    return std::max(two, fewestPasses(nK, perK, output, room).value_or(two));
}

Result<std::vector<L2Plan>> l2Schedules(const Gemm& g, const TileShape& tile, std::int64_t elementBytes,
                                        std::int64_t l2Bytes, std::int64_t passes)
{
    for (const Status& ok : {checkGemm(g), checkTile(g, tile)})
        if (!ok)
            return ok.error();
    const std::int64_t nM = ceilDiv(g.m, tile.ti);
    const std::int64_t nN = ceilDiv(g.n, tile.tj);
    const std::int64_t nK = ceilDiv(g.k, tile.tk);
    if (passes < 0 || passes > nK)
        return Error{ErrorCode::Problem,
                     "must be from 1 to the number of k tiles, " + std::to_string(nK) + ", got " +
                         std::to_string(passes),
                     "passes",
                     {}};
    // Overflow check. No sum below exceeds 16 * max(nM, nN, nK) times the largest matrix, because smaller
    // last tiles at most double each side of a matrix.
    const std::int64_t worst = std::max({g.m * g.k, g.k * g.n, g.m * g.n});
    const auto most = checkedMul(worst, 16 * std::max({nM, nN, nK}));
    if (elementBytes < 1 || !most || !checkedMul(*most, elementBytes))
        return Error{ErrorCode::Problem, "the traffic in bytes overflows", "gemm", {}};

    const std::int64_t a = g.m * g.k * elementBytes;
    const std::int64_t b = g.k * g.n * elementBytes;
    const std::int64_t c = g.m * g.n * elementBytes;
    const std::int64_t tileA = tile.ti * tile.tk * elementBytes;
    const std::int64_t tileB = tile.tk * tile.tj * elementBytes;
    const std::int64_t tileC = tile.ti * tile.tj * elementBytes;
    const auto plan = [&](L2Schedule schedule, std::int64_t tiles, std::int64_t reads, std::int64_t writes) {
        L2Plan p;
        p.schedule = schedule;
        p.trafficTiles = tiles;
        p.readBytes = reads;
        p.writeBytes = writes;
        return p;
    };
    /// Sets the L2 space that A and B tiles (single- and double-buffered) and one C tile need.
    const auto need = [&](L2Plan p, std::int64_t a1, std::int64_t b1, std::int64_t a2, std::int64_t b2) {
        p.minTiles = a1 + b1 + 1;
        p.minBytes = a1 * tileA + b1 * tileB + tileC;
        p.doubleTiles = a2 + b2 + 1;
        p.doubleBytes = a2 * tileA + b2 * tileB + tileC;
        p.fits = p.doubleBytes <= l2Bytes;
        return p;
    };
    std::vector<L2Plan> plans;
    plans.push_back(
        need(plan(L2Schedule::NoReuse, nM * nN * (2 * nK + 1), a * nN + b * nM, c), nK, nK, 2 * nK, 2 * nK));
    plans.push_back(
        need(plan(L2Schedule::RowReuse, nM * (nK + nK * nN + nN), a + b * nM, c), nK, nK, nK, 2 * nK));
    plans.push_back(need(plan(L2Schedule::FullReuse, nM * nK + nK * nN + nM * nN, a + b, c), nM * nK, nK * nN,
                         nM * nK, nK * nN));
    if (passes == 0)
        passes = passesOfB(nK, tileA + tileB, tileC, l2Bytes);
    const std::int64_t held = ceilDiv(nK, passes);
    L2Plan partial = need(plan(L2Schedule::PartialC, nM * nN * (2 * nK + (passes - 1) + passes),
                               a * nN + b * nM + c * (passes - 1), c * passes),
                          held, held, 2 * held, 2 * held);
    partial.passes = passes;
    plans.push_back(partial);
    return plans;
}

std::optional<L2Plan> bestL2Schedule(const std::vector<L2Plan>& plans)
{
    std::optional<L2Plan> best;
    for (const L2Plan& plan : plans)
        if (plan.fits &&
            (!best || plan.trafficBytes() < best->trafficBytes() ||
             (plan.trafficBytes() == best->trafficBytes() && plan.doubleBytes < best->doubleBytes)))
            best = plan;
    return best;
}

std::int64_t BankMap::bankA(std::int64_t i, std::int64_t k) const noexcept
{
    return (i * nK + k) % (layout == BankLayout::Seed ? banks : banks / 2);
}

std::int64_t BankMap::bankB(std::int64_t k, std::int64_t j) const noexcept
{
    if (layout == BankLayout::Seed)
        return (k * nN + j + banks / 2) % banks;
    return banks / 2 + (k * nN + j) % (banks - banks / 2);
}

Result<BankConflicts> bankConflicts(const BankMap& map, std::int64_t nM, std::size_t limit)
{
    const std::int64_t least = map.layout == BankLayout::Seed ? 1 : 2;
    if (map.banks < least)
        return Error{ErrorCode::Problem,
                     "the layout needs at least " + std::to_string(least) + " banks, got " +
                         std::to_string(map.banks),
                     "banks",
                     {}};
    const auto plane = checkedMul(nM, map.nN);
    const auto steps = plane ? checkedMul(*plane, map.nK) : std::nullopt;
    if (nM < 1 || map.nN < 1 || map.nK < 1 || !steps || *steps > (std::int64_t{1} << 32))
        return Error{ErrorCode::Problem, "the number of steps must be from 1 to 2^32", "tiles", {}};
    BankConflicts out;
    out.steps = *steps;
    for (std::int64_t i = 0; i < nM; ++i)
        for (std::int64_t j = 0; j < map.nN; ++j)
            for (std::int64_t k = 0; k < map.nK; ++k)
                if (map.conflicts(i, j, k)) {
                    ++out.count;
                    if (out.listed.size() < limit)
                        out.listed.push_back({i, j, k, map.bankA(i, k)});
                }
    return out;
}

} // namespace tilewright::systolic
