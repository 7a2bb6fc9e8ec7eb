// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/machine.h"
#include "systolic/roofline.h"

namespace tilewright::lower {

/// Energy of one product on the array, in pJ (docs/rules/systolic.md 10).
struct ArrayEnergy
{
    double mac = 0, rf = 0, noc = 0, spm = 0, dram = 0;
    [[nodiscard]] double total() const noexcept { return mac + rf + noc + spm + dram; }
};
/// Computes the energy from the machine's table of energies and the traffic in `roofline`.
[[nodiscard]] ArrayEnergy arrayEnergy(const systolic::Gemm& gemm, const systolic::Roofline& roofline,
                                      std::int64_t elementBytes, const Machine::Energy& table) noexcept;

} // namespace tilewright::lower
