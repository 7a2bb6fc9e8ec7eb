// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "mapping/layer.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// The second cost model of the Mapping lens: machines with any number of memory levels.

namespace tilewright::hierarchy {

using mapping::Factors;
using mapping::kMaxLoops;
using mapping::kOperands;
using mapping::kWritten;
using mapping::LoopNest;

inline constexpr std::size_t kMaxLevels = 12;

/// One direction of the fan-out of a level: the inner parts are replicated along it (docs/rules/hierarchy.md
/// 1).
struct Axis
{
    static constexpr unsigned kAllConv = (1u << mapping::kConvLoops.size()) - 1u;
    static constexpr unsigned kAllGemm = (1u << mapping::kGemmLoops.size()) - 1u;

    std::string name;
    std::int64_t size = 1; ///< number of instances along the axis
    // The loops whose factors above 1 the axis may take: bit l stands for loop l of a layer of that kind.
    unsigned convLoops = kAllConv;
    unsigned gemmLoops = kAllGemm;

    [[nodiscard]] bool allows(mapping::LayerKind kind, int loop) const noexcept
    {
        return ((kind == mapping::LayerKind::Gemm ? gemmLoops : convLoops) >> loop & 1u) != 0;
    }
    bool operator==(const Axis&) const = default;
};

/// A memory level, and the fan-out between it and the parts inside it (docs/rules/hierarchy.md 1).
struct Level
{
    std::string name;
    std::array<bool, kOperands> holds{true, true, true};
    std::optional<std::int64_t> bytes; ///< size of one instance; nullopt: unlimited. Not used with `memories`
    /// Bytes per operand, if the operands have separate memories: 0 for operands that the level does not
    /// hold.
    std::optional<std::array<std::int64_t, kOperands>> memories;
    /// Bandwidth of one instance in bytes per cycle; nullopt: unlimited.
    std::optional<double> readBytesPerCycle, writeBytesPerCycle;
    double readPj = 0, writePj = 0; ///< energy of reading or writing one bit
    /// Nullopt: depends on its place, see Architecture::isDoubleBuffered().
    std::optional<bool> doubleBuffered;
    std::vector<Axis> axes;
    bool multicast = true;      ///< the fan-out delivers one read to all instances that need it
    bool reductionTree = false; ///< the fan-out adds the partial sums that its instances send

    bool operator==(const Level&) const = default;
};

/// A machine with its memory levels from the outermost to the innermost (docs/rules/hierarchy.md 1).
struct Architecture
{
    std::string name;
    double clockGhz = 1;
    std::array<std::int64_t, kOperands> bits{16, 16, 16}; ///< width of an element of each operand, in bits
    std::int64_t accumulatorBits = 32; ///< width in bits of a partial sum of the written operand
    double macPj = 0;                  ///< energy of one multiplication in pJ
    bool imperfect = false; ///< factors need not divide the trip count: the last tile of a loop is smaller
    std::vector<Level> levels;

    /// True if one half of the level is filled while the other half is in use (double buffering). By default,
    /// this is the case for the levels between the outermost and the innermost one.
    [[nodiscard]] bool isDoubleBuffered(std::size_t level) const noexcept
    {
        return levels[level].doubleBuffered.value_or(level > 0 && level + 1 < levels.size());
    }
    /// Bits of an element of the operand in this level, by CAPACITY of docs/rules/hierarchy.md 2.
    [[nodiscard]] std::int64_t storedBits(std::size_t level, std::size_t operand) const noexcept
    {
        return operand == kWritten && level > 0 ? accumulatorBits : bits[operand];
    }
    /// The innermost level that holds the operand.
    [[nodiscard]] std::size_t innermostHolder(std::size_t operand) const noexcept;

    bool operator==(const Architecture&) const = default;
};

/// Checks all fields. Returns an Error with the path of the first field that is out of range or contradicts
/// another one.
[[nodiscard]] Status checkArchitecture(const Architecture& architecture);

/// Returns an Error if the counts of the layer's worst mapping could overflow 64 bits.
[[nodiscard]] Status checkCountable(const LoopNest& nest);

} // namespace tilewright::hierarchy
