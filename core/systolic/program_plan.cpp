// SPDX-License-Identifier: GPL-3.0-or-later
#include "systolic/program_plan.h"

#include "base/text.h"

#include <algorithm>

namespace tilewright::systolic {

Error programError(std::string message, std::string path)
{
    return {ErrorCode::Problem, std::move(message), std::move(path), {}};
}

std::string bytesText(std::int64_t bytes)
{
    return formatGrouped(bytes) + " bytes";
}

TileBytes::TileBytes(const TileShape& t, std::int64_t e)
    : a(saturatingMul(t.ti * t.tk, e)), b(saturatingMul(t.tk * t.tj, e)), c(saturatingMul(t.ti * t.tj, e))
{
}

Status checkDepth(const Program& p)
{
    const ProgramOptions& o = p.options;
    const std::int64_t perDepth =
        saturatingMul(saturatingMul(fedLanes(o.array, p.tile, o.dataflow), o.elementBytes), o.l1Slots);
    const std::int64_t l1 = o.capacityBytes[2];
    if (l1 > 0 && saturatingMul(perDepth, o.depth) > l1)
        return programError(
            "k steps of depth " + formatGrouped(o.depth) + " need " +
                bytesText(saturatingMul(perDepth, o.depth)) + " of L1, it has " + bytesText(l1) +
                (l1 >= perDepth ? "; a depth of " + formatGrouped(l1 / perDepth) + " fits" : ""),
            "l1");
    return Unit{};
}

namespace {

/// Sets the schedule and its passes: those of the options, or the best ones that fit into L2.
Status chooseSchedule(Program& p)
{
    const ProgramOptions& o = p.options;
    const TileBytes bytes(p.tile, o.elementBytes);
    const std::int64_t c = saturatingAdd(bytes.c, (o.l2OutputSlots - 1) * (p.blocks() > 1 ? 0 : bytes.c));
    const std::int64_t room = o.capacityBytes[1];
    const auto need = [&](std::int64_t a, std::int64_t b) {
        return saturatingAdd(saturatingAdd(saturatingMul(a, bytes.a), saturatingMul(b, bytes.b)), c);
    };
    if (o.style == ProgramStyle::Barriered) {
        p.schedule = p.blocks() > 1 ? L2Schedule::PartialC : L2Schedule::NoReuse;
        p.passes = p.blocks() > 1 ? p.nK : 1;
        if (room > 0 && need(1, 1) > room)
            return programError("a k step keeps a tile of A, B and C in L2, " + bytesText(need(1, 1)) +
                                    "; it has " + bytesText(room),
                                "l2");
        return Unit{};
    }
    const auto needOf = [&](L2Schedule schedule, std::int64_t passes) {
        const std::int64_t held = ceilDiv(p.nK, passes);
        switch (schedule) {
        case L2Schedule::RowReuse:
            return need(p.nK, 2 * p.nK);
        case L2Schedule::FullReuse:
            return need(saturatingMul(p.nM, p.nK), saturatingMul(p.nK, p.nN));
        case L2Schedule::NoReuse:
        case L2Schedule::PartialC:
            break;
        }
        return need(2 * held, 2 * held);
    };
    p.schedule = o.schedule.value_or(L2Schedule::RowReuse);
    const std::int64_t perK = saturatingAdd(bytes.a, bytes.b);
    if (p.schedule != L2Schedule::PartialC)
        p.passes = 1;
    else if (o.passes != 0)
        p.passes = o.passes;
    else
        p.passes = room > 0 ? passesOfB(p.nK, perK, c, room) : std::min<std::int64_t>(2, p.nK);
    if (p.passes < 1 || p.passes > p.nK)
        return programError("must be from 1 to the number of k tiles, " + std::to_string(p.nK) + ", got " +
                                std::to_string(p.passes),
                            "passes");
    const std::int64_t wanted = needOf(p.schedule, p.passes);
    const bool fits = room == 0 || wanted <= room;
    const std::string why = "schedule " + std::string(l2ScheduleName(p.schedule)) + " needs " +
                            bytesText(wanted) + " of L2, it has " + bytesText(room);
    if (!fits && o.schedule)
        return programError(why, "l2");
    if (!fits) {
        const auto passes = fewestPasses(p.nK, perK, c, room);
        if (!passes)
            return programError(why + "; schedule B needs at least " +
                                    bytesText(saturatingAdd(saturatingMul(2, perK), c)),
                                "l2");
        p.schedule = L2Schedule::PartialC;
        p.passes = *passes;
        p.reason = why + ": schedule B, partial sums in L2";
    }
    return Unit{};
}

/// Sets the number of slots of every buffer. Returns an Error if L3 or L1 is too small.
Status assignSlots(Program& p)
{
    const ProgramOptions& o = p.options;
    const TileBytes bytes(p.tile, o.elementBytes);
    const auto slots = [&](Pool pool) -> std::int64_t& {
        return p.poolSlots[static_cast<std::size_t>(pool)];
    };
    const bool pipelined = o.style == ProgramStyle::Pipelined;
    const std::int64_t held = ceilDiv(p.nK, p.passes);
    const auto share = [&](std::int64_t size) { // docs/rules/systolic.md 7: 40 % of L3 for A, 40 % for B
        return static_cast<double>(size) * static_cast<double>(o.gemm.k) *
                   static_cast<double>(o.elementBytes) <=
               0.4 * static_cast<double>(o.l3Bytes);
    };
    const bool again = p.schedule == L2Schedule::NoReuse || p.schedule == L2Schedule::PartialC;
    p.aInL3 = pipelined && again && share(p.tile.ti);
    p.bInL3 = pipelined && share(o.gemm.n);
    slots(Pool::L3A) = pipelined ? (p.aInL3 || !again ? p.nK : held) : 1;
    slots(Pool::L3B) = p.bInL3 ? p.nK * p.nN : pipelined ? 2 * held : 1;
    slots(Pool::L2A) = 1;
    slots(Pool::L2B) = 1;
    if (pipelined) {
        const bool full = p.schedule == L2Schedule::FullReuse;
        slots(Pool::L2A) = full ? p.nM * p.nK : again ? 2 * held : p.nK;
        slots(Pool::L2B) = full ? p.nK * p.nN : 2 * held;
    }
    slots(Pool::L2C) = std::max(o.l2OutputSlots, p.blocks());
    p.outputTiles = p.blocks() > 1 ? 1 : slots(Pool::L2C);
    slots(Pool::L1A) = slots(Pool::L1B) = o.l1Slots;
    slots(Pool::Accumulator) = o.accumulators;

    // Streamed operands get fewer slots if L3 is too small for all of them.
    const std::int64_t l3 = o.capacityBytes[0];
    const auto inL3 = [&] {
        return saturatingAdd(saturatingMul(slots(Pool::L3A), bytes.a),
                             saturatingMul(slots(Pool::L3B), bytes.b));
    };
    if (l3 > 0 && inL3() > l3) {
        const auto part = static_cast<std::int64_t>(0.4 * static_cast<double>(l3));
        if (!p.aInL3)
            slots(Pool::L3A) = std::clamp<std::int64_t>(part / bytes.a, 1, slots(Pool::L3A));
        if (!p.bInL3)
            slots(Pool::L3B) = std::clamp<std::int64_t>(part / bytes.b, 1, slots(Pool::L3B));
        if (inL3() > l3)
            return programError("a tile of A and one of B need " + bytesText(inL3()) + " of L3, it has " +
                                    bytesText(l3),
                                "l3");
    }
    return checkDepth(p);
}

} // namespace

std::int64_t mostCommands(const Program& p)
{
    const ProgramOptions& o = p.options;
    if (o.dataflow != Dataflow::Os)
        return maxStationaryCommands(p);
    const auto times = [](std::int64_t a, std::int64_t b, std::int64_t c) {
        return saturatingMul(saturatingMul(a, b), c);
    };
    const std::int64_t blocks = times(p.nM, p.nN, p.blocks());
    const std::int64_t steps = times(blocks, p.nK, ceilDiv(p.tile.tk, o.depth));
    const std::int64_t tiles = times(p.nM, p.nN, p.nK);
    // Numbers of commands. Per step: two feeds and a compute. Per step of a tile: two loads, two moves and
    // three barriers (barriered only). Per block and pass: one read of a partial sum, a drain, a store.
    const std::int64_t perTile = o.style == ProgramStyle::Barriered ? 7 : 4;
    return saturatingAdd(saturatingAdd(saturatingMul(steps, 3), saturatingMul(tiles, perTile)),
                         times(blocks, p.passes, 3));
}

std::int64_t Program::blocks() const noexcept
{
    return ceilDiv(tile.ti, options.array.rows) * ceilDiv(tile.tj, options.array.cols);
}

std::int64_t Program::l2Bytes() const noexcept
{
    const TileBytes bytes(tile, options.elementBytes);
    return poolSlots[static_cast<std::size_t>(Pool::L2A)] * bytes.a +
           poolSlots[static_cast<std::size_t>(Pool::L2B)] * bytes.b +
           (outputTiles + poolSlots[static_cast<std::size_t>(Pool::L2P)]) * bytes.c;
}

Result<Program> planProgram(const ProgramOptions& o)
{
    for (const Status& ok : {checkGemm(o.gemm), checkArray(o.array)})
        if (!ok)
            return ok.error();
    if (o.depth < 1 || o.elementBytes < 1 || o.l2OutputSlots < 1 || o.l1Slots < 1 || o.accumulators < 1)
        return programError("depth, element size and numbers of slots must be at least 1", "program");
    if (o.banks < (o.layout == BankLayout::Split ? 2 : 1))
        return programError("the bank layout needs more banks", "banks");
    if (o.dataflow != Dataflow::Os)
        return planStationary(o);
    Program p;
    p.options = o;
    p.tile = {std::min(o.array.rows, o.gemm.m), std::min(o.array.cols, o.gemm.n),
              std::min(o.depth, o.gemm.k)};
    if (o.tile) {
        if (const auto ok = checkTile(o.gemm, *o.tile); !ok)
            return ok.error();
        p.tile = *o.tile;
    }
    p.options.depth = std::min(o.depth, p.tile.tk);
    p.nM = ceilDiv(o.gemm.m, p.tile.ti);
    p.nN = ceilDiv(o.gemm.n, p.tile.tj);
    p.nK = ceilDiv(o.gemm.k, p.tile.tk);
    for (const Status& ok : {chooseSchedule(p), assignSlots(p)})
        if (!ok)
            return ok.error();
    return p;
}

} // namespace tilewright::systolic
