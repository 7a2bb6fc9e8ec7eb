// SPDX-License-Identifier: GPL-3.0-or-later
// Energies of memories and multipliers that a machine does not state (docs/rules/hierarchy.md 9.4).
#pragma once

#include <cstdint>

namespace tilewright::lower {

/// Energy in pJ to read or write one bit of an on-chip memory of this size, or of a register.
[[nodiscard]] double sramPjPerBit(std::int64_t bytes, double technologyNm) noexcept;

/// Energy in pJ to move one bit to or from an off-chip memory with this bandwidth.
[[nodiscard]] double dramPjPerBit(double gbPerSecond) noexcept;

/// Energy in pJ of a multiplication with its addition, for operands of `bits` bits.
[[nodiscard]] double macPj(std::int64_t bits, double technologyNm) noexcept;

} // namespace tilewright::lower
