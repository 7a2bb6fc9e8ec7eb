// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "systolic/hierarchy.h"
#include "systolic/l2_schedule.h"

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tilewright::systolic {

/// Kinds of commands (docs/rules/systolic.md 4.1).
enum class CommandKind {
    DmaLoad,        ///< DRAM -> L3
    DmaPrefetch,    ///< DRAM -> L3, ahead of its use
    BmMove,         ///< L3 -> L2
    StrFeedRows,    ///< L2 -> L1 -> west edge
    StrFeedCols,    ///< L2 -> L1 -> north edge
    StrFeedWeights, ///< L2 -> stationary registers, over the north edge (WS, IS)
    StrFeedPartial, ///< L2 -> accumulators: a partial sum is read back
    Compute,        ///< one k step of one output block
    StrDrain,       ///< array -> L2
    DmaStore,       ///< L2 -> DRAM
    Barrier,        ///< all earlier commands end before any later command starts
};

inline constexpr std::size_t kCommandKinds = 11;

enum class Resource { Dma, BlockMover, Streamer, Array, Drain };
inline constexpr std::array kResources{Resource::Dma, Resource::BlockMover, Resource::Streamer,
                                       Resource::Array, Resource::Drain};

/// Buffers of whole tiles. Each buffer is a ring of slots: the n-th tile goes to slot n mod (number of
/// slots). In WS and IS programs a block of C keeps its slot of L2C while its sum grows. L2P holds partial
/// sums loaded from DRAM.
enum class Pool { L3A, L3B, L3C, L2A, L2B, L2C, L2P, L1A, L1B, Weights, Accumulator };
inline constexpr std::size_t kPools = 11;

enum class ProgramStyle { Barriered, Pipelined };

[[nodiscard]] std::string_view commandName(CommandKind kind) noexcept;   ///< "DMA_LOAD", ...
[[nodiscard]] std::string_view resourceName(Resource resource) noexcept; ///< "dma", "block_mover", ...
[[nodiscard]] std::string_view poolName(Pool pool) noexcept;             ///< "L3.A", ...
[[nodiscard]] std::string_view programStyleName(ProgramStyle style) noexcept;
[[nodiscard]] Result<ProgramStyle> parseProgramStyle(std::string_view text);
/// The resource that executes a command; nullopt for a barrier.
[[nodiscard]] std::optional<Resource> resourceOf(CommandKind kind) noexcept;

struct Command
{
    CommandKind kind = CommandKind::Barrier;
    Matrix matrix = Matrix::A;
    std::int64_t i = 0; ///< tile coordinates: A[i,k], B[k,j], C[i,j]
    std::int64_t j = 0;
    std::int64_t k = 0;
    std::int64_t bi = 0; ///< array-sized block within the tile: row, column and step along k
    std::int64_t bj = 0;
    std::int64_t bk = 0;
    std::int64_t bytes = 0;
    std::int64_t cycles = 0; ///< Compute: number of operands streamed
    /// Compute: cycles from the entry of the last operand to the last MAC (r + c - 2 for a block of r x c).
    /// StrFeedWeights: cycles in which the block moves to its rows (r).
    std::int64_t tail = 0;
    std::optional<Pool> pool; ///< destination buffer of the result
    std::int64_t slot = 0;
    /// True if the tile is in the same bank as the other operand of the step.
    bool bankConflict = false;
    bool kept = false;                ///< commands of much later parts of a ProgramStream may read its slot
    std::vector<std::uint32_t> waits; ///< commands whose results must be ready before this one starts
    std::vector<std::uint32_t> reads; ///< commands whose slots stay occupied until this one ends
};

/// Options of buildProgram().
struct ProgramOptions
{
    Gemm gemm;
    ArrayShape array;
    Dataflow dataflow = Dataflow::Os;
    std::int64_t weightBuffers = 2; ///< WS and IS: sets of stationary registers, 1 or 2
    /// Largest number of operands that one COMPUTE streams past a PE. OS: k steps, at most Tk. WS: rows of A,
    /// at most Ti. IS: columns of B, at most Tj.
    std::int64_t depth = kTileDepth;
    /// Tile that DMA and block movers move (docs/rules/systolic.md 6.1). nullopt: for OS the array's block R
    /// x C x depth, otherwise arrayTile(). The streamers feed the tile to the array in blocks of R x C.
    std::optional<TileShape> tile;
    /// L2 schedule of pipelined OS programs. nullopt: A + row reuse, or if L2 is too small for it, schedule B
    /// with as few passes as fit.
    std::optional<L2Schedule> schedule;
    std::int64_t passes = 0; ///< number of passes of schedule B, if that is given; 0: passesOfB()
    std::int64_t elementBytes = 4;
    ProgramStyle style = ProgramStyle::Pipelined;
    BankLayout layout = BankLayout::Split;
    std::int64_t banks = 8;
    std::int64_t l3Bytes = 4 * 128 * 1024; ///< size of L3; B is loaded only once if it fits into 40 % of L3
    std::array<std::int64_t, 3> capacityBytes{}; ///< total sizes of L3, L2 and L1; 0 = unlimited
    std::int64_t l2OutputSlots = 1;
    std::int64_t l1Slots = 2;      ///< number of slots per operand
    std::int64_t accumulators = 2; ///< output tiles in the array: the current sums and the shadow registers
};

struct Program
{
    ProgramOptions options;
    std::int64_t nM = 0, nN = 0, nK = 0; ///< number of tiles per dimension
    TileShape tile;
    L2Schedule schedule = L2Schedule::NoReuse;
    std::int64_t passes = 1;
    std::string reason; ///< why the preferred schedule is not used; empty if it is used
    /// OS: a row of A is loaded once and stays in L3 for its output tiles. WS: A stays in L3.
    bool aInL3 = false;
    bool bInL3 = false;   ///< B is loaded once and stays in L3
    bool spillsC = false; ///< WS and IS: partial sums go to DRAM between k tiles
    std::array<std::int64_t, kPools> poolSlots{};
    std::int64_t outputTiles = 1;                    ///< number of C tiles that fit into L2
    std::vector<Command> commands;                   ///< empty if the program was run by parts (runProgram())
    std::int64_t length = 0;                         ///< number of commands
    std::array<std::int64_t, kCommandKinds> moved{}; ///< bytes moved by the commands of each CommandKind

    [[nodiscard]] BankMap bankMap() const noexcept { return {options.layout, options.banks, nN, nK}; }
    /// Largest L2 space of resident tiles in bytes, counted as whole tiles (docs/rules/systolic.md 3: 13 KB
    /// for 64x64x64 on 16x16).
    [[nodiscard]] std::int64_t l2Bytes() const noexcept;
    /// Number of array-sized blocks of an output tile that is not cut off at an edge.
    [[nodiscard]] std::int64_t blocks() const noexcept;
};

/// Largest number of commands of a program that is held in memory as a whole, with the times of every
/// command. Longer programs are run by parts.
inline constexpr std::int64_t kMaxWholeCommands = 2'000'000;
/// Largest number of commands that is run without confirmation by the user; it takes a few seconds.
inline constexpr std::int64_t kMaxCommandsUnasked = 10'000'000;

/// Largest number of commands of a program, since commands are numbered with 32 bits.
inline constexpr std::int64_t kMaxCommands = 4'000'000'000;

/// Builds a program.
/// `barriered` (docs/rules/systolic.md 4.2): a barrier follows the loads, the moves and the streaming of
/// every k step.
/// `pipelined`: the tiles that the schedule keeps are resident in L2. The other tiles are double-buffered and
/// prefetched one output tile (or pass) ahead. Streaming over k is continuous, with one drain per output
/// block and pass. If a tile has several blocks whose k steps are not consecutive in the array, partial sums
/// are kept in L2.
/// WS and IS: tiles are in the loop order of the dataflow (docs/rules/systolic.md 6.6). The weights of a
/// block are loaded while the previous block is in use. The partial sums of a column of tiles (IS: a row) are
/// in L2 or, if they do not fit, in DRAM.
/// Returns an Error for illegal sizes, above kMaxWholeCommands, and if the tiles exceed the capacities.
[[nodiscard]] Result<Program> buildProgram(const ProgramOptions& options);

/// Bytes that each memory port moves. Ports are units of the pipeline: DMA, block movers, streamers, drain.
struct PortBytes
{
    std::int64_t dma = 0, blockMover = 0, streamer = 0, drain = 0;
    bool operator==(const PortBytes&) const = default;
};
/// Lower bounds for all programs of a product with given dataflow and tile (docs/rules/systolic.md 8).
struct LeastProgram
{
    PortBytes bytes;         ///< least bytes of each port over all styles, schedules and depths of steps
    std::int64_t cycles = 0; ///< least cycles of the array alone
};
/// Returns, in closed form, the least bytes and cycles of any program with these options, whatever its style,
/// schedule, passes and depth. nullopt if no such program fits into L3 and L2.
[[nodiscard]] std::optional<LeastProgram> leastProgram(ProgramOptions options);

/// Returns an upper bound on the number of commands of a program, in closed form; nullopt if no program with
/// these options fits.
[[nodiscard]] std::optional<std::int64_t> commandsOf(const ProgramOptions& options);
/// Estimated seconds that the run of a program takes at the usual rate of commands.
[[nodiscard]] double secondsOf(std::int64_t commands) noexcept;
/// Returns an Error that states commands and seconds if a program has more than `most` commands. With `most`
/// 0, only the limit kMaxCommands of all programs is checked.
[[nodiscard]] Status checkLength(const ProgramOptions& options, std::int64_t most);
/// Returns the least number of cycles of any program at the rates of a hierarchy: the maximum over the array
/// and every port of leastProgram(). nullopt if that returns nullopt.
[[nodiscard]] std::optional<std::int64_t> leastCycles(const Hierarchy& hierarchy,
                                                      const ProgramOptions& options);

/// Text of a schedule: "schedule B in 2 passes over k", "ws, partial sums in L2".
[[nodiscard]] std::string programScheduleText(const Program& program);
/// Text of a command: "COMPUTE C[0,1] k=2".
[[nodiscard]] std::string commandTitle(const Command& command);
/// Largest ProgramOptions::depth with which L1 holds all its buffers for a tile. If less than the tile size,
/// it is a multiple of 16; at least 1.
[[nodiscard]] std::int64_t deepestStep(const Hierarchy& hierarchy, const TileShape& tile,
                                       Dataflow dataflow = Dataflow::Os, std::int64_t l1Slots = 2) noexcept;
/// Number of lanes (rows and columns of the array) that a step feeds over the edges. L1 must hold their
/// operands.
[[nodiscard]] std::int64_t fedLanes(const ArrayShape& array, const TileShape& tile,
                                    Dataflow dataflow) noexcept;
/// Total sizes of L3, L2 and L1 of a hierarchy in bytes, for ProgramOptions::capacityBytes.
[[nodiscard]] std::array<std::int64_t, 3> capacitiesOf(const Hierarchy& hierarchy) noexcept;

/// Listing of a program of buildProgram() or runProgram(), one line per command (docs/rules/systolic.md 4.1).
/// After `limit` lines, one line says how many follow. The commands are generated again, part by part.
[[nodiscard]] std::string programText(const Program& program, std::int64_t limit = 100'000);
/// Passes the same listing to `write` in pieces. Returns the Error of `write`.
[[nodiscard]] Status writeProgramText(const Program& program, std::int64_t limit,
                                      const std::function<Status(std::string_view)>& write);

} // namespace tilewright::systolic
