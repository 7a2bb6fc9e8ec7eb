// SPDX-License-Identifier: GPL-3.0-or-later
#include "explain/other_hardware.h"

#include <algorithm>
#include <cmath>

namespace tilewright {

Result<ProblemPtr> withHardware(const Problem& problem, HardwareParameter parameter, double factor)
{
    Problem::Data data = problem.data();
    std::int64_t& value = parameter == HardwareParameter::Capacity ? data.hardware.fastMemoryCapacity
                                                                   : data.hardware.slowMemoryBandwidth;
    value = std::max<std::int64_t>(1, std::llround(static_cast<double>(value) * factor));
    return Problem::build(std::move(data));
}

} // namespace tilewright
