// SPDX-License-Identifier: GPL-3.0-or-later
// Energies of memories and multipliers that a machine does not state (docs/rules/hierarchy.md 9.4).
#pragma once

#include <cstdint>

namespace tilewright::lower {

/// pJ to read or write one bit of an on-chip memory of this size, registers included.
[[nodiscard]] double sramPjPerBit(std::int64_t bytes, double technologyNm) noexcept;

/// pJ for one bit of a memory outside the chip that delivers this many GB/s.
[[nodiscard]] double dramPjPerBit(double gbPerSecond) noexcept;

/// pJ of a multiplication with its addition.
[[nodiscard]] double macPj(std::int64_t bits, double technologyNm) noexcept;

} // namespace tilewright::lower
