// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/hierarchy.h"
#include "systolic/l2_schedule.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Commands of docs/rules/systolic.md 4.1.
enum class CommandKind {
    DmaLoad,        ///< DRAM -> L3
    DmaPrefetch,    ///< the same, ahead of its use
    BmMove,         ///< L3 -> L2
    StrFeedRows,    ///< L2 -> L1 -> west edge
    StrFeedCols,    ///< L2 -> L1 -> north edge
    StrFeedWeights, ///< L2 -> stationary registers, over the north edge (WS, IS)
    StrFeedPartial, ///< L2 -> accumulators: a partial sum returns
    Compute,        ///< one k step of one output block
    StrDrain,       ///< array -> L2
    DmaStore,       ///< L2 -> DRAM
    Barrier,        ///< everything before it ends before anything after it starts
};

enum class Resource { Dma, BlockMover, Streamer, Array, Drain };
inline constexpr std::array kResources{Resource::Dma, Resource::BlockMover, Resource::Streamer,
                                       Resource::Array, Resource::Drain};

/// Buffers of whole tiles; each is a ring: the n-th tile written goes to slot n mod size. In programs of WS
/// and IS a block of C keeps its slot of L2C while its sum grows. L2P: partial sums come back from DRAM.
enum class Pool { L3A, L3B, L3C, L2A, L2B, L2C, L2P, L1A, L1B, Weights, Accumulator };
inline constexpr std::size_t kPools = 11;

enum class ProgramStyle { Barriered, Pipelined };

[[nodiscard]] std::string_view commandName(CommandKind kind) noexcept;   ///< "DMA_LOAD", ...
[[nodiscard]] std::string_view resourceName(Resource resource) noexcept; ///< "dma", "block_mover", ...
[[nodiscard]] std::string_view poolName(Pool pool) noexcept;             ///< "L3.A", ...
[[nodiscard]] std::string_view programStyleName(ProgramStyle style) noexcept;
[[nodiscard]] Result<ProgramStyle> parseProgramStyle(std::string_view text);
/// The resource that executes a command; a barrier has none.
[[nodiscard]] std::optional<Resource> resourceOf(CommandKind kind) noexcept;

struct Command
{
    CommandKind kind = CommandKind::Barrier;
    Matrix matrix = Matrix::A;
    std::int64_t i = 0; ///< tile coordinates: A[i,k], B[k,j], C[i,j]
    std::int64_t j = 0;
    std::int64_t k = 0;
    std::int64_t bi = 0; ///< array-sized block of the tile: row, column, step over its k
    std::int64_t bj = 0;
    std::int64_t bk = 0;
    std::int64_t bytes = 0;
    std::int64_t cycles = 0; ///< Compute: operands fed
    /// Compute: cycles from the last operand's entry to the last MAC (r + c - 2). StrFeedWeights: the block
    /// moves to its place row by row (r).
    std::int64_t tail = 0;
    std::optional<Pool> pool; ///< where the result goes
    std::int64_t slot = 0;
    bool bankConflict = false;        ///< its tile lies in the bank of the other operand of the same step
    std::vector<std::uint32_t> waits; ///< commands whose results must be ready before this one starts
    std::vector<std::uint32_t> reads; ///< commands whose slots stay occupied until this one ends
};

/// What to build a program for.
struct ProgramOptions
{
    Gemm gemm;
    ArrayShape array;
    Dataflow dataflow = Dataflow::Os;
    std::int64_t weightBuffers = 2; ///< sets of stationary registers of WS and IS, 1 or 2
    /// Operands that one COMPUTE streams past a PE: of OS k steps, at most Tk; of WS rows of A, at most Ti;
    /// of IS columns of B, at most Tj.
    std::int64_t depth = kTileDepth;
    /// What DMA and block movers move, docs/rules/systolic.md 6.1; none: the array's own block, of OS R x C x
    /// depth, else arrayTile(). The streamers feed it to the array in blocks of R x C.
    std::optional<TileShape> tile;
    /// Of `pipelined` OS; none: A + row reuse, or, when L2 cannot hold that, B in as few passes as fit.
    std::optional<L2Schedule> schedule;
    std::int64_t passes = 2; ///< of schedule B when it is asked for
    std::int64_t elementBytes = 4;
    ProgramStyle style = ProgramStyle::Pipelined;
    BankLayout layout = BankLayout::Split;
    std::int64_t banks = 8;
    std::int64_t l3Bytes =
        4 * 128 * 1024; ///< B is loaded from DRAM once when all of it fits into 40 % of this
    std::array<std::int64_t, 3> capacityBytes{}; ///< of L3, L2, L1 in all; 0: not limited
    std::int64_t l2OutputSlots = 1;
    std::int64_t l1Slots = 2; ///< per operand
    std::int64_t accumulators =
        2; ///< output tiles in the array: the one being summed and the shadow registers
};

