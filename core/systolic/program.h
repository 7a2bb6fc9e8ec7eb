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
    DmaLoad,     ///< DRAM -> L3
    DmaPrefetch, ///< the same, ahead of its use
    BmMove,      ///< L3 -> L2
    StrFeedRows, ///< L2 -> L1 -> west edge
    StrFeedCols, ///< L2 -> L1 -> north edge
    Compute,     ///< one k step of one output tile
    StrDrain,    ///< array -> L2
    DmaStore,    ///< L2 -> DRAM
    Barrier,     ///< everything before it ends before anything after it starts
};

enum class Resource { Dma, BlockMover, Streamer, Array, Drain };
inline constexpr std::array kResources{Resource::Dma, Resource::BlockMover, Resource::Streamer,
                                       Resource::Array, Resource::Drain};

/// Buffers of whole tiles; each is a ring: the n-th tile written goes to slot n mod size.
enum class Pool { L3A, L3B, L2A, L2B, L2C, L1A, L1B, Accumulator };
inline constexpr std::size_t kPools = 8;

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
    std::int64_t bytes = 0;
    std::int64_t cycles = 0;  ///< Compute: operands fed
    std::int64_t tail = 0;    ///< Compute: cycles from the last operand's entry to the last MAC (r + c - 2)
    std::optional<Pool> pool; ///< where the result goes
    std::int64_t slot = 0;
    bool bankConflict = false;        ///< its tile lies in the bank of the other operand of the same step
    std::vector<std::uint32_t> waits; ///< commands whose results must be ready before this one starts
    std::vector<std::uint32_t> reads; ///< commands whose slots stay occupied until this one ends
};

/// What to build a program for; tiles are R x C x depth.
struct ProgramOptions
{
    Gemm gemm;
    ArrayShape array;
    std::int64_t depth = kTileDepth; ///< Tk of one COMPUTE
    std::int64_t elementBytes = 4;
    ProgramStyle style = ProgramStyle::Pipelined;
    BankLayout layout = BankLayout::Split;
    std::int64_t banks = 8;
    std::int64_t l3Bytes =
        4 * 128 * 1024; ///< B is loaded from DRAM once when all of it fits into 40 % of this
    std::int64_t l2OutputSlots = 1;
    std::int64_t l1Slots = 2; ///< per operand
    std::int64_t accumulators =
        2; ///< output tiles in the array: the one being summed and the shadow registers
};

struct Program
{
    ProgramOptions options;
    std::int64_t nM = 0, nN = 0, nK = 0;
    bool bInL3 = false; ///< B is loaded once and kept in L3
    std::array<std::int64_t, kPools> poolSlots{};
    std::vector<Command> commands;

    [[nodiscard]] BankMap bankMap() const noexcept { return {options.layout, options.banks, nN, nK}; }
    /// Tiles resident in L2 at most, in bytes of whole tiles (docs/rules/systolic.md 3: 13 KB for 64x64x64 on
    /// 16x16).
    [[nodiscard]] std::int64_t l2Bytes() const noexcept;
};

/// Commands of one program at most.
inline constexpr std::int64_t kMaxCommands = 2'000'000;

/// `barriered` (docs/rules/systolic.md 4.2): a barrier after load, move and streaming of every k step.
/// `pipelined`: row of A resident in L2, columns of B double-buffered and prefetched one output tile ahead,
/// continuous streaming over k, one drain per output tile. Refuses illegal sizes and over kMaxCommands.
[[nodiscard]] Result<Program> buildProgram(const ProgramOptions& options);

/// "COMPUTE C[0,1] k=2"
[[nodiscard]] std::string commandTitle(const Command& command);
/// One line a command (docs/rules/systolic.md 4.1); at most `limit` lines, then a line that counts the rest.
[[nodiscard]] std::string programText(const Program& program, std::size_t limit = 100'000);

} // namespace tilewright::systolic
