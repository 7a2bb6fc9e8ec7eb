// SPDX-License-Identifier: GPL-3.0-or-later
#include "lower/component_energy.h"

#include <algorithm>
#include <cmath>

namespace tilewright::lower {

namespace {

// Two machines whose designers published the energy of a memory access: Eyeriss (65 nm, JSSC 52(1) 2017,
// quoted by stanford-mast/nn_dataflow) and TPU v4i (7 nm, ISCA 2021, quoted by Accelergy-Project/accelforge).
// Energies are of reads, in pJ per bit; those of 16-bit words of Eyeriss are divided by 16.
struct Published
{
    double nm;
    /// Small memory: register files of a PE (Eyeriss), buffer of an array (TPU v4i).
    double smallBytes, smallPj;
    double largeBytes, largePj; ///< large memory: global buffer (Eyeriss), CMEM (TPU v4i)
    double macPj;               ///< energy of a multiplication of 16-bit operands in pJ
};
constexpr Published kEyeriss{65, 522, 1.0 / 16, 110'592, 15.0 / 16, 2};
constexpr Published kTpu{7, 4'194'304, 0.249, 134'217'728, 1.88, 0.084};

constexpr double kOtherDramPj = 460.0 / 16; ///< DRAM energy of Eyeriss in pJ per bit
constexpr double kHbmPj = 7.03;             ///< HBM energy of TPU v4i in pJ per bit
constexpr double kLeastHbm = 400;           ///< GB/s from which a memory is assumed to be HBM

/// Energy in pJ per bit divided by the square root of the size in bytes. The energies of a machine's two
/// memories follow the square root of the size within 20 %.
double perRoot(const Published& machine)
{
    return std::sqrt(machine.smallPj / std::sqrt(machine.smallBytes) * machine.largePj /
                     std::sqrt(machine.largeBytes));
}

/// Interpolates between the values of the two machines at a technology, as a power of it. Outside of their
/// technologies, the value of the nearer machine is returned.
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
