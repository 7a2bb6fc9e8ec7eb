// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/component_energy.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lower {

namespace {

// The two machines whose designers publish the energy of an access: Eyeriss (65 nm, JSSC 52(1) 2017, quoted
// by stanford-mast/nn_dataflow) and TPU v4i (7 nm, ISCA 2021, quoted by Accelergy-Project/accelforge). Reads,
// pJ a bit; 16-bit words of Eyeriss divided by 16.
struct Published
{
    double nm;
    double smallBytes, smallPj; ///< register files of a PE; buffer of an array
    double largeBytes, largePj; ///< global buffer; CMEM
    double macPj;               ///< energy of a multiplication of 16-bit operands
};
constexpr Published kEyeriss{65, 522, 1.0 / 16, 110'592, 15.0 / 16, 2};
constexpr Published kTpu{7, 4'194'304, 0.249, 134'217'728, 1.88, 0.084};

constexpr double kOtherDramPj = 460.0 / 16; ///< DRAM energy per bit of Eyeriss
constexpr double kHbmPj = 7.03;             ///< HBM energy per bit of TPU v4i
constexpr double kLeastHbm = 400;           ///< GB/s

/// pJ a bit and root of a byte: both of a machine's memories follow the root of their size within 20 %.
double perRoot(const Published& machine)
{
    return std::sqrt(machine.smallPj / std::sqrt(machine.smallBytes) * machine.largePj /
                     std::sqrt(machine.largeBytes));
}

/// The value at a technology between those of the two machines, as a power of it; not beyond them.
double between(double ofTpu, double ofEyeriss, double nm)
{
    const double place =
        std::log(std::clamp(nm, kTpu.nm, kEyeriss.nm) / kTpu.nm) / std::log(kEyeriss.nm / kTpu.nm);
    return ofTpu * std::pow(ofEyeriss / ofTpu, place);
}

} // namespace

double sramPjPerBit(std::int64_t bytes, double technologyNm) noexcept
{
    return between(perRoot(kTpu), perRoot(kEyeriss), technologyNm) * std::sqrt(static_cast<double>(bytes));
}

double dramPjPerBit(double gbPerSecond) noexcept
{
    return gbPerSecond >= kLeastHbm ? kHbmPj : kOtherDramPj;
}

double macPj(std::int64_t bits, double technologyNm) noexcept
{
    const double width = static_cast<double>(bits) / 16;
    return between(kTpu.macPj, kEyeriss.macPj, technologyNm) * width * width;
}

} // namespace tilewright::lower