struct Program
{
    ProgramOptions options;
    std::int64_t nM = 0, nN = 0, nK = 0; ///< tiles
    TileShape tile;
    L2Schedule schedule = L2Schedule::NoReuse;
    std::int64_t passes = 1;
    std::string reason; ///< why it is not the schedule of first choice; empty when it is
    bool aInL3 =
        false; ///< OS: a row of A is loaded once and kept in L3 while its output tiles are computed; WS: A
    bool bInL3 = false;   ///< B is loaded once and kept in L3
    bool spillsC = false; ///< WS, IS: partial sums go to DRAM between the k tiles
    std::array<std::int64_t, kPools> poolSlots{};
    std::int64_t outputTiles = 1; ///< of C, for which there is room in L2
    std::vector<Command> commands;

    [[nodiscard]] BankMap bankMap() const noexcept { return {options.layout, options.banks, nN, nK}; }
    /// Tiles resident in L2 at most, in bytes of whole tiles (docs/rules/systolic.md 3: 13 KB for 64x64x64 on
    /// 16x16).
    [[nodiscard]] std::int64_t l2Bytes() const noexcept;
    /// Array-sized blocks of a whole output tile.
    [[nodiscard]] std::int64_t blocks() const noexcept;
};

/// Commands of one program at most.
inline constexpr std::int64_t kMaxCommands = 2'000'000;

/// `barriered` (docs/rules/systolic.md 4.2): a barrier after load, move and streaming of every k step.
/// `pipelined`: the schedule's tiles resident in L2, the others double-buffered and prefetched one output
/// tile (one pass of it) ahead, continuous streaming over k, one drain per output block (and pass). A tile of
/// several blocks whose k steps do not follow each other in the array keeps partial sums in L2.
/// WS and IS: tiles in the dataflow's own loop order (docs/rules/systolic.md 6.6), a block's weights loaded
/// while the one before is in use, partial sums of a column of tiles (IS: a row) in L2 or, where they do not
/// fit, in DRAM. Refuses illegal sizes, over kMaxCommands, and what the capacities cannot hold.
[[nodiscard]] Result<Program> buildProgram(const ProgramOptions& options);

/// "schedule B in 2 passes over k", "ws, partial sums in L2"
[[nodiscard]] std::string programScheduleText(const Program& program);
/// "COMPUTE C[0,1] k=2"
[[nodiscard]] std::string commandTitle(const Command& command);
/// The deepest step (ProgramOptions::depth) of a tile that L1 holds in all its buffers, in steps of 16 where
/// it is less than the tile; at least 1.
[[nodiscard]] std::int64_t deepestStep(const Hierarchy& hierarchy, const TileShape& tile,
                                       Dataflow dataflow = Dataflow::Os, std::int64_t l1Slots = 2) noexcept;
/// Rows and columns of the array that a step of a tile feeds over the edges: what L1 holds of each of its
/// operands.
[[nodiscard]] std::int64_t fedLanes(const ArrayShape& array, const TileShape& tile,
                                    Dataflow dataflow) noexcept;
/// What the levels of a hierarchy hold in all: ProgramOptions::capacityBytes.
[[nodiscard]] std::array<std::int64_t, 3> capacitiesOf(const Hierarchy& hierarchy) noexcept;

/// One line a command (docs/rules/systolic.md 4.1); at most `limit` lines, then a line that counts the rest.
[[nodiscard]] std::string programText(const Program& program, std::size_t limit = 100'000);

} // namespace tilewright::systolic
