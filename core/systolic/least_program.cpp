// SPDX-License-Identifier: GPL-3.0-or-later
// What no program of a product goes below (docs/rules/systolic.md 8).
#include "systolic/stationary.h"

#include "base/text.h"
#include "systolic/dram_traffic.h"
#include "systolic/pipeline.h"
#include "systolic/program_plan.h"

#include <algorithm>
#include <cmath>

namespace tilewright::systolic {

namespace {

/// A dimension cut into tiles, each of which is cut into blocks of the size of the array.
struct Cut
{
    std::int64_t blocks = 0; ///< number of blocks of all tiles
    std::int64_t first = 0;  ///< size of the first block
    std::int64_t last = 0;   ///< size of the last block
    bool whole = false;      ///< true if the tiles do not change the blocks into which the dimension is cut

    Cut(std::int64_t size, std::int64_t tile, std::int64_t block)
        : blocks(size / tile * ceilDiv(tile, block) + ceilDiv(size % tile, block)),
          first(std::min(tile, block)), last(((size - 1) % tile) % block + 1),
          whole(tile == size || tile % block == 0)
    {
    }
};

/// Bytes of `elements` elements that are each moved `times` times.
struct Moved
{
    const Gemm& gemm;
    std::int64_t e;

    [[nodiscard]] std::int64_t a(std::int64_t times) const { return bytes(gemm.m * gemm.k, times); }
    [[nodiscard]] std::int64_t b(std::int64_t times) const { return bytes(gemm.k * gemm.n, times); }
    [[nodiscard]] std::int64_t c(std::int64_t times) const { return bytes(gemm.m * gemm.n, times); }

private:
    [[nodiscard]] std::int64_t bytes(std::int64_t elements, std::int64_t times) const
    {
        return saturatingMul(saturatingMul(elements, e), times);
    }
};

std::int64_t sum(std::initializer_list<std::int64_t> parts)
{
    std::int64_t out = 0;
    for (const std::int64_t part : parts)
        out = saturatingAdd(out, part);
    return out;
}

PortBytes bytesOfOs(const Program& p)
{
    const Gemm& g = p.options.gemm;
    const Moved moved{g, p.options.elementBytes};
    const bool again = p.schedule == L2Schedule::NoReuse || p.schedule == L2Schedule::PartialC;
    const bool full = p.schedule == L2Schedule::FullReuse;
    const std::int64_t a = again ? p.nN : 1, b = full ? 1 : p.nM;
    const Cut rows(g.m, p.tile.ti, p.options.array.rows), cols(g.n, p.tile.tj, p.options.array.cols);
    return {sum({moved.a(p.aInL3 ? 1 : a), moved.b(p.bInL3 ? 1 : b), moved.c(1)}),
            sum({moved.a(a), moved.b(b)}),
            sum({moved.a(cols.blocks), moved.b(rows.blocks), moved.c(p.passes - 1)}), moved.c(p.passes)};
}

/// Bytes of WS and IS programs. As in stationary.cpp, names and comments describe WS. A block of weights that
/// the array loads again counts once.
PortBytes bytesOfStationary(const Program& p)
{
    const Stationary of(p);
    const Moved moved{of.gemm, p.options.elementBytes};
    const bool kept = of.transposed ? p.bInL3 : p.aInL3;
    const std::int64_t spilled = p.spillsC ? of.nK - 1 : 0;
    const Cut rows(of.gemm.k, of.tile.tk, of.rows), cols(of.gemm.n, of.tile.tj, of.cols);
    return {sum({moved.a(kept ? 1 : of.nJ), moved.b(1), moved.c(1 + 2 * spilled)}),
            sum({moved.a(of.nJ), moved.b(1), moved.c(spilled)}),
            sum({moved.a(cols.blocks), moved.b(1), moved.c(rows.blocks - 1)}), moved.c(rows.blocks)};
}

/// Least cycles of the array. If tiles have their own blocks, operands enter one step per cycle, block by
/// block, weights of WS and IS enter one row per cycle, and at the end the wave of the last block leaves the
/// array.
std::int64_t arrayCyclesOf(const Program& p)
{
    const ProgramOptions& o = p.options;
    const Stationary of(p);
    const bool os = o.dataflow == Dataflow::Os;
    const Cut rows = os ? Cut(o.gemm.m, p.tile.ti, of.rows) : Cut(of.gemm.k, of.tile.tk, of.rows);
    const Cut cols(of.gemm.n, of.tile.tj, of.cols);
    if (rows.whole && cols.whole)
        return arrayTiming(o.gemm, o.array, {o.dataflow, Readout::Shadow, static_cast<int>(o.weightBuffers)})
            .cycles;
    const std::int64_t streamed =
        saturatingMul(saturatingMul(rows.blocks, cols.blocks), os ? o.gemm.k : of.gemm.m);
    // The last step streams at least one row past the weights that were loaded last.
    const std::int64_t loaded = os ? 0 : sum({saturatingMul(of.gemm.k, cols.blocks), 1});
    return sum({std::max(sum({os ? 0 : rows.first, streamed}), loaded), rows.last + cols.last - 2});
}

} // namespace

std::optional<LeastProgram> leastProgram(ProgramOptions o)
{
    if (!o.tile) {
        o.tile = arrayTile(o.gemm, o.array, o.dataflow);
        if (o.dataflow == Dataflow::Os)
            o.tile->tk = std::min(o.depth, o.gemm.k);
    }
    // The deepest steps give the fewest commands. Smaller depths that fit into L1 move the same bytes.
    o.depth = std::max({o.gemm.m, o.gemm.n, o.gemm.k});
    o.capacityBytes[2] = 0;
    o.schedule.reset();
    std::optional<LeastProgram> out;
    const auto add = [&](ProgramStyle style, std::optional<L2Schedule> schedule) {
        o.style = style;
        o.schedule = schedule;
        const auto plan = planProgram(o);
        if (!plan)
            return;
        const bool os = o.dataflow == Dataflow::Os;
        const PortBytes bytes = os ? bytesOfOs(*plan) : bytesOfStationary(*plan);
        if (!out) {
            out = LeastProgram{bytes, arrayCyclesOf(*plan)};
            return;
        }
        PortBytes& least = out->bytes;
        least = {std::min(least.dma, bytes.dma), std::min(least.blockMover, bytes.blockMover),
                 std::min(least.streamer, bytes.streamer), std::min(least.drain, bytes.drain)};
    };
    add(ProgramStyle::Pipelined, {});
    add(ProgramStyle::Barriered, {});
    if (o.dataflow == Dataflow::Os)
        for (const L2Schedule s : {L2Schedule::NoReuse, L2Schedule::RowReuse, L2Schedule::FullReuse})
            add(ProgramStyle::Pipelined, s);
    return out;
}

std::optional<std::int64_t> commandsOf(const ProgramOptions& options)
{
    const auto plan = planProgram(options);
    return plan ? std::optional(mostCommands(*plan)) : std::nullopt;
}

double secondsOf(std::int64_t commands) noexcept
{
    constexpr double kCommandsPerSecond = 1.5e6; // measured on one core of a server of 2023
    return static_cast<double>(commands) / kCommandsPerSecond;
}

Status checkLength(const ProgramOptions& options, std::int64_t most)
{
    const std::int64_t commands = commandsOf(options).value_or(0);
    if (commands > kMaxCommands)
        return programError("the program has up to " + formatGrouped(commands) + " commands, more than " +
                                formatGrouped(kMaxCommands) + ", the most that can be numbered",
                            "gemm");
    if (most <= 0 || commands <= most)
        return Unit{};
    return programError("the program has up to " + formatGrouped(commands) + " commands, more than " +
                            formatGrouped(most) + ", about " + formatGrouped(std::ceil(secondsOf(commands))) +
                            " s to run",
                        "gemm");
}

std::optional<std::int64_t> leastCycles(const Hierarchy& h, const ProgramOptions& options)
{
    const auto least = leastProgram(options);
    if (!least)
        return std::nullopt;
    std::int64_t cycles = least->cycles;
    const PipelineMachine machine = machineOf(h);
    for (const auto& [resource, bytes] : {std::pair{Resource::Dma, least->bytes.dma},
                                          {Resource::BlockMover, least->bytes.blockMover},
                                          {Resource::Streamer, least->bytes.streamer},
                                          {Resource::Drain, least->bytes.drain}})
        cycles =
            std::max(cycles, static_cast<std::int64_t>(std::ceil(std::min(
                                 9e18, static_cast<double>(bytes) / machine.at(resource).bytesPerCycle))));
    return cycles;
}

} // namespace tilewright::systolic
