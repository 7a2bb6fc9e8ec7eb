// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/array_energy.h"

namespace tilewright::lower {

ArrayEnergy arrayEnergy(const systolic::Gemm& gemm, const systolic::Roofline& roofline,
                        std::int64_t elementBytes, const Machine::Energy& table) noexcept
{
    const auto elements = [&](std::size_t point) {
        return static_cast<double>(roofline.points[point].bytes) / static_cast<double>(elementBytes);
    };
    const auto macs = static_cast<double>(systolic::macs(gemm));
    ArrayEnergy e;
    e.mac = macs * table.mac;
    e.rf = macs * 3 * table.rf; // both operands and the sum
    e.noc = elements(0) * table.noc;
    e.spm = (elements(1) + elements(2)) * table.spm;
    e.dram = elements(3) * table.dram;
    return e;
}

} // namespace tilewright::lower
